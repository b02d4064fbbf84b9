"""Claims of chapters 1, 2a and 2b of the thesis on FCN that learn the parity of digits.

N counts weights without biases, N_Delta unsatisfied points; N* is the smallest N that fits P
points, h* its width. Tolerances were fixed before measuring.
"""

from functools import partial
from math import log, nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, Measurement, Tables, once
from srhm.scorecard.fits import as_ratio, listed_as_left_out, mean_of, no_points, of_fit, part_of
from srhm.statistics.jamming import first_jammed, with_jamming
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.digits_jamming.analysis import FAR, beyond, errors, peaks, thresholds

DATA = ("digits", "digits_pca", "mnist", "mnist_pca")
LEAST = 0.25  # N_Delta/N of a jammed network, chapter 2a
NO_N_STAR = "no N* within the widths"


def against_random(tables: Tables) -> Measurement:
    """Geometric mean of N*(P) of digits over that of random data, at equal d, depth and P."""
    stars, end = _reached(tables)
    if stars.empty:
        return no_points(NO_N_STAR)
    on = ["n_inputs", "hidden_layers", "P", "settings"]
    random = stars[stars["data"] == "random"]
    pairs = stars[stars["data"].isin(DATA)].merge(random, on=on, suffixes=("", "_random"))
    ratios = pairs["N_star"] / pairs["N_star_random"]
    listed = ", ".join(f"{r:.2f} at {P}" for r, P in zip(ratios, pairs["P"], strict=True))
    logs = np.log(ratios.to_numpy(dtype=float)).tolist()
    return as_ratio(mean_of(logs, f"sizes P ({listed}){end}"))


def growth(tables: Tables, *, random: bool) -> Measurement:
    """Slope of log N* against log P, an intercept for each kind of data and depth."""
    stars, end = _reached(tables)
    own = stars[(stars["data"] == "random") == random] if len(stars) else stars
    if own.empty:
        return no_points(NO_N_STAR)
    x, y = (np.log(own[name].to_numpy(dtype=float)) for name in ("P", "N_star"))
    groups = own.groupby(["data", "hidden_layers"]).ngroup().to_numpy()
    fit = slope_with_group_intercepts(x, y, groups, [])
    if not fit.n:
        return no_points(f"no two sizes P{end}")
    return of_fit(fit, f"{fit.n} sizes P{end}; the error is the scatter about the line")


def below_the_least(tables: Tables) -> Measurement:
    """Part of the jammed networks with N_Delta/N below 1/4."""
    jammed = _jammed(tables)
    if jammed.empty:
        return no_points("no jammed network")
    low, least = jammed["unsatisfied"] < LEAST, float(jammed["unsatisfied"].min())
    note = f"{int(low.sum())} of {len(jammed)} jammed networks; the lowest has {least:.3f}"
    return part_of(int(low.sum()), len(jammed), note)


def at_the_transition(tables: Tables, *, random: bool) -> Measurement:
    """N_Delta/N at the first jammed P/N of each size that has one, mean over sizes."""
    cells = tables.get("cells", pd.DataFrame())
    own = cells[(cells["data"] == "random") == random] if len(cells) else cells
    found = first_jammed(own) if len(own) else pd.DataFrame()
    if found.empty:
        return no_points("no P/N with a jammed majority")
    listed = ", ".join(f"{v:.2f} (P/N = {x:.2f})" for v, x in
                       zip(found["unsatisfied"], found["load"], strict=True))  # fmt: skip
    return mean_of(found["unsatisfied"].tolist(), f"sizes N: {listed}")


def cusp(tables: Tables) -> Measurement:
    """Log of the N of the largest error over N*, mean over curves."""
    found = _peaks(tables)
    if found.empty:
        return no_points("no curve with N* and three sizes from N*/2 on")
    logs = np.log(found["N_peak"] / found["N_star"]).tolist()
    listed = ", ".join(
        f"P = {P}: {peak:g} against {star:.3g}"
        for P, peak, star in found[["P", "N_peak", "N_star"]].itertuples(index=False)
    )
    return mean_of(logs, f"curves ({listed})")


