"""Claims of the talk on representation cost, bottleneck and summary statistics.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2 November 2023), by the
titles of its slides.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import as_ratio, mean_of, no_points, of_points
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.limits import FIRST_DEPTH
from srhm.studies.representation_cost.readings import (
    SINGULAR_VALUES,
    bottleneck_ranks,
    deepest,
    finished,
    fits_its_points,
    in_middle,
    large_by_frequency,
    stable,
    two_parts,
    underestimating,
)


def _cells(tables: Tables, experiment: str) -> pd.DataFrame:
    return finished(tables.get("cells", pd.DataFrame()), experiment)


def _mean(values: pd.Series, what: str) -> Measurement:
    return mean_of([float(value) for value in values], what)


def limit(tables: Tables, *, map_name: str, column: str) -> Measurement:
    """Mean over seeds of R^(0) or R^(1) of a map."""
    rows = tables.get("limits", pd.DataFrame())
    if rows.empty or not (own := rows[rows["map"] == map_name]).size:
        return NOT_MEASURED
    measured = _mean(own[column], "seeds")
    note = f"{measured.note}; from L up to {own['L'].max()}"
    return Measurement(**{**measured.__dict__, "note": note})


def correction_below_bound(tables: Tables) -> Measurement:
    """Mean of 2 log |Jf|_+ minus R^(1), of the maps of rank k and each seed."""
    rows = tables.get("limits", pd.DataFrame())
    if rows.empty or not (own := rows[rows["map"].str.startswith("rank")]).size:
        return NOT_MEASURED
    return _mean(2 * own["log_jacobian"] - own["R1"], "maps and seeds")


def linear_error(tables: Tables, *, of: str) -> Measurement:
    """Mean of the relative distance of ||theta||^2 from R, over deep linear networks."""
    own = _cells(tables, "linear")
    if own.empty:
        return NOT_MEASURED
    off = (own["squared_parameters"] / own[of] - 1).abs()
    measured = _mean(off, "networks")
    note = f"{measured.note}; largest {off.max():.2g}"
    return Measurement(**{**measured.__dict__, "note": note})


def geodesic(tables: Tables) -> Measurement:
    """Mean over deep linear networks of the largest relative distance of a layer's Sigma_l."""
    own = _cells(tables, "linear")
    return NOT_MEASURED if own.empty else _mean(own["geodesic_distance"], "networks")


def rank_excess(tables: Tables) -> Measurement:
    """Large singular values of middle layers minus the rank, deepest stable ones of maps of rank k.

    The deepest of each map, with the seeds that are stable there.
    """
    own = _cells(tables, "maps")
    if own.empty or not (own := own[stable(own) & own["map"].str.startswith("rank")]).size:
        return NOT_MEASURED
    own = deepest(own, by="map")
    depths = ", ".join(f"L = {depth:.0f}" for depth in own.groupby("map")["L"].first())
    return _mean(own["weight_rank"] - bottleneck_ranks(own), f"networks of {depths}")


def sharpness_of_low_ranks(tables: Tables) -> Measurement:
    """(2/N) max ||J_theta f||_op^2 / L of networks of the right rank over that of too low a rank.

    Of each map the largest of the right rank; the geometric mean over the networks of too low a
    rank. Only networks that fit their points, from L = 6 on.
    """
    own = _cells(tables, "maps")
    if own.empty or not (own := own[fits_its_points(own) & (own["L"] >= FIRST_DEPTH)]).size:
        return NOT_MEASURED
    low = own["weight_rank"] < bottleneck_ranks(own) - LOW
    height = (own["sharpness"] / own["L"]).map(np.log)
    usual = height[~low].groupby(own["map"][~low]).max()
    # Without a network of too low a rank the names stay text, from which no number is taken.
    apart = (height[low] - own["map"][low].map(usual).astype(float)).dropna()
    if apart.empty:
        return no_points("no network of too low a rank fits its points")
    return as_ratio(_mean(-apart, "networks of too low a rank"))


