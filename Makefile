# `make demo` and `make test` need python3 (with venv) and make, nothing else.
# Another interpreter that has everything installed already: `make test PY=python3`.
PYTHON ?= python3
VENV := .venv

ifeq ($(origin PY),command line)
READY :=
DOCS_READY :=
else
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
endif

# Byte code of what is imported is kept, whatever the environment says: tests start some hundred processes, and each
# would compile all that it imports again (1.4 s for this package and NumPy instead of 0.3).
export PYTHONDONTWRITEBYTECODE :=

# The paths whose words `make lint` checks, by the dictionaries of [tool.codespell] in pyproject.toml.
PROSE := README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs

.DEFAULT_GOAL := help
.PHONY: help demo test test-all beside-unit lint stubs types unit conformance conformance-quick networkx soak test-gpu sanitize bench bench-cpu bench-gpu papers proof package docs clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# The stamp is newer than pyproject.toml once the environment is complete, so a second run installs nothing.
# Byte code is made of what is imported, when it is, on all cores: half of the time here would go into the rest.
$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[test]'
	touch $@

# Documentation needs the package and Sphinx, not what tests need.
$(VENV)/.docs-ready: pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

demo: $(READY)  ## a Kronecker graph, two BFS, checked against python-graphblas
	$(PY) examples/demo.py $(ARGS)

# Tests wait for subprocesses, and for the last one among them: the other checks have those cores meanwhile.
test: lint  ## what a contributor waits for: some minutes; `make test-all` is everything
	$(MAKE) --no-print-directory -j 2 unit beside-unit

beside-unit: $(READY)
	@$(MAKE) --no-print-directory --output-sync=target types conformance-quick

test-all: lint types conformance  ## everything that this machine can check, in hours; notes in tests/all_record.json that it passed
	$(PY) -m pytest -n auto --dist worksteal $(ARGS)
	$(PY) tests/helpers/gpu_record.py

lint: $(READY)  ## ruff: rules and format; the words of the prose; layers import one way
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m codespell_lib $(PROSE)
	$(PY) -m pytest -q tests/project/test_layers.py

stubs: $(READY)  ## grblas_gpu/*.pyi for editors and type checkers, from the tables of operators
	$(PY) tools/make_stubs.py

types: stubs  ## mypy
	$(PY) -m mypy

unit: $(READY)  ## our quick tests and the documentation's examples
	$(PY) -m pytest -m "not slow" -n auto --dist worksteal $(ARGS)

soak: $(READY)  ## random operations, loops, algorithms and files for an hour; ARGS="--minutes 5" for less
	PYTHONPATH=tests/helpers $(PY) tests/soak $(ARGS)

conformance-quick: $(READY)
	$(PY) tests/conformance/run.py --autocompute

conformance: conformance-quick  ## the tests of python-graphblas and of graphblas-algorithms, run against grblas_gpu
	$(PY) tests/conformance/run.py
	$(PY) tests/conformance/graphblas_algorithms_suite.py

networkx: $(READY)  ## networkx's own tests with its backend "grblas_gpu", next to a run without; minutes
	$(PY) tests/conformance/networkx_suite.py $(ARGS)

test-gpu: $(READY)  ## only the tests that need a CUDA device; notes them in tests/gpu_record.json
	$(PY) -m pytest -m gpu -n 4 --dist worksteal --gpu-record $(ARGS)

sanitize: $(READY)  ## compute-sanitizer over loops on a CUDA device, minutes; notes in tests/gpu_record.json what it said
	PYTHONPATH=tests/helpers $(PY) tests/sanitize $(ARGS)

bench: $(READY) bench-cpu  ## next to SuiteSparse and others, in some minutes: report.html and report.json
	$(PY) -m grblas_gpu bench --report report.html --output report.json $(ARGS)
	@echo "report.html"

papers: $(READY)  ## every experiment of the five papers on a CUDA device, in some ten minutes: benchmarks/results and their page
	$(PY) -m benchmarks papers all --backend cuda --sources 2 --trials 3 --jobs 16 --out benchmarks/results $(ARGS)
	$(PY) -m docs.pages
	@echo "benchmarks/results/papers.md"

# Each line with `--backend cuda` and the sizes of docs/proof.md is the run on a GPU.
proof: $(READY)  ## small forms of Graphalytics, Graph500, GAP and the Graph Challenge on a CPU, all verified, in five minutes
	$(PY) -m grblas_gpu graphalytics tests/data/ldbc --backend cpu --trials 1
	$(PY) -m benchmarks graphalytics --scale 14 --backend cpu
	$(PY) -m grblas_gpu graph500 --scale 14 --backend cpu
	$(PY) -m benchmarks gap --scale 14 --backend cpu --trials 4
	$(PY) -m benchmarks graph_challenge --packets 19 --layers 12 --inputs 500 --scale 14 --backend cpu

bench-gpu: $(READY)  ## every operation on a CUDA device beside cupyx, in some 150 s: benchmarks/results/gpu_operations.json and its picture
	$(PY) -m benchmarks gpu_operations --jobs 16 --out benchmarks/results $(ARGS)
	$(PY) docs/pictures.py

bench-cpu: $(READY)  ## only the CPU engine next to SuiteSparse, operation by operation: is it as fast as we want it to be?
	$(PY) -m benchmarks cpu_speed --runs 3 --output cpu_speed.json

package: $(READY)  ## wheel and sdist in dist/, and what twine and validate-pyproject say about them
	$(PY) -m pip install --quiet --disable-pip-version-check build twine validate-pyproject
	$(PY) -m build --outdir dist .
	$(PY) -m twine check --strict dist/*
	$(PY) -m validate_pyproject pyproject.toml

docs: $(DOCS_READY)  ## HTML in site/
	$(PY) -m sphinx --fail-on-warning --keep-going -q -b html docs site
	@echo "site/index.html"

clean:  ## remove everything that the targets make
	rm -rf $(VENV) build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .conformance
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
