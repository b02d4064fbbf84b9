"""P* against the ratio of learning rate to batch size: its limit, exponents and constants.

The *ratio* is T = eta/(B (1 - mu)), with the learning rate eta over the width, B points in a batch,
and the momentum mu: 0.025 in the paper's text. A *family* is a net on one grammar's size; its
*line* are the curves of it that differ in the rate alone.

The practice: P* by the text's training over P* by that of the published figures, measured and from
T alone. Measured: two curves of one grammar in the published rows of sparse_hierarchy, the text's
and one with the authors' balanced batches and table of rates. Predicted: P* of this study at the T
of both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import exp, isfinite, log, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from srhm.model import theory
from srhm.model.grammar import NET_AND_DATA
from srhm.scorecard.rows import SHARED_GRAMMAR, grammars, groups_of
from srhm.statistics.regression import NO_FIT, Fit, mean, slope_with_group_intercepts
from srhm.statistics.sample_complexity import (
    sample_complexity,
    seed_complexities,
    sensitivity_values,
)
from srhm.store.tables import CELLS, SAMPLE_COMPLEXITY
from srhm.training.configuration import published_rate

# The test error that defines P* (section 4).
THRESHOLD = 0.10
# What curves of a line share; most are the paper's text.
MAIN: Mapping[str, Any] = {
    "engine": "sparse",
    "batch": "shuffled",
    "batch_size": 4,
    "momentum": 0.9,
    "loss_threshold": 1e-3,
    "width": 64,
}
# The ratio of the paper's text: rate 0.01, batch 4, momentum 0.9.
TEXT = 0.01 / (4 * (1 - 0.9))
# Ratios of a line from which its limit is extrapolated: the smallest.
N_EXTRAPOLATED = 3
# What log P* is taken to be linear in, towards zero. Noise of SGD shifts what it averages in
# proportion to T, which is the lower estimate; a root of T bends further up, the upper one.
EXTRAPOLATIONS: Mapping[str, Callable[[float], float]] = {
    "linear": lambda ratio: ratio,
    "root": sqrt,
}
# Empty places multiply P* by (s_0+1) to this power: Eq. 3 and 4.
EXPECTED: Mapping[str, Callable[[int], float]] = {"lcn": float, "cnn": lambda depth: 2.0}
# Two grammars of v features differ less than two of fewer; so curves of one v pool their scatter.
POOLED_OVER = ("net", "L", "v", "m", "n_c")

TRAINING = ("batch", "batch_size", "learning_rate", "momentum", "loss_threshold")
COLUMNS = ("curve", *NET_AND_DATA, "width", "engine", *TRAINING)
_ESTIMATES = ("criterion", "threshold", "P_star", "P_star_low", "P_star_high", "status",
              "n_distinct", "small_pool", "prediction")  # fmt: skip
COMPLEXITIES = pa.schema([
    *(CELLS.field(name) for name in COLUMNS),
    ("ratio", pa.float64()),
    *(SAMPLE_COMPLEXITY.field(name) for name in _ESTIMATES),
])  # fmt: skip
LIMITS = pa.schema([
    *(CELLS.field(name) for name in NET_AND_DATA),
    *((name, pa.float64()) for name in (
        "P_limit", "P_limit_low", "P_limit_high", "P_full", "P_flow", "prediction")),
])  # fmt: skip
# of: "s0+1", "m", or "constant"; at: "ratio", "limit", "table" (the published rates) or "effect"
# (that of the table on the exponent); ratio: NaN where there is not one.
EXPONENTS = pa.schema([
    ("of", pa.string()), ("net", pa.string()), ("L", pa.int64()), ("at", pa.string()),
    *((name, pa.float64()) for name in ("ratio", "value", "low", "high")),
    ("n", pa.int64()), ("expected", pa.float64()), ("features", pa.string()),
])  # fmt: skip


def ratio_of(row: Mapping[Any, Any]) -> float:
    """T of a curve or cell; that of the whole training set as one batch is not known here."""
    points = row["batch_size"] * (row["n_c"] if row["batch"] == "balanced" else 1)
    return float(row["learning_rate"] / (points * (1 - row["momentum"])))


def complexities(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, thresholds: Sequence[float]
) -> pd.DataFrame:
    """P* (rows of COMPLEXITIES) of every curve of several P, of its test error and of S_2 and D_2.

    The ratio is 0 where a batch holds all training points at each P: gradient descent.
    """
    several = cells[cells.groupby("curve")["P"].transform("nunique") > 1]
    if several.empty:
        return pd.DataFrame(columns=COMPLEXITIES.names)
    curves = several.drop_duplicates("curve").set_index("curve")
    values = several[[*COLUMNS, "P", "seed"]].assign(
        criterion="test_error", value=several["test_error"]
    )
    felt = sensitivities[sensitivities["curve"].isin(curves.index)]
    if len(felt):
        felt = sensitivity_values(felt)
        felt = felt[["curve", "P", "seed", "criterion", "value"]]
        felt = felt.join(curves[list(COLUMNS[1:])], on="curve")
        values = pd.concat([values, felt[values.columns]], ignore_index=True)
    stars = sample_complexity(
        values, thresholds={"test_error": list(thresholds)}, columns=COLUMNS,
        pooled_over=POOLED_OVER,
    )  # fmt: skip
    largest = several.groupby("curve")["P"].max()
    full = stars["batch_size"] >= stars["curve"].map(largest)
    ratios = [ratio_of(row) for row in stars.to_dict("records")]
    return stars.assign(ratio=np.where(full, 0.0, ratios))[COMPLEXITIES.names]


def of_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the P* of the test error at 10 %."""
    if table.empty:
        return table
    at = np.isclose(table["threshold"].to_numpy(dtype=float), THRESHOLD)
    return table[at & (table["criterion"] == "test_error")]


