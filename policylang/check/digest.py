"""The digest of a policy: over what its layers say, not over how they are spelt or commented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from policylang.syntax import ast
from policylang.syntax.printer import print_policy
from policylang.transcript.canonical import digest


def policy_digest(closure: Mapping[str, ast.PolicyFile]) -> str:
    """``sha256:…`` of every layer's printed text, by id; comments, places and inline tests are left out."""
    return digest([[name, print_policy(_bare(closure[name]))] for name in sorted(closure)])


def _bare(file: ast.PolicyFile) -> ast.PolicyFile:
    decls = tuple(
        decl if decl.doc is None else replace(decl, doc=None)
        for decl in file.decls
        if not isinstance(decl, ast.InlineTest)
    )
    return ast.PolicyFile(decls, loc=file.loc)