def cusp_of_early_stopping(tables: Tables) -> Measurement:
    """Height of the cusp with early stopping minus half of that at the end, mean over curves."""
    found = _peaks(tables)
    if found.empty:
        return no_points("no curve with N* and three sizes from N*/2 on")
    listed = ", ".join(
        f"P = {P}: {early:.3f} of {final:.3f}"
        for P, early, final in found[["P", "early", "final"]].itertuples(index=False)
    )
    return mean_of((found["early"] - found["final"] / 2).tolist(), f"curves ({listed})")


def ensemble_gain(tables: Tables) -> Measurement:
    """Error of the mean network minus that of single ones, mean over sizes above N*."""
    rows = beyond(_errors(tables), factor=1.0)
    if rows.empty:
        return no_points("no ensemble above N*")
    gain = (rows["ensemble"] - rows["mean_error"]).tolist()
    return mean_of(gain, "ensembles above N*")


def ensemble_flatness(tables: Tables) -> Measurement:
    """Slope of the error of the mean network against ln N above N*."""
    return _slope(tables, "ensemble", factor=1.0, logarithmic=False)


def excess(tables: Tables) -> Measurement:
    """Slope of the log of single minus ensemble error against log N, from FAR h* on."""
    return _slope(tables, "excess", factor=FAR, logarithmic=True)


def fluctuation(tables: Tables) -> Measurement:
    """Slope of log Var F against log N, from FAR h* on."""
    return _slope(tables, "variance", factor=FAR, logarithmic=True)


def _slope(tables: Tables, column: str, *, factor: float, logarithmic: bool) -> Measurement:
    rows = beyond(_errors(tables), factor=factor)
    if rows.empty:
        return no_points(f"no ensemble from {factor:g} h* on")
    rows = rows.assign(excess=rows["mean_error"] - rows["ensemble"])
    used = rows[rows[column] > 0]
    values = used[column].to_numpy(dtype=float)
    groups = used.groupby(["data", "hidden_layers", "P"]).ngroup().to_numpy()
    y = np.log(values) if logarithmic else values
    fit = slope_with_group_intercepts(np.log(used["N"].to_numpy(dtype=float)), y, groups, [])
    if not fit.n:
        return no_points(f"no curve with two sizes from {factor:g} h* on")
    end = listed_as_left_out({"sizes with no positive value": len(rows) - len(used)})
    return of_fit(fit, f"{fit.n} sizes N of {fit.n_groups} curves; scatter about the lines{end}")


def _errors(tables: Tables) -> pd.DataFrame:
    names = ("cells", "ensembles", "histories")
    cells, ensembles, histories = (tables.get(name, pd.DataFrame()) for name in names)
    if cells.empty or ensembles.empty or histories.empty:
        return pd.DataFrame()
    return once(tables, "errors", lambda: errors(cells, ensembles, histories))


def _peaks(tables: Tables) -> pd.DataFrame:
    table = _errors(tables)
    return peaks(table) if len(table) else table


def _jammed(tables: Tables) -> pd.DataFrame:
    cells = tables.get("cells", pd.DataFrame())
    return with_jamming(cells).query("jammed") if len(cells) else cells


def _reached(tables: Tables) -> tuple[pd.DataFrame, str]:
    """N* within the widths, and in words how many are not."""
    cells = tables.get("cells", pd.DataFrame())
    stars = once(tables, "thresholds", lambda: thresholds(cells))
    if stars.empty:
        return stars, ""
    used = stars[stars["status"] == "reached"]
    return used, listed_as_left_out({"of which N* is beyond the widths": len(stars) - len(used)})


NOTHING = "reported: the source gives no number"
GROWTH = "0.25, ours: a step of the widths is a factor of about 1.8 in N"
TRANSITION = "0.25, ours: N_Δ/N rises with P/N, and a step of the grid is a factor of 1.8"
EVERY = "0.05, ours: that there is none is nothing that a number of networks can show"
CUSP = "log 2, ours: a step of the widths is a factor of about 1.8 in N"
HALF = "an upper bound, ours: early stopping takes away more than half of the cusp"
GAIN = "an upper bound: an ensemble gains where its error is below its networks'"
EXCESS = "0.2, ours: the thesis's free fit has -0.42, and there are few test points"
VARIANCE = "0.2, ours: the thesis draws N^-1/4 of the norm through its points"
TOPIC = "Jamming and double descent on digits"


