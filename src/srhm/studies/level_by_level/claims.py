"""Claims of the article on learning level by level, and what sparsity adds; all fixed beforehand.

Source: an article on provable learning of the RHM (arXiv 2601.19756), which writes m^((1+o(1))L)
for the points that are needed, and m^(-l/2) for the error of layer l, where it calls m first the
number of samples. Both readings are measured.
"""

from collections.abc import Callable
from functools import partial
from math import isfinite, nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import THRESHOLD
from srhm.scorecard.falls import FALL_REASON
from srhm.scorecard.fits import (
    as_ratio,
    listed_as_left_out,
    mean_of,
    no_points,
    of_points,
    part_of,
)
from srhm.statistics.regression import Fit
from srhm.studies.level_by_level.analysis import (
    ALL,
    CURVE,
    IDENTIFIABLE,
    LEAST_GAP,
    by_curve,
    curves,
    diagonal,
    differing,
    exponents_in_m,
    exponents_in_P,
    identifiable,
    levels_of,
    log_ratios,
    names,
    slope,
)

TOPIC = "Points that the algorithm needs"
LEVELS_TOPIC = "Error of each level"
CONDITIONS_TOPIC = "Clean signal and weak identifiability"
SPARSE_TOPIC = "What empty places cost"
ARTICLE = "article on arXiv 2601.19756"
POWER = f"{ARTICLE}, 'The Power of Sample Complexity'"
CHAINING = f"{ARTICLE}, 'Layerwise Optimization'"

EXPONENT_REASON = (
    "0.35: below 0.5, so that no value is within the tolerance of two whole exponents; the claim"
    " leaves o(1) open"
)
LAW_REASON = "0.25: an exponent of m that is wrong by one would be 1/3 (L = 2) or 1/4 (L = 3)"
READING_REASON = "0.15: it tells 1/2 from 0 and from 1, the other reading's exponents, apart"
RATE_REASON = "0.1: it tells 1/2, the rate of noise, from 1 apart, with room for rare contents"
LITERAL_REASON = "0.25: below 0.5, so that 1/2 and 1 are told apart"
LEARNT_REASON = "the bound is the test error that defines P*"
CLEAN_REASON = "the bound is where synonyms differ as much as latents do"
NO_REASON = "no source has a number"


def _complexity(tables: Tables) -> pd.DataFrame:
    return tables.get("sample_complexity", pd.DataFrame())


def _joined(tables: Tables) -> pd.DataFrame:
    cells, levels = (tables.get(name, pd.DataFrame()) for name in ("cells", "levels"))
    return pd.DataFrame() if cells.empty or levels.empty else levels_of(cells, levels)


def _measured(fit: Fit, rows: pd.DataFrame) -> Measurement:
    left = {
        name: int((rows["status"] == status).sum())
        for name, status in (("not reached", "not_reached"), ("below the range", "below_range"))
    }
    note = listed_as_left_out(left)
    if not fit.n:
        return no_points(f"no two curves that differ in this alone{note}")
    return of_points(fit, f"curves, {fit.n_groups} intercepts{note}")


def exponent(tables: Tables, *, net: str, column: str, depth: int) -> Measurement:
    """Exponent of m, or of s_0+1, in P* at one depth, of grammars that differ in it alone."""
    table = _complexity(tables)
    if table.empty:
        return NOT_MEASURED
    rows = differing(curves(table, net=net, L=depth), column)
    if rows.empty:
        return NOT_MEASURED
    x = np.log(rows[column].to_numpy(dtype=float) + (column == "s0"))
    by = [name for name in CURVE if name != column]
    return _measured(slope(rows, x, by=by), rows)


def slope_on_law(tables: Tables, *, net: str) -> Measurement:
    """Slope of log P* on log(n_c m^L) of grammars with v = m = n_c, an intercept for each L."""
    table = _complexity(tables)
    rows = table if table.empty else diagonal(curves(table, net=net))
    if rows.empty:
        return NOT_MEASURED
    return _measured(slope(rows, np.log(rows["law"].to_numpy(float)), by=["L"]), rows)


