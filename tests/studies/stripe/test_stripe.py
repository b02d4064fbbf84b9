"""The stripe model: what is measured of neurons, and machines beside them."""

import logging

import pandas as pd
import pytest
from flow_kinds import KINDS, entries_of
from train_curves import train_flow

from srhm.store.cells import read_cell
from srhm.store.records import write_table
from srhm_studies.regimes.stripe.analysis import MACHINES, machines
from srhm_studies.regimes.stripe.measure import NEURONS, measure_neurons

LOG = logging.getLogger("srhm.tests")


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
