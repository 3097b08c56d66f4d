"""The check of a set of parsed policies, pure: files come in parsed, findings and the policy go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from policylang.check.closure import Closure, Parsed, Resolve, roots_of
from policylang.check.effective import effective, together
from policylang.check.sink import Sink
from policylang.diagnostics import Diagnostic, in_source_order
from policylang.rules_ir.policy import CheckedPolicy
from policylang.source import Loc
from policylang.syntax import ast

Checked = tuple[CheckedPolicy | None, tuple[Diagnostic, ...]]


def check_set(files: Sequence[Parsed], resolve: Resolve, known: Callable[[Parsed], Iterable[str]]) -> Checked:
    """The effective policy of a set, or all that is wrong with it.

    The policy is the set's one root; several roots make one policy that asks for all of them. The order of ``files``
    never changes the result.
    """
    closure = Closure(resolve, known)
    by_id: dict[str, Parsed] = {}
    for parsed in sorted(files, key=lambda one: (one.id, one.file.loc.source.name)):
        other = by_id.setdefault(parsed.id, parsed)
        if other is not parsed:
            related = ((_place(other), "the other one"),)
            message = f"two files hold the policy `{parsed.id}`"
            closure.sink.error("duplicate-id", message, _place(parsed), "rename one of the two", related)
    layers = {name: closure.layer(by_id[name]) for name in sorted(by_id)}
    roots = [layers[parsed.id] for parsed in roots_of(by_id)]
    if not roots or closure.sink.found or any(parsed.is_damaged for parsed in files):
        return None, in_source_order(closure.sink.found)
    sink = Sink()
    layer = together(roots, sink)
    if not sink.found and not layer.rule_ids():
        hint = "add a block, an `anchor`, a `refuse` or a `warn`"
        sink.error("no-rules", f"the policy `{layer.id}` has no rule", layer.loc, hint)
    if sink.found:
        return None, in_source_order(sink.found)
    return effective(layer), ()


def _place(parsed: Parsed) -> Loc:
    for decl in parsed.file.decls:
        if isinstance(decl, ast.Header):
            return decl.id.loc
    return parsed.file.loc


def check(
    file: ast.PolicyFile,
    *,
    resolve: Callable[[str], ast.PolicyFile | None] = lambda _: None,
    known_parents: Iterable[str] = (),
    name_stem: str = "policy",
    is_damaged: bool = False,
) -> Checked:
    """The policy of one file, or all that is wrong with it and with its parents.

    Args:
        file: The parsed file.
        resolve: Finds a parent's file by its id.
        known_parents: Ids for did-you-mean.
        name_stem: The id of a file without a header.
        is_damaged: True where the parser had to skip some of the text; then there is no policy, only findings.
    """
    known = sorted(set(known_parents))

    def find(name: str, _: Parsed) -> Parsed | None:
        found = resolve(name)
        return Parsed(found, name) if found is not None else None

    return check_set([Parsed(file, name_stem, is_damaged)], find, lambda _: known)
