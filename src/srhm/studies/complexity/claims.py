"""Claims on P* across lazy and feature learning, the onset of the invariances, and stability.

P*_S and P*_D are the sample complexities of the sensitivities S_2 and D_2; R_k = D_k/G_k is the
relative stability of layer k. The paper trains at alpha_tilde = 1; the thesis compares the errors
of both regimes (chapter 3b, figure 8), but has neither P* nor sensitivities. Feature learning is
the smallest alpha_tilde of a net and s_0, lazy learning the largest. Cells trained with SGD, which
check the flow, enter the claim on SGD alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import THRESHOLD
from srhm.scorecard.fits import as_ratio, listed_as_left_out, no_points, of_fit
from srhm.statistics.regression import (
    CONFIDENCE,
    NO_FIT,
    Fit,
    SeedNoise,
    mean,
    slope_with_group_intercepts,
)

FEATURE, LAZY = "feature", "lazy"
GRAMMAR = ["net", "L", "s", "s0", "v", "m", "n_c", "sparsity", "width"]


def _flow(tables: Tables, name: str) -> pd.DataFrame:
    """Rows that the flow has trained."""
    table = tables.get(name, pd.DataFrame())
    return table if table.empty else table[table["optimiser"] != "sgd"]


def _in_regime(table: pd.DataFrame, regime: str) -> pd.DataFrame:
    """Rows of the smallest or of the largest alpha_tilde of each net and s_0."""
    if table.empty:
        return table
    scales = table.groupby(["net", "s0"])["alpha_tilde"]
    wanted = scales.transform("min" if regime == FEATURE else "max")
    return table[table["alpha_tilde"] == wanted]


def _errors(tables: Tables, *, criterion: str = "test_error") -> pd.DataFrame:
    """P* of the flow at the main threshold, of one criterion; S_2 and D_2 have one of their own."""
    table = _flow(tables, "sample_complexity")
    if table.empty:
        return table
    table = table[table["criterion"] == criterion]
    if criterion in ("S_2", "D_2"):
        return table
    return table[np.isclose(table["threshold"].to_numpy(dtype=float), THRESHOLD)]


def _measured(fit: Fit, note: str) -> Measurement:
    if not fit.n:
        return no_points(note)
    return of_fit(fit, f"{note}; {100 * CONFIDENCE:.0f} % of their scatter")


def _scales(rows: pd.DataFrame) -> str:
    return "α̃ = " + ", ".join(f"{a:g}" for a in sorted(set(rows["alpha_tilde"].tolist())))


def _censored(rows: pd.DataFrame) -> str:
    counts = rows["status"].value_counts()
    return listed_as_left_out(
        {
            "not reached": int(counts.get("not_reached", 0)),
            "below the measured range": int(counts.get("below_range", 0)),
        }
    )


def exponent_of_empty_places(tables: Tables, *, net: str, regime: str) -> Measurement:
    """Exponent of s_0+1 in P* of one net in one regime at L = 2, from curves that differ in s_0.

    Curves whose P* exceeds a tenth of the data are left out, as in the paper's own law; the note
    has the exponent with them.
    """
    rows = _in_regime(_errors(tables), regime)
    rows = rows[(rows["net"] == net) & (rows["L"] == 2)] if len(rows) else rows
    if rows.empty:
        return NOT_MEASURED
    reached = rows[rows["status"] == "reached"]
    own = reached[~reached["small_pool"].astype(bool)]
    fit, whole = _exponent(own), _exponent(reached)
    small = len(reached) - len(own)
    note = f"{len(own)} curves, {_scales(rows)}"
    if small:
        note += f"; {small} with P* above a tenth of the data left out"
        note += f", {whole.slope:.2f} with them" if whole.n else ""
    return _measured(fit, note + _censored(rows))


def _exponent(own: pd.DataFrame) -> Fit:
    """Slope of log P* on log(s_0+1), an intercept for each of what else differs."""
    if own.empty:
        return NO_FIT
    by = [name for name in GRAMMAR if name != "s0"]
    x, y = np.log1p(own["s0"].to_numpy(dtype=float)), np.log(own["P_star"].to_numpy(dtype=float))
    group = own.groupby(by, sort=False).ngroup().to_numpy()
    shared = own["net"].astype(str) + ", " + own["alpha_tilde"].astype(str)
    noise = SeedNoise(
        standard_error=own["log_se"].to_numpy(dtype=float),
        dof=own["dof"].to_numpy(dtype=float),
        source=shared.where(own["log_sd_pooled"], own["curve"]).to_numpy(dtype=object),
    )
    return slope_with_group_intercepts(x, y, group, [noise])


def lazy_over_feature(tables: Tables, *, net: str) -> Measurement:
    """Geometric mean over s_0 of P* in lazy over P* in feature learning.

    A lazy P* that is not reached enters with its bound, which makes the mean a lower bound.
    """
    rows = _errors(tables)
    rows = rows[rows["net"] == net] if len(rows) else rows
    if rows.empty:
        return NOT_MEASURED
    both = _in_regime(rows, LAZY).merge(
        _in_regime(rows, FEATURE), on=GRAMMAR, suffixes=("", "_feature")
    )
    both = both[both["alpha_tilde"] > both["alpha_tilde_feature"]]
    own = both[(both["status_feature"] == "reached") & (both["status"] != "below_range")]
    bound = own["status"] == "not_reached"
    top = own["P_star"].where(~bound, own["P_star_low"])
    logs = np.log(top.to_numpy(dtype=float) / own["P_star_feature"].to_numpy(dtype=float))
    note = f"{len(own)} grammars, {int(bound.sum())} of them lower bounds; {_scales(rows)}"
    note += f"; {int(own['n_capped'].sum())} of {int(own['n_cells'].sum())} lazy networks capped"
    left = len(both) - len(own)
    note += listed_as_left_out({"without P* in feature learning, or below the range": left})
    found = as_ratio(_measured(mean(logs, []) if logs.size else NO_FIT, note))
    # The scatter of bounds is no interval of what they bound.
    return replace(found, low=nan, high=nan) if bool(bound.any()) else found


def lazy_error_beyond(tables: Tables) -> Measurement:
    """Test error at the largest alpha_tilde of networks that fit, beyond P* of feature learning.

    Mean over P of curves of the flow, at each P over its networks; P of which one is capped are
    left out, since its error may be that of too few weights or of the budget. Of networks of any
    width, beside P* at the smallest alpha_tilde with the same net and data. Without an interval:
    the P of a curve share their grammars.
    """
    cells, stars = _flow(tables, "cells"), _errors(tables)
    if cells.empty or stars.empty:
        return NOT_MEASURED
    data = [name for name in GRAMMAR if name != "width"]
    learnt = _in_regime(stars, FEATURE)
    learnt = learnt[learnt["status"] == "reached"].groupby(data)["P_star"].max().reset_index()
    lazy = _in_regime(cells, LAZY).merge(learnt, on=data)
    lazy = lazy[lazy["P"] >= lazy["P_star"]]
    points = lazy.groupby(["net", "s0", "width", "curve", "P"]).agg(
        error=("test_error", "mean"),
        least=("test_error", "min"),
        most=("test_error", "max"),
        whole=("status", lambda one: (one == "fitted").all()),
    )
    own = points[points["whole"].astype(bool)].reset_index()
    left = listed_as_left_out({"P at which some are capped": len(points) - len(own)})
    if own.empty:
        return no_points(f"no P{left}")
    each = ", ".join(
        f"{row['net'].upper()} s_0 = {row['s0']:g} h = {row['width']} P = {row['P']}:"
        f" {row['least']:.2f} to {row['most']:.2f}"
        for _, row in own.iterrows()
    )
    values = own["error"].to_numpy(dtype=float)
    note = f"{_scales(lazy)}; {each}{left}"
    return Measurement(value=float(values.mean()), low=nan, high=nan, n=len(own), note=note)


def onset(tables: Tables, *, kind: str, regime: str) -> Measurement:
    """Mean over curves of log(P*_S / P*), or D for S, in one regime; censored ones are counted."""
    errors = _in_regime(_errors(tables), regime)
    others = _in_regime(_errors(tables, criterion=f"{kind}_2"), regime)
    if errors.empty or others.empty:
        return NOT_MEASURED
    both = errors.merge(
        others[["curve", "alpha_tilde", "P_star", "status"]],
        on=["curve", "alpha_tilde"], suffixes=("", "_other"),
    )  # fmt: skip
    own = both[(both["status"] == "reached") & (both["status_other"] == "reached")]
    logs = np.log(own["P_star_other"].to_numpy(dtype=float) / own["P_star"].to_numpy(dtype=float))
    neither = (both["status"] == "not_reached") & (both["status_other"] == "not_reached")
    note = f"{len(own)} curves, {_scales(errors)}" + listed_as_left_out(
        {
            "in which neither is reached": int(neither.sum()),
            "censored otherwise": len(both) - len(own) - int(neither.sum()),
        }
    )
    return _measured(mean(logs, []) if logs.size else NO_FIT, note)


def fall(tables: Tables, *, kind: str, regime: str) -> Measurement:
    """S_2 or D_2 after training at the largest P over that before training, over curves.

    Geometric mean over curves of one regime, each an average over its seeds.
    """
    rows = _sensitivities(tables, kind=kind, layer="2", regime=regime)
    if rows.empty:
        return NOT_MEASURED
    rows = rows[rows["P"] == rows.groupby("curve")["P"].transform("max")]
    wide = rows.pivot_table(index="curve", columns="when", values="value")
    if not {"initial", "end"} <= set(wide.columns):
        return NOT_MEASURED
    wide = wide.clip(lower=1e-6)
    wide = wide.dropna()
    logs = np.log((wide["end"] / wide["initial"]).to_numpy(dtype=float))
    note = f"{logs.size} curves, {_scales(rows)}"
    return as_ratio(_measured(mean(logs, []) if logs.size else NO_FIT, note))


def kernel_error(tables: Tables, *, kernel: str, regime: str | None, size: bool) -> Measurement:
    """Mean of the test error of a frozen kernel minus that of the network, over curves.

    For each curve and alpha_tilde (of one regime, or all) the average over P; at each P that over
    seeds. size: its modulus, of those P at which the network's error is at least LEARNT, so that
    differences of either sign, or P at which both have learnt, do not hide others.
    """
    cells, frozen = _flow(tables, "cells"), tables.get("frozen_kernels")
    if cells.empty or frozen is None or frozen.empty:
        return NOT_MEASURED
    own = cells if regime is None else _in_regime(cells, regime)
    rows = own.merge(
        frozen[frozen["kernel"] == kernel], on=["curve", "key"], suffixes=("", "_kernel")
    )
    by = ["curve", "alpha_tilde"]
    points = rows.groupby([*by, "P"])[["test_error_kernel", "test_error"]].mean()
    difference = points["test_error_kernel"] - points["test_error"]
    if size:
        difference = difference.abs()[points["test_error"] >= LEARNT]
    means = difference.groupby(by).mean().dropna()
    capped = int((rows["status_kernel"] == "capped").sum())
    note = f"{len(means)} curves at an α̃, {_scales(own)}; {capped} of {len(rows)} flows capped"
    values = means.to_numpy(dtype=float)
    return _measured(mean(values, []) if values.size else NO_FIT, note)


def sgd_error(tables: Tables) -> Measurement:
    """Mean size of the difference between the test errors with SGD and with the flow.

    Averages over seeds first: a point is a P at an alpha_tilde, of those at which the flow's error
    is at least LEARNT.
    """
    cells = tables.get("cells", pd.DataFrame())
    if cells.empty:
        return NOT_MEASURED
    keys = [*GRAMMAR, "alpha_tilde", "P"]
    means = cells.groupby([*keys, "optimiser"])["test_error"].mean().unstack("optimiser")
    if not {"flow", "sgd"} <= set(means.columns):
        return NOT_MEASURED
    both = means[["flow", "sgd"]].dropna()
    both = both[both["flow"] >= LEARNT]
    values = (both["sgd"] - both["flow"]).abs().to_numpy(dtype=float)
    largest = f", at most {values.max():.2f} at a P" if values.size else ""
    note = f"{values.size} points{largest}"
    return _measured(mean(values, []) if values.size else NO_FIT, note)


def stability(tables: Tables, *, when: str, regime: str) -> Measurement:
    """Mean over curves of log R_2 before training, or of its change by training at the largest P.

    when: "initial", or "change" for log of R_2 at the end over that before.
    """
    rows = _sensitivities(tables, kind="R", layer="2", regime=regime)
    if rows.empty:
        return NOT_MEASURED
    rows = rows[(rows["P"] == rows.groupby("curve")["P"].transform("max")) & (rows["value"] > 0)]
    wide = rows.assign(log=np.log(rows["value"])).pivot_table(
        index="curve", columns="when", values="log"
    )
    wanted = ["initial"] if when == "initial" else ["initial", "end"]
    if not set(wanted) <= set(wide.columns):
        return NOT_MEASURED
    wide = wide.dropna(subset=wanted)
    found = wide["initial"] if when == "initial" else wide["end"] - wide["initial"]
    values = found.to_numpy(dtype=float)
    note = f"{values.size} curves, {_scales(rows)}"
    return _measured(mean(values, []) if values.size else NO_FIT, note)


def error_and_stability(tables: Tables, *, kind: str) -> Measurement:
    """Correlation coefficient of log ε and log of R_2 (or D_2, 1/G_2) over cells.

    Thesis, chapter 4, figures 5, 15 and 16, for images. Cells of the flow with ε > 0; averages over
    seeds first. The interval is Fisher's.
    """
    of = "G" if kind == "1/G" else kind
    rows = _sensitivities(tables, kind=of, layer="2", regime=None)
    if rows.empty:
        return NOT_MEASURED
    rows = rows[rows["when"] == "end"]
    means = rows.groupby(["curve", "alpha_tilde", "P"])[["value", "test_error"]].mean()
    means = means[(means["value"] > 0) & (means["test_error"] > 0)]
    n = len(means)
    if n < 5:
        return no_points(f"{n} points with an error above zero; 5 are the least")
    x = np.log(means["value"].to_numpy(dtype=float)) * (-1 if kind == "1/G" else 1)
    y = np.log(means["test_error"].to_numpy(dtype=float))
    if not (x.std() > 0 and y.std() > 0):
        return no_points(f"{n} points of one value")
    r = float(np.corrcoef(x, y)[0, 1])
    half = 1.96 / np.sqrt(n - 3)
    low, high = np.tanh(np.arctanh(np.clip(r, -0.999999, 0.999999)) + half * np.array([-1, 1]))
    note = f"{n} points (curve, α̃, P), averages over seeds; Fisher's interval"
    return Measurement(value=r, low=float(low), high=float(high), n=n, note=note)


def _sensitivities(
    tables: Tables, *, kind: str, layer: str, regime: str | None
) -> pd.DataFrame:  # fmt: skip
    """Rows of a kind and layer at level 1 with alpha_tilde, P and error of their cells."""
    cells = _flow(tables, "cells")
    felt = tables.get("sensitivities", pd.DataFrame())
    if cells.empty or felt.empty:
        return pd.DataFrame()
    own = cells if regime is None else _in_regime(cells, regime)
    chosen = (felt["kind"] == kind) & (felt["layer"] == layer) & (felt["l"] == 1) & (felt["n"] > 0)
    columns = ["curve", "key", "alpha_tilde", "P", "seed", "test_error"]
    return own[columns].merge(felt[chosen], on=["curve", "key"])


# Below this error two predictors have both learnt, and agree whatever they are.
LEARNT = 0.05
# Expected numbers and tolerances with their reasons, fixed before the claims were computed, after a
# look at the first cells (s0 = 0, and some of the CNN's at s0 = 1).
LAW_REASON = (
    "0.35, as for the same law on the paper's own curves; of lazy learning no source says anything"
)
ONSET_REASON = "log 1.5, as for the same claims on the paper's own curves"
KERNEL_REASON = (
    "0.05: half of the threshold that defines P*; the thesis shows curves that coincide and gives"
    " no number"
)
STABILITY_REASON = "log 3, ours: from 0.3 to 3 counts as order one"
NO_REASON = "no source has a number"
TOPIC_LAW = "Lazy and feature learning: P* across α̃"
TOPIC_ONSET = "Lazy and feature learning: onset of the invariances"
TOPIC_KERNEL = "Lazy and feature learning: frozen kernels"
TOPIC_STABILITY = "Relative stability R_k = D_k/G_k"


def _claim(
    identifier: str,
    statement: str,
    measure: Any,
    *,
    topic: str,
    figure: str,
    place: str,
    expected: float = nan,
    tolerance: float = nan,
    reason: str = NO_REASON,
) -> Claim:
    return Claim(
        identifier=identifier,
        topic=topic,
        figure=figure,
        statement=statement,
        place=place,
        expected=expected,
        tolerance=tolerance,
        tolerance_reason=reason,
        measure=measure,
    )


LAW: dict[str, Any] = {"expected": 2, "tolerance": 0.35, "reason": LAW_REASON}
TOGETHER: dict[str, Any] = {"expected": 0, "tolerance": log(1.5), "reason": ONSET_REASON}
SAME_ERROR: dict[str, Any] = {"expected": 0, "tolerance": 0.05, "reason": KERNEL_REASON}
WORDS = {FEATURE: "smallest α̃", LAZY: "largest α̃"}
COMPLEXITY, ONSET, STABLE = "complexity", "onset", "stability"
# Errors of feature and of lazy learning against P: P* across alpha_tilde is a question of ours.
REGIMES = "thesis, chapter 3b, Fig. 8"
OURS = "ours"
# The thesis's R_f against P; error against R_f, D_f and 1/G_f.
AGAINST_P = "thesis, chapter 4, Fig. 3 and 6"
ERROR_AGAINST = {"R": "Fig. 5", "D": "Fig. 15", "1/G": "Fig. 16"}


def _law_claims() -> list[Claim]:
    # The paper has no law for the FCN.
    equations = {"lcn": f"Eq. 3; {REGIMES}", "cnn": f"Eq. 4; {REGIMES}", "fcn": REGIMES}
    exponents = [
        _claim(
            f"empty-places-{net}-{regime}",
            f"{net.upper()}, {WORDS[regime]}: exponent of (s_0+1) in P*, L = 2",
            partial(exponent_of_empty_places, net=net, regime=regime),
            topic=TOPIC_LAW,
            figure=COMPLEXITY,
            place=place,
            **(LAW if regime == FEATURE and net != "fcn" else {}),
        )
        for net, place in equations.items()
        for regime in (FEATURE, LAZY)
    ]
    ratios = [
        _claim(
            f"lazy-over-feature-{net}",
            f"{net.upper()}: P* at the largest over that at the smallest α̃",
            partial(lazy_over_feature, net=net),
            topic=TOPIC_LAW,
            figure=COMPLEXITY,
            place=REGIMES,
        )
        for net in ("lcn", "cnn", "fcn")
    ]
    beyond = _claim(
        "lazy-error-beyond",
        "Largest α̃: test error of networks that fit, at P where the smallest α̃ is below 10 %",
        lazy_error_beyond,
        topic=TOPIC_LAW,
        figure=COMPLEXITY,
        place=REGIMES,
    )
    sgd = _claim(
        "sgd-agrees",
        "SGD and gradient flow: size of the difference of their test errors",
        sgd_error,
        topic=TOPIC_LAW,
        figure=COMPLEXITY,
        place=OURS,
        expected=0,
        tolerance=0.05,
        reason=KERNEL_REASON.replace("the thesis shows curves that coincide and gives", "there is"),
    )
    return [*exponents, *ratios, beyond, sgd]


def _onset_claims() -> list[Claim]:
    claims = []
    for kind in "SD":
        claims += [
            _claim(
                f"{kind.lower()}-onset-{regime}",
                f"{WORDS[regime]}: P*_{kind} ≈ P*: mean of log(P*_{kind} / P*)",
                partial(onset, kind=kind, regime=regime),
                topic=TOPIC_ONSET,
                figure=ONSET,
                place="Eq. 8, section 5",
                **(TOGETHER if regime == FEATURE else {}),
            )
            for regime in (FEATURE, LAZY)
        ]
        claims += [
            _claim(
                f"{kind.lower()}-fall-{regime}",
                f"{WORDS[regime]}: {kind}_2 at the largest P over {kind}_2 before training",
                partial(fall, kind=kind, regime=regime),
                topic=TOPIC_ONSET,
                figure=ONSET,
                place="section 5",
            )
            for regime in (FEATURE, LAZY)
        ]
    return claims


def _kernel_claims() -> list[Claim]:
    rows: Sequence[tuple[str, str, str, str | None, bool]] = (
        ("kernel-at-end", "Kernel at the end minus network, all α̃", "end", None, True),
        ("kernel-at-start-lazy", "Kernel at initialisation minus network, largest α̃", "initial",
         LAZY, True),
        ("kernel-at-start-feature", "Kernel at initialisation minus network, smallest α̃",
         "initial", FEATURE, False),
    )  # fmt: skip
    return [
        _claim(
            identifier,
            f"{words}: {'size of the ' if expected else ''}difference of test errors",
            partial(kernel_error, kernel=kernel, regime=regime, size=expected),
            topic=TOPIC_KERNEL,
            figure=ONSET,
            place="thesis, chapter 3a, Fig. 8c, d",
            **(SAME_ERROR if expected else {}),
        )
        for identifier, words, kernel, regime, expected in rows
    ]


def _stability_claims() -> list[Claim]:
    claims = [
        _claim(
            "r-before-training",
            "R_2 before training is of order one: mean of log R_2",
            partial(stability, when="initial", regime=FEATURE),
            topic=TOPIC_STABILITY,
            figure=STABLE,
            place="thesis, chapter 4, Fig. 3",
            expected=0,
            tolerance=log(3),
            reason=STABILITY_REASON,
        )
    ]
    claims += [
        _claim(
            f"r-change-{regime}",
            f"{WORDS[regime]}: log of R_2 at the largest P over R_2 before training",
            partial(stability, when="change", regime=regime),
            topic=TOPIC_STABILITY,
            figure=STABLE,
            place=AGAINST_P,
        )
        for regime in (FEATURE, LAZY)
    ]
    claims += [
        _claim(
            f"error-and-{name}",
            f"correlation of log ε and log {kind}_2 over all cells"
            if kind != "1/G"
            else "correlation of log ε and log 1/G_2 over all cells",
            partial(error_and_stability, kind=kind),
            topic=TOPIC_STABILITY,
            figure=STABLE,
            place=f"thesis, chapter 4, {ERROR_AGAINST[kind]}",
        )
        for kind, name in (("R", "r"), ("D", "d"), ("1/G", "g"))
    ]
    return claims


CLAIMS: tuple[Claim, ...] = (
    *_law_claims(),
    *_onset_claims(),
    *_kernel_claims(),
    *_stability_claims(),
)
