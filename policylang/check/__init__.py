"""The check: syntax in, a typed policy out, or every diagnostic with its place (SPEC §3)."""

from policylang.check.closure import Parsed
from policylang.check.load import load, load_text
from policylang.check.run import check, check_set

__all__ = ["Parsed", "check", "check_set", "load", "load_text"]
