"""Claims on the first step of gradient descent, on layerwise training, and on the bottleneck.

Sources: the paper's appendix C; the talk "Bottleneck structure in large depth networks" (A. Jacot,
2023) by the titles of its slides; an article on provable learning of the RHM (arXiv 2601.19756).
"""

from dataclasses import replace
from functools import partial
from math import isfinite, log, nan

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import THRESHOLD, as_ratio, listed_as_left_out, no_points
from srhm.statistics.regression import CONFIDENCE, NO_FIT, Fit, mean
from srhm.studies.bottleneck import analysis as bottleneck
from srhm.studies.first_step.scaling import all_data_ratio, equal_points, exponent, grouping_size
from srhm.studies.layerwise.analysis import (
    compared,
    log_ratios,
    mean_log_ratio,
    n_censored_below,
    slope,
    usable,
)


def _measured(fit: Fit, what: str, note: str = "") -> Measurement:
    """A fit of at least one point as a measurement."""
    low, high = (end if isfinite(end) else nan for end in (fit.low, fit.high))
    origin = {"seeds": "of the seeds", "scatter": "of their scatter", "nothing": "unknown"}
    text = f"{fit.n} {what}; {100 * CONFIDENCE:.0f} % {origin[fit.error_from]}"
    return Measurement(
        value=fit.slope, low=low, high=high, n=fit.n, note=f"{note}; {text}" if note else text
    )


