"""Claims on lazy and feature learning: kernel change, half time, variance and error of ensembles.

Thesis, chapters 2b, 3a and 3b; L counts hidden layers. Networks with softplus,
since ReLU has a third regime between the two (chapter 3a, appendix F). Members that did not fit
are left out and counted. Tolerances are ours, and were fixed before measuring.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.seeding import generator
from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean, Slope, Stored
from srhm.scorecard.expectations import Below, Factor, NoExpectation, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.jamming import smallest_that_fit
from srhm.statistics.output_scale import (
    FEATURE,
    LAZY,
    MEMBER,
    N_TOP,
    SHORT,
    WIDE,
    Family,
    alignment,
    all_fitted,
    at_least,
    at_most,
    families,
    feature_minus_lazy,
    feature_slope,
    level_set,
    scaled_half_times,
    spread_of_half_times,
    variance_ratios,
    wholly_fitted,
)

DEPTH = 2
BOUNDS = "lower bounds"


def deep(cells: pd.DataFrame, ensembles: pd.DataFrame | None = None) -> Iterator[Family]:
    """Families with two hidden layers and softplus."""
    for one in families(cells, ensembles, study="crossover"):
        if one.hidden_layers == DEPTH and one.activation == "softplus":
            yield one


def of_families(
    found: Iterator[Family], rows: Callable[[Family], pd.DataFrame]
) -> pd.DataFrame:  # fmt: skip
    """Rows of all families, with `net`, `P` and the number of the `family`."""
    parts = [rows(one).assign(net=one.net, P=one.P, family=k) for k, one in enumerate(found)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def fitted(rows: pd.DataFrame) -> pd.DataFrame:
    """Networks, those that did not fit left out; `lazy` and `feature`: the regime."""
    tildes, status = rows["alpha_tilde"], rows["status"]
    reasons = {f"{word} networks": status == word for word in ("capped", "diverged")}
    rows = rows.assign(lazy=at_least(tildes, LAZY), feature=at_most(tildes, FEATURE))
    return left_out(rows, {**reasons, "other networks that did not fit": status != "fitted"})


def ends(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with `smallest` and `largest`: whether alpha_tilde is that of the net."""
    tildes, own = rows.groupby("net")["alpha_tilde"], rows["alpha_tilde"]
    least, most = tildes.transform("min"), tildes.transform("max")
    return rows.assign(
        smallest=np.isclose(own, least, rtol=1e-6), largest=np.isclose(own, most, rtol=1e-6)
    )


