"""Settings of the blocks: what each may say, which rule it shapes, and which of two values is the tighter one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from policylang.check.sink import Sink
from policylang.rules_ir.policy import IndexSettings, MonitorSettings
from policylang.source import Loc
from policylang.syntax import ast
from policylang.transcript.vocabulary import COLD_START, PROBE_FAMILIES

Value = int | float | str | tuple[str, ...]
Key = tuple[str, str]

Tighter = Literal["smaller", "larger", "fewer", "later", "same"]
"""How a tighter value differs: `fewer` words, an earlier one of the words (`later` is looser), or not at all."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One setting: its form, its bounds, the rule that it shapes, and its tighter direction.

    ``guard`` is the setting without which the rule does not exist; until a parent gives it, there is nothing to loosen.
    ``default`` is what holds where the rule exists and nothing is said.
    """

    form: Literal["word", "words", "int", "number"]
    rule: str
    tighter: Tighter
    words: tuple[str, ...] = ()
    unit: str | None = None
    low: float = 0.0
    high: float = float("inf")
    guard: str | None = None
    default: Value | None = None


_PROBED: Final = "anchor-unverified"
_DIVERGED: Final = "divergence-exceeded"

SPECS: Final[dict[str, dict[str, Spec]]] = {
    "index": {
        "source": Spec("word", "index-source", "same", ("pre_compaction",)),
        "quarantine": Spec("int", "index-rebuilt", "larger", unit="epochs"),
        "probe": Spec("words", _PROBED, "fewer", PROBE_FAMILIES),
        "require": Spec("int", _PROBED, "larger", low=1, guard="probe", default=1),
        "top_k": Spec("int", _PROBED, "smaller", low=1, guard="probe", default=10),
    },
    "scoring": {"structural": Spec("word", "scoring-not-structural", "same", ("required",))},
    "monitor": {
        "divergence": Spec("number", _DIVERGED, "smaller", high=1),
        "window": Spec("int", _DIVERGED, "same", unit="queries", low=1, guard="divergence", default=200),
        "minimum": Spec("int", _DIVERGED, "larger", unit="queries", guard="divergence", default=20),
        "cold_start": Spec("word", _DIVERGED, "later", COLD_START, guard="divergence", default="probes"),
    },
    "integrity": {
        "pairs": Spec("word", "pair-split", "same", ("whole",)),
        "calls": Spec("word", "call-open", "same", ("closed",)),
        "instructions": Spec("word", "instruction-evicted", "same", ("verbatim",)),
        "claims": Spec("word", "claim-unsupported", "same", ("supported",)),
        "spans": Spec("word", "span-unaccounted", "same", ("accounted",)),
        "gain": Spec("number", "gain-too-small", "larger", high=1),
    },
}


@dataclass(frozen=True, slots=True)
class Given:
    """A setting's value and the place of the setting."""

    value: Value
    loc: Loc = field(compare=False)


Settings = Mapping[Key, Given]


def spec_of(key: Key) -> Spec:
    """The specification of a setting that exists."""
    return SPECS[key[0]][key[1]]


def read_block(block: ast.Block, sink: Sink) -> dict[Key, Given]:
    """The settings of one block that are as they should be; the others are reported."""
    name = block.block.name
    known = SPECS.get(name)
    if known is None:
        sink.unknown("unknown-setting", "block", name, block.block.loc, SPECS)
        return {}
    found: dict[Key, Given] = {}
    seen: dict[str, Loc] = {}
    for setting in block.settings:
        word = setting.name.name
        spec = known.get(word)
        if spec is None:
            sink.unknown("unknown-setting", f"{name} setting", word, setting.name.loc, known)
            continue
        if word in seen:
            message = f"`{word}` is set twice in `{name}`"
            sink.error("duplicate-key", message, setting.name.loc, "keep one", ((seen[word], "first set here"),))
            continue
        seen[word] = setting.name.loc
        value = _read(setting, spec, sink)
        if value is not None:
            found[name, word] = Given(value, setting.loc)
    return found


