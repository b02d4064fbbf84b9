"""P* of the clusters, and the P at which the noise of the counts equals their signal."""

import numpy as np
import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm_studies.learning_curves.learner import complexities_of
from srhm_studies.learning_curves.own_latents.configuration import SAMPLE_COMPLEXITY, closed, law

# P*: from which on the mean share of wrong pairs stays at or below. A choice, made beforehand: a
# few latents of a grammar may have nearly equal statistics, which cost up to a tenth of the pairs.
WRONG = 0.2
CURVE = ("target", "net", *GRAMMAR)
CRITERIA = ("wrong", "wrong_first")


def sample_complexities(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), of all its levels and of the first."""
    return complexities_of(
        cells, CURVE, {name: cells[name] for name in CRITERIA}, law=law,
        thresholds={name: [WRONG] for name in CRITERIA}, pooled_over=("target", "net", "L"),
    )[SAMPLE_COMPLEXITY.names]  # fmt: skip


def open_part(rows: pd.DataFrame) -> pd.Series:
    """1 - m/v^(s-1) for the context, of which its points are the inverse; 1 for other targets."""
    parts = [closed(s=s, v=v, m=m) for s, v, m in zip(rows["s"], rows["v"], rows["m"], strict=True)]
    return pd.Series(np.where(rows["target"] == "context", parts, 1.0), index=rows.index)


def noises(cells: pd.DataFrame) -> pd.DataFrame:
    """P at which noise and signal of the counts of level 1 are equal, `P_noise`, by curve and seed.

    From the largest P of each curve, by noise ~ 1/P. Without rows that have no signal.
    """
    last = cells["P"] == cells.groupby(list(CURVE))["P"].transform("max")
    noisy = cells[last & (cells["noise"] > 0)]
    return noisy.assign(P_noise=noisy["P"] * noisy["noise"], places=noisy["s0"] + 1)
