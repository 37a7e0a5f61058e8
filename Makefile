# Targets for people; `make help` lists them. Everything runs inside .venv, which envs/setup.py makes and heals.
PYTHON ?= python3
STUDY ?= report
EXTRA ?=
TESTS ?=
ARGS ?=
VERSION ?=
RELEASE ?=
BEFORE ?=
SIGNERS ?=
STYLE ?= page
BIN := .venv/bin
BENCHMARKS := house project cluster scale tables calls limits chaos providers canaries documents crawl hostile fuzz models retrieval relevance published poisoning revprag scope pages explorer annotation paper_costs services release mutants
MAKEFLAGS += --no-print-directory
# The command of this checkout's code alone, wherever a module of the same name may lie.
RAGASSAY := $(BIN)/python -I -c 'import sys; sys.path.insert(0, "workflow"); from ragassay.command.app import main; main()'
# Module systems of clusters set these, and what they point to would be taken for installed in .venv.
unexport PYTHONPATH PYTHONHOME

.PHONY: help setup demo figures demo-lm estimate annotate release verify release-diff replay rehydrate prune test lint bench mutants chaos hostile fuzz slurm-test screenshot docs lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+%?:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+%?):.*## /  make \1\t/' | expand -t 22

setup: ## make or heal .venv from the lock (EXTRA=slurm adds the Slurm executor)
	@command -v $(PYTHON) >/dev/null || { echo "setup: no $(PYTHON) on this machine; Python 3.11 or newer is needed" >&2; exit 1; }
	@$(PYTHON) envs/setup.py $(EXTRA)

demo: setup ## run the pipeline on the demo corpus and say what was found and where the report is (STUDY=... runs one study, without a report)
	@$(RAGASSAY) demo $(STUDY) $(ARGS)

figures: setup ## draw every figure of the report; STYLE=paper: figures and tables for a paper, in results/report/paper
	@$(RAGASSAY) run $(if $(filter paper,$(STYLE)),paper,$(if $(filter page,$(STYLE)),figures,$(error figures: found STYLE=$(STYLE), expected page or paper))) $(ARGS)

demo-lm: setup ## train the demo's small language model again, for resources/demo/demo-lm (minutes)
	@$(BIN)/snakemake results/models/demo-lm
	@PYTHONPATH=workflow $(BIN)/python -m demo.lm.shipment

estimate: setup ## say what a run would ask of models and pay, without asking (STUDY=..., ARGS="--configfile ...")
	@$(RAGASSAY) estimate $(STUDY) $(ARGS)

annotate: setup ## label questions by hand in the browser (ARGS="--port 8137 --host ... --annotators ...")
	@$(RAGASSAY) annotate $(ARGS)

release: setup ## make an immutable release of a finished run (VERSION=2026-11, STUDY=..., ARGS="--configfile ... --key ... --yes")
	@$(RAGASSAY) release "$(VERSION)" --targets $(STUDY) $(ARGS)

verify: setup ## verify somebody's release with this clone's code (RELEASE=releases/2026-11, SIGNERS=file of public keys)
	@$(RAGASSAY) verify "$(RELEASE)" $(if $(SIGNERS),--signers "$(SIGNERS)") $(ARGS)

release-diff: setup ## say what changed from one release to another, as a page and as JSON (BEFORE=... RELEASE=...)
	@$(RAGASSAY) diff "$(BEFORE)" "$(RELEASE)" $(ARGS)

replay: setup ## make the tables of a release again from the models' recorded answers, offline (RELEASE=releases/2026-11)
	@$(RAGASSAY) replay "$(RELEASE)" $(if $(SIGNERS),--signers "$(SIGNERS)") $(ARGS)

rehydrate: setup ## fetch the texts that a release withholds from their pages (RELEASE=..., ARGS="--configfile ...")
	@$(RAGASSAY) rehydrate "$(RELEASE)" $(if $(SIGNERS),--signers "$(SIGNERS)") $(ARGS)

prune: setup ## list the files below results that no configuration plans any more (ARGS=--yes deletes them)
	@$(RAGASSAY) prune $(ARGS)

test: setup ## run all tests (TESTS="tests/ragassay -k tables" runs some)
	@$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(TESTS)

lint: setup ## check style and workflow, and look for advisories about locked packages
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	@PYTHONPATH=workflow $(BIN)/python -m tools.audit

bench: setup ## run all benchmarks, one after another, as bench-<name> does
	@short=0; for name in $(BENCHMARKS); do $(MAKE) bench-$$name || short=1; done; exit $$short

bench-%: SHELL := bash
bench-%: setup ## run benchmarks/<name>.py, keep its figures in benchmarks/figures/ by name, and write them into the docs
	@set -o pipefail; short=0; $(BIN)/python benchmarks/$*.py $(ARGS) | $(BIN)/python benchmarks/common/keep.py $* || short=1; \
	PYTHONPATH=workflow $(BIN)/python -m tools.docs && exit $$short

chaos: ## kill a stage that asks a model a thousand times, and count what that cost
	@$(MAKE) bench-chaos

mutants: ## change single operators of the library and see whether its tests notice (ARGS="--count 12 --changed main")
	@$(MAKE) bench-mutants

hostile: ## let a thousand hostile servers at the fetcher
	@$(MAKE) bench-hostile

fuzz: ## let mutated inputs in at every door of the library (ARGS="1000000", ARGS="--seed 7 5000 gates")
	@$(MAKE) bench-fuzz

slurm-test: ## kill heads, jobs and the controller of a real Slurm on this machine (Debian: slurm-wlm, munge; ARGS="--times 3")
	@$(MAKE) bench-cluster EXTRA=slurm

screenshot: setup ## take the pictures of docs/ again from results/report (needs Chromium)
	@PYTHONPATH=workflow $(BIN)/python -m tools.screenshot

docs: setup ## write the generated parts of the documentation again
	@PYTHONPATH=workflow $(BIN)/python -m tools.docs

lock: setup ## renew requirements.lock and envs/slurm.lock from pyproject.toml
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python envs/lock.py

clean: ## delete results and logs, keep .venv
	find results -mindepth 1 ! -name README.md -delete
	rm -rf logs .snakemake