def over_bound(tables: Tables, *, value: str, bound: str) -> Measurement:
    """Mean over stable networks of one side of a bound over the other.

    The theorems are about networks whose Jacobian has the rank of the map, which those that lose a
    direction have in name alone: a singular value of it is not zero by rounding.
    """
    own = _cells(tables, "maps")
    if own.empty or (own := own[stable(own)]).empty:
        return NOT_MEASURED
    parts = (own[value] / own[bound]).dropna()
    measured = _mean(parts, "networks")
    if not measured.n:
        return measured
    above = int((parts > 1).sum())
    note = f"{measured.note}; largest {parts.max():.3g}, {above} above 1"
    return Measurement(**{**measured.__dict__, "note": note})


def sharpness_exponent(tables: Tables) -> Measurement:
    """Exponent of L in the largest (2/N) ||J_theta f(x_i)||_op^2, an intercept for each map."""
    own = _cells(tables, "maps")
    if own.empty or (own := own[stable(own)])["L"].nunique() < 3:
        return NOT_MEASURED
    fit = slope_with_group_intercepts(
        np.log(own["L"].to_numpy(dtype=float)),
        np.log(own["sharpness"].to_numpy(dtype=float)),
        own["map"].to_numpy(),
        [],
    )
    return of_points(fit, "networks")


def few_points_rank(tables: Tables, *, few: bool) -> Measurement:
    """Large singular values of middle layers of networks that fit the fewest, or the most, points.

    Only those that have reached the rank-2 map's training points: C below a tenth of the variance.
    """
    own = _cells(tables, "few_points")
    if own.empty:
        return NOT_MEASURED
    n = own["n"].min() if few else own["n"].max()
    own = own[(own["n"] == n) & fits_its_points(own)]
    return _mean(own["weight_rank"], f"networks that fit {n} points")


def path_exponent(tables: Tables, *, rank: int) -> Measurement:
    """Slope against log N of twice the logarithm of the length of a tree, seed by seed."""
    own = _cells(tables, "paths")
    if own.empty or (own := own[own["rank"] == rank])["n"].nunique() < 2:
        return NOT_MEASURED
    slopes = [
        float(np.polyfit(np.log(seed["n"].to_numpy(dtype=float)), seed["path_bound"], 1)[0])
        for _, seed in own.groupby("seed")
        if len(seed) > 1
    ]
    return mean_of(slopes, f"seeds, N from {own['n'].min()} to {own['n'].max()}")


def affine_correction(tables: Tables) -> Measurement:
    """R^(1) of deep linear networks minus 2 log |A|_+, mean over matrices.

    R / L is fitted by a parabola in 1 / L from L = 6 on: what comes after R^(1) is not small there.
    """
    own = _cells(tables, "linear")
    if own.empty:
        return NOT_MEASURED
    apart = []
    for _, group in own[own["L"] >= FIRST_DEPTH].groupby(["rank", "seed"]):
        if group["L"].nunique() > 3:
            inverse = 1 / group["L"].to_numpy(dtype=float)
            heights = group["squared_parameters"].to_numpy(dtype=float) * inverse
            known = np.prod(SINGULAR_VALUES[: int(group["rank"].iloc[0])])
            apart.append(float(np.polyfit(inverse, heights, 2)[1] - 2 * np.log(known)))
    return mean_of(apart, "matrices") if apart else no_points("fewer than four depths")


def additivity(tables: Tables) -> Measurement:
    """Distance of a linear network's two parts from R of two ideal maps, the largest of all l.

    These are (A^T A)^(l/2L), then A (A^T A)^(-l/2L): `readings.two_parts`. Where ||theta||^2 is
    R of the whole map, this says that layers share the norm equally.
    """
    own = _cells(tables, "linear")
    rows = tables.get("layers", pd.DataFrame())
    if own.empty or rows.empty:
        return NOT_MEASURED
    found = two_parts(rows, own)
    below = (found["norm_below"] / found["cost_below"] - 1).abs()
    above = (found["norm_above"] / found["cost_above"] - 1).abs()
    worst = pd.concat([below, above], axis=1).max(axis=1).groupby(found["key"]).max()
    measured = _mean(worst, "networks")
    note = f"{measured.note}; largest {worst.max():.2g}"
    return Measurement(**{**measured.__dict__, "note": note})