def line_of(table: pd.DataFrame, **other: Any) -> pd.DataFrame:
    """P* of the test error of curves that differ in the rate alone, by family and falling ratio.

    other: what is not as in MAIN.
    """
    rows = of_errors(table)
    if rows.empty:
        return rows
    for name, value in {**MAIN, **other}.items():
        rows = rows[rows[name] == value]
    rows = rows[rows["ratio"] > 0]
    return rows.sort_values([*NET_AND_DATA, "ratio"], ascending=[True] * 8 + [False])


def usable(rows: pd.DataFrame, *, small_pools: bool = False) -> pd.DataFrame:
    """Uncensored rows; without small_pools, only P* below a tenth of the distinct data."""
    if rows.empty:
        return rows
    reached = rows["status"] == "reached"
    return rows[reached if small_pools else reached & ~rows["small_pool"].astype(bool)]


@dataclass(frozen=True)
class Points:
    """log P* of single grammars, or sums with weights of a grammar's log P* of several curves.

    families: NET_AND_DATA, small_pool, prediction, seed; log_P, shape (n,); read, (n,): root of the
    sum of squared weights, of the error that grammars of one family share.
    """

    families: pd.DataFrame
    log_P: NDArray[np.float64]
    read: NDArray[np.float64]

    def __getitem__(self, chosen: NDArray[np.bool_]) -> "Points":
        """The points that are chosen, shape (n,)."""
        return Points(self.families[chosen], self.log_P[chosen], self.read[chosen])

    @property
    def errors(self) -> dict[str, Any]:
        """What a fit is told of their errors: see `coefficient`."""
        curves = groups_of(self.families, NET_AND_DATA)
        return {"clusters": grammars(self.families), "curves": curves, "read": self.read}


# Of the curves of one family, by falling ratio, to the weights of their log P*; None: it has none.
Weights = Callable[[pd.DataFrame], NDArray[np.float64] | None]


def points_of(
    rows: pd.DataFrame, cells: pd.DataFrame, weights: Weights, *, small_pools: bool = False
) -> Points:
    """Sums of each seed's log P* with the weights that its family of the rows has.

    rows: of `line_of`. Censored curves are left out before.
    """
    rows = usable(rows, small_pools=small_pools)
    alone = seed_complexities(cells[cells["curve"].isin(rows["curve"])], threshold=THRESHOLD)
    families, log_P, read = [], [], []
    for _, family in rows.groupby(list(NET_AND_DATA), sort=False, dropna=False):
        coefficients = weights(family)
        if coefficients is None:
            continue
        w, chosen = coefficients[coefficients != 0], family[coefficients != 0]
        for seed, value in (w @ alone.reindex(chosen["curve"])).dropna().items():
            families.append({**family.iloc[-1], "seed": seed})
            log_P.append(float(value))
            read.append(float(np.sqrt(w @ w)))
    names = [*NET_AND_DATA, "small_pool", "prediction", "seed"]
    return Points(
        pd.DataFrame(families, columns=[*rows.columns, "seed"])[names],
        np.array(log_P),
        np.array(read),
    )


def at_ratio(own: pd.DataFrame, *, ratio: float) -> NDArray[np.float64] | None:
    """The curve of this ratio."""
    equal = np.isclose(own["ratio"].to_numpy(dtype=float), ratio, rtol=1e-6)
    return equal.astype(float) if equal.sum() == 1 else None


