"""The declarations of one file, sorted by sort: its header, what it extends, its kinds, and names given twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, assert_never

from policylang.check.calls import FUNCTIONS
from policylang.check.context import GLOBAL_NODES
from policylang.check.sink import Sink
from policylang.source import Loc
from policylang.syntax import ast
from policylang.transcript.vocabulary import CLASSES, KNOWN_KINDS
from policylang.version import __version__

_VERSION: Final = re.compile(r"\d+(\.\d+){0,3}([-+][0-9A-Za-z.+-]+)?\Z")


@dataclass(slots=True)
class Declarations:
    """A file's declarations, each sort in the order of the text."""

    headers: list[ast.Header] = field(default_factory=list)
    extends: list[ast.Extends] = field(default_factory=list)
    requires: list[ast.Requires] = field(default_factory=list)
    kinds: list[ast.KindDecl] = field(default_factory=list)
    anchors: list[ast.AnchorKind | ast.AnchorDetect | ast.AnchorWhen | ast.Exempt] = field(default_factory=list)
    budgets: list[ast.Budget] = field(default_factory=list)
    blocks: list[ast.Block] = field(default_factory=list)
    lets: list[ast.Let] = field(default_factory=list)
    rules: list[ast.Rule] = field(default_factory=list)
    relaxes: list[ast.Relax] = field(default_factory=list)
    tests: list[ast.InlineTest] = field(default_factory=list)


def sort_declarations(file: ast.PolicyFile) -> Declarations:
    """The declarations by sort."""
    out = Declarations()
    for decl in file.decls:
        match decl:
            case ast.Rule():
                out.rules.append(decl)
            case ast.Let():
                out.lets.append(decl)
            case ast.AnchorKind() | ast.AnchorDetect() | ast.AnchorWhen() | ast.Exempt():
                out.anchors.append(decl)
            case ast.Budget():
                out.budgets.append(decl)
            case ast.Block():
                out.blocks.append(decl)
            case ast.KindDecl():
                out.kinds.append(decl)
            case ast.InlineTest():
                out.tests.append(decl)
            case ast.Relax():
                out.relaxes.append(decl)
            case ast.Extends():
                out.extends.append(decl)
            case ast.Requires():
                out.requires.append(decl)
            case ast.Header():
                out.headers.append(decl)
            case _:
                assert_never(decl)
    return out


def header_id(file: ast.PolicyFile) -> ast.Ident | None:
    """The id that a file gives itself, if it does."""
    for decl in file.decls:
        if isinstance(decl, ast.Header):
            return decl.id
    return None


def check_header(decls: Declarations, sink: Sink) -> None:
    """One header, a readable version, and an engine that is new enough."""
    for header in decls.headers[1:]:
        related = ((decls.headers[0].loc, "the first header"),)
        sink.error("duplicate-id", "a file holds one policy", header.id.loc, "move it to a file of its own", related)
    for header in decls.headers[:1]:
        if header.version is not None and not _VERSION.match(header.version.name):
            message = f"`{header.version.name}` is not a version"
            sink.error("type-mismatch", message, header.version.loc, 'versions look like "1.2.0"')
    for decl in decls.requires:
        wanted = decl.version
        if not _VERSION.match(wanted.name):
            sink.error("type-mismatch", f"`{wanted.name}` is not a version", wanted.loc, 'versions look like "0.3"')
        elif _numbers(wanted.name) > _numbers(__version__):
            message = f"the policy requires policylang >= {wanted.name}, this is {__version__}"
            sink.error("engine-too-old", message, wanted.loc, "upgrade policylang")
    seen: dict[str, Loc] = {}
    for extends in decls.extends:
        _once(seen, extends.parent, "is extended already", sink)


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version without trailing zeros, so that 0.3 and 0.3.0 are one."""
    numbers = [int(part) for part in re.split(r"[-+]", version)[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _once(seen: dict[str, Loc], name: ast.Ident, what: str, sink: Sink, loc: Loc | None = None) -> bool:
    first = seen.get(name.name)
    if first is None:
        seen[name.name] = name.loc
        return True
    message = f"`{name.name}` {what}"
    sink.error("duplicate-id", message, loc or name.loc, "keep one, or rename it", ((first, "first here"),))
    return False


def read_kinds(decls: Iterable[ast.KindDecl], inherited: Iterable[str], sink: Sink) -> dict[str, str | None]:
    """The file's own kinds, with None for the class of one whose class is no class."""
    found: dict[str, str | None] = {}
    seen: dict[str, Loc] = {}
    known = set(inherited)
    for decl in decls:
        name, klass = decl.name.name, decl.klass.name
        if klass not in CLASSES:
            sink.unknown("unknown-name", "class", klass, decl.klass.loc, CLASSES)
        if name in KNOWN_KINDS:
            message = f"`{name}` is known from the start, of class {KNOWN_KINDS[name]}"
            sink.error("duplicate-id", message, decl.name.loc, "choose another name")
        elif name in known:
            sink.error("duplicate-id", f"a parent declares the kind `{name}`", decl.name.loc, "choose another name")
        elif name in CLASSES:
            sink.error("duplicate-id", f"`{name}` is a class", decl.name.loc, "choose another name")
        elif _once(seen, decl.name, "is declared already", sink):
            found[name] = klass if klass in CLASSES else None
    return found


