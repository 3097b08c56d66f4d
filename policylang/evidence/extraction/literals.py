"""Objects as programs print them: `{'a': 1}`, `Foo(a=1, b='x')`, `{ a: 1, ok: true }`, `Config { port: 80 }`.

One tolerant reader for the literals of Python, JavaScript, Rust, Ruby and their kin: brackets, separators and scalars,
with a stack of its own. Only what closes counts, so that a brace in running text costs a few tokens and finds nothing.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NamedTuple

from policylang.evidence import keys, values
from policylang.evidence.extraction.found import Found, typed
from policylang.evidence.extraction.jsondoc import Document
from policylang.evidence.lexicon import word_set

MAX_TOKENS: Final = 20_000
MAX_FAILED: Final = 100_000
"""Characters that are read of blocks in one text that are no objects; the rest is left to other readers."""
MAX_TRIES: Final = 8
"""Places of one line where an object is looked for."""

_TOKEN: Final = re.compile(
    r"[ \t\r\n]*+(?:((?:[bBuU]?\"(?:[^\"\\\n]++|\\.)*+\")|(?:[bBuU]?'(?:[^'\\\n]++|\\.)*+'))|(<[^<>\n]{1,200}>)"
    r"|(=>|[{}\[\](),:=])|([^\s{}\[\](),:='\"`<>;!?]++))"
)
_START: Final = re.compile(
    r"\{(?=[ ]?(?:['\"][^'\"\n]{0,80}['\"] ?(?::|=>)|:?[\w-]{1,60}(?:: |=>)))|(?<![\w.$@])(?:[a-z_]\w*\.)*(?:[A-Z]\w*"
    r"|namespace|dict)"
    r"(?=\((?:[a-z_]\w*=[^=]|\[\()| \{ [a-z_]\w*: )"
)
_BLOCK: Final = re.compile(r"(?m)^(?:\[[ \n]*)?(?:\{(?='|[ \t\n]*+(?:'|[A-Za-z_]\w*: ))|[A-Z]\w* \{\n)")
_LIST: Final = re.compile(r"([A-Za-z_][\w.-]{0,60})[\"']? ?[:=] ?\[([^\[\]{}()\n]{2,2000})\]")
_ELEMENT: Final = re.compile(r"[\"']?([\w.:/@-]{3,128})[\"']?(?=,|\s*\Z)")
_GO: Final = re.compile(r"(?:map\[|(?<![\w$])&?\{)((?:[A-Za-z_][\w.-]*+:[^\s{}\[\]:]++ ?)++)[\]}]")
_GO_PAIR: Final = re.compile(r"([A-Za-z_][\w.-]*+):([^\s{}\[\]:]++)")
_CODE: Final = re.compile(
    r"[ \t]*(?:E  |>|assert|raise|return|def |class |if |for |while |const |let |var |await |import |from |print"
    r"|[+?] |(?:\w+\.)*\w*Error\b)|.*(?:[!=]= |[;{(]\s*\Z|\)\s*:\s*\Z)"
)
_CALL: Final = re.compile(r"[a-z_]\w*\(\Z|[$#%]\Z")
_CLOSE: Final = {"{": "}", "[": "]", "(": ")"}
_NOTHING: Final = word_set("None null nil undefined")
_RANKS: Final = {"id": 0, "uuid": 0, "guid": 0, "arn": 0, "name": 3, "key": 3, "slug": 3, "sku": 3, "sha": 3}
_NAMING: Final = frozenset({"id", "checksum", "path", "ip", "version"})
_WRAPS: Final = frozenset({"OrderedDict", "dict"})


class _Token(NamedTuple):
    raw: str
    start: int
    end: int


class _Frame:
    """An open bracket: whose it is, the item being read, and the id of the record once seen."""

    __slots__ = (
        "item",
        "key",
        "label",
        "mark",
        "name",
        "named",
        "nested",
        "own",
        "parent",
        "positional",
        "rank",
        "under",
    )

    def __init__(self, parent: _Frame | None, mark: str, name: str, under: _Token | None) -> None:
        self.parent = parent
        self.mark = mark
        self.name = name
        self.under = under
        self.key: _Token | None = None
        self.item: list[_Token] = []
        self.nested = False
        self.positional: list[_Token] = []
        self.label: str | None = None
        self.rank = 9
        self.own = -1
        kind = values.classify(_bare(under).raw) if under is not None and mark == "{" and len(under.raw) < 80 else None
        self.named = _bare(under).raw if under is not None and kind is not None and kind[0] in _NAMING else ""

    def entity(self, leaf: int) -> str | None:
        """The chain of record ids around the leaf at `leaf`, which is not its own entity."""
        chain: list[str] = []
        frame: _Frame | None = self
        while frame is not None and len(chain) < 8:
            label = (frame.label if frame.own != leaf else None) or frame.named
            if label and (not chain or chain[-1] != label):
                chain.append(label)
            frame = frame.parent
        return "/".join(reversed(chain)) or None


class Literal(NamedTuple):
    """One object: its facts, the offset past it, whether it closed, and how many keys it gave values."""

    found: list[Found]
    end: int
    closed: bool
    pairs: int


class _Reader:
    __slots__ = ("code", "leaves", "pairs")

    def __init__(self) -> None:
        self.leaves: list[tuple[_Frame, _Token, _Token]] = []
        self.pairs = 0
        self.code = False

    def flush(self, frame: _Frame) -> None:
        """End an item: a key with one scalar is a leaf; a scalar alone is an element under the list's own key."""
        item, key = frame.item, frame.key
        if key is not None:
            self.pairs += 1
        if not frame.nested and item:
            whole = _joined(item)
            if whole is not None and key is not None:
                self.code = self.code or (frame.mark == "(" and _is_name(whole.raw))
                self.add(frame, key, whole)
            elif whole is not None:
                frame.positional.append(whole)
                if frame.under is not None and not frame.name:
                    self.add(frame, frame.under, whole)
        frame.item, frame.key, frame.nested = [], None, False

    def add(self, frame: _Frame, key: _Token, value: _Token) -> None:
        parts = keys.words(_bare(key).raw)
        if not parts:
            return
        self.leaves.append((frame, key, value))
        rank = _RANKS.get(parts[0], 9) if len(parts) == 1 else 1 if parts[-1] == "id" else 9
        if rank < frame.rank and len(value.raw) < 80 and value.raw not in _NOTHING:
            frame.label, frame.rank, frame.own = _bare(value).raw, rank, value.start

    def close(self, frame: _Frame) -> None:
        """Give the enclosing item what the closed bracket stands for: `Decimal('1.5')` is 1.5, `(k, v)` a pair."""
        parent = frame.parent
        if parent is None:
            return
        parent.nested = True
        inner = frame.positional
        if frame.mark != "(":
            return
        if frame.name.endswith(("datetime", "date")) and len(inner) >= 3:
            parent.item, parent.nested = [_stamp(inner)], False
        elif len(inner) == 1 and _wraps(frame.name):
            parent.item, parent.nested = inner, False
        elif not frame.name and len(inner) == 2 and parent.parent is not None and parent.parent.name in _WRAPS:
            self.pairs += 1
            self.add(parent, inner[0], inner[1])


