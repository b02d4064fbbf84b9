"""Which cells the figures and the claims of the study are about."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

# What two learnt cells that are compared have in common.
SETTINGS = ["memory", "size", "mu", "r", "t_end"]
# A solve at a smaller M_eff = 4 M = 4^m is compared with one of the other architecture.
RAM_STATES, MEMENTO_LETTERS = 4, 4


def of_experiment(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells of an experiment that have a q."""
    return cells[(cells["experiment"] == name) & np.isfinite(cells["q"].to_numpy(dtype=float))]


def effective_memory(cells: pd.DataFrame) -> pd.Series:
    """M_eff: 4 M of a RAM, 4^m of a Memento (definitions 2.5 and 2.6)."""
    size = cells["size"].astype(int)
    ram = cells["memory"] == "ram"
    return (RAM_STATES * size).where(ram, MEMENTO_LETTERS**size)


def pairs(cells: pd.DataFrame, *, memory: str, starts: tuple[str, str]) -> pd.DataFrame:
    """Learnt cells of two starts, equal in SETTINGS and seed: q and q_other, the second start's.

    A start without randomness ("ccp") has one cell, which is paired with all seeds.
    """
    learnt = of_experiment(cells, "learning")
    learnt = learnt[learnt["memory"] == memory]
    one, other = (learnt[learnt["start"] == start] for start in starts)
    on = [*SETTINGS, *([] if "ccp" in starts else ["seed"])]
    return one.merge(other[[*on, "q"]], on=on, suffixes=("", "_other"))


def architectures(cells: pd.DataFrame) -> pd.DataFrame:
    """Memento (q) and RAM (q_other), random starts, at equal M_eff, mu, r, t_end and seed."""
    learnt = of_experiment(cells, "learning")
    learnt = learnt[learnt["start"] == "random"]
    learnt = learnt.assign(M_eff=effective_memory(learnt))
    on = ["M_eff", "mu", "r", "t_end", "seed"]
    memento, ram = (learnt[learnt["memory"] == name] for name in ("memento", "ram"))
    return memento.merge(ram[[*on, "q"]], on=on, suffixes=("", "_other"))


def with_best_columns(cells: pd.DataFrame, starts: Sequence[str]) -> pd.DataFrame:
    """Learnt RAM cells of these starts with q_best of the columns with their best exit rate."""
    learnt = of_experiment(cells, "learning")
    learnt = learnt[(learnt["memory"] == "ram") & learnt["start"].isin(list(starts))]
    best = of_experiment(cells, "columns")[["size", "mu", "r", "q"]]
    return learnt.merge(best.rename(columns={"q": "q_best"}), on=["size", "mu", "r"])