def read_lets(decls: Iterable[ast.Let], sink: Sink) -> dict[str, ast.Let]:
    """The file's `let`s by name; the first of a name counts."""
    found: dict[str, ast.Let] = {}
    seen: dict[str, Loc] = {}
    for let in decls:
        name = let.name.name
        if name in GLOBAL_NODES or name in FUNCTIONS:
            what = "a function of the language" if name in FUNCTIONS else "a name in scope everywhere"
            sink.error("duplicate-id", f"`{name}` is {what}", let.name.loc, "choose another name")
            continue
        params: dict[str, Loc] = {}
        for param in let.params:
            _once(params, param, f"is a parameter of `{name}` already", sink)
        if _once(seen, let.name, "is defined already", sink):
            found[name] = let
    return found


_HEADS: Final = re.compile(r'(?m)^[ \t]*(kind|let|refuse|warn)[ \t]+("?)([a-z][a-z0-9_/-]*)\2')


@dataclass(frozen=True, slots=True)
class Unread:
    """Names that a damaged file declares in text that could not be read, by its look: they are somewhere, unseen."""

    kinds: frozenset[str] = frozenset()
    lets: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()


def unread_names(text: str, decls: Declarations) -> Unread:
    """What looks declared in the text but is not among the declarations.

    It only keeps one syntax error from making every use of the name another error.
    """
    found: dict[str, set[str]] = {"kind": set(), "let": set(), "refuse": set(), "warn": set()}
    for word, _, name in _HEADS.findall(text):
        found[word].add(name)
    return Unread(
        frozenset(found["kind"] - {decl.name.name for decl in decls.kinds}),
        frozenset(found["let"] - {decl.name.name for decl in decls.lets}),
        frozenset((found["refuse"] | found["warn"]) - {decl.id.name for decl in decls.rules}),
    )


def check_unique(decls: Declarations, sink: Sink) -> None:
    """Names of anchors, exempts, blocks and tests, each once in a file."""
    anchors: dict[str, Loc] = {}
    exempts: dict[str, Loc] = {}
    for decl in decls.anchors:
        if isinstance(decl, ast.AnchorWhen):
            _once(anchors, decl.name, "is an anchor already", sink)
        elif isinstance(decl, ast.Exempt):
            _once(exempts, decl.name, "is an exempt already", sink)
    blocks: dict[str, Loc] = {}
    for block in decls.blocks:
        _once(blocks, block.block, "stands already in this file", sink)
    tests: dict[str, Loc] = {}
    for test in decls.tests:
        _once(tests, ast.Ident(test.name.value, loc=test.name.loc), "is a test already", sink)
