"""Learning curves -> sample complexities P*, with intervals, and censored where not reached.

Letters of the paper: P training points, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes. The value that falls with P is the test error
or, for the representations, a sensitivity S_k or D_k (section 5).
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, nan, sqrt
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from srhm.model import theory
from srhm.model.grammar import NET_AND_DATA, parameters_of
from srhm.networks.registry import stand_in
from srhm.statistics.regression import CONFIDENCE, censored_mean

Status = Literal["reached", "not_reached", "below_range"]
# On which side of its bound a P* lies.
SIDES: dict[Status, int] = {"reached": 0, "not_reached": 1, "below_range": -1}

# The coordinates of a learning curve; `curve` names it, the others are constant on it.
CURVE_COLUMNS = ("curve", *NET_AND_DATA, "width", "alpha", "whitening", "bias", "batch", "engine")
# What is estimated of a curve.
ESTIMATES = ("criterion", "threshold", "P_star", "P_star_low", "P_star_high", "status", "n_seeds",
             "n_seeds_reached", "n_cells", "n_diverged", "log_sd", "log_se", "dof",
             "log_sd_pooled", "n_distinct", "small_pool", "prediction")  # fmt: skip
# What curves share whose standard deviations are pooled, beside criterion and threshold.
POOLED_OVER = ("net", "L")
# Criteria with the transformations of the text, and of the published figures for S_2; those of
# D_2 are the same at level 1.
SENSITIVITIES = {("S", "text"): "S_2", ("D", "text"): "D_2", ("S", "practice"): "S_2_practice"}
# Of the FCN the published figure was made with the output, in place of layer 2, and this threshold.
OUTPUT_OF_FCN = {"S": "S_output_practice", "D": "D_output_practice"}
OUTPUT_THRESHOLD = 0.20
NETS_WITH_PREDICTION = ("lcn", "cnn", "fcn")


# From so many seeds on, a curve has its own standard deviation of log P*; with fewer that of all
# curves of the same net and L, since two or three seeds hardly give one.
OWN_SEEDS = 8
# A P* above this part of the distinct data is flagged: there the training set is a good part of all
# that exists, and the paper's scaling, which is about a small part, need not hold.
SMALL_POOL = 0.1


@dataclass(frozen=True)
class Crossing:
    """Where a curve falls to a threshold: log P*, NaN when censored, and the bounds of P*."""

    status: Status
    log_size: float
    low: float
    high: float

    @property
    def size(self) -> float:
        """P*, of a censored one its bound."""
        bounds = {"not_reached": self.low, "below_range": self.high}
        return bounds.get(self.status, exp(self.log_size))


# A network is dead if it ends at its cap with this part of the loss log n_c of a constant output,
# or more, or if its outputs tie on more than this part of the test points: nearly all of its ReLUs
# give zero.
DEAD_LOSS, DEAD_TIES = 0.9, 0.5

NEVER_MEASURED = Crossing("not_reached", nan, 0.0, inf)


def crossing(sizes: NDArray[np.float64], values: NDArray[np.float64], threshold: float) -> Crossing:
    """P* of a learning curve: the first P from which on the values stay at or below the threshold.

    values: test errors or sensitivities, not negative. Linear in their square root against log P,
    else as `lasting_crossing`: the curves are steep and convex, so that linear in the value P* is
    too large by 0.04 (L = 2) to 0.09 (L = 3) of its logarithm at steps of 1.6, and here by 0.01 to
    0.02.
    """
    return lasting_crossing(sizes, np.sqrt(values), sqrt(threshold))


def lasting_crossing(
    sizes: NDArray[np.float64], values: NDArray[np.float64], threshold: float
) -> Crossing:
    """The first P from which on the values stay at or below the threshold, for all larger P.

    Linear in the value against log P between that P and the previous one; `low` and `high` are
    these two P. `not_reached`: the value at the largest P is above (low = that P, high infinite).
    `below_range`: no value is above (low 0, high = the smallest P). Sizes increase, values have
    their shape (n,); NaN values are left out; without any other value nothing is known
    (not_reached, from 0 to infinity).
    """
    finite = np.isfinite(values)
    sizes, values = sizes[finite], values[finite]
    if not sizes.size:
        return NEVER_MEASURED
    above = np.flatnonzero(values > threshold)
    if not above.size:
        return Crossing("below_range", nan, 0.0, float(sizes[0]))
    last = int(above[-1])
    if last == sizes.size - 1:
        return Crossing("not_reached", nan, float(sizes[-1]), inf)
    (left, right), (before, after) = sizes[last : last + 2], values[last : last + 2]
    fraction = (before - threshold) / (before - after)
    log_size = log(left) + fraction * (log(right) - log(left))
    return Crossing("reached", log_size, float(left), float(right))


def learning_curve_values(cells: pd.DataFrame, *criteria: str) -> pd.DataFrame:
    """Rows of cells as the long table of `sample_complexity`; criteria: columns of values."""
    return cells.melt([*CURVE_COLUMNS, "P", "seed"], list(criteria), var_name="criterion")


def is_dead(cells: pd.DataFrame) -> pd.Series:
    """Mask of the networks nearly all of whose ReLUs give zero, which say nothing of P*.

    Such an end is an accident of training, as a divergence is: such a network brackets no P*. It
    ends at the cap with the loss of a constant output (DEAD_LOSS), or its outputs tie on most test
    points (DEAD_TIES). A tie counts as an error, so that the error is then above that of chance.
    """
    n_c = cells["n_c"].astype(float)
    constant = (cells["status"] == "capped") & (cells["train_loss"] >= DEAD_LOSS * np.log(n_c))
    return constant | (cells["test_error"] > 1 - (1 - DEAD_TIES) / n_c)


def of_dead(rows: pd.DataFrame, cells: pd.DataFrame) -> NDArray[np.bool_]:
    """Mask of rows, as of sensitivities, of which the network (`cells`) is dead."""
    key = ["curve", "P", "seed"]
    dead = pd.MultiIndex.from_frame(cells.loc[is_dead(cells), key])
    return pd.MultiIndex.from_frame(rows[key]).isin(dead)


def mean_of_seeds(seeds: Sequence[Crossing]) -> Crossing:
    """P* of a curve: the mean of its seeds' log P*, each the P* of one grammar.

    A seed without any value is left out. Of censored seeds the bound enters a `censored_mean`, as
    leaving them out would favour a small P*. Where half of all are censored, or more, the curve is,
    on the side of most of them, and its bound is the mean of P* and bounds, 0 or infinite where
    seeds of the other side have none. `low` and `high` of a known P* hold those of all seeds.
    """
    known = [seed for seed in seeds if seed != NEVER_MEASURED]
    if not known:
        return NEVER_MEASURED
    side = np.array([SIDES[seed.status] for seed in known])
    lows, highs = (np.array([getattr(seed, end) for seed in known]) for end in ("low", "high"))
    sizes = np.array([seed.size for seed in known])
    if 2 * np.count_nonzero(side) < len(known):
        mean = censored_mean(np.log(sizes), side)
        return Crossing("reached", mean, float(lows.min()), float(highs.max()))
    above = side.sum() >= 0
    with np.errstate(divide="ignore"):
        bound = np.log(np.where(side == 0, sizes, lows if above else highs)).mean()
    if above:
        return Crossing("not_reached", nan, exp(bound), inf)
    return Crossing("below_range", nan, 0.0, exp(bound))


def sensitivity_values(sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Rows of S_2 and D_2 (layer k = 2, level l = 1) as the long table of `sample_complexity`.

    Criteria are SENSITIVITIES, and OUTPUT_OF_FCN of FCNs. A sensitivity to a transformation that
    can change nothing (m = 1, s_0 = 0) has no rows.
    """
    rows = sensitivities[(sensitivities["l"] == 1) & (sensitivities["n"] > 0)]
    of_fcn = (rows["net"].map(stand_in) == "fcn") & (rows["layer"] == "output")
    output = rows[of_fcn & (rows["variant"] == "practice")]
    hidden = rows[rows["k"] == 2]
    pairs = zip(hidden["kind"], hidden["variant"], strict=True)
    hidden = hidden.assign(criterion=[SENSITIVITIES.get(pair, "") for pair in pairs])
    hidden = hidden[hidden["criterion"] != ""]
    if len(output):
        hidden = pd.concat([hidden, output.assign(criterion=output["kind"].map(OUTPUT_OF_FCN))])
    return hidden[[*CURVE_COLUMNS, "P", "seed", "criterion", "value"]]


