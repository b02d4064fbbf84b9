"""Claims on relative stability (chapter 4 of the thesis).

Tolerances were fixed before the grids of quick and laptop were run. One network of each of four
kinds had been seen at P = 1200, with one seed, and one seed of the stripe model and of the SRHM.
"""

from functools import partial
from math import log, nan, pi

import numpy as np
import pandas as pd
from scipy import stats

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import as_ratio, mean_of, no_points, of_points
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.relative_stability.analysis import (
    at_largest,
    by_network,
    interval,
    log_correlations,
    measured,
    pairs,
)

MIN_NETWORKS = 4
SEEDS = "networks and seeds"


def _fields(tables: Tables, *, times_bound: float = nan) -> pd.DataFrame:
    cells = tables.get("cells", pd.DataFrame())
    if cells.empty:
        return cells
    chosen = cells[cells["experiment"] == "fields"]
    return chosen if np.isnan(times_bound) else chosen[chosen["times_bound"] == times_bound]


def _ranged(values: pd.Series, what: str) -> Measurement:
    """Mean with the range of the values as its interval."""
    if values.empty:
        return NOT_MEASURED
    return Measurement(value=float(values.mean()), low=float(values.min()),
                       high=float(values.max()), n=len(values),
                       note=f"{len(values)} {what}; from the least to the most")  # fmt: skip


def displacement(tables: Tables) -> Measurement:
    """Mean squared displacement of drawn fields over its exact sum."""
    rows = _fields(tables)
    if rows.empty:
        return NOT_MEASURED
    ratio = rows["squared_displacement"] / rows["exact_squared_displacement"]
    return _ranged(ratio, "cut-offs and temperatures")


def asymptote(tables: Tables) -> Measurement:
    """Exact sum at the largest cut-off over Eq. 3, the law of large cut-offs."""
    rows = _fields(tables)
    if rows.empty:
        return NOT_MEASURED
    rows = rows[rows["cutoff"] == rows["cutoff"].max()]
    law = pi / 4 * rows["size"] ** 2 * rows["temperature"] * np.log(rows["cutoff"])
    words = f"temperatures at c = {rows['cutoff'].iloc[0]:.0f}"
    return _ranged(rows["exact_squared_displacement"] / law, words)


def compression(tables: Tables) -> Measurement:
    """Median over fields of the largest Xi over Eq. 13."""
    rows = _fields(tables)
    if rows.empty:
        return NOT_MEASURED
    law = rows["cutoff"] / 2 * np.sqrt(pi**3 * rows["temperature"] * np.log(rows["cutoff"]))
    return _ranged(rows["compression"] / law, "cut-offs and temperatures")


def above_one(tables: Tables, *, times_bound: float) -> Measurement:
    """Part of the fields whose largest Xi is 1 or more at a temperature over its bound."""
    rows = _fields(tables, times_bound=times_bound)
    return NOT_MEASURED if rows.empty else _ranged(rows["part_above_one"], "cut-offs")


def _mean(logs: pd.Series, what: str) -> Measurement:
    return mean_of(logs.tolist(), what) if len(logs) else NOT_MEASURED


def _ratio(logs: pd.Series, what: str) -> Measurement:
    return as_ratio(mean_of(logs.tolist(), what)) if len(logs) else NOT_MEASURED


def _slope(rows: pd.DataFrame, x: str, y: str) -> Measurement:
    """Slope of log y against log x, an intercept for each net and seed."""
    if rows.empty:
        return NOT_MEASURED
    groups = rows.groupby(["net", "seed"]).ngroup().to_numpy()
    fit = slope_with_group_intercepts(
        np.log(rows[x].to_numpy(dtype=float)), np.log(rows[y].to_numpy(dtype=float)), groups, []
    )
    return of_points(fit, "points") if fit.n else NOT_MEASURED


def level(tables: Tables, *, when: str, kind: str = "") -> Measurement:
    """log10 of R_f at the largest P: mean over networks, each the mean of its seeds."""
    rows = at_largest(measured(tables, when=when, kind=kind))
    logs = pd.Series(np.log10(rows["R"].astype(float)))
    return _mean(logs.groupby(rows["net"]).mean(), "networks")


def over_start(tables: Tables, *, kind: str, inverse: bool = False) -> Measurement:
    """R_f after over before training at the largest P, or the inverse; over nets and seeds."""
    order = ("end", "start") if inverse else ("start", "end")
    return _ratio(pairs(at_largest(measured(tables, kind=kind)), "when", order), SEEDS)


def inverse_level(tables: Tables, *, kind: str) -> Measurement:
    """1/R_f of trained networks at the largest P, over nets and seeds."""
    rows = at_largest(measured(tables, kind=kind, when="end"))
    return _ratio(pd.Series(-np.log(rows["R"].astype(float))), SEEDS)


