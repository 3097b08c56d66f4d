"""Whatever a text says, the check answers with a policy or with findings; it never breaks."""

from __future__ import annotations

import re

import check_golden as golden
from hypothesis import given, settings
from hypothesis import strategies as st

from policylang.check import load_text
from policylang.diagnostics import CODES, PolicyError

TEXTS = sorted({text for case in golden.ALL for _, text in case.files if len(text) < 1500})
TOKENS = sorted({token for text in TEXTS for token in re.findall(r'"[^"\n]*"|/[^/\n]+/i?|\w+|[^\w\s]', text)})


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """A policy of the golden files with some of its tokens taken out, doubled or replaced by those of others."""
    text = re.sub(r"#! .*", "", draw(st.sampled_from(TEXTS)))
    parts = re.findall(r'"[^"\n]*"|/[^/\n]+/i?|\w+|[^\w\s]|\s+', text)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(parts) - 1)))
        parts[at : at + 1] = draw(st.sampled_from([[], parts[at : at + 1] * 2, [draw(st.sampled_from(TOKENS))]]))
    return "".join(parts)


@settings(max_examples=400, deadline=None)
@given(mangled())
def test_mangled_policies(text: str) -> None:
    try:
        policy = load_text(text)
    except PolicyError as error:
        assert error.diagnostics
        for item in error.diagnostics:
            assert item.code in CODES and item.loc is not None
            assert 0 <= item.loc.start <= item.loc.end <= len(item.loc.source.text)
    else:
        assert policy.rules