def _read(setting: ast.Setting, spec: Spec, sink: Sink) -> Value | None:
    name = setting.name.name
    if spec.form in ("word", "words"):
        return _read_words(setting, spec, sink)
    value = setting.values[0] if len(setting.values) == 1 else None
    if not isinstance(value, ast.NumberLit):
        loc = setting.values[0].loc if setting.values else setting.name.loc
        sink.error("type-mismatch", f"`{name}` takes {_form(spec)}", loc, f"write `{name} {_example(spec)}`")
        return None
    number = value.value
    if spec.form == "int" and not isinstance(number, int):
        sink.error("type-mismatch", f"`{name}` takes a whole number", value.loc, f"write `{name} {_example(spec)}`")
        return None
    if setting.unit is not None and setting.unit.name != spec.unit:
        wanted = f"`{spec.unit}`" if spec.unit else "no unit"
        message = f"`{name}` takes {wanted}, not `{setting.unit.name}`"
        sink.error("type-mismatch", message, setting.unit.loc, f"write `{name} {_example(spec)}`")
        return None
    if name == "quarantine" and number < 2:
        message = f"a quarantine of {number} is below the document's N >= 2"
        sink.error("quarantine-too-short", message, value.loc, "write `quarantine 2 epochs` or more")
        return None
    if not spec.low <= number <= spec.high:
        bounds = f"at least {spec.low:g}" if spec.high == float("inf") else f"between {spec.low:g} and {spec.high:g}"
        sink.error("type-mismatch", f"`{name}` is {bounds}, not {value.text}", value.loc)
        return None
    return number


def _read_words(setting: ast.Setting, spec: Spec, sink: Sink) -> Value | None:
    name = setting.name.name
    found: list[str] = []
    for value in setting.values:
        if isinstance(value, ast.NumberLit):
            hint = f"known: {', '.join(spec.words)}"
            sink.error("type-mismatch", f"`{name}` takes {_form(spec)}, not a number", value.loc, hint)
            return None
        if value.name not in spec.words:
            sink.unknown("unknown-name", f"word for `{name}`:", value.name, value.loc, spec.words)
            return None
        found.append(value.name)
    if not found or (spec.form == "word" and len(found) > 1):
        loc = setting.values[1].loc if found else setting.name.loc
        sink.error("type-mismatch", f"`{name}` takes {_form(spec)}", loc, f"known: {', '.join(spec.words)}")
        return None
    if spec.form == "word":
        return found[0]
    return tuple(word for word in spec.words if word in found)


def _form(spec: Spec) -> str:
    return {"word": "one word", "words": "words", "int": "a whole number", "number": "a number"}[spec.form]


def _example(spec: Spec) -> str:
    number = {"int": "2", "number": "0.05"}.get(spec.form, "")
    return f"{number} {spec.unit}" if spec.unit else number


def _rank(spec: Spec, value: Any) -> Any:
    """A number that is smaller for a tighter value."""
    if spec.tighter == "later":
        return spec.words.index(value)
    return -value if spec.tighter == "larger" else value


def is_looser(spec: Spec, value: Value, than: Value) -> bool:
    """Whether ``value`` allows something that ``than`` does not."""
    if spec.tighter == "same":
        return value != than
    if spec.tighter == "fewer":
        return not set(_words(value)) <= set(_words(than))
    return bool(_rank(spec, value) > _rank(spec, than))


def tighter_of(spec: Spec, one: Value, two: Value) -> Value | None:
    """The value that asks for all that both ask for, or None if there is none."""
    if spec.tighter == "fewer":
        return tuple(word for word in _words(one) if word in _words(two)) or None
    if spec.tighter == "same":
        return one if one == two else None
    return one if not is_looser(spec, one, two) else two


def looseness(spec: Spec, value: Value) -> Any:
    """Sorts settings of one rule from tight to loose."""
    return (
        len(_words(value)) if spec.tighter == "fewer" else str(value) if spec.tighter == "same" else _rank(spec, value)
    )


def _words(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def held(settings: Settings, key: Key) -> Value | None:
    """What a parent holds a child to: the value given, or the default where the rule exists."""
    given = settings.get(key)
    if given is not None:
        return given.value
    spec = spec_of(key)
    guarded = spec.guard is not None and (key[0], spec.guard) in settings
    return spec.default if guarded else None


def spell(value: Value) -> str:
    """A value as a policy spells it."""
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def index_settings(settings: Settings) -> IndexSettings:
    """The `index` block as evidence reads it."""
    values: dict[str, Any] = {key[1]: given.value for key, given in settings.items() if key[0] == "index"}
    values["source_pre_compaction"] = values.pop("source", None) is not None
    return IndexSettings(**values)


def monitor_settings(settings: Settings, declared: bool) -> MonitorSettings:
    """The `monitor` block as evidence reads it."""
    values: dict[str, Any] = {key[1]: given.value for key, given in settings.items() if key[0] == "monitor"}
    return MonitorSettings(declared=declared, **values)
