"""What each key of a cases file may hold; an expectation of the wrong form would be a test that cannot fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Form = tuple[str, Callable[[Any], bool]]
"""How the form is called in a message, and whether a value has it."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _maps_to(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(_is_text(key) and is_one(value[key]) for key in value)


_ACTIONS: Final = ("compact", "spill", "restate")
_TEXT: Final[Form] = ("text", _is_text)
_LIST: Final[Form] = ("a list of names", _is_list)
_SOME: Final[Form] = ("a list of at least one name", lambda value: _is_list(value) and bool(value))
_REPEATED: Final = ("prefix", "open", "middle", "close", "suffix")

EXPECT: Final[dict[str, Form]] = {
    "decision": ("`compact` or `spill_lossless`", lambda value: value in ("compact", "spill_lossless")),
    "rules": _LIST,
    "includes": _SOME,
    "excludes": _SOME,
    "undetermined": _LIST,
    "spans": _LIST,
    "chains": ("a mapping of chain to number", _maps_to(_is_number)),
    "salvage": (
        "a mapping of `evict` and `spill` to lists of spans",
        lambda value: _maps_to(_is_list)(value) and bool(value) and set(value) <= {"evict", "spill"},
    ),
    "plan": (
        f"a mapping of span to {', '.join(_ACTIONS)}",
        lambda value: _maps_to(lambda action: action in _ACTIONS)(value) and bool(value),
    ),
    "warnings": _LIST,
    "shadow": _LIST,
    "error": _TEXT,
    "errors": _SOME,
    "errors_include": _SOME,
    "at": ("line:column", lambda value: _is_text(value) and re.fullmatch(r"\d+:\d+", value) is not None),
    "help": _TEXT,
}
CASE: Final[dict[str, Form]] = {
    "given": ("a mapping", lambda value: value is None or isinstance(value, Mapping)),
    "expect": ("a mapping", lambda value: value is None or isinstance(value, Mapping)),
    "policy": _TEXT,
    "policy_text": ("text", lambda value: isinstance(value, str)),
    "policy_yaml": ("text", lambda value: isinstance(value, str)),
    "policy_text_repeat": (
        f"a mapping of {', '.join(_REPEATED)} and times",
        lambda value: (
            isinstance(value, Mapping)
            and all(isinstance(value.get(key), str) for key in _REPEATED)
            and isinstance(value.get("times"), int)
        ),
    ),
    "when": ("a condition", lambda value: _is_text(value) or isinstance(value, bool)),
    "anchor": ("text", lambda value: isinstance(value, str)),
    "retained": ("text", lambda value: isinstance(value, str)),
    "expect_representation": _TEXT,
    "only": _SOME,
}
TOGETHER: Final[dict[str, tuple[str, ...]]] = {
    "when": ("result",),
    "result": ("when",),
    "anchor": ("expect_representation",),
    "retained": ("expect_representation",),
    "expect_representation": ("anchor", "retained"),
}
"""A key that says nothing without the others."""


def misshapen(value: Mapping[Any, Any], forms: Mapping[str, Form]) -> Iterator[tuple[str, str]]:
    """(key, message) for every value that has not the form of its key."""
    for key, (name, fits) in forms.items():
        if key in value and not fits(value[key]):
            yield key, f"`{key}` takes {name}"


def lonely(value: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """(key, message) for every key that stands without those that give it a meaning."""
    for key, others in TOGETHER.items():
        for other in others:
            if key in value and other not in value:
                yield key, f"`{key}` stands only beside `{other}`"
    expect = value.get("expect")
    if isinstance(expect, Mapping) and not {"error", "errors", "errors_include"} & set(expect):
        for key in ("at", "help"):
            if key in expect:
                yield key, f"`{key}` stands only beside `error`"