def _wraps(name: str) -> bool:
    """True for a type around one value (`Decimal('1.5')`, `np.float64(2.0)`, `Some(3)`); a call of code is none."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() or last.startswith(("float", "int", "str_", "bool_", "uint"))


def _is_name(raw: str) -> bool:
    """True for a variable, which stands in code and never in what a program prints of an object."""
    return raw[0].isalpha() and raw.replace("_", "").replace(".", "").isalnum() and raw.lower() not in _CONSTANTS


_CONSTANTS: Final = word_set("true false none null nil nan inf undefined")


def _joined(item: list[_Token]) -> _Token | None:
    """The item's tokens as one scalar: a single one, or a number with its unit."""
    if len(item) == 1:
        return item[0]
    if len(item) == 2 and item[0].raw[-1].isdigit() and item[1].raw.isalpha():
        return _Token(f"{item[0].raw} {item[1].raw}", item[0].start, item[1].end)
    return None


def _stamp(inner: list[_Token]) -> _Token:
    parts = [token.raw.lstrip("0").rjust(2, "0") for token in inner[:6]]
    clock = ":".join((*parts[3:], "00", "00", "00")[:3])
    day = "-".join(parts[:3])
    return _Token(f"{day} {clock}" if len(inner) > 3 else day, inner[0].start, inner[-1].end)


def _bare(token: _Token) -> _Token:
    """The token without its quotes; of an enum member (`<State.RUNNING: 'running'>`) its value."""
    raw, start = token.raw, token.start
    if raw[0] == "<" and ": " in raw:
        at = raw.index(": ") + 2
        raw, start = raw[at:-1], start + at
    elif raw[0] in "bBuU" and raw[1:2] in ("'", '"') and raw[:1] != raw:
        raw, start = raw[1:], start + 1
    if len(raw) > 1 and raw[0] in "'\"" and raw[-1] == raw[0]:
        raw, start = raw[1:-1], start + 1
    return _Token(raw, start, start + len(raw))


