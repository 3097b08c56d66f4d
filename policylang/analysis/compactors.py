"""The reference compactors by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from policylang.analysis.compactor import Compactor
from policylang.analysis.similarity import similarity
from policylang.analysis.structural import structural

COMPACTORS: Final[Mapping[str, Compactor]] = MappingProxyType({"similarity": similarity, "structural": structural})
