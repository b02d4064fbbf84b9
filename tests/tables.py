"""Invented tables: what the workflow would give if networks followed a law, or sigmoids in log P.

Tables of one study have the names by which its claims know them.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.networks.registry import stand_in
from srhm.paper.sparse_hierarchy.placements import placements_ratio
from srhm.statistics.sample_complexity import RESULT_COLUMNS, all_sample_complexities

# LCN, CNN and FCN: learning curves with noise

WIDTH = 64
MULTIPLES = 2.0 ** np.arange(-1.5, 2.6, 0.5)  # of the predicted P*


def curve(net: str, L: int, v: int, s0: int, **other: object) -> dict[str, object]:
    """A curve as the paper's main ones, but for what is given."""
    s = int(str(other.get("s", 2)))
    row = {"net": net, "L": L, "s": s, "s0": s0, "v": v, "m": v ** (s - 1), "n_c": v,
           "sparsity": "A", "width": WIDTH, "alpha": 1.0, "whitening": False, "bias": False,
           "batch": "shuffled", "engine": "sparse", **other}  # fmt: skip
    return {"curve": "-".join(str(value) for value in row.values()), **row}


def falling(P: float, P_star: float, *, start: float, threshold: float, floor: float) -> float:
    """A sigmoid in log P from start to floor, at the threshold at P_star."""
    height = (start - floor) / (threshold - floor) - 1
    return floor + (start - floor) / (1 + height * (P / P_star) ** 2.5)


