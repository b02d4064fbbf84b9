"""Outputs, gradients, boundaries and resampling of stored members, each by a second route."""

import logging
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch
from false_claims import cells
from train_curves import flow_curves, train_flow

from srhm.measure.ensembles import average_ensembles
from srhm.measure.trained import members_of
from srhm.model.seeding import generator
from srhm.scorecard.estimators import Mean
from srhm_studies.landscape.fluctuations import measure
from srhm_studies.landscape.fluctuations.claims import Top
from srhm_studies.landscape.fluctuations.measure import Ensemble

LOG = logging.getLogger(__name__)
GROUP = {
    **{"data": "digits_pca", "net": "fcn", "hidden_layers": 2, "width": 6, "alpha": 1.0, "P": 30},
    **{"labels": "parity", "loss": "quadratic_hinge", "bias": True, "initialisation": "orthogonal"},
    **{"seeds": 2, "members": 17, "history": True},
    "optimiser": {"name": "adam", "max_evaluations": 40},
}


@pytest.fixture(scope="module", params=[True, False], ids=["without f(w0)", "F = f"])
def stored(request, tmp_path_factory):
    """Entries of one curve of two seeds, their store, and their members."""
    (curve,) = flow_curves({**GROUP, "subtract_initial": request.param}, n_test=80)
    folder = tmp_path_factory.mktemp("store")
    train_flow(curve.entries, store=folder)
    return curve.entries, folder, list(members_of(curve.entries, store=folder))


def test_outputs_are_those_that_training_stored_and_gradients_finite_differences(stored):
    members = stored[2][:3]
    ensemble, x = Ensemble.of(members), members[0].data.x_test
    f = ensemble.outputs(x)
    for one, member in zip(f, members, strict=True):
        torch.testing.assert_close(one, member.test_outputs[:, 0])
    gradient, step = ensemble.gradients(x), 1e-6
    for k in range(x.shape[-1]):
        shift = torch.zeros_like(x)
        shift[..., k] = step
        slope = (ensemble.outputs(x + shift) - ensemble.outputs(x - shift)) / (2 * step)
        near = (slope - gradient[..., k]).abs() < 1e-6
        assert near.float().mean() > 0.99  # but for points at a kink of ReLU
    assert float(gradient.norm(dim=-1).mean()) > 0.01


def test_rows_of_a_seed_are_those_of_a_plain_loop_and_of_the_ensembles(stored):
    entries, store, members = stored
    tables = measure.measure_fluctuations(entries, store=store, log=LOG)
    others = average_ensembles(entries, store=store, log=LOG)
    for row, other in zip(tables["fluctuations"], others, strict=True):
        own = [member for member in members if member.cell["seed"] == row["seed"]]
        F = np.array([member.test_outputs[:, 0].numpy() for member in own])
        y, mean = own[0].data.y_test.numpy(), F.mean(axis=0)
        assert row["n_members"] == len(own) == 17
        assert row["mean_error"] == pytest.approx(other["mean_error"]) == (y * F <= 0).mean()
        assert row["ensemble_error"] == pytest.approx(other["ensemble_error"])
        assert row["test"] ** 2 == pytest.approx(other["variance"])
        gradient = Ensemble.of(own).gradients(own[0].data.x_test).numpy()
        distances = [
            abs(F[e, b] - mean[b]) / np.linalg.norm(gradient[e, b])
            for e, b in product(range(17), range(len(y)))
            if F[e, b] * mean[b] < 0 and gradient[e, b].any()
        ]
        assert row["n_between"] == len(distances) > 0
        assert row["delta"] == pytest.approx(np.mean(distances))
        each = np.sqrt((gradient**2).sum(axis=2).mean(axis=1))
        assert row["gradient"] == pytest.approx(np.median(each))
        lines = [line for line in tables["crossings"] if line["seed"] == row["seed"]]
        assert len(lines) == min(60, len(distances))
    for table, rows in tables.items():
        assert {"curve"} | rows[0].keys() == set(getattr(measure, table.upper()).names)
    assert {row["seed"] for row in tables["courses"]} == {0}
    assert [row["n"] for row in tables["resampled"]] == [1, 2, 4, 8, 16] * 2