def over_networks(tables: Tables, *, training: str, criterion: str = ALL) -> Measurement:
    """P* of the algorithm over that of LCN and CNN on the same grammars, geometric mean.

    Distinct data for both. The networks' mean is over all grammars; criterion: over which that of
    the algorithm is.
    """
    table, other = _complexity(tables), tables.get("references", pd.DataFrame())
    if table.empty or other.empty:
        return NOT_MEASURED
    nets = ("shared", "separate")
    rows = pd.concat(
        [curves(table, net=net, draws="distinct", criterion=criterion) for net in nets]
    )
    ratios = log_ratios(rows, other, training)["log_ratio"].to_numpy(dtype=float)
    if not ratios.size:
        return no_points("no grammar with a P* of both")
    return as_ratio(of_points(by_curve(ratios), "grammars and nets (geometric mean)"))


def rate_in_m(tables: Tables, *, depth: int) -> Measurement:
    """By which power of m the response error falls from one level to the next."""
    rows = _joined(tables)
    return _of_dense(rows, partial(exponents_in_m, depth=depth))


def rate_in_P(tables: Tables, *, level: int, depth: int) -> Measurement:
    """By which power of P the response error of a level falls."""
    rows = _joined(tables)
    own = rows if rows.empty else rows[rows["L"] == depth]
    return _of_dense(own, partial(exponents_in_P, level=level))


def _of_dense(
    rows: pd.DataFrame, exponents: Callable[[pd.DataFrame], NDArray[np.float64]]
) -> Measurement:
    if rows.empty:
        return NOT_MEASURED
    own = rows[(rows["net"] == "shared") & (rows["draws"] == "independent") & (rows["s0"] == 0)]
    fit = by_curve(exponents(own))
    return of_points(fit, "curves and seeds") if fit.n else NOT_MEASURED


def dirt_at_P_star(tables: Tables) -> Measurement:
    """Differences of synonyms over those of latents at level 1, at the first P above P*.

    Geometric mean over the dense curves of weakly identifiable grammars that reach P*.
    """
    rows, table = _joined(tables), _complexity(tables)
    if rows.empty or table.empty:
        return NOT_MEASURED
    reached = curves(table, net="shared")
    reached = reached[(reached["status"] == "reached") & (reached["s0"] == 0)]
    own = rows[(rows["level"] == 1) & (rows["cell_gap"] >= LEAST_GAP)]
    own = own.merge(reached[["curve", "P_star"]], on="curve")
    own = own[own["P"] >= own["P_star"]]
    own = own[own["P"] == own.groupby("curve")["P"].transform("min")]
    if own.empty:
        return no_points("no curve reaches P*")
    logs = own.assign(log_ratio=np.log(own["within"] / own["between"]))
    means = logs.groupby("curve")["log_ratio"].mean().to_numpy(dtype=float)
    return as_ratio(of_points(by_curve(means), "curves (geometric mean)"))


def error_at_largest(tables: Tables, *, weakly: bool) -> Measurement:
    """Class error at the largest P of each dense curve, of (not) weakly identifiable grammars."""
    own = _largest(tables)
    if own.empty:
        return NOT_MEASURED
    chosen = own[identifiable(own) == weakly]
    kind = "grammars and nets" if weakly else "grammars and nets that are not"
    return mean_of(chosen["test_error"].tolist(), f"{kind} weakly identifiable")


def share_identifiable(tables: Tables, *, net: str) -> Measurement:
    """Share of grammars with v = m = n_c that are weakly identifiable to a net."""
    own = _largest(tables)
    if own.empty:
        return NOT_MEASURED
    own = diagonal(own[own["net"] == net])
    if own.empty:
        return NOT_MEASURED
    found = identifiable(own)
    parts = own.assign(found=found).groupby(["L", "v"])["found"].mean().reset_index()
    said = ", ".join(
        f"L={L}, v={v}: {part:.2f}" for L, v, part in parts.itertuples(index=False, name=None)
    )
    return part_of(int(found.sum()), len(found), f"gap at least {LEAST_GAP}: {said}")


