"""Learning curves -> sample complexities P*, with intervals, and censored where not reached.

Letters of the paper: P training points, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes. The value that falls with P is the test error
or, for the representations, a sensitivity S_k or D_k (section 5).
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, nan
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from srhm.model import theory

Status = Literal["reached", "not_reached", "below_range"]

# The coordinates of a learning curve; `curve` names it, the others are constant on it.
CURVE_COLUMNS = (
    "curve",
    "net",
    "L",
    "s",
    "s0",
    "v",
    "m",
    "n_c",
    "sparsity",
    "width",
    "alpha",
    "whitening",
    "bias",
    "batch",
    "engine",
)
RESULT_COLUMNS = (
    *CURVE_COLUMNS,
    "criterion",
    "threshold",
    "P_star",
    "P_star_low",
    "P_star_high",
    "status",
    "n_seeds",
    "n_seeds_reached",
    "n_cells",
    "n_diverged",
    "log_sd",
    "log_se",
    "dof",
    "log_sd_pooled",
    "n_distinct",
    "small_pool",
    "prediction",
)
POOLED_OVER = ("net", "L", "criterion", "threshold")
NETS_WITH_PREDICTION = ("lcn", "cnn", "fcn")


@dataclass(frozen=True, kw_only=True)
class IntervalRule:
    """How intervals of P* are made.

    From `own_seeds` seeds on, a curve has its own standard deviation of log P*; with fewer that of
    all curves of the same net and L, since two or three seeds hardly give one. A P* above
    `small_pool` of the distinct data is flagged: there the training set is a good part of all that
    exists, and the paper's scaling, which is about a small part, need not hold.
    """

    confidence: float = 0.95
    own_seeds: int = 8
    small_pool: float = 0.1


DEFAULT_RULE = IntervalRule()


@dataclass(frozen=True)
class Crossing:
    """Where a curve falls to a threshold: log P*, NaN when censored, and the bounds of P*."""

    status: Status
    log_size: float
    low: float
    high: float


NEVER_MEASURED = Crossing("not_reached", nan, 0.0, inf)


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


def learning_curve_values(cells: pd.DataFrame, *, criterion: str = "test_error") -> pd.DataFrame:
    """Rows of cells as the long table of `sample_complexity`, the criterion's column as value."""
    return cells[[*CURVE_COLUMNS, "P", "seed"]].assign(criterion=criterion, value=cells[criterion])


