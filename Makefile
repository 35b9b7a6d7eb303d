# judgekit: `make run` judges the committed example offline, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help install install-dev install-live install-browser run test test-fast test-live test-browser check bench record-demo clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --editable . --constraint constraints.txt
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --group dev --constraint constraints.txt
	@touch $@

$(VENV)/.installed-live: $(VENV)/.installed-dev
	$(PIP) install --group live --constraint constraints.txt
	@touch $@

$(VENV)/.installed-browser: $(BIN)/python tests/gate/browser/install.sh
	tests/gate/browser/install.sh $(VENV)/pyodide
	@touch $@

install: $(VENV)/.installed  ## make .venv and install judgekit into it
install-dev: $(VENV)/.installed-dev  ## the same, with the tools of development
install-live: $(VENV)/.installed-live  ## the same, with the real local judge
install-browser: $(VENV)/.installed-browser  ## Pyodide, and Chromium as root on Debian

run: install  ## judge the committed example offline and print the gate's result
	$(BIN)/judgekit run

test: install-live  ## run all tests, then those that need the real local judge
	$(BIN)/python -m pytest -n 2 --dist worksteal
	$(BIN)/python -m pytest -m live -p no:randomly

test-fast: install-dev  ## run the tests that need no live judge
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-live: install-live  ## run only the tests that need the real local judge
	$(BIN)/python -m pytest -m live -p no:randomly

test-browser: install-dev install-browser  ## run the gate in Pyodide, under Node and in Chromium
	$(BIN)/python -m pytest -m browser -p no:randomly

check: install-dev  ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: install-dev  ## measure speed and memory as ratios in one run
	$(BIN)/python -m benchmarks

record-demo: install-live  ## start the real local judge and record the example's cassettes
	$(BIN)/python -m tests.live.record_demo

clean:  ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
