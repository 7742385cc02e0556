# Two commands on a fresh machine with Python 3.11+: make demo, make test. Each does its own set-up.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
LOWEST = .venv-lowest

.PHONY: help demo test lint docs bench lowest clean
help:            ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 12

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irmeta needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/%.ready: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@

$(VENV)/test.ready: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,browser]'
	@touch $@

$(VENV)/demo.ready: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

demo: $(VENV)/demo.ready            ## simulate a collection, evaluate it, print what irmeta finds
	$(BIN)/irmeta demo -o demo

test: $(VENV)/test.ready            ## the test suite (quick part; PYTEST_ARGS="" for all)
	$(BIN)/python -m pytest $(or $(PYTEST_ARGS),-m "not slow")

lint: $(VENV)/lint.ready            ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs.ready            ## the documentation, in build/docs; figures are drawn anew
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/bench.ready          ## speed against peers, as ratios measured in one run
	$(BIN)/python -m bench

lowest:          ## the tests on the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python .ci/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]' -c $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pytest -m "not slow"

clean:           ## remove what make made
	rm -rf $(VENV) $(LOWEST) demo build dist
