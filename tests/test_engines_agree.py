"""The two engines give one sample complexity: statistics beyond the steps of a trajectory."""

from itertools import product

import pandas as pd

from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.statistics.sample_complexity import learning_curve_values, sample_complexity
from srhm.training.cell import train_cell
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine

CELL = {
    "net": "cnn",
    "L": 2,
    "s": 2,
    "s0": 1,
    "v": 3,
    "m": 3,
    "n_c": 3,
    "sparsity": "A",
    "width": 16,
    "alpha": 1.0,
    "dtype": "float32",
    "whitening": False,
    "bias": False,
    "batch": "shuffled",
    "batch_size": 4,
    "learning_rate": 0.01,
    "momentum": 0.9,
    "loss_threshold": 1e-2,
    "max_steps": 100_000,
    "n_checks": 0,
    "n_test": 600,
}
SIZES, SEEDS = (80, 120, 180, 270), (0, 1, 2)


def test_both_engines_measure_the_same_sample_complexity_within_its_interval() -> None:
    samples = draw_samples(parameters_of(CELL), SEEDS, n_train=max(SIZES), n_test=CELL["n_test"])
    rows = []
    for engine, make in (("sparse", SparseEngine), ("reference", ReferenceEngine)):
        for size, seed in product(SIZES, SEEDS):
            cell = {**CELL, "engine": engine, "P": size, "seed": seed}
            data = samples[seed, "train"], samples[seed, "test"]
            trained = train_cell(cell, *data, make_engine=make)
            rows.append({**trained.row, "curve": engine})
    table = sample_complexity(
        learning_curve_values(pd.DataFrame(rows)), thresholds={"test_error": [0.1]}
    ).set_index("engine")
    assert (table["status"] == "reached").all(), table
    ours, oracle = table.loc["sparse"], table.loc["reference"]
    assert ours["P_star_low"] < oracle["P_star"] < ours["P_star_high"]
    assert oracle["P_star_low"] < ours["P_star"] < oracle["P_star_high"]
    print(table[["P_star_low", "P_star", "P_star_high"]])
