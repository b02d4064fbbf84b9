"""Claims on VGG, ResNet and EfficientNet (section 5, appendices B, G; Figures 1, 9, 17).

Sensitivities are those to transformations of the input's level, l = 1 (Eq. 6, 7). Tables
"networks_cells" and "networks_sensitivities" hold the named nets, "cells" and
"sensitivities" LCN and CNN beside them. Errors and sensitivities are averages over the seeds.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import exp, isfinite, log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.seeding import generator
from srhm.scorecard.claims import Claim, Measurement, Tables
from srhm.scorecard.curves import widths
from srhm.scorecard.falls import FALL_REASON, LEARNT, LEAST_RATIO, MIN_FALL, UNLEARNT
from srhm.scorecard.fits import as_ratio, listed_as_left_out, no_points, with_note
from srhm.statistics.rank_correlation import RankCorrelation
from srhm.statistics.regression import mean
from srhm.statistics.sample_complexity import lasting_crossing
from srhm.studies.named_nets.error_and_sensitivity import (
    DEEP,
    Place,
    all_networks,
    correlation,
    fixed_size,
    one_grammar,
    side_by_side,
)

# The networks of Figure 9, and by which of ours each is measured: the first that is there. The
# paper prints VGG11 and VGG16; its figures were made with batch norm.
PAPER_NETWORKS = {
    "VGG11": ("vgg11_bn", "vgg11"),
    "VGG16": ("vgg16_bn", "vgg16"),
    "ResNet18": ("resnet18",),
    "ResNet34": ("resnet34",),
    "EfficientNetB0": ("efficientnetb0",),
}
WORDS = {"S": "synonyms", "D": "diffeomorphisms"}
NO_NETWORKS = "no named nets in the tables"


def same_sizes(tables: Tables, *, nets: Sequence[str], kind: str, seed: int = 0) -> Measurement:
    """Spearman's ρ of ε and the sensitivity of the layer at 80 % depth, over the P of one network.

    Of the first of `nets` that is in the tables. It must learn within its P: ε above 30 % at the
    smallest, below 10 % at the largest. `seed` is that of the resampling.
    """
    points = _points(tables, DEEP, beside=False)[1]
    net = next((net for net in nets if net in set(points["net"])), nets[-1])
    curves, reasons = _learning(points)
    own = curves[(curves["net"] == net) & (curves["kind"] == kind)]
    if own.empty:
        reason = reasons.get(net, "no such network in the tables")
        return no_points(f"{net}: {reason}")
    found = correlation(
        own.assign(net=own["P"].astype(str)), across_sizes=False,
        generator=generator(seed, role="drawing"),
    )  # fmt: skip
    sizes = ", ".join(str(size) for size in sorted(own["P"]))
    delay = _log_delay(own)
    half = f"half-way P over that of ε {exp(delay):.2f}" if isfinite(delay) else "no half-way"
    return _as_measurement(found, own, f"{net}, P = {sizes}; {half}", "P")


def correlated(
    tables: Tables, *, kind: str, place: Place, across_sizes: bool, seed: int = 0
) -> Measurement:
    """Spearman's ρ of ε and the sensitivity at this place, LCN and CNN among the networks.

    Across networks at one P (`fixed_size`), or over all networks and P with the networks as the
    groups of the bootstrap. These are the numbers that Figures 1 and 17 print.
    """
    cells, points = _points(tables, place, beside=True)
    own = points[points["kind"] == kind]
    size = fixed_size(cells, points)
    if size is None:
        return no_points(NO_NETWORKS)
    chosen = own if across_sizes else own[own["P"] == size]
    found = correlation(
        chosen, across_sizes=across_sizes, generator=generator(seed, role="drawing")
    )
    if across_sizes:
        note = f"P from {own['P'].min()} to {own['P'].max()}"
    else:
        others = []
        for other, part in own[own["P"] != size].groupby("P"):
            value = correlation(
                part, across_sizes=False, generator=generator(seed, role="drawing")
            ).value
            if isfinite(value):
                others.append(f"{value:.2f} (P = {other}, n = {len(part)})")
        note = f"P = {size}, nearest to the paper's in units of Eq. 4"
        note += f"; at other P: {', '.join(others)}" if others else ""
    return _as_measurement(found, chosen, note, "networks")


def concurrence(tables: Tables, *, kind: str) -> Measurement:
    """Mean over networks of log P_half of the sensitivity at 80 % depth over P_half of ε.

    P_half: where a quantity has lost half of what it loses from the smallest to the largest P,
    linear in it against log P. Networks whose sensitivity falls by less than 1.5 have none: they
    count against the claim, so that the interval is unknown when they are as many as the others.
    """
    curves, reasons = _learning(_points(tables, DEEP, beside=False)[1])
    own = curves[curves["kind"] == kind]
    all_delays = {str(net): _log_delay(part) for net, part in own.groupby("net", sort=False)}
    delays = {net: delay for net, delay in all_delays.items() if isfinite(delay)}
    without = len(all_delays) - len(delays)
    counts = {**_counted(reasons), f"whose {kind} does not fall by {MIN_FALL:g}": without}
    end = listed_as_left_out(counts)
    if not delays:
        none = NO_NETWORKS if not all_delays and not reasons else "no network with a half-way"
        return no_points(f"{none}{end}")
    listed = ", ".join(f"{exp(delay):.2f} ({net})" for net, delay in delays.items())
    fit = mean(np.array(list(delays.values())), [])
    measured = _of_networks(with_note(fit, f"ratio of half-way P: {listed}", end + widths(own)))
    if without < len(delays):
        return measured
    note = f"interval unknown, as networks without a fall are as many; {measured.note}"
    return replace(measured, low=nan, high=nan, note=note)


def change(tables: Tables, *, kind: str, place: Place, as_log: bool) -> Measurement:
    """Sensitivity at the largest over that at the smallest P: geometric mean over networks.

    Of those that learn within their P, as in `same_sizes`; as_log: its logarithm.
    """
    curves, reasons = _learning(_points(tables, place, beside=False)[1])
    own = curves[curves["kind"] == kind].sort_values("P")
    if own.empty:
        return no_points(f"no network that learns{listed_as_left_out(_counted(reasons))}")
    ends = own.groupby("net", sort=False)["value"].agg(["first", "last"])
    ends = ends[ends["first"] > 0]
    logs = (ends["last"] / ends["first"]).clip(lower=LEAST_RATIO).map(log)
    listed = ", ".join(f"{exp(value):.2f} ({net})" for net, value in logs.items())
    end = listed_as_left_out(_counted(reasons)) + widths(own)
    measured = with_note(mean(logs.to_numpy(dtype=float), []), f"last over first: {listed}", end)
    return _of_networks(measured if as_log else as_ratio(measured))


def _points(tables: Tables, place: Place, *, beside: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells of the networks, and their errors beside their sensitivities at this place."""
    named = tables.get("cells", pd.DataFrame())
    measured = tables.get("sensitivities", pd.DataFrame())
    columns = ["net", "P", "kind", "value", "error", "n_capped", "width"]
    if named.empty or measured.empty:
        return named, pd.DataFrame(columns=columns)
    core = tables.get("core_cells", pd.DataFrame())
    if not beside or core.empty:
        cells = one_grammar(named)
        return cells, side_by_side(cells, measured, place)
    cells = all_networks(core, named)
    others = tables.get("core_sensitivities", pd.DataFrame())
    measured = pd.concat([others, measured], ignore_index=True) if len(others) else measured
    return cells, side_by_side(cells, measured, place)


