"""Closed forms of chapter 7 of the thesis, and which cells figures and claims are about.

alpha = (1 - mu)/(1 + mu).
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pandas as pd


def alpha(mu: float) -> float:
    """(1 - mu)/(1 + mu)."""
    return (1 - mu) / (1 + mu)


def column_of_confidence(n_states: int, mu: float) -> float:
    """q of the column of confidence policy with M states as r -> 0, Eq. 7."""
    return _from_odds(alpha(mu) ** (2 * n_states - 1))


def hellman_cover(n_states: int, mu: float) -> float:
    """Least q of M states, if the arm depends on the state alone (Hellman and Cover), r -> 0."""
    return _from_odds(alpha(mu) ** (n_states - 1))


def exit_rate(n_states: int, mu: float, reset: float) -> float:
    """Exit rate epsilon of the best column of confidence policy, to order sqrt(r), M >= 2.

    Eq. 6 is printed with the square root of the denominator over all of it; it ends after
    1 - alpha^M. (Only so the result tends to `exit_rate_of_many`, Eq. 23, for large M.)
    """
    a = alpha(mu)
    b = a**n_states
    above = a - a ** (3 * n_states - 1) + b * (2 * mu - 3) + b**2 * (2 * mu + 3)
    return sqrt(2 * reset * above / (1 - b)) / (1 - b - mu - mu * b)


def exit_rate_of_many(mu: float, reset: float) -> float:
    """The exit rate for large M, Eq. 23."""
    return sqrt(2 * reset / (1 - mu**2))


def necklace(n_plays: int, mu: float, *, chain: int | None = None) -> float:
    """q* of the necklace policy with m plays as r -> 0, Eq. 10.

    chain: n(m), the number of necklaces in Gray order; without it 2 + (2^m - 2)/m, of a prime m.
    """
    length = n_necklaces_of_prime(n_plays) if chain is None else chain
    return _from_odds(alpha(mu) ** (n_plays * (length - 1)))


def n_necklaces_of_prime(n_plays: int) -> int:
    """2 + (2^m - 2)/m necklaces of m beads of two colours, m a prime."""
    return 2 + (2**n_plays - 2) // n_plays


def _from_odds(odds: float) -> float:
    return odds / (1 + odds)


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
