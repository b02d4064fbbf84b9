"""Tolerances by precision, and the small grammars and samples that many tests share."""

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.assertion import rewrite
from copied_project import Project

from srhm.data import train_and_test
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator

pytest.register_assert_rewrite("assertions")

# For numpy.testing.assert_allclose: two routes to one number differ by rounding only.
TOLERANCES = {
    np.dtype(np.float64): {"rtol": 1e-10, "atol": 1e-12},
    np.dtype(np.float32): {"rtol": 1e-4, "atol": 1e-6},
}
# 5184 distinct data with sparsity A, 17496 with sparsity B.
SMALL: dict[str, Any] = {
    "depth": 2,
    "branching": 2,
    "n_features": 3,
    "n_synonyms": 3,
    "n_classes": 3,
    "n_empty": 1,
    "sparsity": "A",
}

# Run by `make test-all` alone: kills, clusters, faults, browsers, installation, long science.
SLOW = ("cluster", "faults", "science", "test_documentation", "test_flow_workflow",
        "test_fresh_root", "test_hashes", "test_install", "test_library_docs",
        "test_parts_of_published_rows", "test_profiles", "test_schedulers", "test_tutorials",
        "test_wheel")  # fmt: skip

MakeParameters = Callable[..., GrammarParameters]
MakeGrammar = Callable[..., Grammar]
MakeSample = Callable[..., tuple[Grammar, Derivations, Derivations]]


# Nothing is garbage before tests run: to look for it was more than half of a worker's start.
gc.disable()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each worker writes down a part of the tests as pytest reads them, before all read them all.

    In a new clone each worker did so for every file: eight seconds of a processor.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    state = session.config.stash[rewrite.assertstate_key]
    first = int(worker["workerid"].removeprefix("gw"))
    for file in sorted(Path(__file__).parent.rglob("test_*.py"))[first :: worker["workercount"]]:
        folder = rewrite.get_cache_dir(file)
        kept = folder / (file.stem + rewrite.PYC_TAIL)
        if rewrite.try_makedirs(folder) and rewrite._read_pyc(file, kept) is None:
            stat, code = rewrite._rewrite_test(file, session.config)
            rewrite._write_pyc(state, code, stat, kept)


def pytest_collection_finish() -> None:
    """What was imported and collected stays: to look at it again and again took a tenth of all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the slow ones, and keeps those that share a fixture of their module with one worker.

    Each worker of `--dist loadgroup` would make the fixture anew.
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0].removesuffix(".py") in SLOW:
            item.add_marker(pytest.mark.slow)
        found = item._fixtureinfo.name2fixturedefs.values()
        shared = any(one.scope == "module" for fixtures in found for one in fixtures)
        if shared and item.get_closest_marker("xdist_group") is None:
            module = item.path.relative_to(item.config.rootpath)
            item.add_marker(pytest.mark.xdist_group(str(module)))


@pytest.fixture(scope="session")
def tolerance() -> Callable[[Any], dict[str, float]]:
    """Tolerance of a precision: `assert_allclose(a, b, **tolerance(np.float32))`."""
    return lambda dtype: TOLERANCES[np.dtype(dtype)]


@pytest.fixture(scope="session")
def make_parameters() -> MakeParameters:
    """Parameters of a small grammar with some of them changed."""
    return lambda **changes: GrammarParameters(**{**SMALL, **changes})


@pytest.fixture(scope="session")
def make_grammar(make_parameters: MakeParameters) -> MakeGrammar:
    """A small grammar with some parameters changed."""

    def make(*, seed: int = 0, **changes: Any) -> Grammar:
        return draw_grammar(make_parameters(**changes), generator=generator(seed, role="grammar"))

    return make


@pytest.fixture(scope="session")
def make_sample(make_grammar: MakeGrammar) -> MakeSample:
    """A small grammar with some parameters changed, and training and test data of it."""

    def make(
        *, n_train: int, n_test: int = 50, seed: int = 0, **changes: Any
    ) -> tuple[Grammar, Derivations, Derivations]:
        grammar = make_grammar(seed=seed, **changes)
        return grammar, *train_and_test(grammar, n_train=n_train, n_test=n_test, seed=seed)

    return make


@pytest.fixture
def project(finished: Project) -> Iterator[Project]:
    """The `finished` run of a module, put right again after a test that changes something."""
    yield finished
    finished.put_back()
