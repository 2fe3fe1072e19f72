# Everything here needs Go and nothing else; a C compiler is used where there is one.

.DEFAULT_GOAL := help
SHELL         := /bin/sh

GO       ?= go
BIN      := bin
FUZZTIME ?= 30s

# Where a C compiler works, the first build uses it; everywhere else, and with
# CGO_ENABLED=0, SQLite comes as translated Go code ("wasm").
HAVE_CC = $(eval HAVE_CC := $$(shell $(FIND_CC)))$(HAVE_CC)
FIND_CC = [ "$$$$($(GO) env CGO_ENABLED)" = 1 ] && \
	printf '\043include <stdlib.h>\nint main(void) { return 0; }\n' | \
	$$$$($(GO) env CC) -x c -o /dev/null - >/dev/null 2>&1 && echo yes
STATIC_CC = $(shell printf 'int main(void) { return 0; }\n' | \
	$$($(GO) env CC) -static -x c -o /dev/null - >/dev/null 2>&1 && echo " -linkmode external -extldflags -static")

# netgo, osusergo and a static link each save start-up time, and tundish starts
# often. The repository's state is left out of the binary, so that a build is the
# same in every clone.
BUILD      := $(GO) build -trimpath -buildvcs=false
LDFLAGS    := -s -w
CGO_TAGS   := netgo,osusergo,sqlite_omit_load_extension
BUILD_CGO   = CGO_ENABLED=1 $(BUILD) -modfile $(LAZY) -tags $(CGO_TAGS) -ldflags '$(LDFLAGS)$(STATIC_CC)'
BUILD_WASM  = CGO_ENABLED=0 $(BUILD) -modfile $(LAZY) -ldflags '$(LDFLAGS)'

# Two dependencies in copies that make their tables at first use (decision 0014).
LAZY := $(BIN)/lazytables/go.mod

# What a short process never fills: SQLite's memory for pages and small objects
# that is set aside at every open, and its counts of memory (decision 0014).
export CGO_CFLAGS ?= -O2 -g -DSQLITE_DEFAULT_PCACHE_INITSZ=0 -DSQLITE_DEFAULT_LOOKASIDE=512,16 -DSQLITE_DEFAULT_MEMSTATUS=0

# Tests and vet build with -trimpath too, so that all of them share one cache.
VET  := $(GO) vet -trimpath
TEST := $(GO) test -trimpath -vet=off -shuffle=on

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- build

.PHONY: build
build: ## build bin/tundish, its worker and its server: cgo where a C compiler is, else wasm
	@if [ -n "$(HAVE_CC)" ]; then \
		$(MAKE) --no-print-directory build-cgo && cp $(BIN)/tundish-cgo $(BIN)/tundish && \
		cp $(BIN)/tundish-cgo-outbox $(BIN)/tundish-outbox && cp $(BIN)/tundish-cgo-mcp $(BIN)/tundish-mcp && echo "$(BIN)/tundish is the cgo build"; \
	else \
		$(MAKE) --no-print-directory build-wasm && cp $(BIN)/tundish-wasm $(BIN)/tundish && \
		cp $(BIN)/tundish-wasm-outbox $(BIN)/tundish-outbox && cp $(BIN)/tundish-wasm-mcp $(BIN)/tundish-mcp && echo "$(BIN)/tundish is the wasm build"; \
	fi

.PHONY: build-cgo
build-cgo: $(LAZY) ## build bin/tundish-cgo with its worker and its server, SQLite in C
	$(BUILD_CGO) -o $(BIN)/tundish-cgo ./cmd/tundish
	$(BUILD_CGO) -o $(BIN)/tundish-cgo-outbox ./cmd/tundish-outbox
	$(BUILD_CGO) -o $(BIN)/tundish-cgo-mcp ./cmd/tundish-mcp

.PHONY: build-wasm
build-wasm: $(LAZY) ## build bin/tundish-wasm with its worker and its server, with Go alone
	$(BUILD_WASM) -o $(BIN)/tundish-wasm ./cmd/tundish
	$(BUILD_WASM) -o $(BIN)/tundish-wasm-outbox ./cmd/tundish-outbox
	$(BUILD_WASM) -o $(BIN)/tundish-wasm-mcp ./cmd/tundish-mcp

.PHONY: man
man: build ## write the manual pages to bin/man
	@mkdir -p $(BIN)/man
	$(BIN)/tundish gen-man $(BIN)/man

.PHONY: docs
docs: build ## write docs/reference.md from the commands' help
	$(BIN)/tundish gen-reference docs/reference.md

.PHONY: completions
completions: build ## write the shell completions to bin/completions
	@mkdir -p $(BIN)/completions
	@for shell in bash zsh fish; do \
		$(BIN)/tundish gen-completions $$shell >$(BIN)/completions/tundish.$$shell || exit 1; \
		echo "$(BIN)/completions/tundish.$$shell"; \
	done

$(LAZY): go.mod go.sum internal/lazytables/main.go
	$(GO) run -trimpath ./internal/lazytables $(@D)

# ---- try

.PHONY: demo
demo: build-wasm ## show the main job on real events, in a temporary folder
	@sh demo/run.sh $(BIN)/tundish-wasm

# ---- check