def planarity(tables: Tables) -> Measurement:
    """Directions of the representations of middle layers minus k, deepest stable networks.

    Of the maps with Rank_J = Rank_BN = k; mean over middle layers.
    """
    own = _cells(tables, "maps")
    rows = tables.get("layers", pd.DataFrame())
    if own.empty or rows.empty:
        return NOT_MEASURED
    own = own[stable(own) & own["map"].isin(PLANAR)]
    if own.empty:
        return no_points("no stable network")
    own = deepest(own, by="map")
    own = own.assign(rank=bottleneck_ranks(own))
    joined = in_middle(rows.merge(own[["key", "L", "rank"]], on="key"))
    excess = (joined["n_visible"] - joined["rank"]).groupby(joined["key"]).mean()
    return _mean(excess, "networks")


def underestimation_bound(tables: Tables) -> Measurement:
    """The slope in log N of log(||J_theta f||^2 e^(c_1) / (L N^(4-4/k*))), fits of rank 1.

    `readings.underestimating`: k* = 2 alone, networks that fit their points.
    """
    rows = underestimating(tables.get("cells", pd.DataFrame()))
    if rows.empty or rows["n"].nunique() < 3:
        return NOT_MEASURED if rows.empty else no_points("fewer than three N")
    sizes = np.log(rows["n"].to_numpy(dtype=float))
    one = np.zeros(len(rows))
    fit = slope_with_group_intercepts(sizes, rows["log_over_bound"].to_numpy(), one, [])
    return of_points(fit, "networks")


def uneven_layers(tables: Tables, *, part: float = 0.5) -> Measurement:
    """Part of a network's layers that are further than bound / (p L) from V_l V_(l-1)^T."""
    own = _cells(tables, "maps")
    rows = tables.get("layers", pd.DataFrame())
    if own.empty or rows.empty:
        return NOT_MEASURED
    known = own[stable(own)].dropna(subset=["structure_bound"])
    joined = rows.merge(known[["key", "L", "structure_bound"]], on="key")
    above = joined["distance"] > joined["structure_bound"] / (part * joined["L"])
    measured = _mean(above.groupby(joined["key"]).mean(), "networks")
    return measured if len(joined) else NOT_MEASURED


def tripoints(tables: Tables, *, deep: bool, task: str = "classes") -> Measurement:
    """Places where three class regions meet, mean over seeds, at the largest or smallest L.

    task: the four curves (classes), or the four groups (zigzag).
    """
    own = _cells(tables, task)
    if own.empty:
        return NOT_MEASURED
    depth = own["L"].max() if deep else own["L"].min()
    own = own[(own["L"] == depth) & (own["train_error"] < 0.05)]
    return _mean(own["tripoints"], f"networks of L = {depth} that fit")


