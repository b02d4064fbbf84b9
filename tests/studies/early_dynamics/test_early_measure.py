"""What is measured of the start and of outputs: against finite differences and plain sums."""

import logging

import numpy as np
import torch
from flow_kinds import entries_of
from train_curves import train_flow

from srhm.flow.descents import NetworkSystem
from srhm.flow.networks import trace
from srhm.measure.trained import members_of
from srhm.store.records import write_table
from srhm_studies.regimes.early_dynamics import measure

LOG = logging.getLogger("srhm.tests")
GROUP = {
    "data": "digits",
    "net": ["fcn"],
    "labels": "parity",
    "loss": "soft_hinge",
    "activation": "softplus",
    "hidden_layers": [3],
    "width": [6],
    "P": [12],
    "seeds": 1,
    "alpha_tilde": [0.1, 10.0],
    "optimiser": {"max_evaluations": 1},
}


def cells(tmp_path, **other):
    entries = entries_of({**GROUP, **other})
    train_flow(entries, store=tmp_path / "cells")
    return entries, tmp_path / "cells"


def test_rates_are_the_difference_of_preactivations_over_a_tiny_step(tmp_path):
    entries, store = cells(tmp_path)
    table = measure.measure_beginnings(entries, store=store, log=LOG)["rates"]
    write_table([{"curve": "c", **row} for row in table], tmp_path / "t.parquet", measure.RATES)
    for member in members_of(entries, store=store):
        x, start = member.data.x_train, member.weights["initial"]
        system = NetworkSystem.of(member.predictor, x, member.data.y_train, member.loss)
        gradient = system.evaluate(start).gradient
        dt = 1e-6 * member.cell["alpha_tilde"]
        ends = [
            trace(member.network, {n: w + sign * dt * gradient[n] for n, w in start.items()}, x)
            for sign in (-1, 1)
        ]
        pairs = zip(*(end.preactivations for end in ends), strict=True)
        expected = [float((a - b).square().mean().sqrt()) / (2 * dt) for a, b in pairs]
        found = [row["rate"] for row in table if row["key"] == member.key]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_outputs_are_those_of_the_first_test_points_of_the_first_networks(tmp_path):
    other = {"members": 2, "optimiser": {"max_evaluations": 60}}
    entries, store = cells(tmp_path, **other)
    assert measure.measure_beginnings(entries, store=store, log=LOG)["rates"] == []
    table = measure.measure_beginnings(entries, store=store, log=LOG)["outputs"]
    write_table([{"curve": "c", **row} for row in table], tmp_path / "t.parquet", measure.OUTPUTS)
    firsts = [entry["key"] for entry in entries if not entry["cell"]["member"]]
    assert {row["key"] for row in table} == set(firsts)
    for member in members_of(entries, store=store):
        if member.cell["member"]:
            continue
        end = member.weights["end"]
        with torch.no_grad():
            F = member.predictor(end, member.data.x_test[: measure.N_POINTS])[0, :, 0]
        found = [row["F"] for row in table if row["key"] == member.key]
        np.testing.assert_allclose(found, F.numpy(), rtol=1e-9, atol=1e-9)