def towards_zero(own: pd.DataFrame, *, extrapolation: str) -> NDArray[np.float64] | None:
    """Least squares of log P* on T or its root at the three smallest ratios, taken at zero."""
    ratios = own["ratio"].to_numpy(dtype=float)
    if len(ratios) < N_EXTRAPOLATED:
        return None
    x = np.array([EXTRAPOLATIONS[extrapolation](ratio) for ratio in ratios[-N_EXTRAPOLATED:]])
    centred, weights = x - x.mean(), np.zeros(len(ratios))
    weights[-N_EXTRAPOLATED:] = 1 / len(x) - x.mean() * centred / (centred @ centred)
    return weights


def at_table(own: pd.DataFrame, **coordinates: Any) -> NDArray[np.float64] | None:
    """log P* at the ratio of the published figures, linear in log T between two curves.

    That is of their table of rates with batches of 4 n_c, momentum 0.9. coordinates: in place of
    the family's.
    """
    wanted = log(table_ratio({**own.iloc[0].to_dict(), **coordinates}))
    logs = np.log(own["ratio"].to_numpy(dtype=float))
    for i, (above, below) in enumerate(pairwise(logs)):
        if below - 1e-9 <= wanted <= above + 1e-9:
            weights = np.zeros(len(logs))
            weights[i + 1] = (above - wanted) / (above - below)
            weights[i] = 1 - weights[i + 1]
            return weights
    return None


def table_ratio(family: Mapping[Any, Any]) -> float:
    """T of the published figures for a family."""
    practice = {"learning_rate": published_rate(family), "batch": "balanced", "batch_size": 4}
    return ratio_of({**family, **practice, "momentum": 0.9})


# The same with the rate that the table has for s_0 = 1, whatever s_0.
at_one_rate = partial(at_table, s0=1)


def minus(own: pd.DataFrame, *, first: Weights, second: Weights) -> NDArray[np.float64] | None:
    """log P* by the first less that by the second."""
    minuend, subtrahend = first(own), second(own)
    return None if minuend is None or subtrahend is None else minuend - subtrahend


def limits(
    cells: pd.DataFrame, table: pd.DataFrame, *, flow: Sequence[str] = (), threshold: float
) -> pd.DataFrame:
    """P* towards zero ratio (rows of LIMITS) of every family with three ratios or more.

    P_limit is the geometric mean of the two extrapolations; its interval holds both and, around
    each, that of the seeds. P_full: gradient descent, all training points in a batch, at the
    largest rate that is measured. P_flow: gradient flow at alpha_tilde = 1.

    cells, table: of this study, CELLS and COMPLEXITIES. flow: files of published cells of the study
    complexity. threshold: of the preset; nothing is found for another than 10 %.
    """
    if table.empty or not np.isclose(threshold, THRESHOLD):
        return pd.DataFrame(columns=LIMITS.names)
    line, keys = line_of(table), list(NET_AND_DATA)
    single, rows = [], []
    for name in EXTRAPOLATIONS:
        points = points_of(line, cells, partial(towards_zero, extrapolation=name), small_pools=True)
        single.append(points.families.assign(log_P=points.log_P, extrapolation=name))
    for _, family in pd.concat(single).groupby(keys, sort=False):
        fits = [mean(family.loc[family["extrapolation"] == name, "log_P"].to_numpy())
                for name in EXTRAPOLATIONS]  # fmt: skip
        rows.append({
            **family.iloc[0],
            "P_limit": exp(float(np.mean([fit.slope for fit in fits]))),
            "P_limit_low": exp(min(fit.low for fit in fits)),
            "P_limit_high": _exp(max(fit.high for fit in fits)),
        })  # fmt: skip
    if not rows:
        return pd.DataFrame(columns=LIMITS.names)
    at_zero = pd.DataFrame(rows)
    # Gradient descent: of each family that of the largest rate.
    full = usable(of_errors(table), small_pools=True)
    full = full[(full["ratio"] == 0) & (full["width"] == MAIN["width"])]
    full = full.sort_values("learning_rate").drop_duplicates(keys, keep="last")
    for name, other in (("P_full", full), ("P_flow", _flow_complexities(flow))):
        stars = other[[*keys, "P_star"]].rename(columns={"P_star": name})
        at_zero = at_zero.merge(stars.astype(at_zero[keys].dtypes.to_dict()), on=keys, how="left")
    return at_zero[LIMITS.names]


def _exp(value: float) -> float:
    return exp(value) if value < 700 else float("inf")