def in_blocks(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Rows that agree in these columns, one block after the other, each as it first appears."""
    blocks = values.groupby(list(by), sort=False, dropna=False).ngroup()
    return values.iloc[np.argsort(blocks.to_numpy(), kind="stable")]


def all_sample_complexities(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, thresholds: Sequence[float]
) -> pd.DataFrame:
    """P* of every curve: of the test error at each threshold, of its best, P*_S and P*_D.

    P*_S and P*_D are at the paper's thresholds, which depend on net, L and s. The best test error
    of a training ("best_test_error") has the first threshold alone. n_capped counts the networks of
    the curve that did not fit within the cap: they enter with the error that they have, unless they
    are dead (`is_dead`). Of these the error and the sensitivities are left out and counted as
    diverged; the best error, which is of a time before, stays.
    """
    main, *_ = thresholds
    dead = is_dead(cells)
    n_capped = (cells["status"] == "capped").groupby(cells["curve"]).sum()
    if dead.any():
        felt = sensitivities["value"].mask(of_dead(sensitivities, cells))
        sensitivities = sensitivities.assign(value=felt)
        cells = cells.assign(test_error=cells["test_error"].mask(dead))
    error_complexities = sample_complexity(
        learning_curve_values(cells, "test_error", "best_test_error"),
        thresholds={"test_error": list(thresholds), "best_test_error": [main]},
    )
    sensitivity_complexities = sample_complexity(
        in_blocks(sensitivity_values(sensitivities), ["criterion", "net", "L", "s"]),
        thresholds={},
        pooled_over=(*POOLED_OVER, "s"),
    )
    tables = [table for table in (error_complexities, sensitivity_complexities) if len(table)]
    table = pd.concat(tables or [error_complexities], ignore_index=True)
    return table.assign(n_capped=table["curve"].map(n_capped).astype("int64"))


def sample_complexity(
    values: pd.DataFrame,
    *,
    thresholds: Mapping[str, Sequence[float]],
    columns: Sequence[str] = CURVE_COLUMNS,
    pooled_over: Sequence[str] = POOLED_OVER,
    members: bool = False,
) -> pd.DataFrame:
    """Sample complexities: a row (columns, ESTIMATES) for each curve, criterion and threshold.

    `values` is long: columns, criterion, P, seed, value. `columns` are the name of the curve and
    its coordinates, with net, L, s, s0, m, n_c, sparsity among them; `thresholds` names those of
    each criterion (those of SENSITIVITIES are the paper's). With `members` a seed may have several
    networks at a P, which count as one: their values are averaged. Rows are in the order in which
    curve and criterion first appear.

    P* is the `mean_of_seeds` of each seed's `crossing`. A NaN value (a diverged cell) is left out;
    `n_cells` and `n_diverged` count (`all_sample_complexities`: dead ones, too). Since these drop
    out, P* is that of the runs which did not diverge.

    Interval: log P* ± t log_sd/√n, where log_sd is the standard deviation of the seeds' log P*,
    with `dof` degrees of freedom: the curve's own with n - 1, or (`log_sd_pooled`) that of all
    curves that agree in `pooled_over`, criterion and threshold, with dof = Σ (n_i - 1). n =
    `n_seeds_reached` counts the seeds whose P* is known (of `n_seeds` with any value); censored
    seeds are not in the standard deviation, which is then too small, and the smaller n makes up for
    some of it. Where no curve of the pool has two such seeds, dof = 0 and the bounds are NaN:
    nothing is known of the error. Of a censored P* one bound is known, and log_sd, log_se are NaN.

    `small_pool`: P*, or the known bound of a censored one, exceeds a tenth of the distinct data.
    `prediction`: Eq. 3 (LCN, FCN) or Eq. 4 (CNN), NaN for other nets.

    Raises:
        ValueError: a coordinate varies along a curve, or a curve has two values for a P and a seed.
    """
    curves = values[list(columns)].drop_duplicates().set_index("curve")
    for name in curves.index[curves.index.duplicated()]:
        varies = curves.loc[name].nunique(dropna=False) > 1
        varying = ", ".join(varies.index[varies])
        raise ValueError(f"curve {name!r}: {varying} must not vary along a curve")
    coordinates = curves.to_dict("index")
    by = ["curve", "criterion", "P", "seed"]
    twice = values.loc[values.duplicated(by) & (not members), by]
    for name, criterion, P, seed in twice.itertuples(index=False):
        raise ValueError(f"curve {name!r}, {criterion}: two values for P = {P} and seed {seed}")
    counts = values.groupby(by[:2], sort=False)["value"].agg(["size", "count"])
    if members:
        values = values.groupby(by)["value"].mean().reset_index()
    of_seeds = values.set_index(by)["value"].unstack("seed")
    matrices = dict(list(of_seeds.groupby(level=by[:2])))
    rows: list[dict[str, object]] = []
    felt = {*SENSITIVITIES.values(), *OUTPUT_OF_FCN.values()}
    names: list[tuple[str, str]] = counts.index.to_list()
    for (name, criterion), n_cells, n_known in zip(names, *counts.to_numpy().T, strict=True):
        matrix = matrices[name, criterion]
        sizes = matrix.index.get_level_values("P").to_numpy(dtype=float)
        seeds = [one for one in matrix.to_numpy(dtype=float).T if np.isfinite(one).any()]
        if criterion in felt and criterion not in thresholds:
            levels: Sequence[float] = [threshold_of_sensitivity(criterion, coordinates[name])]
        else:
            levels = thresholds[criterion]
        for threshold in levels:
            stars = [crossing(sizes, seed, threshold) for seed in seeds]
            mean = mean_of_seeds(stars)
            known = np.array([star.log_size for star in stars if star.status == "reached"])
            rows.append(
                {
                    "curve": name,
                    "criterion": criterion,
                    "threshold": float(threshold),
                    "status": mean.status,
                    "log_P_star": mean.log_size,
                    "low": mean.low,
                    "high": mean.high,
                    "n_seeds": len(stars),
                    "n_seeds_reached": known.size,
                    "n_cells": n_cells,
                    "n_diverged": n_cells - n_known,
                    "squares": known.size * float(np.var(known)) if known.size else 0.0,
                }
            )
    if not rows:
        return pd.DataFrame(columns=[*columns, *ESTIMATES])
    table = pd.DataFrame(rows).join(curves, on="curve")
    table = _with_deviations(table, [*pooled_over, "criterion", "threshold"])
    table = _with_bounds(table)
    return table[[*columns, *ESTIMATES]]


def seed_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """log P* of each seed alone, NaN where it is censored: a row for each curve, a column a seed.

    Of the test error, by `crossing`, without dead networks.
    """
    stars = crossings(cells[~is_dead(cells)], threshold, by=("curve", "seed"))
    return stars.pivot(index="curve", columns="seed", values="P_star").map(log)


def crossings(cells: pd.DataFrame, threshold: float, *, by: Sequence[str]) -> pd.DataFrame:
    """P* of the test error of all cells that agree in `by`: by, P_star, status, bound.

    bound: P*, of a censored one (P_star is NaN) its bound.
    """
    rows = []
    for names, part in cells.sort_values("P").groupby(list(by), sort=False):
        sizes, errors = (part[name].to_numpy(dtype=float) for name in ("P", "test_error"))
        star = crossing(sizes, errors, threshold)
        rows.append([*names, exp(star.log_size), star.status, star.size])
    return pd.DataFrame(rows, columns=[*by, "P_star", "status", "bound"])


def threshold_of_sensitivity(criterion: str, curve: Mapping[Any, Any]) -> float:
    """The paper's threshold of a criterion of SENSITIVITIES or OUTPUT_OF_FCN, by net, L and s."""
    if criterion in OUTPUT_OF_FCN.values():
        return OUTPUT_THRESHOLD
    net, L, s = stand_in(curve["net"]), curve["L"], curve["s"]
    return theory.sensitivity_threshold(criterion[0], net, depth=L, branching=s)


def _with_deviations(table: pd.DataFrame, pooled_over: Sequence[str]) -> pd.DataFrame:
    """Adds log_sd, dof, log_sd_pooled and log_se.

    A curve whose P* is censored does not enter the pool: the seeds of it that did reach the
    threshold are the lucky ones.
    """
    reached, n = table["status"] == "reached", table["n_seeds_reached"].clip(lower=1)
    own = pd.DataFrame({"dof": n - 1, "squares": table["squares"]}).mul(reached, axis=0)
    pools = own.groupby([table[name] for name in pooled_over], dropna=False)
    enough = n >= OWN_SEEDS
    used = own.where(enough, pools.transform("sum"), axis=0).mul(reached, axis=0)
    log_sd = np.sqrt(used["squares"] / used["dof"])
    return table.assign(
        log_sd=log_sd,
        dof=used["dof"],
        log_sd_pooled=reached & ~enough,
        log_se=log_sd / np.sqrt(n),
    )


def _with_bounds(table: pd.DataFrame) -> pd.DataFrame:
    """Adds P_star, its bounds, n_distinct, small_pool and prediction."""
    reached = table["status"] == "reached"
    half_width = special.stdtrit(table["dof"], (1 + CONFIDENCE) / 2) * table["log_se"]
    bound = table["low"].where(table["status"] == "not_reached", table["high"])
    P_star = np.exp(table["log_P_star"])
    rows: list[dict[str, Any]] = table[list(NET_AND_DATA)].to_dict("records")  # type: ignore[assignment]
    # Deep grammars have more distinct data than a float can say.
    n_distinct = [min(parameters_of(row).n_distinct, sys.float_info.max) for row in rows]
    table = table.assign(
        P_star=P_star,
        P_star_low=np.exp(table["log_P_star"] - half_width).where(reached, table["low"]),
        P_star_high=np.exp(table["log_P_star"] + half_width).where(reached, table["high"]),
        n_distinct=np.array(n_distinct, dtype=float),
        prediction=[
            theory.predicted(row) if row["net"] in NETS_WITH_PREDICTION else nan for row in rows
        ],
    )
    small_pool = P_star.where(reached, bound) > SMALL_POOL * table["n_distinct"]
    return table.assign(small_pool=small_pool)
