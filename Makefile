# Agent Room. `make` lists what there is. Works with GNU make 3.81 (macOS) and newer.

PORT ?= 8000
HOST ?= 127.0.0.1
AGENTROOM_DATA ?= .data
TIER ?= C
ARGS ?=

SHELL = /bin/sh
BIN = .venv/bin
PIP_INSTALL = $(BIN)/python -m pip --disable-pip-version-check install -qq --require-hashes --no-deps
# The type checker loads Django's settings, which keep a key in the data folder.
LINT_ENV = env -u DATABASE_URL -u REDIS_URL AGENTROOM_PROFILE=embedded AGENTROOM_DATA=.mypy_cache/data
# A candidate counts when it runs and can make a virtual environment; pyenv's shims exist but may fail.
PYTHON_TEST = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
FIND_PYTHON = python=; \
	for name in "$$PYTHON" python3 python3.14 python3.13 python3.12 python3.11; do \
	  if [ -n "$$name" ] && "$$name" -c '$(PYTHON_TEST)' >/dev/null 2>&1; then python="$$name"; break; fi; \
	done

.PHONY: help run test lint format audit lock bench soak screenshots conformance

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  make run takes PORT ($(PORT)), HOST ($(HOST)) and AGENTROOM_DATA ($(AGENTROOM_DATA))."

run: .venv/installed ## install, migrate, make a demo on first start, and serve
	@exec env PORT='$(PORT)' HOST='$(HOST)' AGENTROOM_DATA='$(AGENTROOM_DATA)' $(BIN)/python manage.py serve --end-with-parent

test: .venv/installed-dev ## install, check, and run every test on servers of its own
	@$(BIN)/python -m tests.services.system
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m tests.run

lint: .venv/installed-dev ## style, format, types and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(LINT_ENV) $(BIN)/mypy
	@$(BIN)/lint-imports

format: .venv/installed-dev ## put imports and layout right
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

audit: .venv/installed-dev ## ask for known vulnerabilities of both locks
	@$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements.txt -r tests/requirements.txt

lock: ## compile both locks from pyproject.toml (UPGRADE=1: the newest of everything)
	@$(FIND_PYTHON); folder=`mktemp -d` && trap 'rm -rf "$$folder"' EXIT && \
	  "$$python" -m venv "$$folder" && "$$folder/bin/python" -m pip install -qq uv && \
	  compile="$$folder/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes" && \
	  compile="$$compile --no-emit-index-url --no-emit-find-links --no-annotate $(if $(UPGRADE),--upgrade,)" && \
	  UV_CUSTOM_COMPILE_COMMAND="make lock" && export UV_CUSTOM_COMPILE_COMMAND && \
	  $$compile pyproject.toml -o requirements.txt && \
	  $$compile pyproject.toml --group test -c requirements.txt -o tests/requirements.txt

bench: .venv/installed-dev ## measure against the targets of docs/performance.md
	@$(BIN)/python -m tests.bench $(ARGS)

soak: .venv/installed-dev ## kill, starve and race it for long (TIER=C or S)
	@$(BIN)/python -m tests.soak --tier '$(TIER)' $(ARGS)

screenshots: .venv/installed-dev ## photograph every page of the demo
	@$(BIN)/python -m tests.services.system
	@$(BIN)/python -m tests.screenshots $(ARGS)

conformance: .venv/installed-dev ## run the official MCP suite alone
	@$(BIN)/python -m pytest tests/conformance $(ARGS)

.venv/installed: requirements.txt
	@if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
	  $(FIND_PYTHON); \
	  if [ -z "$$python" ]; then apt-get update -qq && apt-get install -y -qq python3-venv; fi; \
	fi
	@$(FIND_PYTHON); \
	if [ -z "$$python" ]; then \
	  echo "Agent Room needs Python 3.11 or newer with its venv module (Debian: apt-get install python3-venv)." >&2; \
	  echo "Name another one with PYTHON=/path/to/python3." >&2; \
	  exit 1; \
	fi; \
	echo "Installing into .venv; this takes about half a minute."; \
	rm -rf .venv && "$$python" -m venv .venv
	@$(PIP_INSTALL) -r requirements.txt
	@touch .venv/installed

.venv/installed-dev: .venv/installed tests/requirements.txt
	@echo "Installing what the tests need into .venv."
	@$(PIP_INSTALL) -r tests/requirements.txt
	@touch .venv/installed-dev