def sensitivity_values(sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Rows of S_2 and D_2 (layer k = 2, level l = 1) as the long table of `sample_complexity`.

    Criteria are "S_2" and "D_2" with the transformations of the text, "S_2_practice" with those of
    the published figures; those of D_2 are the same at level 1. A sensitivity to a transformation
    that can change nothing (m = 1, s_0 = 0) has no rows.
    """
    criteria = {
        ("S", "text"): "S_2",
        ("D", "text"): "D_2",
        ("S", "practice"): "S_2_practice",
    }
    pairs = zip(sensitivities["kind"], sensitivities["variant"], strict=True)
    values = sensitivities.assign(criterion=[criteria.get(pair, "") for pair in pairs])
    chosen = (values["k"] == 2) & (values["l"] == 1) & (values["n"] > 0)
    columns = [*CURVE_COLUMNS, "P", "seed", "criterion", "value"]
    return values.loc[chosen & (values["criterion"] != ""), columns]


def sensitivity_sample_complexity(
    sensitivities: pd.DataFrame, *, rule: IntervalRule | None = None
) -> pd.DataFrame:
    """P*_S and P*_D of every curve, at the paper's thresholds, which depend on net, L and s."""
    values = sensitivity_values(sensitivities)
    tables = []
    for _, group in values.groupby(["criterion", "net", "L", "s"], sort=False):
        row = group.iloc[0]
        threshold = theory.sensitivity_threshold(
            row["criterion"][0], row["net"], depth=row["L"], branching=row["s"]
        )
        tables.append(
            sample_complexity(
                group, thresholds={row["criterion"]: [threshold]}, rule=rule or DEFAULT_RULE
            )
        )
    return pd.concat(tables, ignore_index=True) if tables else _empty()


def all_sample_complexities(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, thresholds: Sequence[float]
) -> pd.DataFrame:
    """P* of every curve: of the test error at each threshold, of its best, P*_S and P*_D.

    The best test error of a training ("best_test_error") has the first threshold alone. n_capped
    counts the networks of the curve that did not fit within the cap: they enter with the error
    that they have.
    """
    main, *_ = thresholds
    values = [
        learning_curve_values(cells, criterion=name) for name in ("test_error", "best_test_error")
    ]
    of_errors = sample_complexity(
        pd.concat(values, ignore_index=True),
        thresholds={"test_error": list(thresholds), "best_test_error": [main]},
    )
    of_sensitivities = sensitivity_sample_complexity(sensitivities)
    tables = [table for table in (of_errors, of_sensitivities) if len(table)]
    table = pd.concat(tables, ignore_index=True) if tables else _empty()
    n_capped = (cells["status"] == "capped").groupby(cells["curve"]).sum()
    return table.assign(n_capped=table["curve"].map(n_capped).astype("int64"))


def sample_complexity(
    values: pd.DataFrame,
    *,
    thresholds: Mapping[str, Sequence[float]],
    rule: IntervalRule = DEFAULT_RULE,
) -> pd.DataFrame:
    """Sample complexities: a row (RESULT_COLUMNS) for each curve, criterion and threshold.

    `values` is long: CURVE_COLUMNS, criterion, P, seed, value; `thresholds` names those of each
    criterion. P* is the `lasting_crossing` of the average over seeds. A NaN value (a diverged cell)
    is left out of the average at its P, and a P with no other value is left out of the curve;
    `n_cells` and `n_diverged` count. Since diverged cells drop out, P* is that of the runs which
    did not diverge.

    Interval: log P* ± t log_sd/√n, where log_sd is the standard deviation of the seeds' own log P*
    (same rule on the curve of one seed), with `dof` degrees of freedom: the curve's own with
    n - 1, or (`log_sd_pooled`) that of all curves of the same net, L, criterion and threshold, with
    dof = Σ (n_i - 1). n = `n_seeds_reached` counts the seeds with a P* of their own (one at
    least is taken); censored seeds are not in the standard deviation, which is then too small, and
    the smaller n makes up for some of it. Where no curve of the pool has two such seeds, dof = 0
    and the bounds are NaN: nothing is known of the error. Bounds of a censored P* are those of
    `lasting_crossing`, and log_sd, log_se are NaN.

    `small_pool`: P*, or the known bound of a censored one, exceeds a tenth of the distinct data.
    `prediction`: Eq. 3 (LCN, FCN) or Eq. 4 (CNN), NaN for other nets.

    Raises:
        ValueError: a coordinate varies along a curve, or a curve has two values for a P and a seed.
        KeyError: a criterion has no thresholds, or a column is missing.
    """
    curves = _curves(values)
    rows: list[dict[str, object]] = []
    seeds_of_row: list[NDArray[np.float64]] = []
    for key, curve in _matrices(values).items():
        for threshold in thresholds[key[1]]:
            mean = lasting_crossing(curve.sizes, curve.mean, threshold)
            own = [lasting_crossing(curve.sizes, one, threshold) for one in curve.values.T]
            seeds = np.array([one.log_size for one in own if one.status == "reached"])
            seeds_of_row.append(seeds)
            rows.append(
                {
                    "curve": key[0],
                    "criterion": key[1],
                    "threshold": float(threshold),
                    "status": mean.status,
                    "log_P_star": mean.log_size,
                    "low": mean.low,
                    "high": mean.high,
                    "n_seeds": int(np.isfinite(curve.values).any(axis=0).sum()),
                    "n_seeds_reached": seeds.size,
                    "n_cells": curve.n_cells,
                    "n_diverged": curve.n_cells - int(np.isfinite(curve.values).sum()),
                }
            )
    if not rows:
        return _empty()
    table = pd.DataFrame(rows).merge(curves, on="curve", validate="many_to_one")
    table = _with_deviations(table, seeds_of_row, rule)
    table = _with_bounds(table, rule)
    return table[list(RESULT_COLUMNS)]


@dataclass(frozen=True)
class _Curve:
    """Values of one curve and criterion, shape (n_sizes, n_seeds), NaN where there is none."""

    sizes: NDArray[np.float64]
    values: NDArray[np.float64]
    n_cells: int

    @property
    def mean(self) -> NDArray[np.float64]:
        """Average over the seeds with a value, NaN where there is none, shape (n_sizes,)."""
        counts = np.isfinite(self.values).sum(axis=1)
        sums = np.nansum(self.values, axis=1)
        return np.where(counts > 0, sums / np.maximum(counts, 1), nan)


def _curves(values: pd.DataFrame) -> pd.DataFrame:
    """One row a curve with its coordinates; refuses coordinates that vary along a curve."""
    curves = values[list(CURVE_COLUMNS)].drop_duplicates()
    repeated = curves[curves["curve"].duplicated(keep=False)]
    if len(repeated):
        name = repeated["curve"].iloc[0]
        rows = repeated[repeated["curve"] == name]
        varying = [column for column in CURVE_COLUMNS if rows[column].nunique(dropna=False) > 1]
        raise ValueError(f"curve {name!r}: {', '.join(varying)} must not vary along a curve")
    return curves


def _matrices(values: pd.DataFrame) -> dict[tuple[str, str], _Curve]:
    """The values of each (curve, criterion), in their order of appearance."""
    twice = values.duplicated(["curve", "criterion", "P", "seed"])
    if twice.any():
        row = values[twice].iloc[0]
        raise ValueError(
            f"curve {row['curve']!r}, {row['criterion']}: two values for P = {row['P']}"
            f" and seed {row['seed']}"
        )
    curves: dict[tuple[str, str], _Curve] = {}
    for (curve, criterion), group in values.groupby(["curve", "criterion"], sort=False):
        sizes, size_index = np.unique(group["P"].to_numpy(dtype=float), return_inverse=True)
        seeds, seed_index = np.unique(group["seed"].to_numpy(), return_inverse=True)
        matrix = np.full((sizes.size, seeds.size), nan)
        matrix[size_index, seed_index] = group["value"].to_numpy(dtype=float)
        curves[str(curve), str(criterion)] = _Curve(sizes, matrix, len(group))
    return curves


def _with_deviations(
    table: pd.DataFrame, seeds: Sequence[NDArray[np.float64]], rule: IntervalRule
) -> pd.DataFrame:
    """Adds log_sd, dof, log_sd_pooled and log_se.

    A curve whose average is censored does not enter the pool: the seeds of it that did reach the
    threshold are the lucky ones.
    """
    reached = (table["status"] == "reached").to_numpy()
    own_dof = np.array([max(one.size - 1, 0) for one in seeds]) * reached
    squares = np.array([one.size * float(np.var(one)) if one.size else 0.0 for one in seeds])
    sums = table[list(POOLED_OVER)].assign(dof=own_dof, squares=squares * reached)
    sums = sums.groupby(list(POOLED_OVER))[["dof", "squares"]].transform("sum")

    enough = table["n_seeds_reached"].to_numpy() >= rule.own_seeds
    dof = np.where(reached, np.where(enough, own_dof, sums["dof"].to_numpy()), 0)
    total = np.where(enough, squares, sums["squares"].to_numpy())
    log_sd = np.sqrt(np.divide(total, dof, out=np.full(len(table), nan), where=dof > 0))
    n = np.maximum(table["n_seeds_reached"].to_numpy(), 1)
    return table.assign(
        log_sd=log_sd,
        dof=dof,
        log_sd_pooled=reached & ~enough,
        log_se=log_sd / np.sqrt(n),
    )


def _with_bounds(table: pd.DataFrame, rule: IntervalRule) -> pd.DataFrame:
    """Adds P_star, its bounds, n_distinct, small_pool and prediction."""
    reached = table["status"] == "reached"
    known = table["dof"].to_numpy() > 0
    factor = np.full(len(table), nan)
    factor[known] = stats.t.ppf((1 + rule.confidence) / 2, table["dof"].to_numpy()[known])
    half_width = factor * table["log_se"]
    bound = table["low"].where(table["status"] == "not_reached", table["high"])
    P_star = np.exp(table["log_P_star"])
    n_distinct, prediction = _theory(table)
    return table.assign(
        P_star=P_star,
        P_star_low=np.exp(table["log_P_star"] - half_width).where(reached, table["low"]),
        P_star_high=np.exp(table["log_P_star"] + half_width).where(reached, table["high"]),
        n_distinct=n_distinct,
        small_pool=P_star.where(reached, bound) > rule.small_pool * n_distinct,
        prediction=prediction,
    )


def _theory(table: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Number of distinct data and predicted P* of each row, shape (n_rows,) each."""
    n_distinct: list[float] = []
    prediction: list[float] = []
    columns = [table[name].tolist() for name in ("net", "L", "s", "s0", "m", "n_c", "sparsity")]
    for net, L, s, s0, m, n_c, sparsity in zip(*columns, strict=True):
        data = {"depth": L, "branching": s, "n_empty": s0, "n_synonyms": m, "n_classes": n_c}
        # Deep grammars have more distinct data than a float can say.
        n = min(theory.n_distinct(**data, sparsity=sparsity), int(sys.float_info.max))
        n_distinct.append(float(n))
        prediction.append(
            theory.predicted_sample_complexity(net, **data) if net in NETS_WITH_PREDICTION else nan
        )
    return np.array(n_distinct), np.array(prediction)


def _empty() -> pd.DataFrame:
    return pd.DataFrame(columns=list(RESULT_COLUMNS))
