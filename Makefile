# `make` alone lists what there is to do. ARGS goes to the service, or to the tests: make test ARGS="--test api"
.DEFAULT_GOAL := help
.PHONY: help run test test-long lint-document conformance clients server fuzz deny record-release bench openapi docker need-cargo

CARGO ?= cargo
ARGS ?=
# Where cargo puts what it builds; cargo itself reads the same variable.
TARGET := $(or $(CARGO_TARGET_DIR),target)
# What the tests need beside the server, in every build of theirs, so that there is but one.
FEATURES := --features load
# What to fuzz, and for how many seconds each.
TARGETS ?= bundle cards cursor moves play
SECONDS ?= 300
# Tools in Python, at the versions of their lock files.
PYTHON := $(TARGET)/python
# The tests' build of the service, and what runs a command beside one of it that has a Postgres of its own.
SERVER := $(TARGET)/debug/croupier
BESIDE_SERVER := $(SERVER) postgres run -- tests/beside-server.sh $(SERVER)
# A command of cargo's that finds a throw-away Postgres. Not by `cargo run`, which sets variables that a dependency's build
# script looks at: it would be compiled anew, and all that needs it, each time the one cargo follows on the other.
BESIDE_POSTGRES = $(SERVER) postgres run -- $(CARGO) test --locked $(FEATURES)
# How much schemathesis asks: short or long.
CONFORMANCE ?= short
# What the pure core must be able to do without.
NOT_IN_THE_CORE := actix|awc|diesel|tokio|utoipa

say = @printf '\n== %s\n' $(1)

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: need-cargo ## build the service and start it, with a Postgres of its own unless DATABASE_URL is set
	@test -x $(TARGET)/release/croupier || echo "Building Croupier: this first time it takes minutes, later seconds."
	$(CARGO) run --locked --release --bin croupier -- serve $(ARGS)

test: need-cargo ## check everything: format, lints, the pure core, all tests against a throw-away Postgres
	$(call say,"Format")
	$(CARGO) fmt --check
	$(call say,"Lints; the first time this compiles for minutes")
	$(CARGO) clippy --locked --all-targets $(FEATURES) -- -D warnings
	$(call say,"The core builds by itself")
	$(CARGO) check --locked --no-default-features --lib --bins
	$(call say,"The core needs nothing of the server ($(NOT_IN_THE_CORE))")
	@tree="$$($(CARGO) tree --locked --no-default-features --edges normal --prefix none --format '{p}')" || exit 1; \
	found="$$(printf '%s\n' "$$tree" | grep -E '^($(NOT_IN_THE_CORE))' | sort -u)"; \
	if [ -n "$$found" ]; then echo "The core depends on:" >&2; echo "$$found" >&2; exit 1; fi; \
	echo "$$(printf '%s\n' "$$tree" | sort -u | wc -l) crates, none of those."
	$(call say,"The verifier in JavaScript")
	@if command -v node >/dev/null; then node --test verifier/; else echo "Skipped: there is no node here."; fi
	$(call say,"The document by strict rules")
	@$(MAKE) --no-print-directory lint-document
	$(call say,"Building the tests; the first time this takes minutes")
	$(CARGO) build --locked $(FEATURES) --bin croupier
	$(CARGO) test --locked $(FEATURES) --no-run $(ARGS)
	$(call say,"Tests beside a throw-away Postgres")
	$(BESIDE_POSTGRES) $(ARGS)
	@$(MAKE) --no-print-directory conformance clients

