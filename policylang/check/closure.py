"""Policies with all that they extend: each file is checked once, after its parents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from policylang.check.build import build_layer
from policylang.check.declarations import header_id
from policylang.check.layer import Layer
from policylang.check.sink import Sink
from policylang.syntax import ast

MAX_PARENTS: Final = 64
"""Policies on one way up from a child."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed file. ``stem`` names it where it has no header; ``is_damaged`` says that some of it did not parse."""

    file: ast.PolicyFile
    stem: str
    is_damaged: bool = False

    @property
    def id(self) -> str:
        """The policy's id."""
        header = header_id(self.file)
        return header.name if header is not None else self.stem


Resolve = Callable[[str, Parsed], Parsed | None]
"""Finds a parent by id, for the file that names it."""


class Closure:
    """The layers of a set of policies, each built once, with the findings of all."""

    def __init__(self, resolve: Resolve, known: Callable[[Parsed], Iterable[str]]) -> None:
        self.sink = Sink()
        self._resolve = resolve
        self._known = known
        self._layers: dict[str, Layer] = {}
        self._open: list[str] = []

    def layer(self, parsed: Parsed) -> Layer:
        """The layer of one policy, its parents' layers built first."""
        done = self._layers.get(parsed.id)
        if done is not None:
            return done
        self._open.append(parsed.id)
        parents: dict[str, Layer] = {}
        is_missing = False
        for decl in parsed.file.decls:
            if isinstance(decl, ast.Extends) and decl.parent.name not in parents:
                parent = self._parent(decl.parent, parsed)
                if parent is None:
                    is_missing = True
                else:
                    parents[parent.id] = parent
        self._open.pop()
        in_order = [parents[name] for name in sorted(parents)]
        layer = build_layer(
            parsed.id, parsed.file, in_order, self.sink, has_missing_parent=is_missing, is_damaged=parsed.is_damaged
        )
        self._layers[parsed.id] = layer
        return layer

    def _parent(self, name: ast.Ident, child: Parsed) -> Layer | None:
        if name.name in self._open:
            ring = [*self._open[self._open.index(name.name) :], name.name]
            way = " -> ".join(f"`{one}`" for one in ring)
            hint = "take one `extends` out of the ring"
            self.sink.error("cyclic-extends", f"`{name.name}` extends itself: {way}", name.loc, hint)
            return None
        if len(self._open) > MAX_PARENTS:
            message = f"more than {MAX_PARENTS} policies extend one another"
            self.sink.error("too-deep", message, name.loc, "extend an ancestor directly")
            return None
        found = self._resolve(name.name, child)
        if found is None:
            self.sink.unknown("unknown-parent", "policy", name.name, name.loc, self._known(child))
            return None
        return self.layer(found)


def roots_of(files: Mapping[str, Parsed]) -> list[Parsed]:
    """The policies that no other of the set extends, by id."""
    extended = {
        decl.parent.name
        for parsed in files.values()
        for decl in parsed.file.decls
        if isinstance(decl, ast.Extends) and decl.parent.name != parsed.id
    }
    return [files[name] for name in sorted(files) if name not in extended]
