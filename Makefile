# clinch. `make demo` and `make test` need nothing done by hand on a Debian machine with Rust.

# Everything is built with one profile, so that nothing is built twice.
CARGO := cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
CLINCH := $(TARGET)/release/clinch

.PHONY: demo test fuzz attack build lint doc bench package setup clean

# Verifies an example, and shows what a bug looks like.
demo: build
	@echo '$$ clinch check examples/gcl/ticket.gcl --define N=3'
	@$(CLINCH) check examples/gcl/ticket.gcl --define N=3
	@echo
	@echo '$$ clinch check examples/gcl/ticket-err.gcl'
	@$(CLINCH) check examples/gcl/ticket-err.gcl; test $$? = 1
	@echo
	@echo '$$ clinch check examples/c/dangling-bug.c'
	@$(CLINCH) check examples/c/dangling-bug.c; test $$? = 1
	@echo
	@echo '$$ clinch check examples/c/funlock.c --check assertions'
	@$(CLINCH) check examples/c/funlock.c --check assertions

# All tests; nextest where it is installed. Random tests draw the same cases each time, so that a change that passes here
# passes everywhere; `make fuzz` draws others.
test: export PROPTEST_RNG_SEED ?= 20020116
test: setup
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	    $(CARGO) nextest run --release --workspace --no-fail-fast && \
	    $(CARGO) test --release --doc -p clinch-checker --quiet; \
	else \
	    $(CARGO) test --release --workspace --no-fail-fast; \
	fi

# All tests with other random cases, and five times as many. What fails is printed with its case.
fuzz:
	@seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '); echo "PROPTEST_RNG_SEED=$$seed"; \
	CLINCH_EFFORT=5 CLINCH_CONFORMANCE_SEED=$$seed $(MAKE) test PROPTEST_RNG_SEED=$$seed

# Programs whose verdict gcc tells, against every engine: `make attack SEED=7 COUNT=20000 TIME=36000`. What is answered
# wrongly is reduced and kept among the regression programs. Then pairs of programs with a planted error and without.
SEED ?= 0
COUNT ?= 2000
TIME ?= 300
PAIRS ?= 200
attack: build
	$(TARGET)/release/clinch-attack --clinch $(CLINCH) --seed $(SEED) --count $(COUNT) --time $(TIME) \
	    --keep crates/clinch/tests/traps
	$(TARGET)/release/clinch-planted --clinch $(CLINCH) --seed $(SEED) --pairs $(PAIRS)

build: setup
	$(CARGO) build --release --workspace

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

doc: setup
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --workspace --no-deps

# States per second beside SPIN's, where spin and the models are there; see scripts/bench-spin.py.
bench: build
	python3 scripts/bench-spin.py --clinch $(CLINCH)

# A release archive and a Debian package, in dist/, with Z3's library beside the binary. `make package STATIC=1` is for releases: Z3 is compiled
# (three quarters of an hour on one core) and linked in.
package:
ifdef STATIC
	./scripts/setup.sh vendored
	$(CARGO) build --release -p clinch --features vendored --target-dir $(TARGET)/static
	./scripts/package.sh $(TARGET)/static/release
else
	./scripts/setup.sh
	CLINCH_PORTABLE=1 $(CARGO) build --release -p clinch
	./scripts/package.sh $(TARGET)/release
endif

# A C compiler and Z3's official library, in .tools.
setup:
	@./scripts/setup.sh

clean:
	$(CARGO) clean
