"""Claims on random features without ridge (thesis, chapter 8, and the articles it cites)."""

from functools import partial
from math import exp, nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import as_ratio, mean_of, no_points, of_fit
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.random_features.tables import CELLS

# N/P from which on the decay with N is fitted, and between which the members' variance, which
# diverges at N = P, leaves the mean over members of no use.
WIDE, BELOW, ABOVE = 4.0, 0.7, 1.5


def _cells(tables: Tables) -> pd.DataFrame:
    return tables.get("cells", CELLS.empty_table().to_pandas())


def peak(tables: Tables) -> Measurement:
    """N/P at the largest squared error of single members, a value of each data set and seed."""
    cells = _cells(tables)
    if cells.empty:
        return NOT_MEASURED
    whole = cells.groupby(["data", "P", "seed"])
    at = [float(own.nlargest(1, "mse")["N_over_P"].iloc[0]) for _, own in whole if len(own) > 2]
    return mean_of(at, "seeds of data sets")


def height(tables: Tables) -> Measurement:
    """Factor of the squared error of single members at N = P over that at the largest N."""
    cells, logs = _cells(tables), []
    for _, own in cells.groupby(["data", "P", "seed"]):
        at, wide = own[own["N"] == own["P"]], own[own["N_over_P"] >= WIDE]
        if len(at) and len(wide):
            last = float(wide.nlargest(1, "N")["mse"].iloc[0])
            logs.append(float(np.log(at["mse"].iloc[0] / last)))
    return as_ratio(mean_of(logs, "seeds of data sets")) if logs else NOT_MEASURED


def decay(
    tables: Tables, *, excess: bool = False, least: float = WIDE, offset: int = 0
) -> Measurement:
    """Slope against log(N - offset P) of the variance between members, or of their excess.

    Excess: mean squared error of single members less that of the kernel. least: N/P from which on
    it is fitted. An intercept for each data set and seed; those of which an excess is not positive
    are left out.
    """
    cells = _cells(tables)
    own = cells[cells["N_over_P"] >= least]
    if own.empty:
        return NOT_MEASURED
    single = own["mse_limit"] + own["variance"] - own["mse_kernel"]
    own = own.assign(value=single if excess else own["variance"])
    own = own.groupby(["data", "P", "seed"]).filter(lambda one: bool((one["value"] > 0).all()))
    groups = own.groupby(["data", "P", "seed"]).ngroup().to_numpy()
    n, points, values = (own[name].to_numpy(dtype=float) for name in ("N", "P", "value"))
    fit = slope_with_group_intercepts(np.log(n - offset * points), np.log(values), groups, [])
    if not fit.n:
        return no_points(f"no two N from {least:g} P on")
    return of_fit(fit, f"{fit.n} cells, {fit.n_groups} seeds of data sets; error from the scatter")


def ensemble_over(tables: Tables, *, column: str) -> Measurement:
    """Squared error of infinitely many members over that of a kernel, geometric mean.

    column: mse_kernel, without ridge, from N = 1.5 P on; mse_ridge, with the effective ridge, up to
    N = 0.7 P. A value of each data set and seed, the mean over its N.
    """
    cells = _cells(tables)
    ratio = cells["N_over_P"]
    own = cells[ratio <= BELOW if column == "mse_ridge" else ratio >= ABOVE]
    own = own[(own["mse_limit"] > 0) & (own[column] > 0)]
    if own.empty:
        return NOT_MEASURED
    own = own.assign(log=np.log(own["mse_limit"]) - np.log(own[column]))
    means = own.groupby(["data", "P", "seed"])["log"].mean()
    found = as_ratio(mean_of(means.tolist(), "seeds of data sets"))
    by_data = means.groupby("data").mean()
    each = ", ".join(f"{name} {exp(value):.3f}" for name, value in by_data.items())
    return Measurement(**{**vars(found), "note": f"{found.note}; {each}"})


def gain(tables: Tables, *, data: str) -> Measurement:
    """Part of the test points that a single member has wrong and the ensemble right, at N = 2 P."""
    cells = _cells(tables)
    own = cells[(cells["data"] == data) & (cells["N_over_P"] == 2)]
    difference = pd.Series(own["error"] - own["error_ensemble"])
    return mean_of(difference.tolist(), "seeds") if len(own) else NOT_MEASURED


TOPIC = "Random features"
FIGURE = "random_features"
GRID = "0.15, ours: N is tried in steps of a tenth of P around P"
LINE = "0.1, ours: corrections of order P/N from N = 4 P on"
KERNEL = "0.05, ours: the mean over members and data is known to a few percent"
RIDGE = "0.1, ours: the law is for large N, and N is as small as 60"
CHAPTER = "thesis, ch. 8.1"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        topic=TOPIC,
        figure=FIGURE,
        identifier="random-features-peak",
        statement="N/P at the largest squared error of a single member",
        place=f"{CHAPTER}; Mei and Montanari 2021",
        expected=1,
        tolerance=0.15,
        tolerance_reason=GRID,
        measure=peak,
    ),
    *(
        Claim(
            topic=TOPIC,
            figure=FIGURE,
            identifier=f"random-features-{name}",
            statement=statement,
            place="thesis, ch. 2b: fluctuations of relative size 1/√N",
            expected=-1,
            tolerance=tolerance,
            tolerance_reason=reason,
            measure=partial(decay, excess=name == "excess"),
        )
        for name, statement, tolerance, reason in (
            ("variance", "exponent of N in the variance between members", 0.1, LINE),
            ("excess", "exponent of N in the squared error above the kernel's", 0.1, LINE),
        )
    ),
    *(
        Claim(
            topic=TOPIC,
            figure=FIGURE,
            identifier=f"random-features-{name}",
            statement=f"infinite ensemble's error over the kernel's{which}",
            place=place,
            expected=1,
            tolerance=tolerance,
            tolerance_reason=reason,
            measure=partial(ensemble_over, column=column),
        )
        for name, which, place, tolerance, reason, column in (
            ("flat", ", N ≥ 1.5 P", f"{CHAPTER}; d'Ascoli et al. 2020", 0.05, KERNEL, "mse_kernel"),
            (
                *("ridge", " with effective ridge, N ≤ 0.7 P"),
                *(f"{CHAPTER}; Jacot et al. 2020", 0.1, RIDGE, "mse_ridge"),
            ),
        )
    ),
    Claim(
        topic=TOPIC,
        figure=FIGURE,
        identifier="random-features-inverse",
        statement="exponent of N − P in the variance between members, N ≥ 1.1 P",
        place="ours, from looking at the figure",
        expected=nan,
        tolerance=nan,
        tolerance_reason="found in these rows, so that they cannot test it",
        measure=partial(decay, least=1.1, offset=1),
    ),
    Claim(
        topic=TOPIC,
        figure=FIGURE,
        identifier="random-features-height",
        statement="squared error of a single member, N = P over the largest N",
        place=CHAPTER,
        expected=nan,
        tolerance=nan,
        tolerance_reason="it diverges with the number of members that are tried",
        measure=height,
    ),
    *(
        Claim(
            topic=TOPIC,
            figure=FIGURE,
            identifier=f"random-features-gain-{data}",
            statement=f"test error, single member minus ensemble, N = 2 P, {data}",
            place=CHAPTER,
            expected=nan,
            tolerance=nan,
            tolerance_reason="no source has a number",
            measure=partial(gain, data=data),
        )
        for data in ("digits", "srhm")
    ),
)
