# Every target does the set-up that it needs; `make help` lists them.
PYTHON ?= python3
SCALE ?=
REPEATS ?=
DATA ?=
RESULTS ?=
BUDGET ?=
ARGS ?=
PRESET ?= quick

VENV := .venv
BIN := $(VENV)/bin
CREATED := $(VENV)/.created
INSTALLED := $(VENV)/.installed
NOTEBOOKS := $(VENV)/.notebooks
EXTRAS := lab,spark,numba,kafka,dev
PIP := "$(BIN)/python" -m pip install --disable-pip-version-check -q
OPTIONS = $(if $(SCALE),--scale-factor $(SCALE)) $(if $(REPEATS),--repeats $(REPEATS)) \
	$(if $(DATA),--data "$(DATA)") $(if $(RESULTS),--results "$(RESULTS)") $(ARGS)
LINTED = $$(find pyx queries streambench tests \( $(1) \))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help bench evaluation sweep perf microbench check test model mutants verify lint figures claims build pack annotate java spin \
	chromium valgrind ccache spin-if-possible chromium-if-possible valgrind-if-possible gate gate-proof notebooks dist package clean

help: ## list the targets
	@echo "usage: make TARGET [PYTHON=python3.12]   (PYTHON is used once, to make .venv/)"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

bench: build java ## measure the queries on all cores (SCALE=1 REPEATS=12 DATA=folder RESULTS=folder ARGS="..."); goes on after Ctrl-C
	"$(BIN)/streambench" bench queries $(OPTIONS)

evaluation: build java ## measure everything in the time given, on all cores, and make one report (BUDGET=10m RESULTS=folder ARGS="--dry-run"); goes on with more time
	"$(BIN)/streambench" evaluate $(if $(BUDGET),--budget $(BUDGET)) $(if $(RESULTS),--out "$(RESULTS)") $(ARGS)

sweep: build java ## measure what the paper's figures need (PRESET=paper REPEATS=9 SCALE=0.1 ARGS="--figures 8,14"); goes on after Ctrl-C
	"$(BIN)/streambench" bench sweep --preset $(PRESET) $(OPTIONS)

perf: build java ## measure against hand-written loops, oneTBB and DuckDB (SCALE=1 DATA=folder REPEATS=9 ARGS="--section micro"); goes on after Ctrl-C
	"$(BIN)/streambench" bench perf $(OPTIONS)

microbench: build ## time the primitives, and keep it for comparison (ARGS="-k queues")
	"$(BIN)/python" -m pytest -q -c tests/microbench/pytest.ini --benchmark-autosave \
		--benchmark-storage=file://$(CURDIR)/results/microbench --benchmark-columns=min,median,iqr,rounds \
		--benchmark-warmup=on --benchmark-sort=fullname tests/microbench $(ARGS)

# The edit loop. Spark, models, benchmarks, sanitizers and whatever is marked slow are left to `make test` and CI.
FAST_TESTS = $(addprefix tests/,unit border docs cli queries concurrency)

check: lint build ## lint and what is not slow, some ten minutes on two cores (ARGS="-k name -x")
	"$(BIN)/python" -m pytest -q -m "not slow" $(FAST_TESTS) $(ARGS)

# Four at a time, whatever the machine has: most start threads of their own, or a Spark, and half of the time they wait.
# In the order of tests/conftest.py: xdist's own begins with the files of most tests, and ends with the longest ones.
test: build java spin-if-possible chromium-if-possible valgrind-if-possible ## run all tests (ARGS="-k name -x")
	"$(BIN)/python" -m pytest -q -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

model: $(INSTALLED) spin ## search the models of the concurrent algorithms with Spin, and their mutations (ARGS="-k name")
	"$(BIN)/python" -m pytest -q tests/concurrency/test_models.py $(ARGS)

mutants: build ## make the runtime wrong in one place at a time: some test must notice (ARGS="--list", ARGS="--only publish")
	"$(BIN)/python" tests/mutants/run.py $(ARGS)

gate: build java ## is the working tree slower than a revision, or wrong? (BASE=main ARGS="--workloads q4 --budget 10m")
	"$(BIN)/streambench" gate --base $(or $(BASE),main) $(if $(DATA),--data "$(DATA)") $(ARGS)

