"""Networks in a stack: what the engines of processors train one by one, in double precision."""

from dataclasses import asdict
from importlib import import_module

import numpy as np
import pytest
import torch
from elsewhere import DEVICE, Elsewhere
from train_curves import LOG, StopsAfter, assert_same_cells, train_here

from srhm.jobs.stopping import Stopped
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.networks.registry import NAMED
from srhm.planning.preset import plan_preset
from srhm.training import stacked
from srhm.training.cell import train_cell
from srhm.training.engines import ENGINES
from srhm.training.protocol import Unresumable
from srhm.training.stacked import stack_trainer, train_stack

CPU = torch.device("cpu")
N_TEST = 60
# A curve of each kind, and what it is trained by on processors.
HIERARCHIES = {
    "sparse": {"net": "cnn"},
    "lcn": {"net": "lcn", "L": 3},
    "fcn": {"net": "fcn"},
    "dense": {
        "net": "cnn",
        "training": {"engine": "dense", "whitening": True, "bias": True, "batch": "balanced",
                     "learning_rate": "table"},
    },
}  # fmt: skip
# One net of each family, and one with masks.
NETS = ("vgg11", "vgg11_bn", "resnet18", "efficientnetb0")


def entries_of(*, dtype="float64", max_steps=12, P=(9, 14), **group):
    """Cells of a curve of two seeds, each with epochs of its own length."""
    training = {"max_steps": max_steps, "n_checks": 2, **group.pop("training", {})}
    section = {"seeds": 2, "n_test": N_TEST}
    if group["net"] in NAMED:
        training |= {"batch_size": 12, "learning_rate": 0.01}
        own = {"L": 2, "v": 3, "s0": 1, "width": 4}
        name = "named_nets"
    else:
        own, name = {"L": 2, "v": 3, "s0": 1, "width": 6}, "sparse_hierarchy"
    curves = [{**own, "P": list(P), **group}]
    config = {"preset": "t", name: {**section, "training": training, "curves": curves}}
    (curve,) = plan_preset(config).curves.values()
    return [{**e, "cell": {**e["cell"], "dtype": dtype}} for e in curve.entries]


def samples_of(entries):
    n_train = max(entry["cell"]["P"] for entry in entries)
    parameters = parameters_of(entries[0]["cell"])
    return draw_samples(parameters, [0, 1], n_train=n_train, n_test=N_TEST)


def in_a_stack(entries, *, device=CPU):
    return train_stack(
        entries, start=None, pause=lambda snapshot: None, samples=samples_of(entries),
        device=device, made_by="a device",
    )  # fmt: skip


def alone(entry, samples):
    cell = entry["cell"]
    module, name, _ = ENGINES[cell["engine"]]
    data = (samples[cell["seed"], part] for part in ("train", "test"))
    return train_cell(cell, *data, make_engine=getattr(import_module(module), name))


def assert_trained_alike(found, entries, *, within):
    samples = samples_of(entries)
    for one, entry in zip(found, entries, strict=True):
        other = alone(entry, samples)
        assert one.weights.keys() == other.weights.keys()
        for name, array in other.weights.items():
            assert one.weights[name].dtype == array.dtype
            np.testing.assert_allclose(one.weights[name], array, rtol=0, atol=within, err_msg=name)
        assert one.row.pop("train_loss") == pytest.approx(other.row.pop("train_loss"), rel=1e-6)
        assert one.row == other.row
        assert one.timing["processor"] == "a device"


@pytest.mark.parametrize("group", HIERARCHIES.values(), ids=HIERARCHIES)
def test_hierarchical_networks_are_those_of_their_engines(group):
    entries = entries_of(**group)
    assert {e["cell"]["engine"] for e in entries} <= {"sparse", "dense"}
    # The dense engine whitens in double precision.
    within = 1e-6 if group["net"] == "cnn" and "training" in group else 1e-9
    assert_trained_alike(in_a_stack(entries), entries, within=within)


@pytest.mark.parametrize("net", NETS)
def test_named_networks_are_those_of_the_tape(net):
    entries = entries_of(net=net, max_steps=4, P=(13, 40))
    assert {e["cell"]["engine"] for e in entries} == {"torch"}
    assert_trained_alike(in_a_stack(entries), entries, within=1e-6)