test-long: server ## check at full count what `make test` checks in short; takes about two hours
	$(call say,"Ten minutes of blind changes to the corpus of the fuzzers; five minutes against the lobby's model")
	FUZZ_SECONDS=600 $(CARGO) test --locked $(FEATURES) --test core fuzz -- --nocapture
	MODEL_SECONDS=300 $(BESIDE_POSTGRES) --test service lobby_model -- --nocapture
	$(call say,"A hundred dead instances, twenty dead databases, and more")
	FAULTS=20 $(BESIDE_POSTGRES) --test service faults -- --nocapture
	$(call say,"The ledger on a Citus cluster of three nodes")
	@if ls /usr/lib/postgresql/*/lib/citus.so >/dev/null 2>&1; then \
		tests/beside-citus.sh $(CARGO) test --locked $(FEATURES) --test service ledger; \
	else echo "Skipped: the extension is not installed."; fi
	$(call say,"A million runs in the table of high scores")
	$(BESIDE_POSTGRES) --test service a_million -- --ignored --nocapture
	$(call say,"Half a billion positions of chess, counted")
	$(CARGO) test --locked --release --no-default-features --test core deepest -- --ignored
	$(call say,"The laws, in many games")
	LAWS_GAMES=1000 $(CARGO) test --locked --release --no-default-features --test core laws -- --nocapture
	$(call say,"Every change of the recorded bundles")
	MUTATE_ALL=1 $(CARGO) test --locked --release --no-default-features --test core audit
	@$(MAKE) --no-print-directory conformance CONFORMANCE=long
	$(call say,"Dependencies")
	$(MAKE) deny
	$(call say,"Dockerfile and compose.yaml, without an engine")
	docker/check
	$(call say,"The coverage-guided fuzzers")
	$(MAKE) fuzz

lint-document: ## lint openapi/openapi.json by the strict rules of Redocly and Spectral
	@if ! command -v npm >/dev/null; then echo "Skipped: there is no npm here."; exit; fi; \
	$(MAKE) --no-print-directory openapi/checks/node_modules && openapi/checks/lint.sh

conformance: server ## hold a running server against its document, by schemathesis
	$(call say,"The running server does what the document says")
	@if ! command -v python3 >/dev/null; then echo "Skipped: there is no python3 here."; exit; fi; \
	$(MAKE) --no-print-directory $(PYTHON) && \
	$(BESIDE_SERVER) openapi/checks/conformance.sh $(abspath $(PYTHON))/bin/schemathesis $(CONFORMANCE)

clients: server ## make the clients of examples/ from the document, and have each play a game of every kind
	$(call say,"Clients that are made from the document play")
	@languages=rust; \
	if command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory examples/typescript/node_modules || exit 1; languages="$$languages typescript"; \
	else echo "Skipped TypeScript: there is no npm here."; fi; \
	if command -v python3 >/dev/null; then \
		$(MAKE) --no-print-directory $(PYTHON) || exit 1; languages="$$languages python"; \
	else echo "Skipped Python: there is no python3 here."; fi; \
	PYTHON=$(abspath $(PYTHON))/bin/python $(BESIDE_SERVER) examples/play.sh $$languages

server: need-cargo
	$(CARGO) build --locked --quiet $(FEATURES) --bin croupier

%/node_modules: %/package-lock.json
	cd $* && npm ci --ignore-scripts --omit=optional --no-audit --no-fund
	@touch $@

$(PYTHON): openapi/checks/requirements.txt examples/python/requirements.txt
	python3 -m venv $@
	$@/bin/pip install --quiet --disable-pip-version-check --no-compile $(addprefix --requirement ,$^)
	@touch $@

fuzz: need-cargo ## fuzz, led by coverage: make fuzz TARGETS=bundle SECONDS=600; what it finds is in fuzz/artifacts
	@command -v cargo-fuzz >/dev/null || $(CARGO) install --locked cargo-fuzz
	$(CARGO) fuzz build -s none
	@for target in $(TARGETS); do \
		printf '\n== %s\n' $$target; mkdir -p fuzz/found/$$target; \
		$(CARGO) fuzz run -s none $$target fuzz/found/$$target fuzz/corpus/$$target -- -max_total_time=$(SECONDS) \
			-timeout=20 -rss_limit_mb=1024 -max_len=16384 -dict=fuzz/json.dict -print_final_stats=1 || exit 1; done

deny: need-cargo ## licences, duplicates and sources of all dependencies, by cargo-deny
	@command -v cargo-deny >/dev/null || $(CARGO) install --locked cargo-deny
	cargo-deny --locked check bans licenses sources

record-release: server ## record a database, bundles and the document of this version, before it is released
	cp openapi/openapi.json openapi/released.json
	RECORD_RELEASE=1 $(BESIDE_POSTGRES) --test service releases::this_version -- --nocapture

bench: need-cargo ## measure a release build beside a throw-away Postgres with fsync: make bench ARGS="ratio --rounds 5"
	$(CARGO) run --locked --release $(FEATURES) --bin croupier -- bench $(ARGS)

openapi: need-cargo ## write openapi/openapi.json, and its copy for older tools, from the code
	$(CARGO) run --locked --quiet $(FEATURES) --bin croupier -- openapi > $(TARGET)/openapi.json
	$(CARGO) run --locked --quiet $(FEATURES) --bin croupier -- openapi --older > $(TARGET)/openapi-3.0.json
	mv $(TARGET)/openapi.json $(TARGET)/openapi-3.0.json openapi/

docker: ## build the container image croupier; compose.yaml starts it with a Postgres
	docker build --tag croupier .

need-cargo:
	@command -v $(CARGO) >/dev/null || { \
		echo "cargo was not found: install Rust (https://rustup.rs), open a new shell, and try again." >&2; exit 1; }
