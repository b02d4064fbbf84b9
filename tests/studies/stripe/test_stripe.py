"""The stripe model: what is measured of neurons by hand, claims and figure on invented tables."""

import logging
from functools import partial

import drawn
import numpy as np
import pandas as pd
import pytest
from assertions import WITHIN
from drawn import texts
from flow_kinds import KINDS, entries_of
from tables import jamming_cell
from train_curves import train_flow

from srhm.results.records import write_table
from srhm.results.store import read_cell
from srhm.scorecard.card import scorecard
from srhm.studies.stripe.analysis import alignments, beta
from srhm.studies.stripe.claims import CLAIMS
from srhm.studies.stripe.figures.stripe import draw
from srhm.studies.stripe.machines import MACHINES, machines
from srhm.studies.stripe.measure import NEURONS, measure_neurons

LOG = logging.getLogger("srhm.tests")
SIZES = (32, 64, 128, 256)
SIGNS = np.array([1.0, -1.0, 1.0])
points = partial(drawn.points, whole=True)


def tables(*, growth=0.5, still=0.0, feature=7 / 13, lazy=5 / 13, machine=(7 / 13, 5 / 13)):
    """Networks of three neurons, four seeds; Lambda ~ P^growth, error ~ P^-beta.

    machine: beta of the support vector machines beside feature and lazy learning.
    """
    random = np.random.default_rng(0)
    cells, neurons = [], []
    for tilde, power, exponent in ((0.1, growth, feature), (1000.0, still, lazy)):
        for P in SIZES:
            for seed in range(4):
                noise = np.exp(0.01 * random.standard_normal(2))
                row = jamming_cell(
                    study="stripe", data="stripe", net="fcn", n_inputs=5, hidden_layers=1, P=P,
                    width=3, alpha_tilde=tilde, seed=seed, loss="soft_hinge", optimiser="flow",
                    test_error=0.4 * (P / 32) ** -exponent * noise[0],
                )  # fmt: skip
                key = f"{tilde:g}-{P}-{seed}"
                cells.append({**row, "curve": "stripe", "key": key})
                for when, size in (("initial", 1.0), ("end", (P / 8) ** power * noise[1])):
                    for k, sign in enumerate(SIGNS):
                        neurons.append(
                            {"curve": "stripe", "key": key, "when": when, "neuron": k,
                             "parallel": sign * size, "second": 0.5 * sign, "perpendicular": 1.0,
                             "readout": -0.1 * (k + 1)}
                        )  # fmt: skip
    beside = [
        {"regime": name, "n_inputs": 5, "P": P, "seed": seed,
         "kernel_error": 0.3 * (P / 32) ** -exponent * np.exp(0.01 * random.standard_normal())}
        for name, exponent in zip(("feature", "lazy"), machine, strict=True)
        for P in (*SIZES, 1024) for seed in range(4)
    ]  # fmt: skip
    return {name: pd.DataFrame(rows) for name, rows in
            (("cells", cells), ("neurons", neurons), ("machines", beside))}  # fmt: skip


def verdicts(given):
    return scorecard(given, CLAIMS).set_index("claim")["verdict"]


def test_neurons_are_read_off_the_stored_weights(tmp_path):
    entries = entries_of({**KINDS["stripe"], "hidden_layers": 1})
    train_flow(entries, store=tmp_path / "cells")
    table = measure_neurons(entries, store=tmp_path / "cells", log=LOG)
    write_table([{"curve": "c", **row} for row in table], tmp_path / "t.parquet", NEURONS)
    for entry in entries:
        weights = read_cell(tmp_path / "cells", entry["key"]).weights
        rows = [row for row in table if row["key"] == entry["key"] and row["when"] == "end"]
        assert [row["neuron"] for row in rows] == list(range(entry["cell"]["width"]))
        for k, row in enumerate(rows):
            w = weights["layer1"][0, :, k]
            assert (row["parallel"], row["second"]) == (w[0], w[1])
            across = sum(one**2 for one in w[1:]) / (len(w) - 1)
            assert row["perpendicular"] == pytest.approx(across**0.5)
            assert row["readout"] == weights["readout"][k, 0]


def test_networks_of_several_layers_have_no_neurons(tmp_path):
    entries = entries_of({**KINDS["stripe"], "seeds": 1})
    train_flow(entries, store=tmp_path / "cells")
    assert measure_neurons(entries, store=tmp_path / "cells", log=LOG) == []


