"""Things said of one key, found by entity, chain or call, so that no question looks at all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from policylang.evidence import keys
from policylang.evidence.representation.model import SessionSpan
from policylang.evidence.representation.phrases import Phrase
from policylang.evidence.representation.subjects import Names, mapped


class Said(Protocol):
    """What a pool holds: it stands in a span, says something of an entity or of none, in a clause or in a record."""

    @property
    def span(self) -> int:
        """Position of the span."""

    @property
    def rank(self) -> int:
        """Original offset in the span."""

    @property
    def entity(self) -> str | None:
        """What it is said of, if that is said."""

    @property
    def phrase(self) -> Phrase | None:
        """The clause."""


T = TypeVar("T", bound=Said)


class Pool(Generic[T]):
    """Items in a fixed order, with indexes built when first asked for, each linear in the clauses' words."""

    __slots__ = ("_by_origin", "_by_word", "_spans", "free", "items")

    def __init__(self, items: Sequence[T], spans: Sequence[SessionSpan]) -> None:
        """Hold items.

        Args:
            items: In the order in which they are to be tried.
            spans: The session, by position.
        """
        self.items = items
        self.free = [item for item in items if item.entity is None]
        self._spans = spans
        self._by_word: dict[str, list[int]] | None = None
        self._by_origin: tuple[dict[str, list[T]], dict[str, list[T]]] | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def about(self, entity: str) -> list[T]:
        """Items that can name an entity: all that hold a word of its last step."""
        name = keys.entity(entity).rsplit("/", 1)[-1]
        return self.holding((name, *keys.words(name), _plain(name)))

    def holding(self, words: Iterable[str]) -> list[T]:
        """Items whose entity or clause holds one of the words."""
        if self._by_word is None:
            self._by_word = {}
            for number, item in enumerate(self.items):
                for word in _words(item, mapped(self._spans[item.span].text).at(item.rank)):
                    self._by_word.setdefault(word, []).append(number)
        numbers: set[int] = set()
        for word in words:
            numbers.update(self._by_word.get(word, ()))
        return [self.items[number] for number in sorted(numbers)]

    def in_chain(self, chain: str) -> list[T]:
        """Items of the spans of a chain."""
        return self._origins()[0].get(chain, [])

    def of_call(self, call: str | None) -> list[T]:
        """Items of the spans of one tool call; none for None."""
        return self._origins()[1].get(call, []) if call is not None else []

    def _origins(self) -> tuple[dict[str, list[T]], dict[str, list[T]]]:
        if self._by_origin is None:
            self._by_origin = ({}, {})
            for item in self.items:
                span = self._spans[item.span]
                self._by_origin[0].setdefault(span.chain, []).append(item)
                if span.tool_call_id is not None:
                    self._by_origin[1].setdefault(span.tool_call_id, []).append(item)
        return self._by_origin


def _plain(name: str) -> str:
    """A number without its leading zeros: migration 42 is 0042."""
    return name.lstrip("0") if name.isdigit() else name


def _words(item: Said, names: Names) -> set[str]:
    words: set[str] = set()
    for _, name in names:
        words.update((name, *keys.words(name)))
    if item.entity is not None:
        name = keys.entity(item.entity)
        words.update((name, name.rsplit("/", 1)[-1], *keys.words(name), _plain(name)))
    if item.phrase is not None:
        words.update(item.phrase.words)
        words.update(token.low for token in item.phrase.tokens)
    return words