def _flow_complexities(files: Sequence[str]) -> pd.DataFrame:
    """P* of gradient flow at alpha_tilde = 1, a row a family."""
    columns = [*NET_AND_DATA, "P_star", "width"]
    frames = [pd.DataFrame(columns=columns)]
    for file in files:
        cells = pd.read_parquet(Path(file))
        of_flow = cells[(cells["data"] == "srhm") & np.isclose(cells["alpha_tilde"], 1)]
        of_flow = of_flow[(of_flow["optimiser"] == "flow") & (of_flow["labels"] == "classes")]
        for names, curve in of_flow.groupby([*NET_AND_DATA, "width"]):
            values = curve.assign(
                curve=str(names), criterion="test_error", value=curve["test_error"]
            )
            # A study may have several networks of a seed, which count as one.
            stars = sample_complexity(
                values[["curve", *NET_AND_DATA, "P", "seed", "criterion", "value"]],
                thresholds={"test_error": [THRESHOLD]},
                columns=("curve", *NET_AND_DATA),
                members=True,
            ).assign(width=curve["width"].iloc[0])
            frames.append(stars.loc[stars["status"] == "reached", columns])
    flows = pd.concat(frames[1:] or frames)
    # The width of this study, or the one next to it.
    far = np.abs(np.log(flows["width"].to_numpy(dtype=float)) - log(MAIN["width"]))
    return flows.assign(far=far).sort_values("far").drop_duplicates(list(NET_AND_DATA))


