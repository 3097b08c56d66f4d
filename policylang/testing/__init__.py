"""Policy tests: cases files and inline tests, run and compared."""