def test_the_alignment_weighs_neurons_by_their_readout():
    given = tables()
    neurons = given["neurons"].query("key == '0.1-32-0' and when == 'end'").copy()
    neurons["parallel"], neurons["perpendicular"] = [1.0, 2.0, 3.0], [2.0, 1.0, 1.0]
    (found,) = alignments(given["cells"], neurons)["alignment"]
    assert found == pytest.approx(((1 + 2 * 4 + 3 * 9) / (4 + 2 * 1 + 3 * 1)) ** 0.5)


def test_exponents_of_two_dimensions_are_those_of_the_thesis():
    assert beta(2, lazy=True) == 2 / 4
    assert beta(5, lazy=False) == pytest.approx(7 / 13)


def test_all_claims_hold_where_the_laws_do():
    found = verdicts(tables())
    assert set(found) <= WITHIN


@pytest.mark.parametrize(
    ("identifier", "laws"),
    [
        ("alignment-feature-d5", {"growth": 0.2}),
        ("error-feature-d5", {"feature": 0.4}),
        ("error-lazy-d5", {"lazy": 0.55}),
        ("advantage-d5", {"feature": 0.2}),
        ("beside-machine-feature-d5", {"machine": (0.3, 5 / 13)}),
        ("beside-machine-lazy-d5", {"machine": (7 / 13, 0.6)}),
    ],
)
def test_a_claim_does_not_hold_where_its_law_is_broken(identifier, laws):
    assert verdicts(tables(**laws))[identifier] == "differs"


def test_without_tables_or_fits_nothing_is_measured():
    given = tables()
    lost = {**given, "cells": given["cells"].assign(status="capped")}
    for one in ({}, lost):
        assert set(verdicts(one)) == {"inconclusive"}


def test_neurons_alignment_and_errors_are_drawn():
    given = tables()
    figure = draw(**given, preset="invented")
    plane, ratio, error = figure.axes
    size = float(given["neurons"].query("key == '0.1-256-0' and when == 'end'")["parallel"].max())
    weights = np.array([0.1, 0.2, 0.3])
    for when, along in (("initial", 1.0), ("end", size)):
        expected = np.stack([SIGNS * along * weights, 0.5 * SIGNS * weights], axis=1)
        found = points(plane, f"neuron when={when}")
        np.testing.assert_allclose(found, sorted(expected.tolist()))
    found = alignments(given["cells"], given["neurons"])
    for axes, column in ((ratio, "alignment"), (error, "test_error")):
        for tilde, own in found.groupby("alpha_tilde"):
            expected = np.exp(np.log(own[column]).groupby(own["P"]).mean())
            np.testing.assert_allclose(points(axes, f"{column} alpha_tilde={tilde:g}"),
                                       list(expected.items()))  # fmt: skip
    (first, *_, last) = points(error, f"guide {-5 / 13:.4f}")
    assert np.log(last[1] / first[1]) / np.log(last[0] / first[0]) == pytest.approx(-5 / 13)


def test_machines_are_drawn_beyond_the_networks():
    given = tables()
    *_, error = draw(**given, preset="invented").axes
    errors = given["machines"].groupby(["regime", "P"])["kernel_error"].mean()
    for tilde, regime in ((0.1, "feature"), (1000, "lazy")):
        found = points(error, f"machine alpha_tilde={tilde:g}")
        np.testing.assert_allclose(found, list(errors[regime].items()))
        assert found[-1][0] == 1024


def test_machines_are_those_of_the_tangent_kernel_each_training_set_once(tmp_path):
    file = tmp_path / "cells.parquet"
    rows = pd.DataFrame(
        [("stripe", "stripe", "tangent", "done", 0.2), ("stripe", "stripe", "laplace", "done", 0.3),
         ("stripe", "stripe_compressed", "tangent", "done", 0.1),
         ("digits", "digits", "tangent", "done", 0.4)],
        columns=["experiment", "data", "kernel", "status", "error"],
    )  # fmt: skip
    rows.assign(d=5.0, P=64, seed=1).to_parquet(file)
    found = machines(published=[str(file), str(file)])
    assert found.columns.tolist() == MACHINES.names
    assert found.to_numpy().tolist() == [["lazy", 5, 64, 1, 0.2], ["feature", 5, 64, 1, 0.1]]


def test_without_published_rows_there_is_no_machine():
    assert machines(published=[]).columns.tolist() == MACHINES.names


def test_a_figure_without_cells_says_so():
    given = {name: table[:0] for name, table in tables().items()}
    assert "not in this preset" in texts(draw(**given, preset="invented"))
