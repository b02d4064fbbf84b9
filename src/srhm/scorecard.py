"""Claims of the paper, each measured on the tables: value, interval, verdict.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 (s0) empty places for each
informative one, v features, m synonyms, n_c classes. What is expected and the tolerance of a claim
are written down here, before anything is measured; later claims (from other tables too) are added
by listing them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isfinite, nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from srhm.regression import (
    CONFIDENCE,
    NO_FIT,
    Fit,
    SeedNoise,
    difference,
    slope_with_group_intercepts,
)

Verdict = Literal["holds", "does not hold", "not enough data"]
Tables = Mapping[str, pd.DataFrame]

MIN_POINTS = 3
THRESHOLD = 0.10  # test error that defines P*, section 4
OTHER_THRESHOLDS = (0.05, 0.20, 0.30)
# What a curve's grammar is, beside s_0, which most claims vary.
GRAMMAR = ("L", "s", "s0", "v", "m", "n_c")

SCORECARD_COLUMNS = (
    "claim",
    "figure",
    "statement",
    "place",
    "expected",
    "value",
    "low",
    "high",
    "n",
    "tolerance",
    "tolerance_reason",
    "verdict",
    "note",
)


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measured number with its 95 % interval, from `n` points that enter it."""

    value: float
    low: float
    high: float
    n: int
    note: str


