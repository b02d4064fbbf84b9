"""Training of flow cells on another device, and what a job with a GPU does.

No GPU is needed: `elsewhere` stands for one.
"""

from functools import cache

import pytest
import torch
import train_curves
from elsewhere import DEVICE, Elsewhere
from flow_kinds import KINDS, SRHM, assert_same, cells_of, entries_of
from train_curves import train_flow

from srhm.flow import trainer as flow_cells
from srhm.flow.cell import train_members

OUT_OF_MEMORY = torch.cuda.OutOfMemoryError
# Budgets that are enough for the first member of softplus and of sgd to fit, and leave the others.
BUDGETS = {"flow": 12, "softplus": 125, "adam": 12, "orthogonal": 12, "sgd": 110,
           "layerwise": 12, "decay": 6, "digits": 6, "stripe": 12}  # fmt: skip


def short(name, *, evaluations=None):
    """A kind with a smaller budget."""
    group = KINDS[name]
    budget = BUDGETS[name] if evaluations is None else evaluations
    return cells_of({**group, "optimiser": {**group["optimiser"], "max_evaluations": budget}})


@cache
def undisturbed(name):
    """Cells of a kind with a smaller budget, and their training."""
    cells = short(name)
    return cells, train_members(cells)


@pytest.mark.parametrize("name", KINDS)
def test_all_tensors_of_a_training_are_on_its_device(name):
    cells, expected = undisturbed(name)
    with Elsewhere():
        found = train_members(cells, device=DEVICE)
    assert_same(found, expected)
    assert found.test_outputs.device.type == "cpu"
    assert {array.device.type for array in found.weights.values()} == {"cpu"}


def test_what_is_forgotten_on_the_cpu_is_found():
    with Elsewhere():
        there = torch.zeros(3, device=DEVICE)
        for operation in (torch.add, torch.mul, torch.dot, lambda a, b: a.index_put_((b,), a)):
            with pytest.raises(RuntimeError, match="is on the CPU"):
                operation(there, torch.arange(3))
        assert (there + 1).cpu().tolist() == [1, 1, 1]
        assert bool((there == 0).all())


@pytest.fixture
def card(monkeypatch):
    """A stand-in for a GPU with room for everything, until a test says otherwise."""
    room = {"bytes": 1e12}
    monkeypatch.setattr(train_curves, "torch_device", lambda gpu: "meta" if gpu else "cpu")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")
    free = lambda: (room["bytes"] / flow_cells.SHARE_OF_MEMORY, 0)  # noqa: E731
    monkeypatch.setattr(torch.cuda, "mem_get_info", free)
    with Elsewhere():
        yield room


def curve(**changes):
    return entries_of({**SRHM, "seeds": 5, "optimiser": {"max_evaluations": 3}, **changes})


def sizes_of_batches(monkeypatch, *, fit):
    """Sizes of the batches tried; those of more than `fit` members run out of memory."""
    tried = []

    def short(cells, **options):
        tried.append(len(cells))
        if len(cells) > fit:
            raise OUT_OF_MEMORY("CUDA out of memory")
        return train_members(cells, **options)

    monkeypatch.setattr(flow_cells, "train_members", short)
    return tried


def test_a_batch_that_does_not_fit_is_cut_in_halves(card, tmp_path, monkeypatch, caplog):
    entries = curve(P=[12, 14])
    tried = sizes_of_batches(monkeypatch, fit=2)
    with caplog.at_level("WARNING"):
        made = train_flow(entries, store=tmp_path, gpu=1)
    # Those of the larger P are not tried at sizes that a smaller one has run out of memory with.
    assert tried == [5, 2, 2, 1, 2, 2, 1]
    assert caplog.messages == ["P = 12: out of memory with 5 members at once, now 2"]
    assert [cell.row["P"] for cell in made] == [12] * 5 + [14] * 5
