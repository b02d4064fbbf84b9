"""P* against the ratio of learning rate to batch size: its limit, exponents and constants.

Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places for each informative one,
m synonyms, n_c classes, v features. The *ratio* is T = eta/(B (1 - mu)), with the learning rate eta
over the width, B points in a batch, and the momentum mu: 0.025 in the paper's text. A *family* is a
net on one grammar's size; its *line* are the curves of it that differ in the rate alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from srhm.scorecard.grammars import SHARED_GRAMMAR, grammars, groups_of
from srhm.statistics.regression import (
    NO_FIT,
    Fit,
    mean,
    slope_with_group_intercepts,
)
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
_ESTIMATES = (
    *("criterion", "threshold", "P_star", "P_star_low", "P_star_high", "status"),
    *("n_seeds", "n_seeds_reached", "n_cells", "n_diverged", "n_capped", "log_sd", "log_se", "dof"),
    *("log_sd_pooled", "n_distinct", "small_pool", "prediction"),
)
COMPLEXITIES = pa.schema(
    [
        *(CELLS.field(name) for name in COLUMNS),
        ("ratio", pa.float64()),
        *(SAMPLE_COMPLEXITY.field(name) for name in _ESTIMATES),
    ]
)
_BOUNDS = ("", "_low", "_high")
LIMITS = pa.schema(
    [
        *(CELLS.field(name) for name in NET_AND_DATA),
        ("n_ratios", pa.int64()),
        ("smallest_ratio", pa.float64()),
        *((f"P_{name}", pa.float64()) for name in EXTRAPOLATIONS),
        *((f"P_limit{end}", pa.float64()) for end in _BOUNDS),
        ("n_seeds", pa.int64()),
        *((f"P_full{end}", pa.float64()) for end in _BOUNDS),
        *((f"P_flow{end}", pa.float64()) for end in _BOUNDS),
        ("n_seeds_flow", pa.int64()),
        ("prediction", pa.float64()),
        ("small_pool", pa.bool_()),
    ]
)
# of: "s0+1", "m", or "constant"; at: "ratio", "limit", "table" (the published rates) or "effect"
# (that of the table on the exponent); ratio: NaN where there is not one.
EXPONENTS = pa.schema(
    [
        ("of", pa.string()),
        ("net", pa.string()),
        ("L", pa.int64()),
        ("at", pa.string()),
        ("ratio", pa.float64()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n", pa.int64()),
        ("n_groups", pa.int64()),
        ("expected", pa.float64()),
        ("features", pa.string()),
    ]
)


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
    found = sample_complexity(
        values,
        thresholds={"test_error": list(thresholds)},
        columns=COLUMNS,
        pooled_over=POOLED_OVER,
    )
    capped = (several["status"] == "capped").groupby(several["curve"]).sum()
    largest = several.groupby("curve")["P"].max()
    full = found["batch_size"] >= found["curve"].map(largest)
    ratios = [ratio_of(row) for row in found.to_dict("records")]
    return found.assign(
        ratio=np.where(full, 0.0, ratios), n_capped=found["curve"].map(capped).astype("int64")
    )[COMPLEXITIES.names]


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
    for _, own in rows.groupby(list(NET_AND_DATA), sort=False, dropna=False):
        found = weights(own)
        if found is None:
            continue
        w, chosen = found[found != 0], own[found != 0]
        for seed, value in (w @ alone.reindex(chosen["curve"])).dropna().items():
            families.append({**own.iloc[-1], "seed": seed})
            log_P.append(float(value))
            read.append(float(np.sqrt(w @ w)))
    names = [*NET_AND_DATA, "small_pool", "prediction", "seed"]
    return Points(
        pd.DataFrame(families, columns=[*rows.columns, "seed"])[names],
        np.array(log_P),
        np.array(read),
    )


def at_ratio(ratio: float) -> Weights:
    """The curve of this ratio."""

    def weights(own: pd.DataFrame) -> NDArray[np.float64] | None:
        found = np.isclose(own["ratio"].to_numpy(dtype=float), ratio, rtol=1e-6)
        return found.astype(float) if found.sum() == 1 else None

    return weights


def towards_zero(extrapolation: str) -> Weights:
    """Least squares of log P* on T or its root at the three smallest ratios, taken at zero."""

    def weights(own: pd.DataFrame) -> NDArray[np.float64] | None:
        ratios = own["ratio"].to_numpy(dtype=float)
        if len(ratios) < N_EXTRAPOLATED:
            return None
        x = np.array([EXTRAPOLATIONS[extrapolation](one) for one in ratios[-N_EXTRAPOLATED:]])
        centred = x - x.mean()
        found = np.zeros(len(ratios))
        found[-N_EXTRAPOLATED:] = 1 / len(x) - x.mean() * centred / (centred @ centred)
        return found

    return weights


def between(ratio: Callable[[Mapping[Any, Any]], float]) -> Weights:
    """log P* at a ratio of the family, linear in log T between two of its curves."""

    def weights(own: pd.DataFrame) -> NDArray[np.float64] | None:
        wanted = log(ratio(own.iloc[0].to_dict()))
        logs = np.log(own["ratio"].to_numpy(dtype=float))
        for i, (above, below) in enumerate(pairwise(logs)):
            if below - 1e-9 <= wanted <= above + 1e-9:
                found = np.zeros(len(logs))
                found[i + 1] = (above - wanted) / (above - below)
                found[i] = 1 - found[i + 1]
                return found
        return None

    return weights


def table_ratio(family: Mapping[Any, Any]) -> float:
    """T of the published figures: their table of rates with batches of 4 n_c, momentum 0.9."""
    return ratio_of(
        {
            **family,
            "learning_rate": published_rate(family),
            "batch": "balanced",
            "batch_size": 4,
            "momentum": 0.9,
        }
    )


def table_ratio_of_one(family: Mapping[Any, Any]) -> float:
    """The same with the rate that the table has for s_0 = 1, whatever s_0."""
    return table_ratio({**family, "s0": 1})


def minus(first: Weights, second: Weights) -> Weights:
    """log P* by the first less that by the second."""

    def weights(own: pd.DataFrame) -> NDArray[np.float64] | None:
        one, other = first(own), second(own)
        return None if one is None or other is None else one - other

    return weights


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
    line = line_of(table)
    reached = usable(line, small_pools=True)
    both = {
        name: points_of(line, cells, towards_zero(name), small_pools=True)
        for name in EXTRAPOLATIONS
    }
    full, flows = _full_batches(table), _flow_complexities([Path(file) for file in flow])
    rows = []
    for _, family in both["linear"].families.drop_duplicates(list(NET_AND_DATA)).iterrows():
        fits = {name: _alone(points, family) for name, points in both.items()}
        own = reached[(reached[list(NET_AND_DATA)] == family[list(NET_AND_DATA)]).all(axis=1)]
        slopes = [fit.slope for fit in fits.values()]
        rows.append(
            {
                **family,
                "n_ratios": len(own),
                "smallest_ratio": own["ratio"].min(),
                **{f"P_{name}": exp(fit.slope) for name, fit in fits.items()},
                "P_limit": exp(float(np.mean(slopes))),
                "P_limit_low": exp(min(fit.low for fit in fits.values())),
                "P_limit_high": _exp(max(fit.high for fit in fits.values())),
                "n_seeds": fits["linear"].n,
                **_of_family(full, family, "P_full"),
                **_of_family(flows, family, "P_flow"),
                "n_seeds_flow": int(np.nan_to_num(_of_family(flows, family, "n", ends=("",))["n"])),
            }
        )
    return pd.DataFrame(rows, columns=LIMITS.names)


def _exp(value: float) -> float:
    return exp(value) if value < 700 else float("inf")


def _alone(points: Points, family: pd.Series) -> Fit:
    """Mean over the grammars of a family."""
    names = list(NET_AND_DATA)
    return mean(points.log_P[(points.families[names] == family[names]).all(axis=1).to_numpy()])


def _full_batches(table: pd.DataFrame) -> pd.DataFrame:
    """P* of gradient descent: of each family that of the largest rate."""
    rows = usable(of_errors(table), small_pools=True)
    rows = rows[(rows["ratio"] == 0) & (rows["width"] == MAIN["width"])]
    rows = rows.sort_values("learning_rate").drop_duplicates(list(NET_AND_DATA), keep="last")
    names = {"P_star": "P_full", "P_star_low": "P_full_low", "P_star_high": "P_full_high"}
    return rows.rename(columns=names).reset_index(drop=True)


def _of_family(
    rows: pd.DataFrame, family: pd.Series, name: str, *, ends: Sequence[str] = _BOUNDS
) -> dict[str, float]:
    own = rows
    for column in NET_AND_DATA:
        if own.empty:
            break
        own = own[own[column] == family[column]]
    return {f"{name}{end}": float(own.iloc[0][f"{name}{end}"]) if len(own) else nan for end in ends}


def _flow_complexities(files: Sequence[Path]) -> pd.DataFrame:
    """P* of gradient flow at alpha_tilde = 1 with its interval from the seeds, a row a family."""
    rows = []
    for file in files:
        cells = pd.read_parquet(file)
        own = cells[(cells["data"] == "srhm") & np.isclose(cells["alpha_tilde"], 1)]
        own = own[(own["optimiser"] == "flow") & (own["labels"] == "classes")]
        for names, curve in own.groupby([*NET_AND_DATA, "width"]):
            values = curve.rename(columns={"curve": "name"}).assign(
                curve=str(names), criterion="test_error", value=curve["test_error"]
            )
            # A study may have several networks of a seed, which count as one.
            found = sample_complexity(
                values[["curve", *NET_AND_DATA, "P", "seed", "criterion", "value"]],
                thresholds={"test_error": [THRESHOLD]},
                columns=("curve", *NET_AND_DATA),
                members=True,
            )
            rows += [
                {
                    **dict(zip(NET_AND_DATA, names[:-1], strict=True)),
                    "width": names[-1],
                    "P_flow": row["P_star"],
                    "P_flow_low": row["P_star_low"],
                    "P_flow_high": row["P_star_high"],
                    "n": row["n_seeds_reached"],
                }
                for row in found.to_dict("records")
                if row["status"] == "reached"
            ]
    columns = [*NET_AND_DATA, "width", "P_flow", "P_flow_low", "P_flow_high", "n"]
    flows = pd.DataFrame(rows, columns=columns)
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
    line = line_of(table)
    rows = []
    for _, own in line.groupby(["net", "L"], sort=True):
        kind = {"net": str(own["net"].iloc[0]), "L": int(own["L"].iloc[0])}
        for ratio in sorted(set(own["ratio"].round(9)), reverse=True):
            points = points_of(own, cells, at_ratio(ratio))
            rows += [
                {**kind, **one, "at": "ratio", "ratio": ratio} for one in _all_of([points], kind)
            ]
        zero = [points_of(own, cells, towards_zero(name)) for name in EXTRAPOLATIONS]
        rows += [{**kind, **one, "at": "limit", "ratio": 0.0} for one in _all_of(zero, kind)]
        table_there, one_rate = between(table_ratio), between(table_ratio_of_one)
        for at, weights in (
            ("table", table_there),
            ("one rate", one_rate),
            ("effect", minus(table_there, one_rate)),
        ):
            points = points_of(own, cells, weights)
            row = _row([points], "s0+1", kind, _places)
            if at == "effect":
                row["expected"] = 0.0
            rows.append({**kind, **row, "at": at, "ratio": nan})
    found = pd.DataFrame(rows, columns=EXPONENTS.names)
    return found[found["n"] > 0].reset_index(drop=True)


def _all_of(points: Sequence[Points], kind: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _row(points, "s0+1", kind, _places),
        _row(points, "m", kind, _synonyms),
        _row(points, "constant", kind, constant),
    ]


def _row(
    points: Sequence[Points],
    of: str,
    kind: Mapping[str, Any],
    fit: Callable[[Points], tuple[Fit, Points]],
) -> dict[str, Any]:
    """A fit to one set of points, or what holds the fits to several."""
    fits, used = zip(*(fit(one) for one in points), strict=True)
    value = float(np.mean([one.slope for one in fits]))
    low, high = min(one.low for one in fits), max(one.high for one in fits)
    if of == "constant":
        value, low, high = exp(value) if isfinite(value) else nan, exp(low), _exp(high)
    expected = {
        "s0+1": EXPECTED[kind["net"]](kind["L"]) if kind["net"] in EXPECTED else nan,
        "m": float(kind["L"]),
        "constant": 1.0 if kind["net"] == "cnn" else 2.0 ** (kind["L"] / 2),
    }[of]
    features = sorted(set(used[0].families["v"])) if fits[0].n else []
    return {
        "of": of,
        "value": value,
        "low": low if isfinite(low) else nan,
        "high": high if isfinite(high) else nan,
        "n": fits[0].n,
        "n_groups": fits[0].n_groups,
        "expected": expected,
        "features": " ".join(str(int(v)) for v in features),
    }


def _maximal(points: Points) -> Points:
    """Families with n_c = v and m = v^(s-1)."""
    own = points.families
    return points[((own["n_c"] == own["v"]) & (own["m"] == own["v"] ** (own["s"] - 1))).to_numpy()]


def _places(points: Points) -> tuple[Fit, Points]:
    """Exponent of (s_0+1), of families with n_c = v = m."""
    own = _maximal(points)
    x = np.log1p(own.families["s0"].to_numpy(dtype=float))
    return _slope(own, x, by=[*SHARED_GRAMMAR, "sparsity", "seed"]), own


def _synonyms(points: Points) -> tuple[Fit, Points]:
    """Exponent of m at fixed v, n_c and s_0."""
    x = np.log(points.families["m"].to_numpy(dtype=float))
    by = [name for name in (*SHARED_GRAMMAR, "s0", "sparsity") if name != "m"]
    return _slope(points, x, by=by), points


def constant(points: Points) -> tuple[Fit, Points]:
    """Mean of the logarithm of C_0 (LCN) or C_1 (CNN), of families with n_c = v = m.

    log P* less the logarithm of (s_0+1)^L n_c m^L, or of (s_0+1)^2 n_c m^L.
    """
    own = _maximal(points)
    if not len(own.log_P):
        return NO_FIT, own
    scale = np.array([_law(row) for row in own.families.to_dict("records")])
    return mean(own.log_P - scale, **own.errors), own


def _law(family: Mapping[Any, Any]) -> float:
    """Logarithm of Eq. 3 without C_0, or of Eq. 4 without C_1."""
    L, s, net = family["L"], family["s"], family["net"]
    predicted = theory.predicted_sample_complexity(
        net,
        depth=L,
        branching=s,
        n_synonyms=family["m"],
        n_classes=family["n_c"],
        n_empty=family["s0"],
    )
    return log(predicted) - (L / 2 * log(s) if net == "lcn" else 0.0)


def _slope(points: Points, x: NDArray[np.float64], *, by: Sequence[str]) -> Fit:
    if not len(points.log_P):
        return NO_FIT
    groups = groups_of(points.families, list(by))
    return slope_with_group_intercepts(x, points.log_P, groups, **points.errors)