def over_sizes(
    tables: Tables, *, quantity: str, kind: str = "", inverse: bool = False
) -> Measurement:
    """A quantity at the largest over that at the smallest P, or the inverse; nets and seeds."""
    rows = measured(tables, kind=kind, when="end")
    ends = [rows["P"].min(), rows["P"].max()]
    if rows["P"].nunique() < 2:
        return NOT_MEASURED
    logs = pairs(rows, "P", ends[::-1] if inverse else ends, quantity=quantity)
    return _ratio(logs, f"{SEEDS}, P = {ends[0]:.0f} and {ends[1]:.0f}")


def size_slope(tables: Tables, *, kind: str) -> Measurement:
    """Slope of log R_f against log P."""
    return _slope(measured(tables, kind=kind, when="end"), "P", "R")


def noise_slope(tables: Tables) -> Measurement:
    """Slope of log G_f of trained networks against log of the norm of the noise, up to 1."""
    rows = measured(tables, table="noise", when="end")
    return _slope(rows[rows["noise_norm"] <= 1], "noise_norm", "G")


def by_depth(tables: Tables, *, when: str, kind: str) -> Measurement:
    """log10 of R of the output over that of the first layer, over networks."""
    rows = measured(tables, part="layers", when=when, kind=kind)
    return _mean(_by_net(pairs(rows, "depth", [0.0, 1.0])), "networks")


def monotony(tables: Tables, *, kind: str) -> Measurement:
    """Spearman's correlation of R of the layers with their depth after training, over networks."""
    rows = measured(tables, part="layers", when="end", kind=kind)
    found = {
        net: float(stats.spearmanr(one.index, one).statistic)
        for net, own in rows.groupby("net")
        for one in [own.groupby("depth")["R"].mean()]
    }
    return _mean(pd.Series(found, dtype=float), "networks")


def interpolation(tables: Tables, *, displacement: float) -> Measurement:
    """log10 of R_f with Gaussian over that with bilinear interpolation, over trained networks."""
    rows = measured(tables, part="displacements", when="end")
    rows = rows[rows["displacement"] == displacement]
    return _mean(_by_net(pairs(rows, "interpolation", ["bilinear", "gaussian"])), "networks")


def _by_net(logs: pd.Series) -> pd.Series:
    """Mean over seeds of natural logarithms, as decimal ones."""
    return (logs / log(10)).groupby("net").mean() if len(logs) else logs


def correlation(
    tables: Tables, *, quantity: str, less: str = "", average: str = "median"
) -> Measurement:
    """Correlation of log test error and log of a quantity at the largest P, over networks.

    quantity: R, D, or G, of which the inverse is meant. less: another one, whose correlation is
    subtracted. The interval is that of a bootstrap over networks.
    """
    networks = by_network(at_largest(measured(tables, average=average)))
    if len(networks) < MIN_NETWORKS:
        return no_points(f"{len(networks)} networks with a test error")
    networks = networks.assign(G=1 / networks["G"])
    names = [quantity, less] if less else [quantity]
    values, resampled = log_correlations(networks, names, generator=np.random.default_rng(0))
    signs = np.array([1, -1])[: len(names)]
    low, high = interval(resampled @ signs)
    return Measurement(value=float(values @ signs), low=low, high=high,
                       n=len(networks), note="networks; bootstrap")  # fmt: skip


def error_slope(tables: Tables) -> Measurement:
    """Slope of log test error against log R_f over networks at the largest P."""
    networks = by_network(at_largest(measured(tables))).reset_index()
    if len(networks) < MIN_NETWORKS:
        return no_points(f"{len(networks)} networks with a test error")
    return _slope(networks.assign(net="all", seed=0), "R", "test_error")


def error_over_root(tables: Tables) -> Measurement:
    """Test error over the root of R_f at the largest P, geometric mean over networks."""
    networks = by_network(at_largest(measured(tables)))
    if networks.empty:
        return NOT_MEASURED
    logs = np.log(networks["test_error"]) - np.log(networks["R"]) / 2
    return as_ratio(mean_of(logs.tolist(), "networks"))


def as_they_are(tables: Tables) -> Measurement:
    """R_f of digits at 16 x 16 over that at 8 x 8, of one displacement in units of the image."""
    large, small = (
        pd.Series(np.log(rows.set_index(["net", "seed"])["R"].astype(float)))
        for data in ("digits", "digits8")
        for rows in [at_largest(measured(tables, data=data, when="end"))]
    )
    return _ratio((large - small).dropna(), SEEDS)


def flow_slope(tables: Tables, *, data: str, net: str, lazy: bool) -> Measurement:
    """Slope of log R_f of the trained output against log P, an intercept for each seed."""
    return _slope(_flows(tables, data=data, net=net, lazy=lazy), "P", "R")