gate-proof: build java ## does the gate find what is slower or wrong, and only that? (DATA=folder ARGS="--only same --runs 5"); an hour
	"$(BIN)/python" tests/gate_proof/run.py $(if $(DATA),--data "$(DATA)") $(if $(RESULTS),--results "$(RESULTS)") $(ARGS)

pack: build java ## pack for a machine without network, compiler or Java, in build/pack (PACK_PYTHON=3.12)
	"$(BIN)/streambench" pack $(if $(PACK_PYTHON),--python "$(PACK_PYTHON)") $(ARGS)

verify: build java ## check every engine's sequence and answer (DATA=folder ARGS="...")
	"$(BIN)/streambench" verify $(if $(DATA),--data "$(DATA)") $(ARGS)

lint: $(INSTALLED) ## ruff (rules and format), mypy, clang-format, and the width of Cython and C++
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/clang-format" --dry-run -Werror $(call LINTED,-name "*.h")
	! LC_ALL=C.UTF-8 grep -nE '^.{121,}' $(call LINTED,-name "*.pyx" -o -name "*.px[di]" -o -name "*.h")

figures: build ## draw the figures of the latest result (RESULTS=file ARGS="--out folder")
	"$(BIN)/streambench" figures $(if $(RESULTS),"$(RESULTS)") $(ARGS)

claims: build ## judge the paper's claims by the latest sweep (RESULTS=file ARGS="--markdown file")
	"$(BIN)/streambench" claims $(if $(RESULTS),"$(RESULTS)") $(ARGS)

notebooks: build $(NOTEBOOKS) ## open the notebooks, ready to run, in a browser (ARGS="--no-browser")
	"$(BIN)/jupyter" lab notebooks/quickstart.ipynb $(ARGS)

build: $(INSTALLED) ## compile what changed, in place
	"$(BIN)/python" setup.py -q build_ext --inplace

annotate: $(INSTALLED) ## Cython's annotated sources (what is yellow calls Python) in build/annotated/, as HTML
	STREAMBENCH_ANNOTATE=1 "$(BIN)/python" setup.py -q --version

dist: $(INSTALLED) ## source distribution and wheel in dist/
	rm -rf dist
	"$(BIN)/python" -m build --no-isolation

