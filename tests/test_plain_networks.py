"""LCN, CNN and FCN as dense networks in a stack: against autograd, one by one, and in company."""

import logging
import re
import threading
from functools import partial

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from train_curves import train_here

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_sample, draw_samples
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.results import outdated
from srhm.runtime.no_device import NoDevice
from srhm.training import curve, plain
from srhm.training.cell import geometry_of, train_cell
from srhm.training.plain import PlainLayout, PlainStack, PlainTraining, plain_stack_size
from srhm.training.reference import ReferenceEngine
from srhm.training.rounds import Work
from srhm.training.sparse import SparseEngine

LOG = logging.getLogger("srhm.tests")
CPU = torch.device("cpu")
WIDTH, RATE = 10, 0.1
CELL = {
    **{"net": "cnn", "L": 2, "s": 2, "s0": 0, "v": 3, "m": 3, "n_c": 3, "sparsity": "A"},
    **{"width": 8, "alpha": 1.0, "dtype": "float64", "whitening": False, "bias": False},
    **{"batch": "shuffled", "batch_size": 4, "learning_rate": 0.01, "momentum": 0.9},
    **{"loss_threshold": 1e-3, "max_steps": 9, "n_checks": 1, "n_test": 20, "engine": "sparse"},
}
# Sizes that are no multiples of the batch, and rates of their own.
CELLS = [
    {**CELL, "P": 10, "seed": 0},
    {**CELL, "P": 7, "seed": 1, "learning_rate": 0.03},
    {**CELL, "P": 13, "seed": 0, "max_steps": 30},
    {**CELL, "P": 10, "seed": 1, "loss_threshold": 5.0},  # fitted after one epoch
]
DIVERGING = {**CELL, "P": 11, "seed": 0, "learning_rate": 1e200}
SAMPLES = draw_samples(parameters_of(CELL), [0, 1], n_train=13, n_test=20)
# Seconds that a few cells may take; a deadlock is a failure, not a test that never ends.
PATIENCE = 100


def task(net, *, n_empty=1):
    """Geometry, initial weights, and data of a small grammar."""
    parameters = GrammarParameters(
        depth=2, branching=2, n_features=4, n_synonyms=4, n_classes=4, n_empty=n_empty
    )
    train, test = draw_sample(
        draw_grammar(parameters, generator=generator(0, role="grammar")),
        n_train=40,
        n_test=24,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    shape = geometry(net, parameters, width=WIDTH)
    return shape, initial_weights(shape, generator=np.random.default_rng(3)), train, test


def stack_of(one, size, *, device=CPU, dtype=np.float64):
    shape, _, train, test = one
    sizes = {"batch_size": 4, "momentum": 0.9, "n_train": len(train), "n_test": len(test)}
    return PlainStack(PlainLayout(geometry=shape, dtype=dtype, **sizes), size, device=device)


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
@pytest.mark.parametrize("n_empty", [0, 2])
def test_weights_losses_and_errors_follow_autograd(net, n_empty):
    one = task(net, n_empty=n_empty)
    _, start, train, test = one
    stack, rates = stack_of(one, 3), (RATE, 3 * RATE)
    slots = [stack.enter(start, train, test, rate=rate) for rate in rates]
    oracles = [
        ReferenceEngine(*one, batch_size=4, rate=rate, momentum=0.9, dtype=np.float64)
        for rate in rates
    ]
    stream = np.random.default_rng(5)
    # The last batch of an epoch may be short; a network whose steps are made rests.
    for sizes in ((20, 20), (15, 6), (1, 40), (7, 8)):
        orders = [stream.integers(len(train), size=size) for size in sizes]
        works = [Work(slot, order, 1.0) for slot, order in zip(slots, orders, strict=True)]
        expected = [
            1.0 + oracle.steps(order) for oracle, order in zip(oracles, orders, strict=True)
        ]
        assert stack.train(works) == pytest.approx(expected, rel=1e-12)
    assert stack.test_errors(slots) == [oracle.test_error() for oracle in oracles]
    for slot, oracle in zip(slots, oracles, strict=True):
        for name, theirs in oracle.weights().items():
            np.testing.assert_allclose(stack.weights(slot)[name], theirs, rtol=1e-9, atol=1e-11)
            momenta = oracle.state()[f"momentum of weights.{name}"]
            ours = stack.state(slot)[f"{plain.MOMENTUM}{name}"]
            np.testing.assert_allclose(ours, momenta, rtol=1e-8, atol=1e-10)


def test_a_tie_is_an_error():
    one = task("cnn")
    _, start, train, test = one
    stack = stack_of(one, 2)
    silent = {**start, "readout": np.zeros_like(start["readout"])}
    assert stack.test_errors([stack.enter(silent, train, test, rate=RATE)]) == [1.0]


def test_a_full_stack_and_too_much_data_are_refused():
    one = task("cnn")
    _, start, train, test = one
    stack = stack_of(one, 1)
    with pytest.raises(ValueError, match="the stack was made for 40 and 24"):
        stack.enter(start, test, train, rate=RATE)
    slot = stack.enter(start, train, test, rate=RATE)
    with pytest.raises(ValueError, match="all 1 slots"):
        stack.enter(start, train, test, rate=RATE)
    stack.retire(slot)
    assert stack.enter(start, train, test, rate=RATE) == slot


def trained(cells, size):
    """The cells as a stack of this size trains them, a thread each."""
    training = PlainTraining(cells, LOG, device=CPU, size=size)
    found = {}

    def work(i):
        seed = cells[i]["seed"]
        found[i] = training.train(cells[i], SAMPLES[seed, "train"], SAMPLES[seed, "test"])

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(cells))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "networks wait for each other for ever"
    return [found[i] for i in range(len(cells))]


