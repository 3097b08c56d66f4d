"""Reports: one renderer per file. Values in, text or JSON out; only `terminal` knows rich."""