def _largest(tables: Tables) -> pd.DataFrame:
    """Cells at the largest P of each dense curve with independent draws."""
    cells = tables.get("cells", pd.DataFrame())
    if cells.empty:
        return cells
    own = cells[(cells["draws"] == "independent") & (cells["s0"] == 0)]
    return own[own["P"] == own.groupby(list(CURVE))["P"].transform("max")]


def insensitivity(tables: Tables, *, above: bool) -> Measurement:
    """S_{k,l} at the largest P of each curve that was learnt: for k >= l (above), or k < l."""
    cells, found = (tables.get(name, pd.DataFrame()) for name in ("cells", "sensitivities"))
    if cells.empty or found.empty:
        return NOT_MEASURED
    largest = cells[cells["P"] == cells.groupby(list(CURVE))["P"].transform("max")]
    learnt = largest[largest["test_error"] <= THRESHOLD]
    learnt = learnt[["key", "seed"]].assign(grammar=names(learnt))
    rows = found.merge(learnt, on="key")
    rows = rows[(rows["kind"] == "S") & (rows["n"] > 0)]
    rows = rows[rows["k"] >= rows["l"]] if above else rows[rows["k"] < rows["l"]]
    values = rows.groupby(["grammar", "seed"])["value"].mean()
    return mean_of(values[np.isfinite(values)].tolist(), "networks (mean over k and l)")


def _claim(
    identifier: str,
    topic: str,
    figure: str,
    statement: str,
    measure: Callable[[Tables], Measurement],
    *,
    place: str = ARTICLE,
    expected: float = nan,
    tolerance: float = nan,
    reason: str = NO_REASON,
) -> Claim:
    return Claim(
        identifier=identifier,
        topic=topic,
        figure=f"level_by_level_{figure}",
        statement=statement,
        place=place,
        expected=expected,
        tolerance=tolerance if isfinite(expected) else nan,
        tolerance_reason=reason,
        measure=measure,
    )


def _points() -> list[Claim]:
    of_m = [
        _claim(
            f"m-exponent-L{depth}", TOPIC, "complexity",
            f"P* ~ m^L: exponent of m at L = {depth}, v and n_c fixed",
            partial(exponent, net="shared", column="m", depth=depth),
            place=POWER, expected=depth, tolerance=0.35, reason=EXPONENT_REASON,
        )
        for depth in (2, 3)
    ]  # fmt: skip
    of_law = [
        _claim(
            f"law-{net}", TOPIC, "complexity",
            f"{net}: P* ~ n_c m^L for v = m = n_c, slope of log P*",
            partial(slope_on_law, net=net),
            place=POWER, expected=1, tolerance=0.25, reason=LAW_REASON,
        )
        for net in ("shared", "separate")
    ]  # fmt: skip
    ratios = [
        _claim(
            f"over-{training.replace(' ', '-')}", TOPIC, "complexity",
            f"P* of the algorithm over that of networks trained {training} by SGD",
            partial(over_networks, training=training),
            place=POWER,
        )
        for training in ("end to end", "layer by layer")
    ]  # fmt: skip
    ratios.append(
        _claim(
            "identifiable-over-end-to-end", TOPIC, "complexity",
            "the same over networks trained end to end, identifiable grammars alone",
            partial(over_networks, training="end to end", criterion=IDENTIFIABLE),
            place=POWER,
        )
    )  # fmt: skip
    return [*of_m, *of_law, *ratios]