def exponents(cells: pd.DataFrame, table: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Exponents of (s_0+1) and of m, and the constants of Eq. 3 and 4 (rows of EXPONENTS).

    At each ratio of the lines, in the limit, and of (s_0+1) at the table of published rates: P*
    there is interpolated in log T. Fits of log P* with an intercept for each grammar, intervals by
    grammars. P* above a tenth of the distinct data are left out. In the limit the interval
    holds those of both extrapolations.

    cells, table: CELLS and COMPLEXITIES. threshold: as in `limits`.
    """
    if table.empty or not np.isclose(threshold, THRESHOLD):
        return pd.DataFrame(columns=EXPONENTS.names)
    rows: list[dict[str, Any]] = []
    for (net, L), line in line_of(table).groupby(["net", "L"], sort=True):
        kind: dict[str, Any] = {"net": net, "L": L}
        sets = [
            ("ratio", ratio, [points_of(line, cells, partial(at_ratio, ratio=ratio))])
            for ratio in sorted(set(line["ratio"].round(9)), reverse=True)
        ]
        sets += [("limit", 0.0, [points_of(line, cells, partial(towards_zero, extrapolation=name))
                                 for name in EXTRAPOLATIONS])]  # fmt: skip
        rows += [{**kind, **_row(points, quantity, kind), "at": at, "ratio": ratio}
                 for at, ratio, points in sets for quantity in FITS]  # fmt: skip
        for at, weights, other in (
            ("table", at_table, {}),
            ("one rate", at_one_rate, {}),
            ("effect", partial(minus, first=at_table, second=at_one_rate), {"expected": 0.0}),
        ):
            row = _row([points_of(line, cells, weights)], "s0+1", kind)
            rows.append({**kind, **row, **other, "at": at, "ratio": nan})
    fits = pd.DataFrame(rows, columns=EXPONENTS.names)
    return fits[fits["n"] > 0].reset_index(drop=True)


def _row(points: Sequence[Points], of: str, kind: Mapping[str, Any]) -> dict[str, Any]:
    """A fit to one set of points, or what holds the fits to several."""
    fits, used = zip(*(FITS[of](point_set) for point_set in points), strict=True)
    value = float(np.mean([fit.slope for fit in fits]))
    low, high = min(fit.low for fit in fits), max(fit.high for fit in fits)
    if of == "constant":
        value, low, high = exp(value) if isfinite(value) else nan, exp(low), _exp(high)
    expected = {
        "s0+1": EXPECTED[kind["net"]](kind["L"]) if kind["net"] in EXPECTED else nan,
        "m": float(kind["L"]),
        "constant": 1.0 if kind["net"] == "cnn" else 2.0 ** (kind["L"] / 2),
    }[of]
    features = sorted(set(used[0].families["v"])) if fits[0].n else []
    return {
        "of": of, "value": value, "low": low if isfinite(low) else nan,
        "high": high if isfinite(high) else nan, "n": fits[0].n, "expected": expected,
        "features": " ".join(str(int(v)) for v in features),
    }  # fmt: skip


def _maximal(points: Points) -> Points:
    """Families with n_c = v and m = v^(s-1)."""
    f = points.families
    return points[((f["n_c"] == f["v"]) & (f["m"] == f["v"] ** (f["s"] - 1))).to_numpy()]


def _places(points: Points) -> tuple[Fit, Points]:
    """Exponent of (s_0+1), of families with n_c = v = m."""
    max_m = _maximal(points)
    return _slope(max_m, max_m.families["s0"] + 1, [*SHARED_GRAMMAR, "sparsity", "seed"]), max_m


def _synonyms(points: Points) -> tuple[Fit, Points]:
    """Exponent of m at fixed v, n_c and s_0."""
    by = [name for name in (*SHARED_GRAMMAR, "s0", "sparsity") if name != "m"]
    return _slope(points, points.families["m"], by), points


def _slope(points: Points, x: pd.Series, by: Sequence[str]) -> Fit:
    if not len(points.log_P):
        return NO_FIT
    groups, logs = groups_of(points.families, by), np.log(x.to_numpy(dtype=float))
    return slope_with_group_intercepts(logs, points.log_P, groups, **points.errors)


def constant(points: Points) -> tuple[Fit, Points]:
    """Mean of the logarithm of C_0 (LCN) or C_1 (CNN), of families with n_c = v = m.

    log P* less the logarithm of (s_0+1)^L n_c m^L, or of (s_0+1)^2 n_c m^L.
    """
    max_m = _maximal(points)
    if not len(max_m.log_P):
        return NO_FIT, max_m
    f = max_m.families
    predicted = [theory.predicted(row) for row in f.to_dict("records")]
    # Eq. 3 without C_0 = s^(L/2).
    known = np.where(f["net"] == "lcn", f["L"] / 2 * np.log(f["s"].astype(float)), 0.0)
    return mean(max_m.log_P - (np.log(predicted) - known), **max_m.errors), max_m


FITS: Mapping[str, Callable[[Points], tuple[Fit, Points]]] = {
    "s0+1": _places, "m": _synonyms, "constant": constant
}  # fmt: skip


PRACTICE = pa.schema([
    *(CELLS.field(name) for name in (*NET_AND_DATA, "width")),
    *((name, pa.float64()) for name in ("ratio", "measured", "predicted")),
])  # fmt: skip
# As the text trains but for the width; the practice differs in batch and rate.
_ALIKE = {name: MAIN[name] for name in ("engine", "batch_size", "momentum", "loss_threshold")}


def practice(
    cells: pd.DataFrame, table: pd.DataFrame, *, published: Sequence[str] = (), threshold: float
) -> pd.DataFrame:
    """Rows (PRACTICE) for each grammar with both curves there, and both T on its line here.

    ratio: T of the practice. cells, table: of this study, CELLS and COMPLEXITIES. published: files
    of published cells of sparse_hierarchy. threshold: of the preset; nothing is found for another
    than 10 %.
    """
    if table.empty or not np.isclose(threshold, THRESHOLD):
        return pd.DataFrame(columns=PRACTICE.names)
    points = points_of(
        line_of(table), cells, partial(minus, first=partial(at_ratio, ratio=TEXT), second=at_table),
        small_pools=True,
    )  # fmt: skip
    predicted = points.families[list(NET_AND_DATA)].assign(predicted=np.exp(points.log_P))
    measured = [_measured(pd.read_parquet(Path(file))) for file in published]
    if not measured:
        return pd.DataFrame(columns=PRACTICE.names)
    both = predicted.merge(pd.concat(measured, ignore_index=True), on=list(NET_AND_DATA))
    # Of several published runs the first that has a grammar.
    return both.drop_duplicates(list(NET_AND_DATA))[PRACTICE.names].reset_index(drop=True)


def _measured(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of the text's curves over those of the practice's on equal data and at equal width."""
    plain = ~cells["whitening"].astype(bool) & ~cells["bias"].astype(bool)
    for name, value in _ALIKE.items():
        plain &= cells[name] == value
    nets = cells[plain & cells["net"].isin(("lcn", "cnn"))]
    values = nets[[*COLUMNS, "P", "seed"]].assign(criterion="test_error", value=nets["test_error"])
    stars = sample_complexity(values, thresholds={"test_error": [THRESHOLD]}, columns=COLUMNS)
    stars = stars[stars["status"] == "reached"]
    rows = stars.to_dict("records")
    stars = stars.assign(
        ratio=[ratio_of(row) for row in rows], wanted=[table_ratio(row) for row in rows]
    )
    text = stars[(stars["batch"] == "shuffled") & np.isclose(stars["ratio"], TEXT)]
    theirs = stars[(stars["batch"] == "balanced") & np.isclose(stars["ratio"], stars["wanted"])]
    both = theirs.merge(text, on=[*NET_AND_DATA, "width"], suffixes=("", "_text"))
    return both.assign(measured=both["P_star_text"] / both["P_star"])