@pytest.mark.filterwarnings("ignore:.*encountered.*:RuntimeWarning")
def test_networks_that_diverge_or_are_fitted_leave_the_others_alone():
    entries = entries_of(net="cnn", max_steps=40)
    entries[1]["cell"]["learning_rate"] = 1e30
    for entry in entries[2:]:
        entry["cell"]["loss_threshold"] = 9.0
    # Cells with another threshold are of another stack for `stacks`; here they are of this one.
    found = in_a_stack(entries)
    assert [cell.row["status"] for cell in found] == ["capped", "diverged", "fitted", "fitted"]
    others = [0, 2, 3]
    assert_trained_alike([found[k] for k in others], [entries[k] for k in others], within=1e-9)


def test_all_is_computed_on_the_device():
    entries = entries_of(net="lcn")
    with Elsewhere():
        found = in_a_stack(entries, device=DEVICE)
    for one, other in zip(found, in_a_stack(entries), strict=True):
        assert one.row == other.row
        for name, array in other.weights.items():
            np.testing.assert_array_equal(one.weights[name], array)


def test_a_gpu_multiplies_with_all_digits_of_single_precision(monkeypatch):
    settings = [(torch.backends.cudnn, "allow_tf32"), (torch.backends.cuda.matmul, "allow_tf32")]
    for setting in (*settings, (torch.backends.cudnn, "deterministic")):
        monkeypatch.setattr(*setting, True)
    with pytest.raises(IndexError):  # for want of members, after the settings
        stacked.Stack([], {}, device=torch.device("cuda"))
    assert not any(getattr(*setting) for setting in settings)


@pytest.mark.parametrize("net", ["cnn", "efficientnetb0"])
def test_a_stack_that_was_interrupted_has_the_bits_of_one_that_was_not(net, tmp_path, monkeypatch):
    monkeypatch.setattr(stacked, "STEPS_AT_ONCE", 2)
    entries = entries_of(net=net, dtype="float32", max_steps=8, P=(13, 40))
    entries[0]["cell"]["loss_threshold"] = 9.0 if net == "cnn" else 1e-9
    samples = samples_of(entries)

    def prepared():
        return stack_trainer(entries, samples, device="cpu", log=LOG)

    undisturbed = train_here(entries, prepared, store=tmp_path / "a")
    for looks in (4, 3):
        with pytest.raises(Stopped):
            train_here(entries, prepared, store=tmp_path / "b", stop=StopsAfter(looks))
    assert_same_cells(train_here(entries, prepared, store=tmp_path / "b"), undisturbed)
    assert all(" stacked " in cell.row["versions"] for cell in undisturbed)


def test_a_snapshot_of_other_cells_or_of_another_device_is_refused():
    entries = entries_of(net="cnn")
    taken = []
    options = {"samples": samples_of(entries), "device": CPU, "made_by": "a device"}
    train_stack(entries, start=None, pause=lambda snapshot: taken.append(snapshot()), **options)
    assert asdict(taken[0])["position"]["device"] == "cpu"
    for batch, where in ((entries[1:], CPU), (entries, DEVICE)):
        with pytest.raises(Unresumable, match="other cells, or of another kind of device"):
            train_stack(batch, start=taken[0], pause=lambda s: None, **{**options, "device": where})


def test_a_stack_that_does_not_fit_is_cut_in_halves(tmp_path, monkeypatch, caplog):
    entries, tried = entries_of(net="cnn", dtype="float32"), []

    def short(batch, **options):
        tried.append(len(batch))
        if len(batch) > 2:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return train_stack(batch, **options)

    monkeypatch.setattr(stacked, "train_stack", short)
    with caplog.at_level("WARNING"):
        train_here(
            entries, lambda: stack_trainer(entries, samples_of(entries), device="cpu", log=LOG),
            store=tmp_path,
        )  # fmt: skip
    assert tried == [4, 2, 2]
    assert "out of memory with 4 networks at once, now 2" in caplog.text
