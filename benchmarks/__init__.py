"""What policylang costs, measured beside what else could do the same work. Run ``python -m benchmarks``.

One file a theme; each has `NAME`, `TITLE` and ``run(quick) -> Report``. Nothing here is a test: times are printed,
never asserted. That both sides of a comparison do the same work is checked, in every run and in
`tests/unit/benchmarks`.
"""
