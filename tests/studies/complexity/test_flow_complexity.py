"""P* across alpha_tilde: the derived table, on invented cells of a known law."""

from itertools import product
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from srhm.model import theory
from srhm.statistics.flow_complexity import flow_complexity

GRAMMARS = (("lcn", 0), ("lcn", 1), ("cnn", 0), ("cnn", 1), ("cnn", 2))
RELATIVE = (1 / 4, 1 / 2, 1, 2, 4)  # P over twice the prediction
OVER = {0.1: 2.0, 10.0: 3.0, 1000.0: 1e6}  # P* over the prediction: never reached when lazy


def value(P, P_star, threshold, largest):
    """Its root is linear in log P, so that the crossing of the threshold is exact."""
    root = sqrt(threshold) * (1 + log(P_star / P) / 2)
    return float(np.clip(root, 0, sqrt(largest))) ** 2


def flow_tables(grammars, *, tildes=tuple(OVER)):
    """Cells, sensitivities and frozen kernels of L = s = 2, v = n_c = m = 4, two seeds."""
    cells, felt, frozen = [], [], []
    for (net, s0), tilde, relative, seed in product(grammars, tildes, RELATIVE, range(2)):
        prediction = theory.predicted_sample_complexity(
            net, depth=2, branching=2, n_synonyms=4, n_classes=4, n_empty=s0
        )
        P, lazy = round(2 * relative * prediction), tilde > 100
        P_star = OVER[tilde] * prediction * np.exp(0.1 * (2 * seed - 1))
        error = value(P, P_star, 0.1, 0.75)
        name = f"complexity_{net}_s0{s0}_v4-flow"
        own = {"curve": name, "key": f"{name}-{tilde}-{P}-{seed}"}
        cells.append(
            {
                **own, "study": "complexity", "data": "srhm", "net": net, "L": 2, "s": 2, "s0": s0,
                "v": 4, "m": 4, "n_c": 4, "sparsity": "A", "hidden_layers": 2, "width": 32,
                "alpha_tilde": tilde, "P": P, "seed": seed, "member": 0, "labels": "classes",
                "loss": "cross_entropy", "activation": "relu", "training": "end_to_end",
                "optimiser": "flow", "test_error": error,
                "status": "capped" if lazy and relative > 1 else "fitted",
            }
        )  # fmt: skip
        frozen += [
            {**own, "kernel": kernel, "status": "capped", "test_error": of_kernel}
            for kernel, of_kernel in (("initial", 0.6), ("end", error))
        ]
        for kind, layer in product("SD", ("2", "output")):
            threshold = {"S": 0.4 if net == "cnn" else 0.3, "D": 0.2 if net == "cnn" else 0.1}
            known = s0 > 0 or kind == "S"
            felt.append(
                {
                    **own, "when": "end", "kind": kind, "layer": layer, "l": 1,
                    "k": 3 if layer == "output" else 2, "standard_error": 0.01, "n": 500 * known,
                    "value": value(P, P_star, threshold[kind], 1.0) if known else np.nan,
                }
            )  # fmt: skip
    tables = {"cells": cells, "sensitivities": felt, "frozen_kernels": frozen, "ensembles": []}
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}


def complexity_of(tables):
    return flow_complexity(*tables.values(), thresholds=(0.1, 0.2))


@pytest.fixture(scope="module")
def table():
    return complexity_of(flow_tables(GRAMMARS))


def row_of(table, **wanted):
    chosen = table
    for name, value in wanted.items():
        chosen = chosen[np.isclose(chosen[name], value) if name == "threshold" else
                        chosen[name] == value]  # fmt: skip
    (row,) = chosen.to_dict("records")
    return row


def test_p_star_of_a_known_law_is_found_with_its_interval(table):
    row = row_of(table, net="cnn", s0=1, alpha_tilde=0.1,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["prediction"] == 256
    assert row["P_star"] == pytest.approx(2 * 256, rel=1e-9)
    assert row["status"] == "reached"
    assert row["P_star_low"] < row["P_star"] < row["P_star_high"]
    # Two seeds at -0.1 and 0.1 of three curves of the net: n - 1 of each.
    assert row["dof"] == 3
    assert row["log_sd"] == pytest.approx(0.1 * 2**0.5, rel=1e-6)


def test_a_p_star_that_is_not_reached_keeps_its_bound_and_counts_its_capped_cells(table):
    row = row_of(table, net="cnn", s0=1, alpha_tilde=1000.0,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["status"] == "not_reached"
    assert row["P_star_low"] == 2 * RELATIVE[-1] * 256
    assert np.isinf(row["P_star_high"])
    assert (row["n_cells"], row["n_capped"], row["n_seeds_reached"]) == (10, 4, 0)


def test_kernels_and_sensitivities_have_p_star_of_their_own(table):
    end = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="end_kernel", threshold=0.1)
    own = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="test_error", threshold=0.1)
    start = row_of(
        table, net="lcn", s0=1, alpha_tilde=0.1, criterion="initial_kernel", threshold=0.1
    )
    assert end["P_star"] == own["P_star"]
    assert end["n_capped"] == 10  # of the kernel's flow, not of the network's
    assert own["n_capped"] == 0
    assert start["status"] == "not_reached"
    assert row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="S_2")["threshold"] == 0.3
    assert row_of(table, net="cnn", s0=1, alpha_tilde=0.1, criterion="D_2")["threshold"] == 0.2
    assert table[(table["criterion"] == "D_2") & (table["s0"] == 0)].empty  # nothing to displace


def test_members_of_a_seed_are_averaged_and_diverged_ones_are_counted():
    tables = flow_tables([("cnn", 1)], tildes=(0.1,))
    cells = tables["cells"]
    twice = pd.concat([cells, cells.assign(member=1, key=cells["key"] + "-1")], ignore_index=True)
    row = row_of(complexity_of({**tables, "cells": twice}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_cells"] == 20
    assert row["P_star"] == pytest.approx(512)
    lost = cells.assign(test_error=cells["test_error"].where(cells["P"] != cells["P"].min()))
    row = row_of(complexity_of({**tables, "cells": lost}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_diverged"] == 2


def test_random_data_have_no_rows():
    tables = flow_tables([("fcn", 1)], tildes=(0.1,))
    cells = tables["cells"]
    random = cells.assign(data="random", L=np.nan, s0=np.nan)
    both = pd.concat([cells, random.assign(curve="random", key=random["key"] + "r")])
    assert set(complexity_of({**tables, "cells": both})["curve"]) == {"complexity_fcn_s01_v4-flow"}
