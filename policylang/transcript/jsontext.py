"""Strict JSON (RFC 8259) for requests, and the place of a value inside the text when something about it is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from policylang.diagnostics import Diagnostic, RequestError
from policylang.source import Loc, Source

Path = tuple[str | int, ...]

_WHITE = re.compile(r"[ \t\n\r]*")
_LONG_INTEGER = re.compile(r"(?<![\d.eE+])[0-9]{4300,}")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]')
_COLON = re.compile(r"[ \t\n\r]*:")
_DECODER = json.JSONDecoder()


class _DuplicateKeyError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise _DuplicateKeyError(key)
        out[key] = value
    return out


def _second_key(text: str) -> tuple[str, int, int]:
    """The first key in a JSON text that its object has already, and its range; the text is known to have one."""
    open_: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            open_.append(set())
        elif mark in "}]":
            open_.pop()
        elif _COLON.match(text, token.end()):
            key = str(json.loads(mark))
            if key in open_[-1]:
                return key, *token.span()
            open_[-1].add(key)
    raise AssertionError("no key is given twice")


def _no_constant(word: str) -> Any:
    raise ValueError(f"`{word}` is not JSON")


def invalid(message: str, loc: Loc | None = None, help_: str | None = None) -> Diagnostic:
    """An `invalid-request` diagnostic."""
    return Diagnostic("invalid-request", message, loc, help_)


def parse_json(source: Source) -> Any:
    """The value of a JSON text.

    Raises:
        RequestError: `invalid-request` with its place, for text that is not RFC 8259: bad syntax, a duplicate key, NaN,
            an infinity (also as `1e999`), a lone surrogate, or nesting that is too deep.
    """
    text = source.text.removeprefix("\ufeff")
    shift = len(source.text) - len(text)
    try:
        value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at = error.pos + shift
        raise RequestError([invalid(f"not JSON: {error.msg}", Loc(source, at, at + 1))]) from None
    except _DuplicateKeyError:
        key, start, end = _second_key(text)
        loc = Loc(source, start + shift, end + shift)
        raise RequestError([invalid(f"key `{key}` is given twice", loc, "leave one; neither wins")]) from None
    except RecursionError:
        raise RequestError([invalid("the JSON nests too deep", Loc(source, shift, shift + 1))]) from None
    except ValueError as error:
        digits = _LONG_INTEGER.search(text)
        if digits is not None and "digits" in str(error):
            loc = Loc(source, digits.start() + shift, digits.end() + shift)
            raise RequestError([invalid("the number is too large", loc)]) from None
        word = re.search(r"-?Infinity|NaN", text)
        at = (word.start() if word else 0) + shift
        loc = Loc(source, at, at + (len(word[0]) if word else 1))
        raise RequestError([invalid(f"not JSON: {error}", loc, "leave out what is not known")]) from None
    _check_values(value, source)
    return value


def _check_values(root: Any, source: Source) -> None:
    stack: list[tuple[Path, Any]] = [((), root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            raise RequestError([invalid(f"`{spell(path)}` is not a finite number", locate(source, path))])
        if isinstance(value, str) and not _encodes(value):
            raise RequestError([invalid(f"`{spell(path)}` holds a lone surrogate", locate(source, path))])
        if isinstance(value, dict):
            for key, item in value.items():
                if not _encodes(key):
                    raise RequestError(
                        [invalid(f"a key in `{spell(path)}` holds a lone surrogate", locate(source, path))]
                    )
                stack.append(((*path, key), item))
        elif isinstance(value, list):
            stack.extend(((*path, number), item) for number, item in enumerate(value))


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def spell(path: Sequence[str | int]) -> str:
    """A path as people write it: `spans[3].loss`; the whole document is `request`."""
    out = ""
    for step in path:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out or "request"


def locate(source: Source, path: Path) -> Loc:
    """The range of the value at ``path``; if the path leaves the document, of the deepest value on it."""
    text = source.text
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    for step in path:
        inner = _enter(text, at, step)
        if inner is None:
            break
        at = inner
    _, end = _DECODER.raw_decode(text, at)
    return Loc(source, at, end)


def _skip(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return found.end() if found else at


def _enter(text: str, at: int, step: str | int) -> int | None:
    """Where the member or element ``step`` of the container at ``at`` starts."""
    opening = text[at : at + 1]
    if opening not in ("{", "[") or (opening == "{") != isinstance(step, str):
        return None
    at = _skip(text, at + 1)
    number = 0
    while text[at] not in "}]":
        here: str | int = number
        if opening == "{":
            here, at = scanstring(text, at + 1, True)
            at = _skip(text, _skip(text, at) + 1)
        if here == step:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1
    return None
