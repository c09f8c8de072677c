# `make film` renders the first film; `make test` is what every change must pass.
PYTHON_BIN := .venv/bin/python

.PHONY: film setup browser lint test test-all bench

film: setup
	$(PYTHON_BIN) cli.py render pipeline

setup:
	@scripts/setup.sh

lint: setup
	$(PYTHON_BIN) -m ruff check
	$(PYTHON_BIN) -m mypy

browser:
	@scripts/browser.sh

test: lint browser
	$(PYTHON_BIN) -m pytest -m "not slow" -n 2 --dist loadgroup

test-all: lint browser
	$(PYTHON_BIN) -m pytest -n 2 --dist loadgroup

bench: setup
	$(PYTHON_BIN) -m benchmarks
