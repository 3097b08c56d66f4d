"""Findings are values: `Diagnostic`, the catalogue of codes, and the two errors that carry them."""

from policylang.diagnostics.catalogue import CODES
from policylang.diagnostics.model import (
    Diagnostic,
    DiagnosticError,
    PolicyError,
    RequestError,
    Severity,
    in_source_order,
    to_document,
)
from policylang.diagnostics.suggest import did_you_mean, nearest

__all__ = [
    "CODES",
    "Diagnostic",
    "DiagnosticError",
    "PolicyError",
    "RequestError",
    "Severity",
    "did_you_mean",
    "in_source_order",
    "nearest",
    "to_document",
]