def cells_and_sensitivities(
    curves: list[dict[str, object]], *, constant: float = 1.5, n_seeds: int = 3
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of cells and of sensitivities, P* near constant times the prediction."""
    random = np.random.default_rng(2)
    cells, sensitivities = [], []
    for one in curves:
        net, L, s, s0, n_c = (one[name] for name in ("net", "L", "s", "s0", "n_c"))
        net = stand_in(str(net))
        prediction = theory.predicted_sample_complexity(
            net, depth=L, branching=s, n_synonyms=one["m"], n_classes=n_c, n_empty=s0
        )  # type: ignore[arg-type]
        practice = 1.3 ** (
            bool(one["whitening"]) + bool(one["bias"]) + (one["batch"] != "shuffled")
        )
        for seed in range(n_seeds):
            own = constant * practice * prediction * np.exp(0.15 * random.standard_normal())
            for P in (MULTIPLES * prediction).astype(int).tolist():
                error = falling(P, own, start=1 - 1 / n_c, threshold=0.1, floor=0.001)
                row = {**one, "key": f"{one['curve']}-{P}-{seed}", "P": P, "seed": seed}
                cells.append({**row, "test_error": error, "best_test_error": 0.9 * error})
                for kind in "SD":
                    threshold = theory.sensitivity_threshold(kind, net, depth=L, branching=s)
                    for k in range(1, L + 2):
                        for level in range(1, L + 1):
                            seen = k > level
                            value = falling(
                                P, own * 1.1, start=1.1 if kind == "S" else 0.6,
                                threshold=threshold, floor=0.02 if kind == "D" else 0.15,
                            ) if seen else 0.9 - 0.1 * level  # fmt: skip
                            possible = kind == "S" or s0 > 0
                            sensitivities.append(
                                {**row, "kind": kind, "variant": "text", "k": k, "l": level,
                                 "layer": str(k) if k <= L else "output",
                                 "value": value if possible else np.nan,
                                 "standard_error": 0.01, "n": 500 if possible else 0,
                                 "n_draws": 4}
                            )  # fmt: skip
    table = pd.DataFrame(cells).assign(status="fitted", train_loss=1e-3)
    return table, pd.DataFrame(sensitivities)


def published_cells(
    curves: list[dict[str, object]], *, P_star: float, n_seeds: int
) -> pd.DataFrame:
    """Rows of cells of these curves, the root of whose error is linear in log P and 0.1 at P*."""
    rows = [
        {**one, "P": P_star * factor, "seed": seed, "test_error": error, "best_test_error": error,
         "status": "fitted", "train_loss": 1e-3}
        for one in curves for seed in range(n_seeds) for factor, error in ((0.5, 0.4), (2.0, 0.0))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def complexities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """What the workflow makes of them."""
    return all_sample_complexities(cells, sensitivities, thresholds=[0.1, 0.2])


def trained(cells: pd.DataFrame, *, batch_size: int, rate: float, max_steps: int) -> pd.DataFrame:
    """The cells with the columns of their training; all fitted."""
    return cells.assign(
        status="fitted", train_loss=1e-3, batch_size=batch_size, learning_rate=rate,
        loss_threshold=1e-2, max_steps=max_steps, n_test=2000,
    )  # fmt: skip


# LCN, CNN and FCN: P* of a law, exactly or with known noise

NETS = ("lcn", "cnn")


# Sparsity B follows the laws of A, with one constant: the mean of what the places alone give.
B_OVER_A = np.exp(
    np.mean([np.log(placements_ratio(depth=2, branching=2, n_empty=s0)) for s0 in (1, 2, 4)])
)


def law_of_the_paper(row) -> float:
    constant = 2.3 if row["net"] == "cnn" else 1
    return constant * row["prediction"] * (B_OVER_A if row["sparsity"] == "B" else 1)


def grammar(net, L, v, s0, *, s=2, m=None, n_c=None, sparsity="A"):
    return {
        "net": net,
        "L": L,
        "s": s,
        "s0": s0,
        "v": v,
        "m": m or v ** (s - 1),
        "n_c": n_c or v,
        "sparsity": sparsity,
        "width": 64,
        "alpha": 1.0,
        "whitening": False,
        "bias": False,
        "batch": "shuffled",
        "engine": "sparse",
    }


MAIN = [
    grammar(net, L, v, s0)
    for net in NETS
    for L, features in ((2, (4, 6, 8)), (3, (4, 6)))
    for v in features
    for s0 in (0, 1, 2, 4)
]
DENSE = [grammar("fcn", L, v, s0) for L, features in ((2, (6, 7, 8)), (3, (4, 5, 6)))
         for v in features for s0 in (0, 1, 2)]  # fmt: skip


def exact_complexities(
    grammars,
    *,
    law: Callable[[dict], float] = law_of_the_paper,
    thresholds=(0.1,),
    others: Mapping[str, Callable[[dict], float]] | None = None,
    log_se=0.05,
    noise=None,
) -> dict[str, pd.DataFrame]:
    """The table that `sample_complexity` would give if P* followed a law, optionally with noise.

    `others` gives the sample complexity of "S_2", "D_2" from the row of the test error.
    """
    rows = []
    for number, coordinates in enumerate(grammars):
        data = {
            "depth": coordinates["L"],
            "branching": coordinates["s"],
            "n_empty": coordinates["s0"],
            "n_synonyms": coordinates["m"],
            "n_classes": coordinates["n_c"],
        }
        for threshold in thresholds:
            row = coordinates | {
                "curve": f"curve {number}",
                "criterion": "test_error",
                "threshold": threshold,
                "status": "reached",
                "n_seeds": 3,
                "n_seeds_reached": 3,
                "n_cells": 15,
                "n_diverged": 0,
                "log_sd": log_se * 3**0.5,
                "log_se": log_se,
                "dof": 20,
                "log_sd_pooled": True,
                "n_distinct": float(theory.n_distinct(**data)),
                "prediction": theory.predicted_sample_complexity(coordinates["net"], **data),
            }
            P_star = law(row) * (np.exp(log_se * noise.standard_normal()) if noise else 1)
            row |= {"P_star": P_star, "P_star_low": P_star / 1.2, "P_star_high": P_star * 1.2}
            row["small_pool"] = P_star > 0.1 * row["n_distinct"]
            rows.append(row)
        for criterion, of_row in (others or {}).items():
            if not criterion.startswith("D_") or coordinates["s0"]:
                rows.append(row | {"criterion": criterion, "P_star": of_row(row)})
    return {"sample_complexity": pd.DataFrame(rows)[list(RESULT_COLUMNS)]}
