"""Claims that compare kinds and amounts of sparsity (section 4, Eq. 5, appendix A)."""

from functools import partial
from math import exp, log, nan

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import Claim, Measurement, Tables
from srhm.scorecard.curves import (
    OPTIONS,
    log_of,
    main_curves,
    measurement,
    noise_of,
    paired_seeds,
    pairs,
    slope_against,
    usable,
    where,
    with_rates,
)
from srhm.scorecard.fits import as_ratio, listed_as_left_out
from srhm.statistics.regression import NO_FIT, mean

# (L, s_0) of the sparser and of the less sparse data with d = 64 places at s = 2: F = 1/16, 1/8.
SPARSER, LESS_SPARSE = (2, 3), (3, 1)


def ratio_of_sparsities(tables: Tables, *, net: str) -> Measurement:
    """Mean of log(P*_B / P*_A) over curves that agree in grammar, options and learning rate."""
    curves_a, curves_b = (
        with_rates(tables, where(main_curves(tables, sparsity=sparsity), {"net": net}))
        for sparsity in "AB"
    )
    curves_b = _with_empty_places(curves_b)
    suffixes = ("_b", "_a")
    both = pairs(curves_b, curves_a, on=[*GRAMMAR, *OPTIONS, "rate"], suffixes=suffixes)
    if both.empty:
        return measurement(NO_FIT, curves_b)
    log_ratio = both["log_ratio"].to_numpy(dtype=float)
    alone = len(usable(curves_b)) - len(both)
    noise = [noise_of(both, suffix) for suffix in suffixes]
    fit = mean(log_ratio, noise, paired=paired_seeds(tables, both, suffixes))
    note = (
        f"P*_B / P*_A = {exp(fit.slope):.2f} (geometric mean), from {exp(log_ratio.min()):.2f} to"
        f" {exp(log_ratio.max()):.2f}; each point is a pair of curves"
        f"{listed_as_left_out({'without a curve of A at their rate': alone})}"
    )
    return measurement(fit, curves_b, note)


def slope_of_other_sparsity(tables: Tables, *, net: str) -> Measurement:
    """Slope of log P*_B against the logarithm of Eq. 3 (LCN) or Eq. 4 (CNN), all L."""
    curves = _with_empty_places(where(main_curves(tables, sparsity="B"), {"net": net}))
    return slope_against(curves, "prediction", by=["net"])


def _with_empty_places(curves: pd.DataFrame) -> pd.DataFrame:
    """At s_0 = 0 there is nothing to place, A and B are the same data."""
    return curves if curves.empty else curves[curves["s0"] > 0]


def ratio_at_fixed_dimension(tables: Tables, *, over_prediction: bool) -> Measurement:
    """P* of the less sparse over that of the sparser data at d = 64 (LCN, s = 2), as a logarithm.

    From curves of equal v, m, n_c. With `over_prediction` the mean of log(ratio / that of Eq. 3),
    else the geometric mean of the inverse ratio, which is below 1 if higher sparsity helps.
    """
    curves = where(main_curves(tables), {"net": "lcn", "s": 2})
    halves = [
        where(curves, {"L": depth, "s0": n_empty}) for depth, n_empty in (LESS_SPARSE, SPARSER)
    ]
    if any(half.empty for half in halves):
        return measurement(NO_FIT, pd.DataFrame())
    asked = pd.concat(halves)
    both = pairs(*halves, on=["v", "m", "n_c"], suffixes=("_less", "_more"))
    if both.empty:
        return measurement(NO_FIT, asked)
    both = both.sort_values("v")
    measured = both["log_ratio"].to_numpy(dtype=float)
    predicted = log_of(both, "prediction_less") - log_of(both, "prediction_more")
    noise = [noise_of(both, "_less"), noise_of(both, "_more")]
    note = "P*(3, 1) / P*(2, 3), measured and by Eq. 3: " + ", ".join(
        f"{one:.2f} and {law:.2f} (v = {v}, m = {m}, n_c = {n_c})"
        for one, law, v, m, n_c in zip(
            np.exp(measured), np.exp(predicted), both["v"], both["m"], both["n_c"], strict=True
        )
    )
    if over_prediction:
        return measurement(mean(measured - predicted, noise), asked, note)
    return as_ratio(measurement(mean(-measured, noise), asked, note))


# Why a number is reported: decided after a first look (README).
DIMENSION_REASON = (
    "reported: the paper says that the sparser data are easier, which is judged; by how much is"
    " Eq. 3 at two (L, s_0), whose curves count where its slope and exponents do"
)
# Reasons of the tolerances, fixed before anything was measured.
SAME_REASON = (
    "log 1.5: the same up to a constant of order one; P* of one curve is known to a step of the"
    " grid of P, a factor 1.4 here and 1.3-1.9 in the published one, and A and B differ in the"
    " number of placements by a factor of s or more for each patch"
)
SLOPE_REASON = (
    "as for sparsity A: a factor 1.4 of P* a decade, over the one to two decades of P* in Figures"
    " 7 and 8; a wrong exponent of s_0+1 by one would be seen"
)
HELPS_REASON = "the bound is an equal P*: the ratio must be below 1 for sparsity to help"

TOPIC = "Kinds and amounts of sparsity"


def _other_sparsity(net: str) -> tuple[Claim, Claim]:
    name, equation = net.upper(), {"lcn": "Eq. 3", "cnn": "Eq. 4"}[net]
    figure = {"lcn": "7", "cnn": "8"}[net]
    return (
        Claim(
            identifier=f"sparsity-b-over-a-{net}",
            topic=TOPIC,
            figure=figure,
            statement=f"{name}: sparsity B has the P* of sparsity A: mean of log(P*_B / P*_A)",
            place="section 4; appendix A",
            expected=0,
            tolerance=log(1.5),
            tolerance_reason=SAME_REASON,
            measure=partial(ratio_of_sparsities, net=net),
        ),
        Claim(
            identifier=f"sparsity-b-slope-{net}",
            topic=TOPIC,
            figure=figure,
            statement=f"{name}: sparsity B follows {equation}: slope of log P*_B on log prediction",
            place="appendix A",
            expected=1,
            tolerance=0.15,
            tolerance_reason=SLOPE_REASON,
            measure=partial(slope_of_other_sparsity, net=net),
        ),
    )


SPARSITY_CLAIMS: tuple[Claim, ...] = (
    *_other_sparsity("lcn"),
    *_other_sparsity("cnn"),
    Claim(
        identifier="sparser-is-easier",
        topic=TOPIC,
        figure="5",
        statement="at d = 64 the sparser data are easier: P*(L=2, s_0=3) / P*(L=3, s_0=1), LCN",
        place="Eq. 5, section 4",
        expected=1,
        tolerance=nan,
        tolerance_reason=HELPS_REASON,
        measure=partial(ratio_at_fixed_dimension, over_prediction=False),
    ),
    Claim(
        identifier="fixed-dimension-over-prediction",
        topic=TOPIC,
        figure="5",
        statement="P*(3, 1) / P*(2, 3) at d = 64 over that of Eq. 3: logarithm (0)",
        place="Eq. 3 and 5, section 4",
        expected=nan,
        tolerance=nan,
        tolerance_reason=DIMENSION_REASON,
        measure=partial(ratio_at_fixed_dimension, over_prediction=True),
    ),
)