def first_step_exponent(
    tables: Tables, *, net: str, of: str, depth: int | None = None
) -> Measurement:
    """Exponent of one parameter, or of the law, in the P at which noise equals signal."""
    table = tables.get("first_step", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    points = equal_points(table)
    fit = exponent(points, net=net, of=of, depth=depth)
    if not fit.n:
        return no_points("no grammars that differ in this only")
    own = points[(points["net"] == net) & ((points["L"] == depth) | (depth is None))]
    n = len(own[list(GRAMMAR)].drop_duplicates())
    return _measured(fit, "seeds, a fit for each", f"{n} grammars at this L" if depth else "")


def grouping(tables: Tables, *, net: str, kind: str) -> Measurement:
    """Mean over grammars of log of the P at which a kind groups together over the law of the LCN.

    Only grammars in which it does within the P of the table; the note counts the others.
    """
    table = tables.get("first_step", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    own = table[table["net"] == net]
    own = own[own["s0"] > 0] if kind == "placements" else own
    logs, never, early, late = [], 0, 0, 0
    for _, rows in own.groupby(list(GRAMMAR)):
        found = grouping_size(rows, kind)
        first = rows.iloc[0]
        law = (first["s0"] + 1) ** first["L"] * first["n_c"] * first["m"] ** first["L"]
        if found.status == "reached":
            logs.append(found.log_size - log(law))
        elif kind == "synonyms" and all_data_ratio(rows) >= 1:
            never += 1
        elif found.status == "below_range":
            early += 1
        else:
            late += 1
    counts = {"never, not even for all data": never, "at the smallest P already": early,
              "not at the largest P": late}  # fmt: skip
    note = ", ".join(f"{number} {words}" for words, number in counts.items() if number)
    if not logs:
        return no_points(f"no grammar in which they begin to within its P; {note}")
    return as_ratio(_measured(mean(np.array(logs), []), "grammars (geometric mean)", note))


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
    return _measured(fit, f"curves, {fit.n_groups} intercepts", note)


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
    found = as_ratio(_measured(fit, "grammars (geometric mean)", note))
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


def deep_rank(tables: Tables, *, decayed: bool) -> Measurement:
    """Mean over cells of the number of large singular values in the deep half, minus n_c - 1.

    Large is above half of the layer's largest; at the end of training.
    """
    rows = _of_bottleneck(tables, decayed=decayed)
    if rows.empty:
        return NOT_MEASURED
    deep = rows[bottleneck.in_deep_half(rows)]
    excess = deep["n_above_half"] - (deep["n_c"] - 1)
    by_cell = excess.groupby(deep["key"]).mean().to_numpy(dtype=float)
    shallow = rows[rows["k"] <= 2]
    note = f"layers 1, 2: {shallow['n_above_half'].mean():.1f} above half of the largest"
    return _measured(mean(by_cell, []), "cells", note)


def layers_apart(tables: Tables, *, kind: str) -> Measurement:
    """Mean over cells of the layer where a sensitivity dies minus that where the rank is n_c - 1.

    A sensitivity dies from the layer on from which it stays below half of its value in layer 1 at
    the start of training; ranks as in `deep_rank`, in hidden layers. Cells with weight decay.
    """
    rows = _of_bottleneck(tables, decayed=True)
    felt = tables.get("sensitivities", pd.DataFrame())
    if rows.empty or felt.empty:
        return NOT_MEASURED
    felt = felt[(felt["kind"] == kind) & (felt["l"] == 1) & (felt["n"] > 0)]
    apart, never = [], 0
    for key, own in rows[rows["k"] <= rows["hidden_layers"]].groupby("key"):
        values = felt[felt["key"] == key]
        start = values[(values["when"] == "initial") & (values["k"] == values["k"].min())]["value"]
        end = values[values["when"] == "end"].set_index("k")["value"]
        end = end[end.index <= own["hidden_layers"].iloc[0]]
        if end.empty or start.empty:
            continue
        dies = bottleneck.first_lasting(end, float(start.iloc[0]) / 2)
        rank = own.set_index("k")["n_above_half"]
        narrows = bottleneck.first_lasting(rank, bottleneck.last_rank(int(own["n_c"].iloc[0])))
        if isfinite(dies) and isfinite(narrows):
            apart.append(dies - narrows)
        else:
            never += 1
    note = f"{never} cells in which one of the two does not happen" if never else ""
    if not apart:
        return no_points(note or "no cell has both")
    return _measured(mean(np.array(apart), []), "cells", note)


def _of_bottleneck(tables: Tables, *, decayed: bool) -> pd.DataFrame:
    """Summaries of the weights at the end of the study's cells, with or without weight decay."""
    cells, summaries = (
        tables.get(name, pd.DataFrame()) for name in ("cells", "singular_summaries")
    )
    if cells.empty or summaries.empty:
        return pd.DataFrame()
    own = cells[(cells["study"] == bottleneck.STUDY) & ((cells["weight_decay"] > 0) == decayed)]
    rows = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    return rows.merge(own[["curve", "key", "n_c", "hidden_layers", "P"]], on=["curve", "key"])


def rank_of_representations(tables: Tables) -> Measurement:
    """Participation ratio of the last hidden layer after training over that before, all curves.

    Geometric mean over curves of the largest P of each, at the smallest alpha_tilde; without the
    cells of the bottleneck.
    """
    cells, summaries = (
        tables.get(name, pd.DataFrame()) for name in ("cells", "singular_summaries")
    )
    if cells.empty or summaries.empty:
        return NOT_MEASURED
    own = cells[cells["study"] != bottleneck.STUDY]
    own = own[own["P"] == own.groupby("curve")["P"].transform("max")]
    own = own[own["alpha_tilde"] == own.groupby("curve")["alpha_tilde"].transform("min")]
    rows = summaries[summaries["kind"] == "representation"]
    rows = rows.merge(own[["curve", "key", "hidden_layers"]], on=["curve", "key"])
    last = rows[rows["k"] == rows["hidden_layers"]]
    wide = last.pivot_table(index=["curve", "key"], columns="when", values="participation_ratio")
    if not {"initial", "end"} <= set(wide.columns):
        return NOT_MEASURED
    ratios = pd.Series(np.log(wide["end"] / wide["initial"]), index=wide.index)
    logs = np.asarray(ratios.groupby("curve").mean(), dtype=np.float64)
    return as_ratio(_measured(mean(logs, []) if logs.size else NO_FIT, "curves (geometric mean)"))


# Reasons of the tolerances, fixed before anything was measured.
SLOPE_REASON = (
    "0.15, as for P*: a factor 1.4 a decade; which parameter a misfit comes from is in the rows of"
    " the exponents"
)
EXPONENT_REASON = "below 0.5, so that no value is within the tolerance of two whole exponents"
LAYERWISE_REASON = (
    "0.25: the claim leaves o(1) open; an exponent of m that is wrong by one would be 1/3 (L = 3)"
    " or 1/2 (L = 2)"
)
SHALLOW_REASON = "the bound is an equal P*: below 1 layerwise training needs fewer points"
RANK_REASON = "1, ours: a network trained before had 2 to 3 where n_c - 1 = 3"
NO_REASON = "no source has a number"

FIRST_TOPIC = "First step of gradient descent (appendix C)"
LAYERWISE_TOPIC = "Layerwise against end-to-end training"
BOTTLENECK_TOPIC = "Bottleneck and singular values"
STEP, LAYERWISE, BOTTLENECK = "plane_first_step", "plane_layerwise", "plane_bottleneck"
# The article's claim m^((1+o(1)) L), and that shallow learners need exponentially more points.
ARTICLE = "article on arXiv 2601.19756, 'The Power of Sample Complexity'"
WEIGHTS_SLIDE = "talk, slide 'Bottleneck Structure on the Weights'"
REPRESENTATIONS_SLIDE = "talk, slide 'Convergence of the representations'"


def _exponents() -> list[Claim]:
    rows: list[tuple[str, str, str, int, float]] = [
        ("s0+1", "(s_0+1)", "lcn", 2, 2),
        ("s0+1", "(s_0+1)", "lcn", 3, 3),
        ("m", "m", "lcn", 2, 2),
        ("m", "m", "lcn", 3, 3),
        ("n_c", "n_c", "lcn", 2, 1),
        ("s0+1", "(s_0+1)", "cnn", 2, nan),
        ("s0+1", "(s_0+1)", "cnn", 3, nan),
    ]
    return [
        Claim(
            identifier=f"first-step-{of.replace('+1', '').replace('_', '')}-exponent-{net}-L{L}",
            topic=FIRST_TOPIC,
            figure=STEP,
            statement=f"{net.upper()}: exponent of {letter} in the P of noise = signal, L = {L}"
            + (" (Eq. 4 has 2)" if net == "cnn" else ""),
            place="appendix C; Eq. 12" if net == "lcn" else "appendix C says nothing of the CNN",
            expected=expected,
            tolerance=0.35 if isfinite(expected) else nan,
            tolerance_reason=EXPONENT_REASON if isfinite(expected) else NO_REASON,
            measure=partial(first_step_exponent, net=net, of=of, depth=L),
        )
        for of, letter, net, L, expected in rows
    ]


def _grouping_claims() -> list[Claim]:
    words = {"placements": "displaced copies", "synonyms": "synonyms"}
    return [
        Claim(
            identifier=f"first-step-{kind}-{net}",
            topic=FIRST_TOPIC,
            figure=STEP,
            statement=f"{net.upper()}: P where {words[kind]} group, over (s_0+1)^L n_c m^L",
            place="appendix C",
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(grouping, net=net, kind=kind),
        )
        for kind in words
        for net in ("lcn", "cnn")
    ]


def _layerwise_claims() -> list[Claim]:
    names = {"layerwise": "layer by layer", "end_to_end": "end to end"}
    places = {"layerwise": ARTICLE, "end_to_end": "Eq. 3 and 4"}
    slopes = [
        Claim(
            identifier=f"m-exponent-{series.replace('_', '-')}",
            topic=LAYERWISE_TOPIC,
            figure=LAYERWISE,
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
            topic=LAYERWISE_TOPIC,
            figure=LAYERWISE,
            statement="one hidden layer: slope of log P* on log m^L (all data: 1.5 and 2.3)",
            place=ARTICLE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layerwise_slope, series="shallow"),
        ),
        Claim(
            identifier="layerwise-over-shallow",
            topic=LAYERWISE_TOPIC,
            figure=LAYERWISE,
            statement="deep and layer by layer needs fewer points than one hidden layer: ratio",
            place=ARTICLE,
            expected=1,
            tolerance=nan,
            tolerance_reason=SHALLOW_REASON,
            measure=partial(_inverse_ratio, over="shallow", under="layerwise"),
        ),
        Claim(
            identifier="layerwise-over-end-to-end",
            topic=LAYERWISE_TOPIC,
            figure=LAYERWISE,
            statement="P* layer by layer over P* end to end",
            place=ARTICLE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layerwise_ratio, over="layerwise", under="end_to_end"),
        ),
    ]


