"""Readers of one kind of text each: JSON, pairs, tables, acts, prose. `evidence.extract` puts them together."""