def test_delta_of_a_linear_output_is_the_distance_between_parallel_boundaries():
    # fbar has the same gradient: the planes f = 0 and fbar = 0 are |shift|/|w| apart, everywhere.
    x = torch.from_numpy(np.random.default_rng(1).standard_normal((4000, 3)))
    w = torch.tensor([3.0, 0.0, 4.0], dtype=torch.float64)
    mean, gradient = x @ w, w.expand(1, 4000, 3)
    delta, n = measure.boundary_distance((mean + 0.6)[None], mean, gradient)
    assert delta == pytest.approx(0.6 / 5)
    assert n == int(((mean < 0) & (mean > -0.6)).sum()) > 0
    assert measure.estimated_distance((mean + 0.6)[None], mean, gradient) == pytest.approx(0.6 / 5)
    assert np.isnan(measure.boundary_distance(mean[None] * 2, mean, gradient)[0])


def test_the_crossing_of_a_linear_output_is_at_its_linear_estimate_and_of_a_bent_one_is_not():
    w = torch.tensor([0.6, -0.8], dtype=torch.float64)
    x = torch.tensor([[2.0, 0.5], [-1.0, 1.0]], dtype=torch.float64)
    lines = measure.along_gradient(lambda p: p @ w, x, w.expand(2, 2))
    for line, point in zip(lines, x, strict=True):
        assert line.ratio == pytest.approx(1)
        assert line.linear == pytest.approx(abs(float(point @ w)))  # exact distance to the plane

    def bent(points):  # slope 1 above 1, 1/2 below: zero at -1 from 2, not at 0
        z = points[:, 0]
        return torch.where(z > 1, z, (z + 1) / 2)

    (line,) = measure.along_gradient(bent, torch.tensor([[2.0]]), torch.tensor([[1.0]]))
    assert line.ratio == pytest.approx(3 / 2, abs=1e-5)
    one = torch.ones(1, 1)
    (line,) = measure.along_gradient(lambda p: 1 + p[:, 0] * 0, one, one)
    assert np.isnan(line.ratio)


def test_resampled_ensembles_are_those_of_a_plain_loop_and_depart_as_one_over_the_root_of_n():
    rng = np.random.default_rng(0)  # f = w.x in the plane
    w = torch.from_numpy(np.array([1.0, 0.0]) + 0.3 * rng.standard_normal((40, 2)))
    x = torch.from_numpy(rng.standard_normal((3000, 2)))
    f, gradient = w @ x.T, w[:, None].expand(40, 3000, 2)
    y = torch.where(x[:, 0] > 0, 1.0, -1.0).to(torch.float64)
    given = {"n_draws": 400, "generator": generator(0, role="drawing")}
    found = {n: measure.resampled(f, gradient, y, n=n, **given) for n in (1, 4, 16)}
    stream, errors, squares = np.random.default_rng(3), [], []
    for _ in range(400):
        chosen = stream.integers(len(w), size=4)
        mean = w[chosen].mean(dim=0)
        errors.append(float((y * (x @ mean) <= 0).double().mean()))
        squares.append(float((x @ (mean - w.mean(dim=0))).square().mean()))
    spread = 4 * np.std(errors) / np.sqrt(200)  # four errors of a difference of two means
    assert found[4]["error"] == pytest.approx(np.mean(errors), abs=spread)
    norm = np.sqrt(np.mean(squares)) / float(w.mean(dim=0).norm())
    assert found[4]["estimate"] == pytest.approx(norm, rel=0.1)
    for name in ("delta", "estimate"):
        values = [found[n][name] for n in (1, 4, 16)]
        slope = np.polyfit(np.log([1, 4, 16]), np.log(values), 1)[0]
        assert slope == pytest.approx(-0.5, abs=0.06), name


def test_the_interval_of_a_peak_is_wider_by_half_a_step_of_the_widths_and_the_bracket_of_n_star():
    table = pd.DataFrame({"over_star": [1.5, 2.0, 2.4], "N": [150, 200, 240], "bracket": "at N*",
                          "below": [0.1, 0.2, 0.3], "above": [0.3, 0.4, 0.8]})  # fmt: skip
    plain, wider = (kind("over_star", scale="log", rows=cells).of(table) for kind in (Mean, Top))
    assert wider.value == plain.value
    assert plain.low - wider.low == pytest.approx(0.2)
    assert wider.high - plain.high == pytest.approx(0.5)
    # A peak at an end of the widths may lie anywhere beyond.
    at_end = table.assign(above=[0.3, 0.4, np.nan])
    assert np.isnan(Top("over_star", scale="log", rows=cells).of(at_end).high)
