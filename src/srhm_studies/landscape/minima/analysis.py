"""Networks after a second-order end: which are at minima, N_Delta against the loss, gaps."""

import numpy as np
import pandas as pd

from srhm.scorecard.rows import chosen
from srhm.statistics.jamming import JAMMED, LEAST_LOSS
from srhm_studies.landscape.power_laws import fitted_gaps, pooled_gaps

# The rule of the losses that count near jamming, written before any training.
HIGHEST = 1e-3
KINDS = {
    "relu-2": {"activation": "relu", "hidden_layers": 2},
    "relu-3": {"activation": "relu", "hidden_layers": 3},
    "relu-5": {"activation": "relu", "hidden_layers": 5},
    "tanh-3": {"activation": "tanh", "hidden_layers": 3},
}
NAMES = {
    **{f"relu-{layers}": f"ReLU, L = {layers}" for layers in (2, 3, 5)},
    "tanh-3": "tanh, L = 3",
}


def at_minima(cells: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """Cells with their ends.

    Columns besides: unsatisfied N_Delta/N; is_fitted: a loss up to LEAST_LOSS; is_jammed:
    N_Delta > 0.1 N, and not fitted; counts: jammed with a loss up to HIGHEST; is_minimum; negative:
    part of the negative modes of H; over: the bound on N_Delta over it, N_- (tanh) or N_- less N_c
    (ReLU); cusps: N_c/N.
    """
    rows = cells.drop(columns="n_unsatisfied").merge(
        ends.drop(columns="curve", errors="ignore"), on="key"
    )
    unsatisfied = rows["n_unsatisfied"] / rows["n_weights"]
    is_tanh = rows["activation"] == "tanh"
    cusps = (rows["n_near"] - rows["n_near_fresh"]) / rows["n_weights"]
    n_cusps = np.where(is_tanh, 0, rows["n_cusps"])
    negative = np.where(is_tanh, rows["n_negative"], rows["n_negative_h"])
    is_fitted = rows["mean_loss"] <= LEAST_LOSS
    is_jammed = (unsatisfied > JAMMED) & (rows["mean_loss"] > LEAST_LOSS)
    return rows.assign(
        unsatisfied=unsatisfied,
        is_fitted=is_fitted,
        is_jammed=is_jammed,
        counts=is_jammed & (rows["mean_loss"] <= HIGHEST),
        is_minimum=rows["end"] == "minimum",
        negative=negative / rows["n_modes"],
        over=(rows["n_negative_hp"] - n_cusps) / rows["n_unsatisfied"].clip(lower=1),
        cusps=cusps,
    )


def exponents(cells: pd.DataFrame, ends: pd.DataFrame, gaps: pd.DataFrame) -> pd.DataFrame:
    """theta (side plus, of z) and gamma (side minus, of |Delta|) of networks at minima, pooled.

    Columns: kind, side, value, low, high, gaps, n (seeds); NaN of fewer seeds than FEWEST.
    """
    rows = at_minima(cells, ends).query("counts and is_minimum")
    return pd.concat([
        fitted_gaps({kind: pooled_gaps(chosen(rows, columns), gaps, side=side)
                     for kind, columns in KINDS.items()}, side=side)
        for side in ("plus", "minus")
    ])  # fmt: skip
