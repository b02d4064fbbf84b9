"""Which cells the figures and the claims of the study are about."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

# What two learnt cells that are compared have in common.
SETTINGS = ["memory", "size", "mu", "r", "t_end"]
# A solve at a smaller M_eff = 4 M = 4^m is compared with one of the other architecture.
RAM_STATES, MEMENTO_LETTERS = 4, 4


def settings(start: str) -> list[str]:
    """SETTINGS, and the seed where a start has one: the columns of confidence do not."""
    return [*SETTINGS, *(["seed"] if start != "ccp" else [])]


def of_experiment(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells of an experiment that have a q."""
    return cells[(cells["experiment"] == name) & np.isfinite(cells["q"].to_numpy(dtype=float))]


def effective_memory(cells: pd.DataFrame) -> pd.Series:
    """M_eff: 4 M of a RAM, 4^m of a Memento (definitions 2.5 and 2.6)."""
    size = cells["size"].astype(int)
    ram = cells["memory"] == "ram"
    return (RAM_STATES * size).where(ram, MEMENTO_LETTERS**size)


def with_best_columns(cells: pd.DataFrame, starts: Sequence[str]) -> pd.DataFrame:
    """Learnt RAM cells of these starts with q_best of the columns with their best exit rate."""
    learnt = of_experiment(cells, "learning")
    learnt = learnt[(learnt["memory"] == "ram") & learnt["start"].isin(list(starts))]
    best = of_experiment(cells, "columns")[["size", "mu", "r", "q"]]
    return learnt.merge(best.rename(columns={"q": "q_best"}), on=["size", "mu", "r"])
