"""Readers of one kind of text each: JSON, `key: value` lines, tables, acts, prose. `evidence.extract` puts them together."""
