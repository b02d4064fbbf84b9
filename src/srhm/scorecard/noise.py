"""Errors of measured sample complexities that stem from their seeds, read off the rows.

Columns of a row: log_se, dof and log_sd_source (`SeedNoise`); SEED_LOGS, log P* of each seed. A row
of a pair has those of both curves, of the second with the ending "_over".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.results.coordinates import GRAMMAR
from srhm.statistics.regression import PairedSeeds, SeedNoise

SEED_LOGS = "seed_logs"
OF_SEEDS = ["log_se", "dof", "log_sd_source", SEED_LOGS]
# Rows that agree in these have seeds that share their grammars.
SHARED_GRAMMAR = [name for name in GRAMMAR if name != "s0"]
# Rows that agree in these draw their rules from one stream (`draw_grammar`), for all nets, s_0, L.
# Where m = v^(s-1) the levels that two of them have in common are the same. In the rows of `grid`
# log P* of a seed correlates with 0.8 across s_0, 0.7 across nets and 0.5 across L.
VOCABULARY = ["s", "v"]
SIDES = ("", "_over")


def seed_noise(table: pd.DataFrame) -> list[SeedNoise]:
    """The independent parts of each row's error: one, or two for pairs."""
    return [
        SeedNoise(
            standard_error=table[f"log_se{side}"].to_numpy(dtype=float),
            dof=table[f"dof{side}"].to_numpy(dtype=float),
            source=table[f"log_sd_source{side}"].to_numpy(dtype=object),
        )
        for side in SIDES
        if f"log_se{side}" in table
    ]


def vocabularies(table: pd.DataFrame) -> NDArray[Any]:
    """A number for each row, the same for rows whose grammars share rules; shape (n_rows,)."""
    return groups_of(table, [name for name in VOCABULARY if name in table])


def seed_pairs(table: pd.DataFrame) -> PairedSeeds | None:
    """The rows by each of their seeds alone, which draws one grammar for those of a family.

    None where the rows do not tell their seeds.
    """
    if SEED_LOGS not in table:
        return None
    first, *second = (
        np.stack(table[f"{SEED_LOGS}{side}"].tolist())
        for side in SIDES
        if f"{SEED_LOGS}{side}" in table
    )
    values = first - second[0] if second else first
    return PairedSeeds(values=values, family=groups_of(table, SHARED_GRAMMAR))


def groups_of(table: pd.DataFrame, by: Sequence[str]) -> NDArray[Any]:
    """A number for each row, the same for rows that agree in the columns `by`."""
    number = np.zeros(len(table), dtype=np.int64)
    for name in by:  # many times faster than a groupby of few rows
        codes, values = pd.factorize(table[name], use_na_sentinel=False)
        number = pd.factorize(number * len(values) + codes)[0]
    return number