@pytest.fixture(scope="module")
def together():
    """Four cells in a stack of two: cells retire, and others enter their slots."""
    return trained(CELLS, 2)


def test_rows_are_those_of_the_engine_of_processors(together):
    for cell, ours in zip(CELLS, together, strict=True):
        sample = (SAMPLES[cell["seed"], "train"], SAMPLES[cell["seed"], "test"])
        theirs = train_cell(cell, *sample, make_engine=SparseEngine)
        assert ours.row.keys() == {*theirs.row, "versions"}
        for name in theirs.row.keys() - {"train_loss"}:
            assert_array_equal(ours.row[name], theirs.row[name], err_msg=name)
        assert ours.row["train_loss"] == pytest.approx(theirs.row["train_loss"], rel=1e-9)
        for name, weights in theirs.weights.items():
            np.testing.assert_allclose(ours.weights[name], weights, rtol=1e-5, atol=1e-6)
    assert {cell.row["status"] for cell in together} == {"capped", "fitted"}


@pytest.mark.parametrize("i", range(len(CELLS)))
def test_a_cell_is_the_same_bits_alone_and_in_company(together, i):
    (alone,) = trained([CELLS[i]], 2)
    assert repr(alone.row) == repr(together[i].row)
    for name, array in alone.weights.items():
        assert array.tobytes() == together[i].weights[name].tobytes(), name


@pytest.mark.filterwarnings("ignore:.*encountered.*:RuntimeWarning")
def test_a_diverging_cell_says_so_and_harms_no_other(together):
    found = trained([DIVERGING, *CELLS], 2)
    assert found[0].row["status"] == "diverged"
    assert [repr(one.row) for one in found[1:]] == [repr(one.row) for one in together]


def test_a_row_names_the_code_the_device_and_the_size(together, monkeypatch):
    versions = together[0].row["versions"]
    assert re.search(r"torch \S+, plain [0-9a-f]{12} of 2 on cpu$", versions)
    assert together[0].timing["processor"] == "cpu"
    assert not outdated.made_by_other_code(versions)
    assert outdated.made_by_other_code(re.sub("plain [0-9a-f]+", "plain 0123456789ab", versions))


