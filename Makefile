# The verbs of this repository; people and CI use the same ones. `make help` lists them.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
REPO ?= .

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format bench docs clean

help:  ## List the verbs
	@sed -n 's/^\([a-z%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: $(VENV)/ready  ## Make .venv with tadoru and everything that its tests need

$(VENV)/ready: pyproject.toml scripts/setup
	@scripts/setup "$(PYTHON)" "$(VENV)"

demo: setup  ## Index a repository (REPO=path) and show three answers about it
	@$(BIN)/python scripts/demo.py "$(REPO)"

test: setup  ## Run every test; name at the end what could not run (ARGS for pytest)
	@scripts/test "$(BIN)" $(ARGS)

lint: setup  ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## Let ruff write the format and what it can correct
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup  ## Run every benchmark; each says where its results go
	@for run in benchmarks/*/run.py; do echo "== $$run"; $(BIN)/python "$$run" || exit; done

bench-%: setup  ## Run one of them, such as bench-resolve (ARGS for it, such as --help)
	@$(BIN)/python benchmarks/$*/run.py $(ARGS)

docs: setup  ## Write the reference pages that are generated from the code
	@$(BIN)/python scripts/docs.py

clean:  ## Remove what the verbs above made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
