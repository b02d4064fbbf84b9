"""Measurements of cells of any alpha: by other routes, and what they say of cells that diverged."""

import logging

import numpy as np
import pytest
import torch
from frozen_kernel import kernel_gradient_flow, predicted
from train_curves import flow_curves, train_flow

from srhm.declare.study import CellMeasurement
from srhm.flow.descents import FlowStep
from srhm.flow.inputs import inputs
from srhm.flow.kernels import Gradients, linearised_flow, tangent_kernel
from srhm.flow.losses import CrossEntropy
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.networks import hierarchical_network, initial_weights
from srhm.measure import sensitivity
from srhm.measure.ensembles import average_ensembles
from srhm.measure.flow_sensitivities import images_of, measure_sensitivities
from srhm.measure.hessians import h0_of_curved_points, loss_at, measure_hessians
from srhm.measure.kernels import measure_frozen_kernels, measure_kernels
from srhm.measure.representations import hierarchical_probe
from srhm.measure.rows import measured_rows, write_measured
from srhm.measure.singular_values import measure_singular_values
from srhm.measure.trained import members_of
from srhm.model.grammar import parameters_of
from srhm.networks.geometry import geometry
from srhm.statistics.jackknife import ratio_of_means
from srhm.store.cells import StoredCell, read_cell, write_cell
from srhm.store.gathering import gather
from srhm.store.records import TableError
from srhm.store.tables import SCHEMAS