def _bottleneck_claims() -> list[Claim]:
    ranks = [
        Claim(
            identifier=f"bottleneck-rank-{'decay' if decayed else 'no-decay'}",
            topic=BOTTLENECK_TOPIC,
            figure=BOTTLENECK,
            statement=f"{'with' if decayed else 'no'} weight decay: large singular values of deep"
            " layers, minus n_c - 1",
            place=WEIGHTS_SLIDE,
            expected=0 if decayed else nan,
            tolerance=1 if decayed else nan,
            tolerance_reason=RANK_REASON if decayed else NO_REASON,
            measure=partial(deep_rank, decayed=decayed),
        )
        for decayed in (True, False)
    ]
    apart = [
        Claim(
            identifier=f"bottleneck-{kind.lower()}-layers-after-rank",
            topic=BOTTLENECK_TOPIC,
            figure=BOTTLENECK,
            statement=f"layers from where the rank is n_c - 1 to where {kind}_k dies",
            place=REPRESENTATIONS_SLIDE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layers_apart, kind=kind),
        )
        for kind in "SD"
    ]
    return ranks + apart


CLAIMS: tuple[Claim, ...] = (
    Claim(
        identifier="first-step-law-lcn",
        topic=FIRST_TOPIC,
        figure=STEP,
        statement="LCN: noise = signal at P ~ (s_0+1)^L n_c m^L: slope of the logarithms",
        place="appendix C; Eq. 12",
        expected=1,
        tolerance=0.15,
        tolerance_reason=SLOPE_REASON,
        measure=partial(first_step_exponent, net="lcn", of="law"),
    ),
    *_exponents(),
    *_grouping_claims(),
    *_layerwise_claims(),
    *_bottleneck_claims(),
    Claim(
        identifier="rank-of-representations",
        topic=BOTTLENECK_TOPIC,
        figure="plane_singular_values",
        statement="participation ratio of the last hidden layer, end over start, largest P",
        place=REPRESENTATIONS_SLIDE,
        expected=nan,
        tolerance=nan,
        tolerance_reason=NO_REASON,
        measure=rank_of_representations,
    ),
)
