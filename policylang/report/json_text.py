"""A document as JSON text: readable, in the order of its schema, the same bytes every time."""

from __future__ import annotations

import json
from typing import Any


def to_json_text(document: Any) -> str:
    """The document indented, with a line end; NaN and infinities are a bug of ours and raise ValueError."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