def class_rank(tables: Tables, *, task: str = "classes") -> Measurement:
    """Directions of the middle representation, deepest networks of the four classes of a task."""
    own = deepest(_cells(tables, task))
    rows = tables.get("layers", pd.DataFrame())
    if own.empty or rows.empty:
        return NOT_MEASURED
    found = rows.merge(own[["key", "L"]], on="key")
    middle = found[found["k"] == found["L"] // 2]
    return _mean(middle["n_visible"], f"networks of L = {own['L'].max()}, layer L / 2")


def ball_values(tables: Tables, *, frequencies: Callable[[pd.Series], pd.Series]) -> Measurement:
    """Large singular values of middle layers at some frequencies, summed over these."""
    own = _cells(tables, "ball")
    values = tables.get("values", pd.DataFrame())
    if own.empty or values.empty:
        return NOT_MEASURED
    counts = large_by_frequency(values, own)
    chosen = counts[frequencies(counts["frequency"])]
    return _mean(chosen.groupby("key")["n_large"].sum(), "networks")


def factorisation(tables: Tables, *, column: str) -> Measurement:
    """Mean over seeds of a column of the deepest networks that learn losses."""
    own = deepest(_cells(tables, "factorisation"))
    return NOT_MEASURED if own.empty else _mean(own[column], f"networks of L = {own['L'].max()}")


def hierarchy_rank(tables: Tables) -> Measurement:
    """Directions of the middle representation minus n_c - 1, networks that learn a grammar."""
    own = _cells(tables, "hierarchy")
    if own.empty:
        return NOT_MEASURED
    learnt = own[own["test_error"] < 0.3]
    if learnt.empty:
        return no_points("no network has learnt its grammar")
    rows = tables.get("layers", pd.DataFrame()).merge(learnt[["key", "L", "n_c"]], on="key")
    last = rows[rows["k"] == rows["L"] - 1]
    return _mean(last["n_visible"] - (last["n_c"] - 1), "networks, last hidden layer")


def hierarchy_narrowing(tables: Tables) -> Measurement:
    """First layer whose representation has n_c - 1 directions or fewer, over L."""
    own = _cells(tables, "hierarchy")
    rows = tables.get("layers", pd.DataFrame())
    if own.empty or rows.empty:
        return NOT_MEASURED
    rows = rows.merge(own[["key", "L", "n_c"]], on="key")
    narrow = rows[rows["n_visible"] <= rows["n_c"] - 1]
    first = narrow.groupby("key")["k"].min() / narrow.groupby("key")["L"].first()
    return _mean(first, "networks in which it happens")


# Reasons of the tolerances, fixed before the runs that are scored (after trial networks).
QUARTER = "a quarter: half of the way to where two whole ranks could be confused"
HALF = "less than half: the nearest whole number is the expected one"
CORRECTION = "a map that decay flattens by a tenth in two directions has 0.4 less"
PERCENT = "1 %, far below the difference to any other power of the singular values"
TWO_PERCENT = "2 % of the norm of Sigma_l: not to be seen in a figure"
THEOREM = "a theorem: the ratio cannot exceed 1"
TENTH = "a tenth of the variance, ours"
BETWEEN = "the theorem's two ends, 1 and 2, with a tenth beyond for the fit in 1/L"
CORRECTION_OF_FIT = "0.1: a parabola in 1/L through the closed form from L = 6 on is off by 0.02"
TENTH_OF_LAW = "a tenth: points at the surface of the cube have fewer neighbours"
WHOLE = "below 0.5, so that no value is within the tolerance of two whole exponents"
ONE = "1, ours, as for the other networks on a grammar"
TRIANGLES = "half: the number is ours, from two triangles of groups with a tripoint each"
NO_REASON = "the talk has no number"
NO_CONSTANT = "the theorem bounds the ratio by a constant that is not known, whatever its slope"
LIMIT = "talk, slide 'Infinite Depth Limit'"
CORRECTION_SLIDE = "talk, slide 'First correction'"
TOPICS = {
    "depth": "Representation cost against depth",
    "overfitting": "Fits of too low a rank",
    "weights": "Bottleneck structure of the weights",
    "classes": "Four classes in the plane",
    "ball": "A ball under gravity",
    "factorisation": "Summary statistics of gradient descent",
    "hierarchy": "Ranks by layer on a grammar",
}
# Below the rank by more: not a singular value that a layer or two of the middle lack.
LOW = 0.5
# Maps with Rank_J = Rank_BN, which the statement on planar representations is about.
PLANAR = [name for name, one in MAPS.items() if one.jacobian_rank == one.bottleneck_rank]
Measure = Callable[[Tables], Measurement]


def _claim(
    figure: str,
    identifier: str,
    statement: str,
    place: str,
    measure: Measure,
    expected: float = nan,
    tolerance: float = nan,
    reason: str = NO_REASON,
) -> Claim:
    return Claim(
        identifier=f"cost-{identifier}",
        topic=TOPICS[figure],
        figure=f"cost_{figure}",
        statement=statement,
        place=place,
        expected=expected,
        tolerance=tolerance,
        tolerance_reason=reason,
        measure=measure,
    )


def _depth() -> Sequence[Claim]:
    L2 = "talk, slide 'L2 regularization'"
    identity = "talk, slide 'Identity cost'"
    R0 = partial(limit, column="R0")
    return (
        *(
            _claim("depth", f"R0-rank-{rank}", f"R^(0) of a map of rank {rank}", LIMIT,
                   partial(R0, map_name=f"rank {rank}"), rank, 0.25, QUARTER)
            for rank in (1, 2, 3)
        ),
        _claim("depth", "R0-square", "R^(0) of the identity on a square", identity,
               partial(R0, map_name="square"), 2, 0.25, QUARTER),
        _claim("depth", "R0-circle-theorem", "1 = Rank_J <= R^(0) <= Rank_BN = 2, a circle", LIMIT,
               partial(R0, map_name="circle"), 1.5, 0.6, BETWEEN),
        _claim("depth", "R0-circle-conjecture", "R^(0) = Rank_BN = 2: identity on a circle", LIMIT,
               partial(R0, map_name="circle"), 2, 0.25, QUARTER),
        _claim("depth", "R1-square", "R^(1) of the identity on a positive square", identity,
               partial(limit, map_name="square", column="R1"), 0, 0.5, CORRECTION),
        _claim("depth", "R1-bound", "2 log|Jf|_+ - R^(1), maps of rank k (not above 0)",
               CORRECTION_SLIDE, correction_below_bound, 0, nan, "a theorem: not above 0"),
        _claim("depth", "linear-target", "linear networks: ||theta||^2 against L sum s_i(A)^(2/L)",
               L2, partial(linear_error, of="cost_of_target"), 0.01, nan, PERCENT),
        _claim("depth", "linear-reached", "the same for the matrix that is reached", L2,
               partial(linear_error, of="cost_of_map"), 0.01, nan, PERCENT),
        _claim("depth", "sharpness", "exponent of L in max_i (2/N) ||J_theta f(x_i)||^2",
               "talk, slide 'Minima stability'", sharpness_exponent, 1, 0.35, WHOLE),
        _claim("depth", "R1-affine", "linear networks: R^(1) less 2 log|A|_+", CORRECTION_SLIDE,
               affine_correction, 0, 0.1, CORRECTION_OF_FIT),
        _claim("depth", "unstable-ranks",
               "(2/N) max ||J_theta f||^2 / L, right rank over too low a rank",
               "talk, slide 'Minima stability'", sharpness_of_low_ranks, 1, nan,
               "fits of too low a rank are the unstable ones"),
        *(
            _claim("overfitting", f"path-{rank}",
                   f"slope in log N of the least R^(1) of rank-1 fits, k* = {rank}",
                   "talk, slide 'Symmetry overfitting?'", partial(path_exponent, rank=rank),
                   2 * (1 - 1 / rank), 0.2 * (1 - 1 / rank), TENTH_OF_LAW)
            for rank in (2, 3)
        ),
        _claim("overfitting", "underestimation",
               "slope in log N of log ||J_theta f||^2 over L e^(-c1) N^2, fits of rank 1",
               "talk, slide 'Minima stability'", underestimation_bound, reason=NO_CONSTANT),
        *(
            _claim("overfitting", f"rank-{word}-points",
                   f"singular values near 1 of fits of rank 2 to the {word} points",
                   "talk, slide 'Symmetry overfitting?'", partial(few_points_rank, few=few))
            for word, few in (("fewest", True), ("most", False))
        ),
    )  # fmt: skip


def _weights() -> Sequence[Claim]:
    slide = "talk, slide 'Bottleneck Structure on the Weights'"
    return (
        _claim("weights", "weight-rank", "singular values near 1 of middle layers, minus the rank",
               slide, rank_excess, 0, 0.5, HALF),
        _claim("weights", "structure-bound",
               "min sum ||W_l - V_l V_(l-1)^T||^2 over c_1 - 2 log|Jf|_+", slide,
               partial(over_bound, value="structure", bound="structure_bound"), 1, nan, THEOREM),
        _claim("weights", "uneven-layers",
               "part of the layers further than 2/L of the bound from V_l V_(l-1)^T", slide,
               uneven_layers, 0.5, nan, "a theorem at p = 1/2: not above one half"),
        _claim("weights", "signal-bound", "sum_l ||alpha_(l-1)(x)||^2 over its bound",
               "talk, slide 'Convergence of the representations'",
               partial(over_bound, value="signal", bound="signal_bound"), 1, nan, THEOREM),
        _claim("weights", "additivity",
               "linear: norms below, above layer l against R of (A^T A)^(l/2L), of the rest",
               "talk, slide 'Representation geodesics'", additivity, 0.01, nan, PERCENT),
        _claim("weights", "planar", "directions of middle representations, minus k",
               "talk, slide 'Identity cost'", planarity, 0, 0.5, HALF),
        _claim("weights", "geodesic", "linear networks: distance of Sigma_l from (A^T A)^(l/L)",
               "talk, slide 'Representation geodesics'", geodesic, 0.02, nan, TWO_PERCENT),
    )  # fmt: skip


def _others() -> Sequence[Claim]:
    classes = "talk, slide 'Implications: Classification'"
    mechanics = "talk, slide 'Learning Newtonian Mechanics'"
    statistics = "talk, slide 'Summary Statistics'"
    explained = partial(partial, factorisation)  # a column -> its measurement
    return (
        _claim("classes", "tripoints-deep", "tripoints of deep networks", classes,
               partial(tripoints, deep=True), 0, 0.5, HALF),
        _claim("classes", "tripoints-shallow", "tripoints of shallow networks", classes,
               partial(tripoints, deep=False)),
        _claim("classes", "class-rank", "directions of the middle layer of deep networks", classes,
               class_rank, 1, 0.49, HALF),
        *(
            _claim("classes", f"zigzag-{word}", f"four groups on a zigzag: tripoints, {word}",
                   classes, partial(tripoints, deep=deep, task="zigzag"), expected, 0.5, reason)
            for word, deep, expected, reason in (
                ("shallow", False, 2, TRIANGLES), ("deep", True, 0, HALF)
            )
        ),
        _claim("classes", "zigzag-rank", "the same: directions of the middle layer, deep", classes,
               partial(class_rank, task="zigzag"), 1, 0.49, HALF),
        _claim("ball", "ball-frequency-1", "singular values near 1 at frequency 1", mechanics,
               partial(ball_values, frequencies=lambda w: w == 1), 2, 0.5, HALF),
        _claim("ball", "ball-frequency-0", "singular values near 1 at frequency 0", mechanics,
               partial(ball_values, frequencies=lambda w: w == 0)),
        _claim("ball", "ball-higher", "singular values near 1 at frequencies above 1", mechanics,
               partial(ball_values, frequencies=lambda w: w > 1), 0, 0.5, HALF),
        _claim("factorisation", "factorisation-rank", "singular values near 1 of middle layers",
               statistics, explained(column="weight_rank"), 2, 0.49, HALF),
        _claim("factorisation", "explained-overlap", "R^2 of |w^T theta| from two components",
               statistics, explained(column="explained_overlap"), 1, 0.1, TENTH),
        _claim("factorisation", "explained-rest", "R^2 of ||(I - w w^T) theta|| from them",
               statistics, explained(column="explained_rest"), 1, 0.1, TENTH),
        _claim("factorisation", "explained-signed", "R^2 of w^T theta, with its sign, from them",
               statistics, explained(column="explained_signed_overlap"), 0, 0.1, TENTH),
        _claim("factorisation", "explained-coordinate", "R^2 of one coordinate across w, from them",
               statistics, explained(column="explained_one_coordinate"), 0, 0.1, TENTH),
        _claim("hierarchy", "hierarchy-rank", "directions of the last hidden layer, minus n_c - 1",
               "talk, slide 'Bottleneck Structure on the Weights'", hierarchy_rank, 0, 1, ONE),
        _claim("hierarchy", "hierarchy-narrowing", "first layer of n_c - 1 directions, over L",
               "talk, slide 'Convergence of the representations'", hierarchy_narrowing),
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (*_depth(), *_weights(), *_others())