def test_an_interrupted_training_goes_on_with_the_same_bits(together):
    class Sudden(Exception):
        """An interruption."""

    kept = []

    def pause(snapshot):
        kept.append(snapshot())
        if len(kept) == 3:
            raise Sudden

    cell, sample = CELLS[2], (SAMPLES[0, "train"], SAMPLES[0, "test"])
    training = PlainTraining([cell], LOG, device=CPU, size=2)
    with pytest.raises(Sudden):
        training.train(cell, *sample, pause=pause)
    again = training.train(cell, *sample, start=kept[-1])
    assert repr(again.row) == repr(together[2].row)
    for name, array in again.weights.items():
        assert array.tobytes() == together[2].weights[name].tobytes(), name


@pytest.mark.parametrize("odd", ["sparse engine", "another size", "another shape"])
def test_a_state_of_another_training_is_refused(odd):
    one = task("cnn")
    _, start, train, test = one
    stack = stack_of(one, 2)
    state = stack.state(stack.enter(start, train, test, rate=RATE))
    if odd == "sparse engine":
        options = {"batch_size": 4, "rate": RATE, "momentum": 0.9, "dtype": np.float64}
        state = SparseEngine(*one, **options).state()
    if odd == "another shape":
        state = {**state, "layer1": state["layer1"][:, :1]}
    other = stack_of(one, 3 if odd == "another size" else 2)
    words = {
        "sparse engine": "is not one of",
        "another size": "it was made on cpu, 2 at a time, not on cpu, 3 at a time",
        "another shape": "layer1: .* does not fit",
    }
    with pytest.raises(ValueError, match=words[odd]):
        other.restore(other.enter(start, train, test, rate=RATE), state)


@pytest.mark.parametrize(("change", "words"), [({"width": 9}, "width"), ({"bias": True}, "bias")])
def test_cells_of_other_shapes_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        PlainTraining([CELLS[0], {**CELLS[0], **change}], LOG, device=CPU)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu_is_a_clear_error():
    with pytest.raises(NoDevice, match="torch sees no CUDA device"):
        PlainTraining(CELLS, LOG)


def test_the_size_of_a_stack_is_of_its_shape_alone():
    def size(**changes):
        shape = geometry_of({**CELL, "v": 8, "m": 8, "n_c": 8, **changes})
        sizes = {"batch_size": 4, "momentum": 0.9, "n_train": 10, "n_test": 10}
        return plain_stack_size(PlainLayout(geometry=shape, **sizes))

    assert size() == size(width=128) == plain.MOST_NETWORKS
    assert 1 <= size(net="lcn", L=3, s=3, s0=2, width=2048) < plain.MOST_NETWORKS


def test_nothing_of_a_stack_is_on_the_processor_when_it_is_elsewhere(monkeypatch):
    """The device "meta" refuses tensors of the processor, as a GPU does; it computes nothing."""
    fetched = []

    def fetch(_, tensor):
        fetched.append(tensor.device)
        return np.ones(tensor.shape)

    meta = torch.device("meta")
    monkeypatch.setattr(PlainStack, "_fetched", fetch)
    one = task("lcn")
    _, start, train, test = one
    stack = stack_of(one, 2, device=meta)
    slot = stack.enter(start, train, test, rate=RATE)
    assert stack.train([Work(slot, np.arange(7), 0.0)]) == [1.0]
    assert stack.test_errors([slot]) == [1 - 1 / 24]
    stack.state(slot)
    stack.retire(slot)
    assert set(fetched) == {meta}


def test_a_curve_is_trained_in_a_stack_and_taken_by_a_job_without_a_gpu(tmp_path, monkeypatch):
    monkeypatch.setattr(plain, "device_for_stacks", lambda: CPU)
    entries = [
        {"key": f"{i}" * 24, "source": "0" * 12, "cell": {**CELL, "P": 10, "seed": i}}
        for i in range(2)
    ]

    def train(form):
        prepared = partial(curve.hierarchy_trainer, entries, SAMPLES, form=form, log=LOG)
        return train_here(entries, prepared, store=tmp_path)

    ours = train(curve.PLAIN)
    assert all(" plain " in cell.row["versions"] for cell in ours)
    assert [cell.row for cell in train(None)] == [cell.row for cell in ours]