NOT_MEASURED = Measurement(value=nan, low=nan, high=nan, n=0, note="no such curves in the tables")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number that the paper states, and how the tables give it.

    `measure` returns NOT_MEASURED when a table is missing or has no such rows. A claim that holds
    lies within the tolerance of what is expected, so both must be numbers.
    """

    identifier: str
    figure: str
    statement: str
    place: str
    expected: float
    tolerance: float
    tolerance_reason: str
    measure: Callable[[Tables], Measurement]

    def __post_init__(self) -> None:
        if not (isfinite(self.expected) and isfinite(self.tolerance) and self.tolerance > 0):
            raise ValueError(
                f"claim {self.identifier!r}: expected = {self.expected} must be a number and"
                f" tolerance = {self.tolerance} a positive one"
            )


def verdict(claim: Claim, measured: Measurement) -> Verdict:
    """Whether a claim holds.

    Not enough data when fewer than three points enter or when half the interval is wider than the
    tolerance (an infinite or unknown one is); else whether the value is within the tolerance.
    """
    half_width = (measured.high - measured.low) / 2
    if measured.n < MIN_POINTS or not half_width <= claim.tolerance:
        return "not enough data"
    if abs(measured.value - claim.expected) <= claim.tolerance:
        return "holds"
    return "does not hold"


def scorecard(tables: Tables, *, claims: Sequence[Claim] | None = None) -> pd.DataFrame:
    """A row (SCORECARD_COLUMNS) for each claim, all CLAIMS unless some are given.

    `tables` maps names to tables ("sample_complexity"); missing ones make their claims
    "not enough data".
    """
    rows = []
    for claim in CLAIMS if claims is None else claims:
        measured = claim.measure(tables)
        rows.append(
            {
                "claim": claim.identifier,
                "figure": claim.figure,
                "statement": claim.statement,
                "place": claim.place,
                "expected": float(claim.expected),
                "value": float(measured.value),
                "low": float(measured.low),
                "high": float(measured.high),
                "n": measured.n,
                "tolerance": float(claim.tolerance),
                "tolerance_reason": claim.tolerance_reason,
                "verdict": verdict(claim, measured),
                "note": measured.note,
            }
        )
    return pd.DataFrame(rows, columns=list(SCORECARD_COLUMNS))


def as_markdown(table: pd.DataFrame) -> str:
    """The scorecard as Markdown: how many claims hold, a table, and a note for each row."""
    counts = [
        f"{int((table['verdict'] == word).sum())} {word}"
        for word in ("holds", "does not hold", "not enough data")
    ]
    lines = [
        f"{len(table)} claims: {', '.join(counts)}.",
        "",
        "| claim | the paper says | place | expected | measured (95 %) | n | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    notes = []
    for row in table.to_dict("records"):
        measured = "–"
        if isfinite(row["value"]):
            bounds = f" [{row['low']:.2f}, {row['high']:.2f}]"
            measured = f"{row['value']:.2f}" + (bounds if isfinite(row["low"]) else " [unknown]")
        cells = [
            row["claim"],
            row["statement"],
            f"{row['place']}; Figure {row['figure']}",
            f"{row['expected']:g} ± {row['tolerance']:g}",
            measured,
            str(row["n"]),
            f"**{row['verdict']}**" if row["verdict"] != "not enough data" else row["verdict"],
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        notes.append(f"- {row['claim']}: {row['note']}")
    return "\n".join([*lines, "", "Notes", "", *notes, ""])


def main_curves(tables: Tables, *, threshold: float = THRESHOLD) -> pd.DataFrame:
    """Sample complexities of the test error with sparsity A and the main options, all nets.

    The main options are what most curves have: batch, whitening, biases and alpha over the table;
    width and engine for each net, L and s (ties: those of the paper's text, the wider net). So
    a check with a wider net or with another option does not enter the fits. Empty when the table
    is missing. `log_sd_source` is added: curves with the same one share their standard deviation.
    """
    table = tables.get("sample_complexity", pd.DataFrame())
    if table.empty:
        return pd.DataFrame()
    table = table[(table["criterion"] == "test_error") & (table["sparsity"] == "A")]
    table = table[np.isclose(table["threshold"].to_numpy(dtype=float), threshold)]
    options = {"whitening": True, "bias": True, "batch": False, "alpha": True}
    table = table.merge(_most_common(table, by=[], ascending=options))
    widths = {"width": False, "engine": True}
    table = table.merge(_most_common(table, by=["net", "L", "s"], ascending=widths))
    shared = table["net"].astype(str) + ", L = " + table["L"].astype(str)
    return table.assign(log_sd_source=shared.where(table["log_sd_pooled"], table["curve"]))


def _most_common(
    table: pd.DataFrame, *, by: list[str], ascending: Mapping[str, bool]
) -> pd.DataFrame:
    """For each value of `by` the combination of the options' columns that most curves have."""
    columns = [*by, *ascending]
    counts = table.groupby(columns, dropna=False, sort=False)["curve"].nunique().reset_index()
    counts = counts.sort_values(
        ["curve", *ascending], ascending=[False, *ascending.values()], kind="stable"
    )
    counts = counts[columns]
    return counts.drop_duplicates(by) if by else counts.head(1)


def _where(curves: pd.DataFrame, conditions: Mapping[str, object]) -> pd.DataFrame:
    """Rows in which each named column has the value, or one of the values if it is a tuple."""
    for column, wanted in conditions.items():
        if curves.empty:
            break
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        curves = curves[curves[column].isin(values)]
    return curves


def _usable(curves: pd.DataFrame) -> pd.DataFrame:
    """Uncensored rows, P* not above a tenth of the distinct data."""
    if curves.empty:
        return curves
    return curves[(curves["status"] == "reached") & ~curves["small_pool"].astype(bool)]


def _left_out(curves: pd.DataFrame) -> str:
    """The rows that no fit uses, counted by reason, as the end of a note."""
    reached = curves["status"] == "reached"
    counts = {
        "not reached": int((curves["status"] == "not_reached").sum()),
        "below the measured range": int((curves["status"] == "below_range").sum()),
        "small pool": int((reached & curves["small_pool"].astype(bool)).sum()),
    }
    parts = [f"{count} {reason}" for reason, count in counts.items() if count]
    return f"; left out: {', '.join(parts)}" if parts else ""


def _noise(curves: pd.DataFrame, suffix: str = "") -> SeedNoise:
    """The curves' errors from their seeds."""
    return SeedNoise(
        standard_error=curves[f"log_se{suffix}"].to_numpy(dtype=float),
        dof=curves[f"dof{suffix}"].to_numpy(dtype=float),
        source=curves[f"log_sd_source{suffix}"].to_numpy(dtype=object),
    )


def _codes(curves: pd.DataFrame, by: Sequence[str]) -> Any:
    return curves.groupby(list(by), sort=False, dropna=False).ngroup().to_numpy()


def _log(curves: pd.DataFrame, column: str) -> Any:
    return np.log(curves[column].to_numpy(dtype=float))


def _fit(curves: pd.DataFrame, regressor: Any, *, by: Sequence[str], response: Any = None) -> Fit:
    """Slope of log P* (or another response) on the regressor, an intercept for each `by`."""
    if curves.empty:
        return NO_FIT
    y = _log(curves, "P_star") if response is None else response
    return slope_with_group_intercepts(regressor, y, _codes(curves, by), [_noise(curves)])


def _measurement(fit: Fit, curves: pd.DataFrame, note: str = "") -> Measurement:
    """A fit as a measurement; `curves` are all that were asked for, used or not."""
    if curves.empty:
        return NOT_MEASURED
    if fit.n == 0:
        return Measurement(
            value=nan,
            low=nan,
            high=nan,
            n=0,
            note=f"no two usable curves that differ in this only{_left_out(curves)}",
        )
    origin = {
        "seeds": f"error from the seeds ({fit.dof:.0f} degrees of freedom)",
        "scatter": f"error from the scatter about the fit ({fit.dof:.0f} degrees of freedom)",
        "nothing": "no estimate of the error",
    }[fit.error_from]
    text = f"{_counted(fit)}; {origin}{_left_out(curves)}{_widths(curves)}"
    return Measurement(
        value=fit.slope,
        low=fit.low if isfinite(fit.low) else nan,
        high=fit.high if isfinite(fit.high) else nan,
        n=fit.n,
        note=f"{note}; {text}" if note else text,
    )


def _counted(fit: Fit) -> str:
    groups = "1 intercept" if fit.n_groups == 1 else f"{fit.n_groups} intercepts"
    return f"{fit.n} curves, {groups}"


def _widths(curves: pd.DataFrame) -> str:
    widths = sorted({int(width) for width in curves["width"]})
    return f"; width {', '.join(map(str, widths))}"


def _empty_places_fit(curves: pd.DataFrame) -> Fit:
    usable = _usable(curves)
    if usable.empty:
        return NO_FIT
    x = np.log1p(usable["s0"].to_numpy(dtype=float))
    return _fit(usable, x, by=["s", "v", "m", "n_c"])


def exponent_of_empty_places(
    tables: Tables, *, net: str, depth: int, threshold: float = THRESHOLD
) -> Measurement:
    """Exponent of (s_0+1) in P*, from curves that differ in s_0 only."""
    curves = _where(main_curves(tables, threshold=threshold), {"net": net, "L": depth})
    return _measurement(_empty_places_fit(curves), curves)


def difference_of_exponents(tables: Tables, *, depth: int) -> Measurement:
    """Exponent of (s_0+1) of the LCN minus that of the CNN, each from all of its curves."""
    curves = _where(main_curves(tables), {"L": depth, "net": ("lcn", "cnn")})
    lcn, cnn = (_empty_places_fit(_where(curves, {"net": net})) for net in ("lcn", "cnn"))
    if not (lcn.n and cnn.n):
        return _measurement(NO_FIT, curves)
    note = (
        f"LCN {lcn.slope:.2f} ({_counted(lcn)}) minus CNN {cnn.slope:.2f} ({_counted(cnn)}),"
        " n is that of the fewer"
    )
    return _measurement(difference(lcn, cnn), curves, note)


def exponent_of(tables: Tables, *, column: str, net: str, depth: int) -> Measurement:
    """Exponent of m or n_c in P*, from curves of equal v that differ in it only."""
    curves = _where(main_curves(tables), {"net": net, "L": depth})
    usable = _usable(curves)
    if usable.empty:
        return _measurement(NO_FIT, curves)
    by = [name for name in GRAMMAR if name != column]
    return _measurement(_fit(usable, _log(usable, column), by=by), _varying(curves, column, by))


def _varying(curves: pd.DataFrame, column: str, by: Sequence[str]) -> pd.DataFrame:
    """The curves of the groups in which the column has at least two values."""
    values = curves.groupby(list(by), dropna=False)[column].transform("nunique")
    varying = curves[values > 1]
    return curves if varying.empty else varying


def slope_against_prediction(tables: Tables) -> Measurement:
    """Slope of log P* against the logarithm of Eq. 3 (LCN) and Eq. 4 (CNN), s = 2, all L."""
    curves = _where(main_curves(tables), {"net": ("lcn", "cnn"), "s": 2})
    usable = _usable(curves)
    if usable.empty:
        return _measurement(NO_FIT, curves)
    return _measurement(_fit(usable, _log(usable, "prediction"), by=["net"]), curves)


def spread_of_cnn_constant(tables: Tables) -> Measurement:
    """Standard deviation of log C_1 = log(P* / ((s_0+1)^2 n_c m^L)) over the CNN's curves.

    The interval is that of a normal sample's standard deviation (chi square); it contains the
    spread of the seeds, which the note gives beside C_1 itself.
    """
    curves = _where(main_curves(tables), {"net": "cnn"})
    usable = _usable(curves)
    if len(usable) < 2:
        return _measurement(NO_FIT, curves)
    log_constant = _log(usable, "P_star") - _log(usable, "prediction")
    n = log_constant.size
    spread = float(np.std(log_constant, ddof=1))
    tail = (1 - CONFIDENCE) / 2
    low, high = (
        spread * float(np.sqrt((n - 1) / stats.chi2.ppf(q, n - 1))) for q in (1 - tail, tail)
    )
    centre = float(log_constant.mean())
    error = float(stats.t.ppf(1 - tail, n - 1)) * spread / n**0.5
    seeds = float(np.sqrt(np.mean(usable["log_se"].to_numpy(dtype=float) ** 2)))
    from_seeds = f"seeds alone would give {seeds:.2f}" if isfinite(seeds) else "seed noise unknown"
    return Measurement(
        value=spread,
        low=low,
        high=high,
        n=n,
        note=(
            f"C_1 = {exp(centre):.2f} [{exp(centre - error):.2f}, {exp(centre + error):.2f}]"
            f" (geometric mean); {from_seeds}{_left_out(curves)}{_widths(curves)}"
        ),
    )


def exponent_of_lcn_constant(tables: Tables) -> Measurement:
    """Slope of log C_0 = log(P* / ((s_0+1)^L n_c m^L)) against log s^(L/2), LCN.

    From curves of equal v, s_0, n_c, m in which s varies (right panel of Figure 10).
    """
    curves = _where(main_curves(tables), {"net": "lcn"})
    by = ["v", "s0", "m", "n_c"]
    usable = _usable(curves)
    if usable.empty:
        return _measurement(NO_FIT, curves)
    usable = usable[usable.groupby(by, dropna=False)["s"].transform("nunique") > 1]
    x = usable["L"].to_numpy(dtype=float) / 2 * _log(usable, "s")
    # Eq. 3's prediction holds the factor s^(L/2), which is what is measured.
    log_constant = _log(usable, "P_star") - _log(usable, "prediction") + x
    return _measurement(_fit(usable, x, by=by, response=log_constant), _varying(curves, "s", by))


def slope_of_dense_baseline(tables: Tables) -> Measurement:
    """Slope of log P* against log(n_c m^L) at s_0 = 0, an intercept for each net, s and L."""
    curves = _where(main_curves(tables), {"net": ("lcn", "cnn"), "s0": 0})
    usable = _usable(curves)
    if usable.empty:
        return _measurement(NO_FIT, curves)
    # At s_0 = 0 the prediction is n_c m^L but for a factor of s and L, which the intercepts take.
    fit = _fit(usable, _log(usable, "prediction"), by=["net", "s", "L"])
    return _measurement(
        fit,
        curves,
        "at L = 2, n_c = m = v, P* is above a tenth of the v^4 distinct data up to v of about 10",
    )


def exponent_of_ratio(tables: Tables, *, depth: int) -> Measurement:
    """Exponent of (s_0+1) in P*_LCN / P*_CNN, from both nets on equal grammar parameters.

    The error is that of two independent curves, which is too large where both nets share the
    seeds' grammars.
    """
    curves = _where(main_curves(tables), {"L": depth, "net": ("lcn", "cnn")})
    usable = _usable(curves)
    if usable.empty:
        return _measurement(NO_FIT, curves)
    halves = [_where(usable, {"net": net}) for net in ("lcn", "cnn")]
    pairs = halves[0].merge(halves[1], on=list(GRAMMAR), suffixes=("_lcn", "_cnn"))
    if pairs.empty:
        return _measurement(NO_FIT, curves)
    by = [name for name in GRAMMAR if name != "s0"]
    fit = slope_with_group_intercepts(
        np.log1p(pairs["s0"].to_numpy(dtype=float)),
        _log(pairs, "P_star_lcn") - _log(pairs, "P_star_cnn"),
        _codes(pairs, by),
        [_noise(pairs, "_lcn"), _noise(pairs, "_cnn")],
    )
    return _measurement(fit, curves, "each point is a pair of curves")


# Reasons of the tolerances, fixed before anything was measured.
EXPONENT_REASON = (
    "below 0.5, so that no value is within the tolerance of two whole exponents (2 and 3 at L = 3);"
    " over the factor 3 in s_0+1 that is measured it is a factor 1.5 in P*, the step of the"
    " published grid of P"
)
WHOLE_EXPONENT_REASON = "below 0.5, so that no value is within the tolerance of two whole exponents"
DIFFERENCE_REASON = (
    "below 0.5, so that it cannot hold when both nets have the same exponent (0); about 0.35 √2,"
    " the tolerance of two exponents"
)
SLOPE_REASON = (
    "fixed with the plan of the reproduction; at L = 2 and n_c = m = v, where the prediction grows"
    " as v^3, it is 0.45 in the exponent of v, less than half of a whole one"
)
SPREAD_REASON = (
    "a factor 1.4 in P*: the published grid of P has steps of 1.3-1.9 and grammars differ by tens"
    " of percent, while a wrong exponent of s_0+1 by one (Eq. 3 instead of 4 at L = 3) alone gives"
    " 0.55 over s_0 = 0, 1, 2"
)
CONSTANT_REASON = (
    "below 0.5, so that neither a C_0 without s (0) nor C_0 ~ s^L (2) nor anything halfway can"
    " hold; the four curves span a factor 2.6 in s^(L/2), in which it is a factor 1.5 of P*"
)

LCN_LAW = "P*_LCN ~ C_0(s, L) (s_0+1)^L n_c m^L"
CNN_LAW = "P*_CNN ~ C_1 (s_0+1)^2 n_c m^L, C_1 a constant"
LAWS = {"lcn": LCN_LAW, "cnn": CNN_LAW}
PLACES = {"lcn": "Eq. 3, section 4", "cnn": "Eq. 4, section 4"}
FIGURES = {"lcn": "4 B", "cnn": "4 C"}


def _empty_places(net: str, depth: int, threshold: float) -> Claim:
    expected = depth if net == "lcn" else 2
    statement = f"{LAWS[net]}: exponent of (s_0+1) at L = {depth}"
    identifier = f"s0-exponent-{net}-L{depth}"
    if threshold != THRESHOLD:
        statement += f", threshold {threshold:.0%} (which does not qualitatively alter the results)"
        identifier += f"-at-{100 * threshold:.0f}"
    return Claim(
        identifier=identifier,
        figure=FIGURES[net],
        statement=statement,
        place=PLACES[net],
        expected=expected,
        tolerance=0.35,
        tolerance_reason=EXPONENT_REASON,
        measure=partial(exponent_of_empty_places, net=net, depth=depth, threshold=threshold),
    )


def _grammar_exponent(column: str, net: str) -> Claim:
    depth = 2
    return Claim(
        identifier=f"{column.replace('_', '')}-exponent-{net}-L{depth}",
        figure=FIGURES[net],
        statement=f"{LAWS[net]}: exponent of {column} at fixed v, L = {depth}",
        place=PLACES[net],
        expected=depth if column == "m" else 1,
        tolerance=0.35,
        tolerance_reason=WHOLE_EXPONENT_REASON,
        measure=partial(exponent_of, column=column, net=net, depth=depth),
    )


_NETS_AND_DEPTHS = (("lcn", 2), ("lcn", 3), ("cnn", 2), ("cnn", 3))

CLAIMS: tuple[Claim, ...] = (
    *(_empty_places(net, depth, THRESHOLD) for net, depth in _NETS_AND_DEPTHS),
    Claim(
        identifier="s0-exponent-lcn-minus-cnn-L3",
        figure="4 B, C",
        statement="the exponent of (s_0+1) is L for the LCN and 2 for the CNN: they differ by 1 at"
        " L = 3",
        place="Eq. 3 and 4, section 4",
        expected=1,
        tolerance=0.45,
        tolerance_reason=DIFFERENCE_REASON,
        measure=partial(difference_of_exponents, depth=3),
    ),
    *(_grammar_exponent(column, net) for column in ("m", "n_c") for net in ("lcn", "cnn")),
    Claim(
        identifier="slope-against-prediction",
        figure="4 B, C",
        statement="P* follows Eq. 3 (LCN) and Eq. 4 (CNN): slope of log P* against log prediction,"
        " s = 2, all L",
        place="Eq. 3 and 4, section 4",
        expected=1,
        tolerance=0.15,
        tolerance_reason=SLOPE_REASON,
        measure=slope_against_prediction,
    ),
    Claim(
        identifier="cnn-constant-C1",
        figure="4 C, 13",
        statement="C_1 is a constant: standard deviation of log(P*_CNN / ((s_0+1)^2 n_c m^L))",
        place="Eq. 4, section 4",
        expected=0,
        tolerance=0.35,
        tolerance_reason=SPREAD_REASON,
        measure=spread_of_cnn_constant,
    ),
    Claim(
        identifier="lcn-constant-C0",
        figure="10",
        statement="C_0(s, L) ~ s^(L/2): slope of log C_0 against log s^(L/2) at fixed v, s_0, n_c,"
        " m",
        place="section 4; appendix D",
        expected=1,
        tolerance=0.45,
        tolerance_reason=CONSTANT_REASON,
        measure=exponent_of_lcn_constant,
    ),
    Claim(
        identifier="dense-baseline",
        figure="4 B, C",
        statement="without sparsity (s_0 = 0) P* ~ n_c m^L: slope of log P* against log(n_c m^L)",
        place="section 2; section 6; appendix C",
        expected=1,
        tolerance=0.15,
        tolerance_reason=SLOPE_REASON,
        measure=slope_of_dense_baseline,
    ),
    Claim(
        identifier="lcn-over-cnn-L2",
        figure="4 B, C",
        statement="P*_LCN / P*_CNN ~ (s_0+1)^(L-2): exponent of (s_0+1) at L = 2",
        place="Eq. 3 and 4, section 4",
        expected=0,
        tolerance=0.35,
        tolerance_reason=EXPONENT_REASON,
        measure=partial(exponent_of_ratio, depth=2),
    ),
    Claim(
        identifier="lcn-over-cnn-L3",
        figure="4 B, C",
        statement="P*_LCN / P*_CNN ~ (s_0+1)^(L-2): exponent of (s_0+1) at L = 3",
        place="Eq. 3 and 4, section 4",
        expected=1,
        tolerance=0.45,
        tolerance_reason=DIFFERENCE_REASON,
        measure=partial(exponent_of_ratio, depth=3),
    ),
    *(
        _empty_places(net, depth, threshold)
        for threshold in OTHER_THRESHOLDS
        for net, depth in _NETS_AND_DEPTHS
    ),
)