def _jamming_claims() -> list[Claim]:
    shared = {"topic": TOPIC, "figure": "digits_jamming"}
    return [
        Claim(
            **shared,
            identifier="digits-n-star-over-random",
            statement="N* of digits over N* of random data, at equal P: ratio",
            place="thesis, ch. 1, Fig. 10: below",
            expected=1,
            tolerance=nan,
            tolerance_reason="an upper bound: images need fewer weights than random data",
            measure=against_random,
        ),
        Claim(
            **shared,
            identifier="digits-n-star-growth",
            statement="Slope of log N* against log P, digits",
            place="thesis, ch. 1, Fig. 10: sublinear",
            expected=1,
            tolerance=nan,
            tolerance_reason="an upper bound: sublinear",
            measure=partial(growth, random=False),
        ),
        Claim(
            **shared,
            identifier="random-n-star-growth",
            statement="Slope of log N* against log P, random data",
            place="thesis, ch. 1, Fig. 5; ch. 2a, Fig. 3A: linear",
            expected=1,
            tolerance=0.25,
            tolerance_reason=GROWTH,
            measure=partial(growth, random=True),
        ),
        Claim(
            **shared,
            identifier="digits-jammed-below-a-quarter",
            statement="Part of the jammed networks with N_Δ/N below 1/4",
            place="thesis, ch. 2a, Fig. 3B, 3D",
            expected=0,
            tolerance=0.05,
            tolerance_reason=EVERY,
            measure=below_the_least,
        ),
        Claim(
            **shared,
            identifier="digits-unsatisfied",
            statement="N_Δ/N at the first jammed P/N, digits",
            place="thesis, ch. 1, Fig. 9a: about 0.5 for MNIST, not universal",
            expected=nan,
            tolerance=nan,
            tolerance_reason="reported: the thesis calls it not universal",
            measure=partial(at_the_transition, random=False),
        ),
        Claim(
            **shared,
            identifier="random-unsatisfied",
            statement="N_Δ/N at the first jammed P/N, random data",
            place="thesis, ch. 1, Fig. 6a",
            expected=0.75,
            tolerance=0.25,
            tolerance_reason=TRANSITION,
            measure=partial(at_the_transition, random=True),
        ),
    ]


def _descent_claims() -> list[Claim]:
    shared = {"topic": TOPIC, "figure": "digits_descent"}
    return [
        Claim(
            **shared,
            identifier="digits-cusp",
            statement="N of the largest final test error over N*: mean of the logarithm",
            place="thesis, ch. 2a, Fig. 4C",
            expected=0,
            tolerance=log(2),
            tolerance_reason=CUSP,
            measure=cusp,
        ),
        Claim(
            **shared,
            identifier="digits-early-stopping",
            statement="Cusp with early stopping minus half of that at the end, test error",
            place="thesis, ch. 2a, Fig. 4B: early stopping removes it",
            expected=0,
            tolerance=nan,
            tolerance_reason=HALF,
            measure=cusp_of_early_stopping,
        ),
        Claim(
            **shared,
            identifier="digits-ensemble-gain",
            statement="Test error of the mean network minus single ones, above N*",
            place="thesis, ch. 2b, Fig. 2A",
            expected=0,
            tolerance=nan,
            tolerance_reason=GAIN,
            measure=ensemble_gain,
        ),
        Claim(
            **shared,
            identifier="digits-ensemble-flat",
            statement="Test error of the mean network against ln N above N*: slope",
            place="thesis, ch. 2b, Fig. 2A: flat",
            expected=nan,
            tolerance=nan,
            tolerance_reason=NOTHING,
            measure=ensemble_flatness,
        ),
        Claim(
            **shared,
            identifier="digits-excess",
            statement="ε_N minus that of the mean network ~ N^-1/2 from 3 h* on: slope",
            place="thesis, ch. 2b, Fig. 6D",
            expected=-0.5,
            tolerance=0.2,
            tolerance_reason=EXCESS,
            measure=excess,
        ),
        Claim(
            **shared,
            identifier="digits-fluctuation",
            statement="Var F ~ N^-1/2 from 3 h* on: slope",
            place="thesis, ch. 2b, Fig. 5",
            expected=-0.5,
            tolerance=0.2,
            tolerance_reason=VARIANCE,
            measure=fluctuation,
        ),
    ]


CLAIMS = (*_jamming_claims(), *_descent_claims())