@rows_of("cells", nothing="no such networks that fitted")
def members(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks of all families."""
    rows = of_families(deep(cells), lambda one: one.cells)
    return ends(fitted(rows)) if len(rows) else rows


@rows_of("cells", nothing="the kernel change crosses 1 at no width")
def crossings(cells: pd.DataFrame) -> pd.DataFrame:
    """alpha_tilde at which the kernel change is 1, for each width that fits there."""
    return of_families(deep(cells), lambda one: level_set(wholly_fitted(one.cells), 1.0))


@rows_of("cells", nothing="h* is not within the widths of the grid at both ends of alpha_tilde")
def jamming_lines(cells: pd.DataFrame) -> pd.DataFrame:
    """h* at the largest over h* at the smallest alpha_tilde of each family, `ratio`.

    Of an h* the two widths of the grid beside it are known. Where no width is jammed at the
    smallest alpha_tilde the narrowest one stands for h*, and the ratio is a lower bound.
    """

    def at_ends(one: Family) -> pd.DataFrame:
        tildes = (min(one.tildes), max(one.tildes))
        stars = [smallest_that_fit(one.cells[one.cells["alpha_tilde"] == a]) for a in tildes]
        if any(star.empty for star in stars):
            return pd.DataFrame()
        first, last = (star.iloc[0] for star in stars)
        if last["status"] != "reached" or first["status"] not in ("reached", "below_range"):
            return pd.DataFrame()
        bound = first["status"] == "below_range"
        low = "below " if bound else f"{first['h_low']:g} to "
        words = f"{low}{first['h_high']:g} at {tildes[0]:g}, {last['h_low']:g} to"
        words += f" {last['h_high']:g} at {tildes[1]:g}"
        ratio = last["h_star"] / first["h_high" if bound else "h_star"]
        return pd.DataFrame([{"ratio": ratio, BOUNDS: bound, "words": words}])

    return of_families(deep(cells), at_ends)


@rows_of("cells", nothing="no two widths or alpha_tilde <= 0.01 whose members all fitted")
def half_times(cells: pd.DataFrame) -> pd.DataFrame:
    """Largest over smallest half time / alpha_tilde of the widths and alpha_tilde <= 10^-2.

    Over pairs (h, alpha_tilde) of which all members fitted, of each family on its own, the largest
    first; `words` have the number with the fitted members of all pairs. The interval is that of
    members drawn again.
    """

    def spread(one: Family) -> pd.DataFrame:
        everything, rows = (scaled_half_times(c) for c in (one.cells, wholly_fitted(one.cells)))
        pairs = ["width", "alpha_tilde"]
        n, n_all = (table.groupby(pairs).ngroups for table in (rows, everything))
        if n < 2:
            return pd.DataFrame()
        value, low, high = spread_of_half_times(rows, generator(0, role="drawing"))
        others = spread_of_half_times(everything, generator(0, role="drawing"))[0]
        words = f"; {others:.2f} with {n_all - n} pairs of which some members fitted"
        found = {"value": value, "low": low, "high": high, "n": n}
        return pd.DataFrame([{**found, "words": words if n_all > n else ""}])

    rows = of_families(deep(cells), spread)
    return rows.sort_values("value", ascending=False) if "value" in rows else rows


@rows_of("cells", "ensembles", nothing=f"no two widths of {WIDE} or more that all fitted")
def variances(cells: pd.DataFrame, ensembles: pd.DataFrame, *, lazy: bool) -> pd.DataFrame:
    """h Var F at the largest over that at the smallest of the widths from 40 on, `ratio`.

    For each family, alpha_tilde of one regime and seed, of ensembles whose members all fitted.
    """
    return of_families(
        (one for one in deep(cells, ensembles) if len(one.ensembles)),
        lambda one: variance_ratios(one.ensembles, lazy=lazy),
    )


@rows_of("cells", "ensembles", nothing="no ensemble whose members all fitted")
def all_ensembles(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensembles of all activations; `excess`: their error minus the mean of their members'."""
    found = families(cells, ensembles, study="crossover")
    rows = of_families((one for one in found if one.hidden_layers == DEPTH), lambda o: o.ensembles)
    if rows.empty:
        return rows
    whole = rows.index.isin(all_fitted(rows).index)
    excess = rows["ensemble_error"] - rows["mean_error"]
    return left_out(rows.assign(excess=excess), {"with members that did not fit": ~whole})


@rows_of("cells", "ensembles", nothing="no two widths with ensembles that all fitted")
def widest_ensembles(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensemble error at the widest minus that at the narrowest width of fitted ensembles.

    A row for each net, P, alpha_tilde and seed.
    """
    rows = of_families(deep(cells, ensembles), lambda one: all_fitted(one.ensembles))
    if rows.empty:
        return rows
    by = ["net", "P", "alpha_tilde", "seed"]
    ordered = rows.sort_values("width").groupby(by, as_index=False)
    both = ordered.first().merge(ordered.last(), on=by, suffixes=("", "_widest"))
    both = both[both["width"] != both["width_widest"]].assign(status="fitted")
    return fitted(both.assign(gain=both["ensemble_error_widest"] - both["ensemble_error"]))


@rows_of("cells", nothing="no width that fits in both regimes")
def both_regimes(cells: pd.DataFrame) -> pd.DataFrame:
    """Test error of feature minus that of lazy learning at the widest h, of each member."""
    return of_families(deep(cells), lambda one: feature_minus_lazy(one.cells))


@rows_of("cells", "kernels", nothing="no kernels of fitted networks were measured")
def aligned(cells: pd.DataFrame, kernels: pd.DataFrame, *, target: str) -> pd.DataFrame:
    """Part of a target in the kernel's first eigenvectors: after training minus before, `gain`."""
    rows = of_families(deep(cells), lambda one: alignment(one.cells, kernels, target))
    return ends(fitted(rows)) if len(rows) else rows


def reported(why: str) -> dict[str, Any]:
    """Nothing is expected."""
    return {"expected": NoExpectation(), "why": f"no expectation: {why}"}


crossover = partial(
    Claim, topic="Lazy and feature learning: kernel change, times, fluctuations of the output"
)
change = partial(crossover, figure="kernel_change")
diagram = partial(crossover, figure="crossover_diagram")
error = partial(crossover, figure="crossover_error")
WHERE = {"lazy": "lazy (α̃ ≥ 100)", "feature": "feature (α̃ ≤ 1)"}


def _of_net(net: str) -> tuple[Any, ...]:
    name = net.upper()
    growth = partial(
        Slope, "kernel_change", rows=members, what="networks", tells=("P", "width", "alpha_tilde")
    )
    return (
        change(
            f"lazy-slope-{net}", f"{name}: lazy, ‖ΔΘ‖/‖Θ0‖ ~ α̃^-1 (α̃ ≥ 100): slope",
            place="thesis, chapter 3a, Fig. 5a",
            expected=Within(-1, 0.1), why="0.1, ours: a trial before it found -1.0",
            measure=growth(against="alpha_tilde", within=MEMBER, where={"net": net, "lazy": True}),
        ),
        change(
            f"feature-slope-{net}",
            f"{name}: feature, ‖ΔΘ‖/‖Θ0‖ ~ α̃^-2/(1+1/L) (L = {DEPTH}, α̃ ≤ 1): slope",
            place="thesis, chapter 3a, Fig. 5a and Table 2",
            expected=Within(feature_slope(DEPTH), 0.25),
            why="0.25, ours: the thesis measured 1.7 (1.66 expected) and 1.25 (1.33)",
            measure=growth(
                against="alpha_tilde", within=MEMBER, where={"net": net, "feature": True}
            ),
        ),
        change(
            f"width-slope-{net}", f"{name}: ‖ΔΘ‖/‖Θ0‖ against h at α̃ = 1000: slope (0 or -1/2)",
            place="thesis, chapter 3a, Fig. 5a: 0; chapter 2b, Eq. 7: -1/2",
            **reported("the thesis states both a constant and h^-1/2"),
            measure=growth(against="width", where={"net": net, "largest": True}),
        ),
        change(
            f"crossover-{net}", f"{name}: α̃ at which ‖ΔΘ‖/‖Θ0‖ = 1: of order 1",
            place="thesis, chapter 3a, Fig. 5a; chapter 3b, Fig. 4",
            **reported("order 1 has no tolerance; a trial before it: 10"),
            measure=Mean(
                "alpha_tilde", scale="ratio", where={"net": net}, rows=crossings, what="widths",
                each="{alpha_tilde:.3g} (h = {width})", tells=("P",),
            ),
        ),
        diagram(
            f"crossover-in-width-{net}",
            f"{name}: α̃ at which ‖ΔΘ‖/‖Θ0‖ = 1 against h: slope, flat at large h",
            place="thesis, chapter 3b, Fig. 4",
            **reported("'flat' has no number, and the line bends near jamming"),
            measure=Slope(
                "alpha_tilde", against="width", within=("family",), where={"net": net},
                rows=crossings, what="widths", tells=("P", "width"),
            ),
        ),
        diagram(
            f"jamming-in-scale-{net}", f"{name}: h* at the largest over h* at the smallest α̃",
            place="thesis, chapter 3b, Fig. 4",
            **reported("h* follows error and budget; no number in the thesis"),
            measure=Mean(
                "ratio", scale="ratio", open=BOUNDS, where={"net": net}, rows=jamming_lines,
                what="families", each="{words}", tells=("P",),
            ),
        ),
        change(
            f"half-time-{net}",
            f"{name}: half time / α̃ constant for α̃ ≤ {SHORT:g}: largest over smallest",
            place="thesis, chapter 3a, Fig. 5c",
            expected=Below(1.5), why="ours: a factor 1.5 between the largest and the smallest",
            measure=Stored(
                where={"net": net}, rows=half_times, each="P = {P}{words}",
                what="pairs of h and alpha_tilde; interval from members drawn again",
            ),
        ),
        error(
            f"feature-or-lazy-{net}",
            f"{name}: test error of feature minus that of lazy learning, widest h",
            place="thesis, chapter 3a, Table 1",
            **reported("the thesis finds either sign, by network and data"),
            measure=Mean(
                "difference", where={"net": net}, rows=both_regimes, what="initialisations",
                tells=("P", "width"),
            ),
        ),
        *(
            crossover(
                f"aligned-{target}-{regime}-{net}",
                f"{name}: {words}: gain of the first {N_TOP} eigenvectors",
                figure="tangent_kernels", place="thesis, chapter 3b, Fig. 10; chapter 3a, Fig. 8",
                **reported("'become aligned' has no number in the thesis"),
                measure=Mean(
                    "gain", where={"net": net, end: True}, rows=aligned.given(target=target),
                    what="networks", tells=("P", "width", "alpha_tilde"),
                ),
            )
            for target, regime, end, words in (
                ("labels", "feature", "smallest", "feature: kernel aligns with the labels"),
                ("level2", "feature", "smallest", "feature: kernel aligns with level-2 latents"),
                ("labels", "lazy", "largest", "lazy: kernel does not align with the labels"),
            )
        ),
        *(
            error(
                f"ensemble-flat-{regime}-{net}",
                f"{name}: {WHERE[regime]}: ensemble error, widest h minus narrowest that fits",
                place="thesis, chapter 3a, Fig. 4d",
                **reported("'independent of h' has no number"),
                measure=Mean(
                    "gain", where={"net": net, regime: True}, rows=widest_ensembles,
                    what="ensembles", tells=("P", "width", "width_widest"),
                ),
            )
            for regime in ("feature", "lazy")
        ),
    )  # fmt: skip


STATED = (
    *_of_net("cnn"),
    *_of_net("fcn"),
    *(
        crossover(
            f"variance-{regime}",
            f"{words}: Var F ~ 1/h: h Var F, the widest over the narrowest h ≥ {WIDE}",
            figure="crossover_variance", place="thesis, chapter 3a, Fig. 4a, b",
            expected=Factor(1, within=2), why="ours: a factor 2", fixed="after",
            measure=Mean(
                "ratio", scale="log", rows=variances.given(lazy=regime == "lazy"), what="ensembles",
                each="{ratio:.2f} ({net}, h = {narrow} to {wide}, alpha_tilde = {alpha_tilde:g})",
            ),
        )
        for regime, words in WHERE.items()
    ),
    error(
        "ensemble-error",
        "ensembles err less than their networks, where all fit: difference of errors",
        place="thesis, chapter 2b, Fig. 2A; chapter 3a, Fig. 4c, d",
        expected=NoExpectation(), why="digits_jamming judges it, of shipped rows",
        measure=Mean("excess", rows=all_ensembles, what="ensembles"),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "ensemble-error":
            "the mean of the difference, before the part of ensembles; not judged any more",
        "half-time-* crossover-cnn crossover-fcn crossover-in-width-*":
            "pairs of width and scale of which all members fit",
    },
)  # fmt: skip
