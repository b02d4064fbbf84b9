"""Claims on layerwise training, and on the singular values of representations.

Sources: an article on provable learning of the RHM (arXiv 2601.19756); the talk "Bottleneck
structure in large depth networks" (A. Jacot, 2023) by the title of its slide.
"""

from dataclasses import replace
from functools import partial
from math import nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import THRESHOLD
from srhm.scorecard.fits import as_ratio, listed_as_left_out, no_points, of_points
from srhm.statistics.regression import NO_FIT, mean
from srhm.studies.layerwise.analysis import (
    compared,
    log_ratios,
    mean_log_ratio,
    n_censored_below,
    slope,
    usable,
)


def layerwise_slope(tables: Tables, *, series: str) -> Measurement:
    """Slope of log P* on log m^L of one way of training, an intercept for each L and s_0."""
    rows = _compared(tables)
    if rows.empty:
        return NOT_MEASURED
    fit = slope(rows, series=series)
    own = rows[rows["series"] == series]
    left = len(own) - len(usable(rows, series))
    note = f"{left} P* left out: censored, or above a tenth of the distinct data" if left else ""
    if not fit.n:
        return no_points(f"no P* of grammars that differ in m only{'; ' + note if note else ''}")
    return of_points(fit, f"curves, {fit.n_groups} intercepts", note)


def layerwise_ratio(
    tables: Tables, *, over: str, under: str, as_bound: bool = False
) -> Measurement:
    """Geometric mean over grammars of the P* of one way of training over that of another.

    A P* below that is censored has no ratio; for one above, its lower bound is taken. With either
    the interval is unknown: the scatter of the others is not that of all. as_bound: a lower bound
    of the ratio is what is asked for, so that bounds above may enter as they are.
    """
    rows = _compared(tables)
    if rows.empty:
        return NOT_MEASURED
    fit = mean_log_ratio(rows, over=over, under=under)
    if not fit.n:
        return no_points("no grammar with a P* of both")
    bounds = int(log_ratios(rows, over=over, under=under)["bound"].sum())
    left = n_censored_below(rows, over=over, under=under)
    note = f"{bounds} of them lower bounds" if bounds else ""
    note += listed_as_left_out({"whose lower P* is censored": left})
    found = as_ratio(of_points(fit, "grammars (geometric mean)", note))
    return replace(found, low=nan, high=nan) if left or (bounds and not as_bound) else found


def inverse(measured: Measurement) -> Measurement:
    """One over a ratio, with its interval."""
    if not measured.n:
        return measured
    return Measurement(
        value=1 / measured.value, low=1 / measured.high, high=1 / measured.low, n=measured.n,
        note=measured.note,
    )  # fmt: skip


def _inverse_ratio(tables: Tables, *, over: str, under: str) -> Measurement:
    """An upper bound where the P* above is one from below."""
    return inverse(layerwise_ratio(tables, over=over, under=under, as_bound=True))


def _compared(tables: Tables) -> pd.DataFrame:
    complexity = tables.get("sample_complexity", pd.DataFrame())
    return complexity if complexity.empty else compared(complexity, threshold=THRESHOLD)


def rank_of_representations(tables: Tables) -> Measurement:
    """Participation ratio of the last hidden layer after training over that before, all curves.

    Geometric mean over curves of the largest P of each, at the smallest alpha_tilde.
    """
    cells, summaries = (
        tables.get(name, pd.DataFrame()) for name in ("all_cells", "all_singular_summaries")
    )
    if cells.empty or summaries.empty:
        return NOT_MEASURED
    own = cells[cells["P"] == cells.groupby("curve")["P"].transform("max")]
    own = own[own["alpha_tilde"] == own.groupby("curve")["alpha_tilde"].transform("min")]
    rows = summaries[summaries["kind"] == "representation"]
    rows = rows.merge(own[["curve", "key", "hidden_layers"]], on=["curve", "key"])
    last = rows[rows["k"] == rows["hidden_layers"]]
    wide = last.pivot_table(index=["curve", "key"], columns="when", values="participation_ratio")
    if not {"initial", "end"} <= set(wide.columns):
        return NOT_MEASURED
    ratios = pd.Series(np.log(wide["end"] / wide["initial"]), index=wide.index)
    logs = np.asarray(ratios.groupby("curve").mean(), dtype=np.float64)
    return as_ratio(of_points(mean(logs, []) if logs.size else NO_FIT, "curves (geometric mean)"))


# Reasons of the tolerances, fixed before anything was measured.
LAYERWISE_REASON = (
    "0.25: the claim leaves o(1) open; an exponent of m that is wrong by one would be 1/3 (L = 3)"
    " or 1/2 (L = 2)"
)
SHALLOW_REASON = "the bound is an equal P*: below 1 layerwise training needs fewer points"
NO_REASON = "no source has a number"

TOPIC = "Layerwise against end-to-end training"
RANK_TOPIC = "Singular values of representations"
FIGURE = "layerwise"
ARTICLE = "article on arXiv 2601.19756, 'The Power of Sample Complexity'"
REPRESENTATIONS_SLIDE = "talk, slide 'Convergence of the representations'"


def _layerwise_claims() -> list[Claim]:
    names = {"layerwise": "layer by layer", "end_to_end": "end to end"}
    places = {"layerwise": ARTICLE, "end_to_end": "Eq. 3 and 4"}
    slopes = [
        Claim(
            identifier=f"m-exponent-{series.replace('_', '-')}",
            topic=TOPIC,
            figure=FIGURE,
            statement=f"trained {name}: P* ~ m^L, slope of log P* on log m^L",
            place=places[series],
            expected=1,
            tolerance=0.25,
            tolerance_reason=LAYERWISE_REASON,
            measure=partial(layerwise_slope, series=series),
        )
        for series, name in names.items()
    ]
    return [
        *slopes,
        Claim(
            identifier="m-exponent-shallow",
            topic=TOPIC,
            figure=FIGURE,
            statement="one hidden layer: slope of log P* on log m^L (all data: 1.5 and 2.3)",
            place=ARTICLE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layerwise_slope, series="shallow"),
        ),
        Claim(
            identifier="layerwise-over-shallow",
            topic=TOPIC,
            figure=FIGURE,
            statement="deep and layer by layer needs fewer points than one hidden layer: ratio",
            place=ARTICLE,
            expected=1,
            tolerance=nan,
            tolerance_reason=SHALLOW_REASON,
            measure=partial(_inverse_ratio, over="shallow", under="layerwise"),
        ),
        Claim(
            identifier="layerwise-over-end-to-end",
            topic=TOPIC,
            figure=FIGURE,
            statement="P* layer by layer over P* end to end",
            place=ARTICLE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layerwise_ratio, over="layerwise", under="end_to_end"),
        ),
    ]


CLAIMS: tuple[Claim, ...] = (
    *_layerwise_claims(),
    Claim(
        identifier="rank-of-representations",
        topic=RANK_TOPIC,
        figure="singular_values",
        statement="participation ratio of the last hidden layer, end over start, largest P",
        place=REPRESENTATIONS_SLIDE,
        expected=nan,
        tolerance=nan,
        tolerance_reason=NO_REASON,
        measure=rank_of_representations,
    ),
)