def read(text: str, start: int, end: int) -> Literal:
    """The object at `start`, where its name or its bracket stands."""
    reader = _Reader()
    frame: _Frame | None = None
    lone: list[_Token] = []
    at = start
    for _ in range(MAX_TOKENS):
        token = _TOKEN.match(text, at, end)
        if token is None:
            break
        at = token.end()
        mark = token[3]
        if mark is None:
            group = token.lastindex or 1
            (lone if frame is None else frame.item).append(_Token(token[group], token.start(group), at))
        elif mark in "{[(":
            frame = _open(frame, mark, lone, token.start(3))
        elif frame is None:
            break
        elif mark in "}])":
            if _CLOSE[frame.mark] != mark:
                break
            reader.flush(frame)
            reader.close(frame)
            frame = frame.parent
            if frame is None:
                return Literal(_facts(reader), at, not reader.code, reader.pairs)
        elif mark == ",":
            reader.flush(frame)
        elif frame.key is None and len(frame.item) == 1 and not frame.nested and _keyed(frame, mark):
            frame.key, frame.item = frame.item[0], []
        elif mark != ":" or frame.item or frame.key is not None:
            frame.nested = True  # running text, or an expression
    return Literal(_facts(reader), at, False, reader.pairs)


def _keyed(frame: _Frame, mark: str) -> bool:
    return mark in ("=", ":") if frame.mark == "(" else mark in (":", "=>")


def _open(parent: _Frame | None, mark: str, lone: list[_Token], at: int) -> _Frame:
    before = lone if parent is None else parent.item
    name = before[-1].raw if before and before[-1].end in (at, at - 1) and before[-1].raw[0].isalpha() else ""
    under = None if parent is None else parent.key or (parent.under if not parent.name else None)
    if parent is not None:
        parent.item, parent.nested = [], True
    return _Frame(parent, mark, name, under)


def _facts(reader: _Reader) -> list[Found]:
    found: list[Found] = []
    for frame, key, value in reader.leaves:
        inner = _bare(value)
        if not inner.raw or inner.raw in _NOTHING or "\\" in inner.raw:
            continue
        fact = typed(_bare(key).raw, inner.raw, inner.start, key.start, frame.entity(value.start))
        if fact is not None:
            # A date call's text is not its value's: `datetime(2026, 12, 1)` stands where its arguments do.
            built = value.end - value.start != len(value.raw)
            found.append(fact._replace(start=value.start, end=value.end) if built else fact)
    return found


def inline(line: str, limit: int) -> tuple[list[Found], list[tuple[int, int]]]:
    """Facts of the objects in one line, and where the objects stand; none in a line of code or of a failed check."""
    found: list[Found] = []
    spots: list[tuple[int, int]] = []
    if _CODE.match(line, 0, min(len(line), limit)):
        return found, spots
    for go in islice(_GO.finditer(line, 0, limit), MAX_TRIES):
        for pair in islice(_GO_PAIR.finditer(line, go.start(1), go.end(1)), MAX_TRIES * 4):
            fact = typed(pair[1], pair[2], pair.start(2), pair.start(1))
            found += [fact] if fact is not None else []
        spots.append(go.span())
    for row in islice(_LIST.finditer(line, 0, limit), MAX_TRIES):
        # Of a plain list only what names a thing: a list of numbers is data.
        for cell in islice(_ELEMENT.finditer(line, row.start(2), row.end(2)), 64):
            fact = typed(row[1], cell[1], cell.start(1), row.start(1))
            found += [fact] if fact is not None and fact.type in _NAMING - {"path"} else []
    at = spots[-1][1] if spots else 0
    for _ in range(MAX_TRIES):
        mark = _START.search(line, at, limit)
        if mark is None:
            break
        at = mark.end()
        if _CALL.search(line, max(0, mark.start() - 40), mark.start()) or line.count("`", 0, mark.start()) % 2:
            continue
        literal = read(line, mark.start(), len(line))
        if literal.closed and literal.pairs:
            at = literal.end
            found += literal.found
            spots.append((mark.start(), at))
    return found, spots


def may_hold(text: str) -> bool:
    """True if a line of the text could hold an object that no JSON reader takes."""
    return "{" in text or "(" in text


def documents(text: str) -> list[Document]:
    """Objects printed over several lines from a line's beginning on, closed, with nothing behind them."""
    found: list[Document] = []
    if not ("{'" in text or "{\n" in text or "{ " in text):
        return found
    done = failed = 0
    for mark in islice(_BLOCK.finditer(text), 256):
        start = mark.start()
        stop = text.find("\n", start)
        if start < done or stop < 0:
            continue
        if failed > MAX_FAILED:
            break
        literal = read(text, start, len(text))
        rest = text[literal.end : literal.end + 40].partition("\n")[0].strip(" \t\r")
        if literal.closed and literal.pairs and not rest and literal.end > stop:
            found.append(Document(literal.found, start, literal.end, True, False, literal.pairs))
            done = literal.end
        else:
            failed += literal.end - start
    return found