package: dist ## check the wheel made from the sdist: it has no code for newer processors, runs and can be cimported
	rm -rf build/package build/own_operator
	$(PIP) --no-deps --target build/package dist/*.whl
	cp -r docs/examples/own_operator build/own_operator
	case "$$(uname -m)" in x86_64) "$(BIN)/python" tests/wheel/baseline_code.py dist/*.whl;; esac
	cd build/own_operator && PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/package:." && export PYTHONSAFEPATH PYTHONPATH && \
		"$(CURDIR)/$(BIN)/python" -c 'import streambench, sys; sys.exit("/build/package/" not in streambench.__file__)' && \
		"$(CURDIR)/$(BIN)/python" setup.py -q build_ext --inplace && "$(CURDIR)/$(BIN)/python" run.py && \
		"$(CURDIR)/$(BIN)/python" -c 'from importlib.resources import files; files("streambench.queries.q1").joinpath("oracle.sql").read_text()'

clean: ## remove what was built (not .venv/, data/ or results/)
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(wildcard pyx queries streambench/lab/data streambench/lab/host streambench/lab/measure streambench/sim streambench/pyx/. streambench/queries/.) \( -name '*.so' -o -name '*.cpp' -o -name '*.c' -o -name '*.html' \) -exec rm -f {} +
	find $(wildcard pyx queries datagen) streambench tests -name __pycache__ -type d -prune -exec rm -rf {} +

java spin chromium valgrind ccache:
	@sh .ci/prerequisites.sh "$(PYTHON)" $@

valgrind-if-possible:
	@sh .ci/prerequisites.sh "$(PYTHON)" valgrind || echo "streambench: so no instructions are counted" >&2

spin-if-possible:
	@sh .ci/prerequisites.sh "$(PYTHON)" spin || echo "streambench: so the models of the algorithms are not searched" >&2

chromium-if-possible:
	@sh .ci/prerequisites.sh "$(PYTHON)" chromium || echo "streambench: so the report is not tried in a browser" >&2

# The stamps are in the environment itself, so that removing it undoes them. pip builds without isolation, so that it
# and `make build` compile with one and the same Cython: in place, while pip downloads the rest, so that both find it done.
$(CREATED):
	sh .ci/prerequisites.sh "$(PYTHON)"
	"$(PYTHON)" -m venv --clear "$(VENV)"
	@touch $@

$(INSTALLED): $(CREATED) pyproject.toml setup.py
	@echo "streambench: installing into $(VENV) and compiling (four to six minutes on two cores, once)"
	@"$(BIN)/python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> "$(VENV)/build-requires.txt"
	@"$(BIN)/python" -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		extras = p["optional-dependencies"]; \
		print(*p["dependencies"], *(each for extra in "$(EXTRAS)".split(",") for each in extras[extra]), sep="\n")' \
		> "$(VENV)/requires.txt"
	$(PIP) -r "$(VENV)/build-requires.txt"
	@"$(BIN)/python" setup.py -q build_ext --inplace & compiled=$$!; \
		$(PIP) -r "$(VENV)/requires.txt"; installed=$$?; wait $$compiled && exit $$installed
	$(PIP) --no-build-isolation -e ".[$(EXTRAS)]"
	@touch $@

$(NOTEBOOKS): $(INSTALLED)
	@echo "streambench: installing JupyterLab into $(VENV) (once)"
	@"$(BIN)/python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["notebooks"], sep="\n")' \
		> "$(VENV)/notebooks-requires.txt"
	$(PIP) -r "$(VENV)/notebooks-requires.txt"
	@touch $@

# Instrumented builds live in trees of their own, never in place, and hold no query; PYTHONSAFEPATH keeps the plain build
# out of the way. They share C++ sources, so one waits for the other. Before gcc 14 the thread sanitizer may not start where addresses are randomised widely, hence setarch.
# Arrow takes more locks before a fork than the detector of lock cycles can count, so that one is off.
# SEEDS='-m "not slow"' leaves out further seeds and what is slow as a whole, as CI does: most races are seen in any order of steps.
.PHONY: tsan asan
# One file takes Polars, whose allocator does not start under the thread sanitizer.
SANITIZED_TESTS = tests/concurrency \
	$(filter-out %/test_topk.py,$(wildcard tests/unit/topk/test_*.py)) \
	$(wildcard tests/unit/join/test_*.py) $(addprefix tests/unit/lab/measure/,test_gate_traffic.py test_handshake.py) \
	$(addprefix tests/unit/,queues tuples/test_table_source.py order $(addprefix schemes/,test_partitioned_worklists.py test_reorder_buffers.py)) \
	$(addprefix tests/unit/snet/,$(addsuffix .py,$(addprefix test_,front conformance giving_back input_control box_concurrency native_boxes)))
SANITIZED = PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/$@/lib" STREAMBENCH_PROFILE=$@ \
	STREAMBENCH_STRESS=$(or $(STREAMBENCH_STRESS),1) LD_PRELOAD="$(RUNTIME)" \
	TSAN_OPTIONS="detect_deadlocks=0 halt_on_error=1 exitcode=66 allocator_may_return_null=1 suppressions=$(CURDIR)/tests/tsan.supp" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONMALLOC=malloc \
	$(shell setarch -R true 2>/dev/null && echo setarch -R) \
	"$(BIN)/python" -m pytest -q -s -p no:cacheprovider $(or $(ARGS),$(SEEDS) $(SANITIZED_TESTS))
BUILD_SANITIZED = mkdir -p build && flock build/instrumented.lock env STREAMBENCH_PROFILE=$@ \
	"$(BIN)/python" setup.py -q build --build-base build/$@ --build-lib build/$@/lib

tsan: RUNTIME = $(shell $(CXX) -print-file-name=libtsan.so)
tsan: $(INSTALLED) ## the runtime's tests under the thread sanitizer (ARGS="-k name tests/concurrency")
	$(BUILD_SANITIZED)
	$(SANITIZED)

asan: RUNTIME = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libubsan.so)
asan: $(INSTALLED) ## the same under the address and undefined-behaviour sanitizers
	$(BUILD_SANITIZED)
	$(SANITIZED)