def _learning(points: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Points of the networks that learn within their P, and of each other one why not."""
    reasons = {}
    for net, part in points.groupby("net", sort=False):
        errors = part.sort_values("P")["error"]
        if errors.iloc[-1] >= LEARNT:
            reasons[str(net)] = f"test error ends above {LEARNT:.0%}"
        elif errors.iloc[0] <= UNLEARNT:
            reasons[str(net)] = f"test error starts below {UNLEARNT:.0%}"
    return points[~points["net"].isin(list(reasons))], reasons


def _counted(reasons: dict[str, str]) -> dict[str, int]:
    words = list(reasons.values())
    return {f"network whose {word}": words.count(word) for word in dict.fromkeys(words)}


def _log_delay(points: pd.DataFrame) -> float:
    """Logarithm of P_half of the sensitivity of one network over that of ε; NaN without a fall."""
    points = points.sort_values("P")
    sizes, values, errors = (points[x].to_numpy(dtype=float) for x in ("P", "value", "error"))
    if not values[-1] * MIN_FALL <= values[0]:
        return nan
    return _log_half_way(sizes, values) - _log_half_way(sizes, errors)


def _log_half_way(sizes: Any, values: Any) -> float:
    return lasting_crossing(sizes, values, (values[0] + values[-1]) / 2).log_size


def _as_measurement(
    found: RankCorrelation, points: pd.DataFrame, note: str, units: str
) -> Measurement:
    capped = int((points["n_capped"] > 0).sum())
    groups = f", networks: {found.n_groups}" if found.n_groups < found.n else ""
    text = f"{note}; points: {found.n}{groups}, averages over seeds; bootstrap over {units}"
    if isfinite(found.p_value):
        text += f"; permutations order them so in a part {found.p_value:.3f}"
    text += f"; points with a capped network: {capped}" if capped else ""
    return Measurement(
        value=found.value, low=found.low, high=found.high, n=found.n, note=text + widths(points)
    )


def _of_networks(measured: Measurement) -> Measurement:
    """With_note speaks of curves: here a curve is a network."""
    return replace(measured, note=measured.note.replace(" curve", " network"))


# Expected numbers and tolerances with their reasons, fixed before anything was measured.
RANK_REASON = (
    "0.3: 'remarkable correlation' has no number in the paper; below 0.7 less than half of the"
    " variance of one order is explained by the other; fewer than five points have no interval"
)
HALF_REASON = (
    "log 2: a step of the named nets' grid of P, which has at most a few points for each factor 10"
)
STAY_REASON = (
    "log 2: the counterpart of a fall to below one half, which is what 'significantly lower' is"
    " taken for elsewhere; the paper shows it in Figure 9 and gives no number"
)
NO_REASON = "the paper says nothing of 50 % depth"
SAME_TOPIC = "Named nets: ε falls where S and D fall, rank correlation over P at 80 % depth"
RANK_TOPIC = "Networks on one grammar: rank correlation of test error and sensitivities"
DEPTH_TOPIC = "Named nets: sensitivities stay at small relative depth and fall at 80 %"


def _same_claims() -> list[Claim]:
    claims = [
        Claim(
            identifier=f"{kind.lower()}-with-error-{name.lower()}",
            topic=SAME_TOPIC,
            figure="9",
            statement=f"{name}: ε and {kind} ({WORDS[kind]}) over P, rank correlation",
            place="section 5; appendix B",
            expected=1,
            tolerance=0.3,
            tolerance_reason=RANK_REASON,
            measure=partial(same_sizes, nets=nets, kind=kind),
        )
        for name, nets in PAPER_NETWORKS.items()
        for kind in "SD"
    ]
    together = [
        Claim(
            identifier=f"{kind.lower()}-half-way-networks",
            topic=SAME_TOPIC,
            figure="9",
            statement=f"All: half-way P of {kind} over that of ε, mean of the logarithm",
            place="section 5; appendix B",
            expected=0,
            tolerance=log(2),
            tolerance_reason=HALF_REASON,
            measure=partial(concurrence, kind=kind),
        )
        for kind in "SD"
    ]
    return claims + together


def _rank_claims() -> list[Claim]:
    panels: list[tuple[Place, str, str, bool, str]] = [
        ("output", "D", "1 C", False, "the output, one P"),
        ("output", "S", "1 D", False, "the output, one P"),
        ("output", "D", "1 E", True, "the output, growing P"),
        ("output", "S", "1 F", True, "the output, growing P"),
        (DEEP, "D", "17 A", False, "80 % depth, one P"),
        (DEEP, "S", "17 B", False, "80 % depth, one P"),
        (DEEP, "D", "17 C", True, "80 % depth, growing P"),
        (DEEP, "S", "17 D", True, "80 % depth, growing P"),
    ]
    return [
        Claim(
            identifier=f"{kind.lower()}-rank-{'output' if place == 'output' else 'internal'}"
            f"{'-growing-p' if across else ''}",
            topic=RANK_TOPIC,
            figure=figure,
            statement=f"ε and {kind} ({WORDS[kind]}) of {where}",
            place="section 1" if place == "output" else "appendix G",
            expected=1,
            tolerance=0.3,
            tolerance_reason=RANK_REASON,
            measure=partial(correlated, kind=kind, place=place, across_sizes=across),
        )
        for place, kind, figure, across, where in panels
    ]


def _depth_claims() -> list[Claim]:
    rows: list[tuple[float, str, float, float, str, bool]] = [
        (0.2, "stays: log of its ratio, largest to smallest P", 0, log(2), STAY_REASON, True),
        (0.5, "at the largest over that at the smallest P", nan, nan, NO_REASON, False),
        (0.8, "at the largest over that at the smallest P", 0.5, nan, FALL_REASON, False),
    ]
    return [
        Claim(
            identifier=f"{kind.lower()}-at-{100 * depth:.0f}-percent-depth",
            topic=DEPTH_TOPIC,
            figure="9",
            statement=f"{kind} at {100 * depth:.0f} % depth {what}",
            place="appendix B",
            expected=expected,
            tolerance=tolerance,
            tolerance_reason=reason,
            measure=partial(change, kind=kind, place=depth, as_log=as_log),
        )
        for depth, what, expected, tolerance, reason, as_log in rows
        for kind in "SD"
    ]


CLAIMS: tuple[Claim, ...] = (*_same_claims(), *_rank_claims(), *_depth_claims())