def _flows(
    tables: Tables, *, data: str, net: str = "", lazy: bool = False, part: str = "output",
    when: str = "end",
) -> pd.DataFrame:  # fmt: skip
    rows = measured(tables, data=data, part=part, when=when, kind=net)
    return rows[(rows["alpha_tilde"] > LAZY) == lazy]


def flow_start(tables: Tables, *, data: str) -> Measurement:
    """log10 of R_f before training, over nets and seeds."""
    once = _flows(tables, data=data, when="start").drop_duplicates(["net", "seed"])
    return _mean(pd.Series(np.log10(once["R"].astype(float))), SEEDS)


def flow_depth(tables: Tables, *, net: str) -> Measurement:
    """R of the output over that of the first layer at the largest P on the SRHM, over seeds."""
    layers = _flows(tables, data="srhm", net=net, part="layers")
    rows = at_largest(pd.concat([layers, _flows(tables, data="srhm", net=net)]))
    return _ratio(pairs(rows, "depth", [0.0, 1.0]), "seeds")


def flow_correlation(tables: Tables) -> Measurement:
    """Correlation of log test error and log R_f on the SRHM, over nets and P."""
    rows = _flows(tables, data="srhm")
    points = by_network(rows.assign(net=rows["net"] + "-" + rows["P"].astype(str)))
    if len(points) < MIN_NETWORKS:
        return no_points(f"{len(points)} networks with a test error")
    values, resampled = log_correlations(points, ["R"], generator=np.random.default_rng(0))
    low, high = interval(resampled)
    return Measurement(value=float(values[0]), low=low, high=high, n=len(points),
                       note="nets and P; bootstrap")  # fmt: skip


LAZY = 10.0  # alpha_tilde above which training is called lazy
FIELDS, TRAINING, DEPTH = "Deformations", "Training", "Depth, noise and displacement"
ERRORS, MODELS = "Test error", "Models of invariance"
BOUND = "an upper bound: the thesis says that it changes in this direction, not by how much"
TWO = "a factor of two: the thesis says 'close to unity', on axes of several decades"
CORRELATED = "the thesis finds 0.97 on CIFAR-10 and 0.74 to 0.94 on other images: 0.25 below"


def _claim(
    identifier: str, topic: str, figure: str, statement: str, place: str,
    expected: float, tolerance: float, reason: str, measure: partial[Measurement],
) -> Claim:  # fmt: skip
    return Claim(
        identifier=f"stability-{identifier}", topic=topic, figure=f"stability_{figure}",
        statement=statement, place=f"thesis, ch. 4, {place}", expected=expected,
        tolerance=tolerance, tolerance_reason=reason, measure=measure,
    )  # fmt: skip