LOG = logging.getLogger("measurements")
SMALL = {"L": 2, "v": 3, "s0": 1, "width": 4}
GROUPS = {
    # as the core: mean field, ReLU, f0 not subtracted
    "core": {
        **SMALL,
        "net": ["lcn", "cnn", "fcn"],
        "P": [16, 48],
        "seeds": 1,
        "parametrisation": "mean_field",
        "subtract_initial": False,
        "optimiser": {"max_evaluations": 60},
    },
    "ensemble": {
        **SMALL,
        "net": "cnn",
        "P": 20,
        "alpha_tilde": [0.1, 100],
        "seeds": 2,
        "members": 3,
        "labels": "parity",
        "loss": "soft_hinge",
        "activation": "softplus",
        "optimiser": {"max_evaluations": 60},
    },
    "jamming": {
        "data": "random",
        "net": "fcn",
        "d": 4,
        "hidden_layers": 2,
        "width": 8,
        "P": [4, 300],
        "seeds": 1,
        "alpha": 1,
        "labels": "parity",
        "loss": "quadratic_hinge",
        "bias": True,
        "subtract_initial": False,
        "optimiser": {"name": "adam", "max_evaluations": 300, "first_rate": 0.1},
    },
    "layerwise": {
        **SMALL,
        "net": "cnn",
        "P": 16,
        "seeds": 1,
        "training": "layerwise",
        "optimiser": {"max_evaluations": 40},
    },
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The store, and the entries of every group by curve."""
    store = tmp_path_factory.mktemp("flow") / "cells"
    found = {}
    for name, group in GROUPS.items():
        found[name] = {curve.name: list(curve.entries) for curve in flow_curves(group)}
        for entries in found[name].values():
            train_flow(entries, store=store)
    return store, found


def entries_of(trained, group):
    """Entries of the only curve of a group, or of its last one."""
    return list(trained[1][group].values())[-1]


def chosen(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@pytest.fixture
def diverged(trained):
    """A store with one cell that diverged, and its entry."""
    store, _ = trained
    entry = entries_of(trained, "ensemble")[0]
    lost = store.parent / "lost"
    stored = read_cell(store, entry["key"])
    weights = {name: np.full_like(array, np.nan) for name, array in stored.weights.items()}
    row = {**stored.row, "status": "diverged"}
    write_cell(lost, entry["key"], StoredCell(stored.cell, row, stored.timing, weights))
    return lost, entry


DECLARED = {one.name: one for one in MEASUREMENTS}
OF_CELLS = sorted(name for name, one in DECLARED.items() if isinstance(one, CellMeasurement))


def written(entries, name, store, folder, **options):
    """Files and schemas of a declared measurement of "the_curve", made as its job makes them."""
    declared = DECLARED[name]
    spec = {
        "cells": entries,
        "curve": "the_curve",
        "columns": {"study": "crossover"},
        "function": declared.function,
        "gpu": declared.gpu,
        "inputs": {},
        "options": options,
        "tables": list(declared.tables.items()),
    }
    files = {table: folder / table / "the_curve.parquet" for table in declared.tables}
    rows = measured_rows(spec, derivations=[], store=store, log=LOG)
    write_measured(spec, rows, {table: str(file) for table, file in files.items()})
    return {table: (file, SCHEMAS[declared.tables[table]]) for table, file in files.items()}, rows


# Of cells that keep their history alone: tests/flow/test_histories.py.
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("measurement", [name for name in OF_CELLS if name != "histories"])
def test_every_measurement_of_every_group_fills_its_tables(trained, tmp_path, measurement, group):
    store, _ = trained
    entries = entries_of(trained, group)
    files, rows = written(entries, measurement, store, tmp_path)
    planned = {"the_curve": [entry["key"] for entry in entries]}
    for name, (file, schema) in files.items():
        table = gather([file], planned, schema, one_row_a_cell=False)
        assert len(table) == len(rows[name])
        assert set(table["curve"]) == {"the_curve"}
        column = "kernel" if measurement == "frozen_kernels" else "when"
        assert set(table[column]) == {"initial", "end"}
        more = {"the_curve": [*planned["the_curve"], "another"]}
        with pytest.raises(TableError, match="planned cells"):
            gather([file], more, schema, one_row_a_cell=False)


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_sensitivities_are_those_of_the_core(trained, net):
    # By the sparse representation of the engine, the transformations of the core, its jackknife.
    store, found = trained
    (entries,) = [e for e in found["core"].values() if e[0]["cell"]["net"] == net]
    rows = measure_sensitivities(entries, store=store, log=LOG)
    for member in members_of(entries, store=store):
        cell, data, weights = member.cell, member.data, member.weights["end"]
        shape = geometry(net, parameters_of(cell), width=cell["width"])
        arrays = {name: array[0].numpy() for name, array in weights.items()}
        expected = sensitivity.measure(
            hierarchical_probe(arrays, shape), data.grammar, data.test, seed=cell["seed"]
        )
        for row in chosen(expected, l=1):
            names = {name: row[name] for name in ("kind", "layer", "k", "l")}
            (own,) = chosen(rows, key=member.key, when="end", **names)
            assert own["value"] == pytest.approx(row["value"], rel=1e-9)
            assert own["standard_error"] == pytest.approx(row["standard_error"], rel=1e-6)
            assert own["n"] == row["n"] == 60


def test_r_is_d_over_g_of_noise_of_the_displacements_norm(trained):
    store, _ = trained
    member = next(members_of(entries_of(trained, "ensemble"), store=store))
    rows = measure_sensitivities(entries_of(trained, "ensemble")[:1], store=store, log=LOG)
    for when in ("initial", "end"):
        for k in (1, 2, 3):
            d, g, r = (
                chosen(rows, when=when, kind=kind, k=k)[0]["value"] for kind in ("D", "G", "R")
            )
            assert r == pytest.approx(d / g, rel=1e-10)
    x, moved = images_of(member, n_points=60, n_draws=4)
    norms = (moved["G"] - x).flatten(2).norm(dim=2)
    np.testing.assert_allclose(norms, float((moved["D"] - x).flatten(2).norm(dim=2).mean()))
    # At the end the output is F, which starts from f(w0); at first f itself.
    F = member.predictor(member.weights["end"], x)[0]
    images = [member.predictor(member.weights["end"], draw)[0] for draw in moved["D"]]
    changes = torch.stack([(F - image).square().sum(1) for image in images]).mean()
    pairs = torch.cdist(F, F).square().sum() / (60 * 59)
    (row,) = chosen(rows, when="end", kind="D", layer="output")
    assert row["value"] == pytest.approx(float(changes / pairs), rel=1e-9)


def test_the_error_of_r_is_that_of_many_samples():
    # Means of n exponential numbers each: by the spread of their ratio over samples.
    stream = np.random.default_rng(0)
    pairs = stream.exponential(size=(2000, 2, 100))
    found = [ratio_of_means(one, other, least=0) for one, other in pairs]
    errors = np.array([change.standard_error for change in found])
    spread = np.std([change.value for change in found])
    assert errors.mean() == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize("group", ["core", "jamming"])
def test_singular_values_are_those_of_numpy(trained, group):
    store, _ = trained
    entries = entries_of(trained, group)
    values, summaries = measure_singular_values(entries, store=store, log=LOG)
    member = list(members_of(entries, store=store))[-1]
    n_layers = len(member.network.layers)
    for k in range(1, n_layers + 2):
        name = {"key": member.key, "when": "end", "k": k}
        array = member.weights["end"][f"layer{k}" if k <= n_layers else "readout"][0].numpy()
        scale = member.network.output_scale
        if k <= n_layers:
            scale = member.network.layers[k - 1].scale
            array = array.reshape(-1, member.network.width)
        s = np.linalg.svd(array * scale, compute_uv=False)
        found = [row["value"] for row in chosen(values, **name, kind="weights", filter=1)]
        np.testing.assert_allclose(found, s, rtol=1e-10)
        (summary,) = chosen(summaries, **name, kind="weights")
        assert summary["n_above_half"] == (s > s[0] / 2).sum()
        assert summary["participation_ratio"] == pytest.approx(
            (s**2).sum() ** 2 / (s**4).sum(), rel=1e-10
        )
        assert summary["n_values"] == len(s)
        assert summary["layer"] == (str(k) if k <= n_layers else "output")
    F = member.predictor(member.weights["end"], member.data.x_test)[0].numpy()
    f = F / float(member.predictor.factor[0])  # f0 is not subtracted in these cells
    expected = np.linalg.eigvalsh(np.cov(f.T, bias=True).reshape(f.shape[1], -1))[::-1]
    own = chosen(values, key=member.key, when="end", kind="representation", layer="output")
    np.testing.assert_allclose([row["value"] for row in own], expected, rtol=1e-8)


def test_the_hessian_splits_and_h0_is_a_kernel(trained):
    store, _ = trained
    entries = entries_of(trained, "jamming")
    rows, summaries = measure_hessians(entries, store=store, log=LOG)
    member = list(members_of(entries, store=store))[-1]
    weights = member.weights["end"]
    at = loss_at(member, weights)
    own = chosen(rows, key=member.key, when="end")
    parts = {
        part: np.array([row["eigenvalue"] for row in chosen(own, part=part)])
        for part in ("H", "H0", "Hp")
    }
    whole = torch.autograd.functional.hessian(at.total, at.vector)
    largest = parts["H"].max()
    np.testing.assert_allclose(
        parts["H"], torch.linalg.eigvalsh(whole).flip(0), rtol=0, atol=1e-9 * largest
    )
    assert parts["H0"].sum() + parts["Hp"].sum() == pytest.approx(parts["H"].sum(), rel=1e-9)
    # The spectrum of H0 that is not zero is that of the kernel of unsatisfied points.
    kernel = h0_of_curved_points(member, weights, at)
    (summary,) = chosen(summaries, key=member.key, when="end", part="H0")
    n_unsatisfied = summary["n_unsatisfied"]
    assert 0 < n_unsatisfied == member.row["n_unsatisfied"]
    n = min(n_unsatisfied, len(parts["H0"]))
    np.testing.assert_allclose(kernel[:n], parts["H0"][:n], rtol=0, atol=1e-8 * largest)
    assert summary["n_zero"] + summary["n_positive"] + summary["n_negative"] == summary["N"]
    assert summary["mean_loss"] == pytest.approx(member.row["mean_loss"], rel=1e-10)


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
@pytest.mark.parametrize("biased", [False, True])
def test_a_linearised_network_learns_as_its_frozen_kernel(make_sample, net, biased):
    grammar, train, test = make_sample(n_train=20, n_test=15)
    network = hierarchical_network(net, grammar.parameters, width=4, n_outputs=3, biased=biased)
    weights = initial_weights(network, generators=[np.random.default_rng(s) for s in range(2)])
    x, z = inputs(train, grammar.parameters), inputs(test, grammar.parameters)
    y, loss = torch.from_numpy(train.labels.astype(np.int64)), CrossEntropy()
    gradients = Gradients.at(network, weights, x)
    # Steps well below the limit of stability, beyond which rounding grows.
    found = linearised_flow(gradients, y, loss, max_evaluations=60, step=FlowStep())
    theta = tangent_kernel(network, weights, x)
    expected = kernel_gradient_flow(theta, y, loss, max_evaluations=60)
    np.testing.assert_allclose(found.time, expected.time, rtol=1e-12)
    np.testing.assert_allclose(found.mean_loss, expected.mean_loss, rtol=1e-9)
    F = predicted(tangent_kernel(network, weights, z, x), expected.state["coefficients"])
    torch.testing.assert_close(Gradients.at(network, weights, z).along(found.state), F)
    assert float(F.abs().max()) > 0.1


def test_an_ensemble_of_one_is_its_member_and_seeds_are_apart(trained):
    store, _ = trained
    entries = entries_of(trained, "ensemble")
    rows = average_ensembles(entries, store=store, log=LOG)
    members = list(members_of(entries, store=store))
    assert [(row["seed"], row["n_members"]) for row in rows] == [(0, 3), (1, 3)] * 2
    for row in rows:
        own = [
            member
            for member in members
            if all(member.cell[name] == row[name] for name in ("seed", "alpha_tilde"))
        ]
        errors = [member.row["test_error"] for member in own]
        assert row["mean_error"] == pytest.approx(np.mean(errors))
        assert row["error_se"] == pytest.approx(np.std(errors, ddof=1) / 3**0.5)
        F = np.stack([member.test_outputs.numpy()[:, 0] for member in own])
        assert row["variance"] == pytest.approx(F.var(axis=0, ddof=1).mean(), rel=1e-9)
        wrong = own[0].data.y_test.numpy() * F.mean(axis=0) <= 0
        assert row["ensemble_error"] == pytest.approx(wrong.mean())
        assert row["test_norm"] == pytest.approx(np.mean([m.row["test_norm"] for m in own]))
    single = average_ensembles(entries[:1], store=store, log=LOG)[0]
    assert single["ensemble_error"] == single["mean_error"] == members[0].row["test_error"]
    assert np.isnan([single["variance"], single["error_se"]]).all()


def test_a_diverged_cell_keeps_its_place_in_every_table(diverged):
    store, entry = diverged
    kernels = measure_kernels([entry], store=store, log=LOG)
    rows, summaries = measure_hessians([entry], store=store, log=LOG)
    assert {row["when"] for row in kernels + rows + summaries} == {"initial"}
    changes = chosen(measure_sensitivities([entry], store=store, log=LOG), when="end")
    assert all(np.isnan(row["value"]) and row["n"] == 0 for row in changes)
    assert len(changes) == 4 * 3
    values, summaries = measure_singular_values([entry], store=store, log=LOG)
    assert chosen(values, when="end") == []
    assert all(np.isnan(row["n_above_half"]) for row in chosen(summaries, when="end"))
    frozen = measure_frozen_kernels([entry], store=store, log=LOG)
    assert [row["status"] == "diverged" for row in frozen] == [False, True]
    (row,) = average_ensembles([entry], store=store, log=LOG)
    assert (row["n_members"], row["n_diverged"]) == (0, 1)
    assert np.isnan(row["mean_error"])