def _levels() -> list[Claim]:
    return [
        *(
            _claim(
                f"error-by-level-L{depth}", LEVELS_TOPIC, "errors",
                f"error of level l ~ m^(-l/2), m synonyms: power per level, L = {depth}",
                partial(rate_in_m, depth=depth),
                place=CHAINING, expected=0.5, tolerance=0.15, reason=READING_REASON,
            )
            for depth in (3, 4)
        ),
        _claim(
            "error-by-samples-level-1", LEVELS_TOPIC, "errors",
            "error of level l ~ P^(-l/2), m samples: power of P at l = 1, L = 3",
            partial(rate_in_P, level=1, depth=3),
            place=CHAINING, expected=0.5, tolerance=0.1, reason=RATE_REASON,
        ),
        _claim(
            "error-by-samples-level-2", LEVELS_TOPIC, "errors",
            "error of level l ~ P^(-l/2), m samples: power of P at l = 2, L = 3",
            partial(rate_in_P, level=2, depth=3),
            place=CHAINING, expected=1, tolerance=0.25, reason=LITERAL_REASON,
        ),
        _claim(
            "error-root-of-samples-level-2", LEVELS_TOPIC, "errors",
            "'inverse square root of the samples at each layer': power at l = 2, L = 3",
            partial(rate_in_P, level=2, depth=3),
            place=CHAINING, expected=0.5, tolerance=0.1, reason=RATE_REASON,
        ),
    ]  # fmt: skip


def _conditions() -> list[Claim]:
    return [
        _claim(
            "clean-signal", CONDITIONS_TOPIC, "conditions",
            "clean signal: synonyms differ less than latents from P* on, ratio at P*",
            dirt_at_P_star, expected=1, reason=CLEAN_REASON,
        ),
        _claim(
            "identifiable-are-learnt", CONDITIONS_TOPIC, "conditions",
            "weakly identifiable grammars are learnt: class error at the largest P",
            partial(error_at_largest, weakly=True), expected=THRESHOLD, reason=LEARNT_REASON,
        ),
        _claim(
            "others", CONDITIONS_TOPIC, "conditions",
            "grammars that are not weakly identifiable: class error at the largest P",
            partial(error_at_largest, weakly=False),
        ),
        *(
            _claim(
                f"share-identifiable-{net}", CONDITIONS_TOPIC, "conditions",
                f"{net}: share of grammars that are weakly identifiable",
                partial(share_identifiable, net=net),
            )
            for net in ("shared", "separate")
        ),
        _claim(
            "insensitive-above", CONDITIONS_TOPIC, "stages",
            "S_{k,l} of learnt grammars for k >= l (1 where nothing is learnt)",
            partial(insensitivity, above=True),
            place="section 5", expected=0.5, reason=FALL_REASON,
        ),
        _claim(
            "sensitive-below", CONDITIONS_TOPIC, "stages",
            "S_{k,l} of learnt grammars for k < l",
            partial(insensitivity, above=False), place="section 5",
        ),
    ]  # fmt: skip


def _sparse() -> list[Claim]:
    """Exponents of s_0+1: of Eq. 3 and 4, and of a count of contents.

    A content is met by a share 1/(s_0+1)^s of the patches that are not empty, and by LCN-like nets
    at a place that is not empty with odds (s_0+1)^(l-L): the first level asks for the most,
    (s_0+1)^(s+L-1).
    """
    own = "a count of contents (README, 'Sparsity')"
    wanted = [
        ("separate", 2, "Eq. 3", 2), ("separate", 3, "Eq. 3", 3),
        ("separate", 2, own, 3), ("separate", 3, own, 4),
        ("shared", 2, "Eq. 4", 2), ("shared", 3, "Eq. 4", 2),
    ]  # fmt: skip
    return [
        _claim(
            f"s0-{net}-L{depth}{'-count' if place == own else ''}", SPARSE_TOPIC, "sparsity",
            f"{net}: exponent of s_0+1 in P* at L = {depth}"
            + (" = L - 1 + s" if place == own else ""),
            partial(exponent, net=net, column="s0", depth=depth),
            place=place, expected=expected, tolerance=0.35, reason=EXPONENT_REASON,
        )
        for net, depth, place, expected in wanted
    ]  # fmt: skip


CLAIMS: tuple[Claim, ...] = (*_points(), *_levels(), *_conditions(), *_sparse())
