# make demo    build an environment and replay a bundled session
# make test    build an environment and run every test, with coverage
# make check   format, lint, types, order of rooms, shipped policies
# CI runs `make check test`, the same as a developer before committing.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2

# Annoy's own defaults tune the code to this very processor and relax floating point; neither is wanted.
export ANNOY_COMPILER_ARGS ?= -O3,-std=c++14,-DANNOYLIB_MULTITHREADED_BUILD
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test check fmt bench clean

demo: $(VENV)/.core
	@$(BIN)/policylang replay -p std/standard --compactor similarity --index rebuilt \
		examples/sessions/incident-response.jsonl

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term:skip-covered

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/policylang fmt --check rules
	$(BIN)/policylang check rules/std rules/examples
	$(BIN)/policylang test rules

fmt: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/policylang fmt rules

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* dist build

$(VENV)/bin/python:
	@PYTHON=$(PYTHON) sh tools/needs.sh
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.bench: pyproject.toml $(VENV)/.dev
	$(BIN)/python -m pip install -q -e '.[bench]'
	@touch $@