.PHONY: test
test: check-format check-modules check-vet check-builds check-tests ## everything that must pass: format, modules, vet, laws, all tests on both builds
	@echo "make test: passed"

.PHONY: test-slow
test-slow: ## the same with the long loops and the slow scripts
	TUNDISH_SLOW=1 TUNDISH_LONG=1 $(MAKE) --no-print-directory test

.PHONY: check-format
check-format:
	@bad=$$(find . -name '*.go' ! -path './$(BIN)/*' -exec "$$($(GO) env GOROOT)/bin/gofmt" -l {} +); \
	if [ -n "$$bad" ]; then echo "make fmt would change:"; echo "$$bad"; exit 1; fi

.PHONY: check-builds
check-builds: build-wasm
	@[ -z "$(HAVE_CC)" ] || $(MAKE) --no-print-directory build-cgo

.PHONY: check-modules
check-modules:
	$(GO) mod tidy -diff
	$(GO) mod verify

# Vet looks at everything without cgo, then at what is another file with it.
.PHONY: check-vet
check-vet:
	CGO_ENABLED=0 $(VET) ./...
	@[ -z "$(HAVE_CC)" ] || { set -x; \
		CGO_ENABLED=1 $(VET) -tags $(CGO_TAGS) ./adapters/sqlite_cgo/... ./cmd/... && \
		CGO_ENABLED=1 $(VET) -tags tundish_wasm ./cmd/...; }

# With a C compiler, all but the wasm driver's own tests have the race detector,
# which needs cgo. The tests of cmd/tundish build both programs themselves, and
# run every script on each.
.PHONY: check-tests
check-tests:
	@if [ -n "$(HAVE_CC)" ]; then set -x; \
		CGO_ENABLED=0 $(TEST) ./adapters/sqlite_wasm/... && \
		CGO_ENABLED=1 $(TEST) -race $$($(GO) list ./... | grep -v /adapters/sqlite_wasm); \
	else \
		(set -x; CGO_ENABLED=0 $(TEST) ./...) && \
		echo "make test: NO C COMPILER, so the cgo half (its driver, the scripts on its build, the race detector) DID NOT RUN"; \
	fi

.PHONY: lint
lint: ## golangci-lint, from PATH or from GOPATH/bin
	@lint=$$(command -v golangci-lint || echo "$$($(GO) env GOPATH)/bin/golangci-lint"); \
	if [ ! -x "$$lint" ]; then \
		echo "golangci-lint is missing: $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"; exit 1; \
	fi; \
	set -x; "$$lint" run ./... && CGO_ENABLED=0 "$$lint" run ./...

.PHONY: fmt
fmt: ## format all Go files
	$(GO) fmt ./...

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (30s)
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

.PHONY: mutate
mutate: ## change conditions in domain/ one by one: a test must fail for at least 90 % of them
	$(GO) run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --threshold-efficacy 90 ./domain

PEERS ?= $(CURDIR)/$(BIN)/peers

.PHONY: peers
peers: $(PEERS)/node_modules/opencode-ai ## deliver to a real opencode server, which npm installs into bin/peers
	TUNDISH_PEERS=$(PEERS) $(TEST) -count=1 -timeout 20m -v ./internal/peers

$(PEERS)/node_modules/opencode-ai:
	npm install --prefix $(PEERS) --no-fund --no-audit --ignore-scripts opencode-ai@1.18.33 @opencode-ai/plugin@1.18.33

# Real hosts of agents. HOSTS may name a folder that holds them already, ONLY a part
# of the table such as codex or claude-code/Stop, and with RECORD=1 what the hooks
# are told becomes the fixtures of their tests.
HOSTS ?= $(CURDIR)/$(BIN)/hosts
ONLY  ?= .

HOST_claude-code     := @anthropic-ai/claude-code@2.1.332
HOST_codex           := @openai/codex@0.171.0
HOST_gemini          := @google/gemini-cli@0.61.0
HOST_opencode        := opencode-ai@1.18.33
HOST_opencode-plugin := @opencode-ai/plugin@1.18.33
HOST_gaff            := gaffr==0.1.4

.PHONY: hosts
hosts: build $(addprefix $(HOSTS)/,$(addsuffix /node_modules,claude-code codex gemini opencode opencode-plugin) gaff/bin/gaff) ## run agents in real hosts, which npm and pip install into bin/hosts, and print where mail reached the model
	TUNDISH_HOSTS=$(HOSTS) TUNDISH_HOSTS_RECORD=$(RECORD) TUNDISH_PROGRAM=$(CURDIR)/$(BIN)/tundish \
		$(TEST) -count=1 -timeout 2h -v -run 'TestHosts/$(ONLY)|TestControl' ./internal/hosts

$(HOSTS)/%/node_modules:
	npm install --prefix $(HOSTS)/$* --no-fund --no-audit --ignore-scripts $(HOST_$*)

$(HOSTS)/gaff/bin/gaff:
	python3 -m venv $(HOSTS)/gaff
	$(HOSTS)/gaff/bin/pip install --quiet $(HOST_gaff)

.PHONY: bench
bench: ## measure whole processes and print the table of bench/README.md
	$(GO) run ./bench

.PHONY: clean
clean: ## remove bin
	rm -rf $(BIN)