CLAIMS = (
    _claim("displacement", FIELDS, "deformations", "δ² of drawn fields over its exact sum",
           "app. B", 1, 0.05, "5 %: four standard errors of 2000 fields at c = 3",
           partial(displacement)),
    _claim("asymptote", FIELDS, "deformations", "exact δ² at the largest c over π/4 n² T ln c",
           "Eq. 3", nan, nan, "a law for large c, which it nears as 1/ln c", partial(asymptote)),
    _claim("compression", FIELDS, "deformations", "median of max Ξ over c/2 (π³ T ln c)^(1/2)",
           "Eq. 13, Fig. 8", 1, 0.25, "a quarter: it 'can be approximated' by it, on log axes",
           partial(compression)),
    _claim("bound", FIELDS, "deformations", "part of the fields with max Ξ ≥ 1 at the bound on T",
           "Eq. 14", 0.5, 0.25, "the bound is where the median is 1; a quarter of the fields",
           partial(above_one, times_bound=1.0)),
    _claim("well-below-bound", FIELDS, "deformations", "the same at a tenth of the bound",
           "sec. 2.2", 0.01, nan, "diffeomorphisms 'almost surely': below 1 %",
           partial(above_one, times_bound=0.1)),
    _claim("start", TRAINING, "training", "log10 R_f before training, over networks", "Fig. 3, 4",
           0, log(2, 10), TWO, partial(level, when="start")),
    _claim("fc-grows", TRAINING, "training", "fully connected: R_f before over after training",
           "Fig. 4", 1, nan, BOUND, partial(over_start, kind="fc", inverse=True)),
    _claim("lenet-above-one", TRAINING, "training", "LeNet: 1/R_f after training", "Fig. 4", 1,
           nan, "R_f 'remains larger than unity' on all data but CIFAR-10",
           partial(inverse_level, kind="lenet")),
    _claim("deep-falls", TRAINING, "training",
           "VGG, ResNet, EfficientNet: R_f after over before training", "Fig. 3", 1, nan, BOUND,
           partial(over_start, kind="deep")),
    _claim("deep-level", TRAINING, "training",
           "VGG, ResNet, EfficientNet: log10 R_f after training", "sec. 3", -1.5, 0.5,
           "'in the range [0.01, 0.1]'", partial(level, when="end", kind="deep")),
    _claim("size-falls", TRAINING, "training",
           "VGG, ResNet, EfficientNet: R_f at the largest P over the smallest", "Fig. 3, 6", 1,
           nan, BOUND, partial(over_sizes, quantity="R", kind="deep")),
    _claim("size-slope", TRAINING, "training", "ResNet18: slope of log R_f against log P",
           "Fig. 3, 13", -1, 0.5, "one half: 'approximately compatible' with a drawn slope",
           partial(size_slope, kind="resnet18")),
    _claim("noise-grows", TRAINING, "training", "G_f at the smallest P over the largest", "Fig. 6",
           1, nan, BOUND, partial(over_sizes, quantity="G", inverse=True)),
    _claim("depth-start", DEPTH, "depth",
           "before training: log10 of R of the output over the first layer", "Fig. 14", 0,
           log(2, 10), TWO, partial(by_depth, when="start", kind="")),
    _claim("depth-monotone", DEPTH, "depth",
           "VGG, ResNet, EfficientNet, trained: rank correlation of R and depth", "Fig. 14", -1,
           0.2, "0.2: it falls 'monotonically', with noise", partial(monotony, kind="deep")),
    _claim("noise-slope", DEPTH, "scans", "slope of log G_f against log ‖η‖, ‖η‖ ≤ 1", "Fig. 11",
           2, 0.1, "5 % of the slope of a linear function", partial(noise_slope)),
    _claim("interpolation", DEPTH, "scans",
           "trained, δ = 1: log10 of R_f with Gaussian over bilinear interpolation", "Fig. 3", 0,
           0.1, "a quarter: R_f 'becomes independent' of it at δ of order one",
           partial(interpolation, displacement=1.0)),
    _claim("correlation", ERRORS, "errors", "correlation of log ε and log R_f over networks",
           "Fig. 5", 0.97, 0.25, CORRELATED, partial(correlation, quantity="R")),
    _claim("correlation-mean", ERRORS, "errors", "the same with means in place of medians",
           "Fig. 17", 0.97, 0.25, CORRELATED, partial(correlation, quantity="R", average="mean")),
    _claim("correlation-D", ERRORS, "errors", "correlation with D_f less that with R_f",
           "Fig. 15", 0, nan, BOUND, partial(correlation, quantity="D", less="R")),
    _claim("correlation-G", ERRORS, "errors", "correlation with 1/G_f less that with R_f",
           "Fig. 16", 0, nan, BOUND, partial(correlation, quantity="G", less="R")),
    _claim("error-slope", ERRORS, "errors", "slope of log ε against log R_f over networks",
           "Fig. 5", 0.5, 0.25, "half of it: a line through 15 points on axes of two decades",
           partial(error_slope)),
    _claim("error-over-root", ERRORS, "errors", "ε over the root of R_f (0.24 on CIFAR-10)",
           "Fig. 5", nan, nan, "a number of these images", partial(error_over_root)),
    _claim("as-they-are", TRAINING, "training", "R_f of digits at 16 × 16 over that at 8 × 8",
           "not there", nan, nan, "a control: white noise and pixels in between",
           partial(as_they_are)),
    _claim("stripe-slope", MODELS, "models", "stripe, α̃ = 0.1: slope of log R_f against log P",
           "Fig. 7", -1, 0.25, "a quarter, as of P of less than two decades",
           partial(flow_slope, data="stripe", net="fcn", lazy=False)),
    _claim("stripe-lazy", MODELS, "models", "stripe, α̃ = 1000: the same", "not there", nan, nan,
           "lazy weights do not align (chapter 3b); no number in the source",
           partial(flow_slope, data="stripe", net="fcn", lazy=True)),
    _claim("srhm-start", MODELS, "models", "SRHM: log10 R_f before training", "not there", 0,
           log(2, 10), TWO, partial(flow_start, data="srhm")),
    _claim("srhm-slope", MODELS, "models", "SRHM, CNN, α̃ = 0.1: slope of log R_f against log P",
           "not there", -1, 0.5, "as of ResNet18 on images",
           partial(flow_slope, data="srhm", net="cnn", lazy=False)),
    _claim("srhm-depth", MODELS, "models", "SRHM, CNN: R of the output over the first layer",
           "Fig. 14", 1, nan, BOUND, partial(flow_depth, net="cnn")),
    _claim("srhm-correlation", MODELS, "models", "SRHM: correlation of log ε and log R_f", "Fig. 5",
           0.97, 0.25, CORRELATED, partial(flow_correlation)),
)  # fmt: skip
