"""Invented tables of the study: networks whose P* follows a law of the ratio T."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.store.tables import CELLS, SENSITIVITIES
from srhm_studies.learning_curves.temperature.analysis import (
    MAIN,
    complexities,
    exponents,
    limits,
    ratio_of,
)

RATES = (0.03, 0.01, 0.003, 0.001)
MULTIPLES = 2.0 ** (np.arange(-6, 7) / 3)
Law = Callable[[dict[str, Any], float], float]
GRAMMARS: tuple[dict[str, int], ...] = tuple(
    {"L": 2, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v} for v in (6, 8) for s0 in (1, 2, 4)
)
FEWER_SYNONYMS = tuple(
    {"L": 2, "s": 2, "s0": 1, "v": 8, "m": m, "n_c": 8} for m in (2, 4)
)  # fmt: skip


def eq(cell: dict[str, Any]) -> float:
    """Eq. 3 or 4 of a cell."""
    return float(
        theory.predicted_sample_complexity(
            cell["net"], depth=cell["L"], branching=cell["s"], n_synonyms=cell["m"],
            n_classes=cell["n_c"], n_empty=cell["s0"],
        )
    )  # fmt: skip


def falling(cell: dict[str, Any], ratio: float) -> float:
    """Twice Eq. 3 or 4 times exp(-10 T): its logarithm is linear in T, whatever s_0."""
    return 2 * eq(cell) * float(np.exp(-10 * ratio))


def curve(
    law: Law = falling,
    *,
    net: str = "cnn",
    grammar: dict[str, int] = GRAMMARS[0],
    seeds: Sequence[int] = range(4),
    spread: float = 0.1,
    n_distinct: float = 1e9,
    sizes: Sequence[int] | None = None,
    **training: Any,
) -> list[dict[str, Any]]:
    """Cells of a curve; error = 0.9/(1 + (P/P0)^4) crosses 10 % at P* of the law.

    The P* of seed i is that of the law times exp(spread (i - mean)), whatever net, s_0 and
    training: the seeds share a grammar.
    """
    shared: dict[str, Any] = {
        "net": net, **grammar, "sparsity": "A", "alpha": 1.0, "n_test": 1000, "dtype": "float32",
        "whitening": False, "bias": False, "learning_rate": 0.01, "max_steps": 1000, "n_checks": 0,
        **MAIN, **training,
    }  # fmt: skip
    name = "-".join(str(shared[one]) for one in (
        *("net", "L", "v", "m", "s0", "width", "engine", "batch", "batch_size"),
        *("learning_rate", "momentum", "loss_threshold"),
    ))  # fmt: skip
    points = [round(one * law(shared, ratio_of(shared))) for one in MULTIPLES]
    rows = []
    for P, seed in product(sizes or points, seeds):
        star = law(shared, ratio_of(shared)) * np.exp(spread * (seed - np.mean(list(seeds))))
        # 0.9/(1 + 8 (P/P*)^4) is 10 % at P*
        error = 0.9 / (1 + 8 * (P / star) ** 4)
        rows.append(
            {
                **dict.fromkeys(CELLS.names), **shared, "curve": name, "key": f"{name} {P} {seed}",
                "P": P, "seed": seed, "n_distinct": n_distinct, "status": "fitted",
                "test_error": error, "best_test_error": error, "steps": 1000, "epochs": 10,
                "train_loss": 1e-3, "best_step": 1000,
            }
        )  # fmt: skip
    return rows


def line(
    law: Law = falling, *, rates: Sequence[float] = RATES, **named: Any
) -> list[dict[str, Any]]:
    """Cells of the curves of one family at several rates."""
    return [row for rate in rates for row in curve(law, learning_rate=rate, **named)]


def cells_of(*curves: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """A table of cells."""
    return pd.DataFrame([row for one in curves for row in one], columns=CELLS.names)


def tables_of(cells: pd.DataFrame) -> dict[str, Any]:
    """All tables of the study but those of the trainings in time."""
    table = complexities(cells, pd.DataFrame(columns=SENSITIVITIES.names), thresholds=(0.1,))
    return {
        "cells": cells,
        "complexities": table,
        "limits": limits(cells, table, threshold=0.1),
        "exponents": exponents(cells, table, threshold=0.1),
    }


def lines_of_families(
    law: Law = falling,
    *,
    nets: Sequence[str] = ("cnn",),
    grammars: Sequence[dict[str, int]] = GRAMMARS,
    **named: Any,
) -> pd.DataFrame:
    """Cells of the lines of these families."""
    return cells_of(*(line(law, net=net, grammar=one, **named) for net in nets for one in grammars))
