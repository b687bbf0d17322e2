# Two commands matter: `make demo` and `make test`. Each makes what it needs, once.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP     = $(BIN)/python -m pip install --disable-pip-version-check --quiet --progress-bar on -c constraints.txt
LOCAL  := $(VENV)/.local-installed
TESTED := $(VENV)/.test-installed
export HF_HUB_OFFLINE := 1

.PHONY: demo serve test check model data index eval bench clean

demo: $(LOCAL) data model index  ## four questions about the sample shop, answered by the embedded model
	@$(BIN)/python -m agent demo

serve: $(LOCAL) data model  ## the HTTP service on port 7071
	@$(BIN)/python -m agent serve

test: $(TESTED) data model  ## every test, warnings as errors
	$(BIN)/python -m pytest

check: $(TESTED)  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

eval: $(LOCAL) data model index  ## the ten sample questions: how many are right, how many are marked verified
	$(BIN)/python -m agent eval samples/questions.json --docs samples/docs

model: $(LOCAL)  ## bring the embedded model's file (1.1 GB), once
	@$(BIN)/python -m agent model

data: $(LOCAL)
	@$(BIN)/python -m samples.make_shop

index: $(LOCAL) data
	@$(BIN)/python -m agent index --database shop

clean:  ## all that make has made here; the model's file stays in its cache
	rm -rf $(VENV) .plumbline samples/shop samples/shop.sqlite samples/shop.duckdb

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(LOCAL): requirements.txt requirements-local.txt constraints.txt | $(VENV)/bin/python
	@echo "Installing (some 400 MB the first time) ..."
	$(PIP) torch==2.13.0
	$(PIP) -r requirements-local.txt
	@touch $@

# The worker's library asks for Python 3.13 and runs on 3.11; the HTTP extension must come after it.
$(TESTED): $(LOCAL) requirements-test.txt
	$(PIP) -r requirements-test.txt
	$(PIP) --ignore-requires-python --no-deps azure-functions-runtime==1.3.0
	$(PIP) --force-reinstall --no-deps azurefunctions-extensions-base==1.2.0 azurefunctions-extensions-http-fastapi==1.0.1
	@touch $@
