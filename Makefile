# Weir. `make help` lists what there is; each target says what it needs.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build demo test real peers deps lint bench fuzz ui prices soak

TOOL := go tool -modfile=$(CURDIR)/tools/go.mod

help: ## list the targets
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.* ## /\1\t/' | while IFS=$$'\t' read -r name what; do printf '  %-8s %s\n' "$$name" "$$what"; done

build: ## bin/weir, static
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/weir ./cmd/weir

demo: build ## bench four simulated providers, and a gateway past an outage; no keys, no network, under 40 s
	@bin/weir demo --once

test: ## vet, then the tests of both modules with the race detector
	@tools/test.sh

real: build ## measure a real inference engine, and Python clients through the gateway (installs 500 MB into ~/.cache/weir)
	@tools/real.sh

deps: ## install what the tests need: a C compiler, Node, the npm clients in test/sdk, Chromium
	@tools/deps.sh

lint: ## golangci-lint and gofumpt, pinned in tools/go.mod (the first build takes 10 minutes)
	$(TOOL) golangci-lint run
	cd test && $(TOOL) golangci-lint run --config ../.golangci.yml --build-tags real
	@bad=$$($(TOOL) gofumpt -l *.go cmd internal meter test tools/prices); [ -z "$$bad" ] || { echo "gofumpt would change:"; echo "$$bad"; exit 1; }

bench: build ## Go benchmarks of the packages, then what test/perf measures (wants an idle machine)
	go test -run '^$$' -bench . -benchmem ./...
	@bash test/perf/run.sh

fuzz: ## every fuzz target for 20 s each
	@tools/fuzz.sh 20s

peers: build ## beside AIPerf, GuideLLM and vllm bench serve, same load (installs 8 GB into ~/.cache/weir; WRITE=1 for docs/peers.md)
	@tools/peers.sh

ui: ## (later) build the dashboard's assets
	@echo "ui: nothing yet: comes with the dashboard (internal/web)"

prices: ## refresh the price table from npm (VERSION=latest for a newer one); needs npm
	@go -C tools run ./prices -o ../internal/catalog/prices.json $(if $(VERSION),-version "$(VERSION)")

soak: ## half an hour of weir gateway under faults, aborts and reloads, every answer compared (SOAK=10m, SEED=1; wants an idle machine)
	@tools/soak.sh
