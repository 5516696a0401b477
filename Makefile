# make demo: the environment, the embedded model, and the shipped study.
# make test: the environment if need be, and the whole test suite.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test setup check bench clean

demo: setup
	$(BIN)/otherminds demo --out runs/demo

# Compiled files are kept, whatever the shell says: rewriting the assertions of all tests is more than half of what each worker needs to collect them.
test: setup
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

check: setup
	bash .ci/run

bench: setup
	for script in benchmarks/reproduce_riemer.py benchmarks/ceiling.py benchmarks/simulated_ability.py \
		benchmarks/prefix_reuse.py; do $(BIN)/python $$script || exit 1; done

setup: .venv/.ready

.venv/.ready: requirements/base.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Other Minds needs Python 3.11 or newer; name one with: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements/base.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	$(BIN)/otherminds models pull smollm2
	@touch $@

clean:
	rm -rf .venv site build
