# Two commands on a new machine with Python 3.11 or newer: make demo, make test. Each sets itself up.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
LOWEST = .venv-lowest
PIP = -m pip --quiet --disable-pip-version-check
LOCKED = $(if $(LOCK),-c $(LOCK))
PYTEST = -m pytest --numprocesses auto --dist worksteal
QUICK = -m "not slow"
# Tests start a thousand processes: what one has compiled, the others read.
export PYTHONDONTWRITEBYTECODE =
# A server answers when the disk has a run: tests do not wait for that where there is memory enough.
export PYTEST_DEBUG_TEMPROOT := $(shell grep -s ' /dev/shm ' /proc/mounts | grep -qv noexec && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4e6 {print $$6}')
BUILT = pyproject.toml setup.py $(wildcard src/core/*)
# Where the lowest versions are met: commands, which call every study; files, public functions, a cluster. The wheel's demo
# evaluates runs and writes a whole page. What is left out takes arrays, is called by these, or looks at lines and memory.
COMMANDS = $(filter-out tests/cli/test_limited.py tests/cli/test_screen.py, $(wildcard tests/cli/test_*.py))
OUTER = $(COMMANDS) tests/io tests/test_fuzz.py tests/test_public.py tests/test_workers.py tests/test_parallel.py

.PHONY: help demo test lint format scripts check branches coverage docs bench wheel lowest test-postgres browser lock hooks clean
help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 16

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irmeta needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/%.ready: $(BUILT) | $(VENV)/bin/python
	$(BIN)/python $(PIP) install $(LOCKED) -e '.[$*]'
	@touch $@

$(VENV)/test.ready: $(BUILT) | $(VENV)/bin/python
	$(BIN)/python $(PIP) install $(LOCKED) -e '.[test,browser]'
	@touch $@

$(VENV)/dev.ready: $(BUILT) | $(VENV)/bin/python
	$(BIN)/python $(PIP) install $(LOCKED) -e '.[test,browser,lint,docs]'
	@touch $@ $(addprefix $(VENV)/,test.ready lint.ready docs.ready)

$(VENV)/demo.ready: $(BUILT) | $(VENV)/bin/python
	$(BIN)/python $(PIP) install $(LOCKED) -e '.[plot]'
	@touch $@

demo: $(VENV)/demo.ready            ## simulate a collection, evaluate it, report what irmeta finds
	$(BIN)/irmeta demo -o demo

test: $(VENV)/test.ready            ## run the quick tests (PYTEST_ARGS="" runs all of them)
	$(BIN)/python $(PYTEST) $(or $(PYTEST_ARGS),$(QUICK))

lint: $(VENV)/lint.ready            ## check style, types, import contracts and the tree
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/public.py --check
	$(BIN)/python scripts/tree.py
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory scripts; else echo "The scripts of pages are not checked: no npm on the PATH."; fi

scripts: node_modules/.ready         ## check style of the pages' scripts, and test them (needs Node)
	npm run --silent check

node_modules/.ready: package.json
	npm install --no-fund --no-audit --no-package-lock --silent
	@touch $@

format: $(VENV)/lint.ready          ## format the code and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python scripts/public.py

check: lint test ## run lint and the quick tests: do this before every commit

branches: $(VENV)/test.ready        ## run the quick tests and measure branch coverage (fails under 90%; 95% with the real collections and Chromium)
	$(BIN)/python $(PYTEST) $(QUICK) --cov

coverage: $(VENV)/test.ready        ## how often intervals hold and tests reject where the truth is known (COVERAGE_ARGS="--short": CI; "--write": docs)
	$(BIN)/python -m bench.coverage $(COVERAGE_ARGS)

docs: $(VENV)/docs.ready            ## build the documentation, with its figures, in build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/bench.ready          ## compare the speed with other tools, as ratios from one run
	$(BIN)/python -m bench

wheel: $(LOWEST)/wheel.ready        ## build the wheel and run its demo in a venv without the source (lowest versions, no extra but plot)

$(LOWEST)/wheel.ready: $(BUILT) $(shell find src -type f -not -name '*.pyc')
	rm -rf dist build/lib* build/bdist* $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python $(PIP) wheel --no-deps --wheel-dir dist .
	$(LOWEST)/bin/python .ci/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python $(PIP) install "$$(echo dist/irmeta-*.whl)[plot]" -c $(LOWEST)/lowest.txt
	$(LOWEST)/bin/irmeta demo --quiet -o $(LOWEST)/demo
	@touch $@

$(LOWEST)/test.ready: $(LOWEST)/wheel.ready
	$(LOWEST)/bin/python $(PIP) install "$$(echo dist/irmeta-*.whl)[test]" -c $(LOWEST)/lowest.txt
	@touch $@

lowest: $(LOWEST)/test.ready        ## run the quick tests of commands, files and public functions on the wheel and the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python $(PYTEST) $(OUTER) -m "not slow and not data" --hypothesis-profile few

test-postgres: $(VENV)/test.ready $(VENV)/serve-postgres.ready  ## run the quick tests of irmeta serve on a PostgreSQL that it starts
	.ci/postgres $(BIN)/python $(PYTEST) $(QUICK) -W "ignore:<psycopg.Connection object:ResourceWarning" tests/serve

browser:         ## install Chromium for the tests of the page (Debian, as root)
	.ci/browser

lock:           ## write the versions of a venv that has passed to .ci/lock.txt, which CI installs
	$(BIN)/python -m pip freeze --exclude-editable > .ci/lock.txt

hooks: $(VENV)/lint.ready           ## check style, formatting and types at every commit
	$(BIN)/pre-commit install

clean:           ## remove everything that make made
	rm -rf $(VENV) $(LOWEST) demo build dist
