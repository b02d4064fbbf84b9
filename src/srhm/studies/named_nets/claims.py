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
from srhm.scorecard.falls import FALL_REASON, LEARNT, LEAST_RATIO, MIN_FALL, UNLEARNT
from srhm.scorecard.fits import as_ratio, listed_as_left_out, no_points, with_note
from srhm.statistics.rank_correlation import (
    MIN_POINTS,
    RankCorrelation,
    mean_rank_correlation,
)
from srhm.statistics.regression import mean
from srhm.statistics.sample_complexity import lasting_crossing
from srhm.studies.named_nets.error_and_sensitivity import (
    DEEP,
    Place,
    all_networks,
    correlation,
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


def widths(curves: pd.DataFrame) -> str:
    """The widths of the networks as the end of a note."""
    found = sorted({int(width) for width in curves["width"]})
    return f"; width {', '.join(map(str, found))}"


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


def growing(tables: Tables, *, kind: str, place: Place, seed: int = 0) -> Measurement:
    """Spearman's ρ of ε and the sensitivity at this place over all networks and P.

    LCN and CNN are among the networks, which are the groups of the bootstrap. `seed` is that of the
    resampling.
    """
    own = _of_kind(tables, place, kind)
    if own.empty:
        return no_points(NO_NETWORKS)
    found = correlation(own, across_sizes=True, generator=generator(seed, role="drawing"))
    return _as_measurement(found, own, f"P from {own['P'].min()} to {own['P'].max()}", "networks")


def at_one_size(tables: Tables, *, kind: str, place: Place, seed: int = 0) -> Measurement:
    """Spearman's ρ of ε and the sensitivity across networks at one P, mean over P.

    Over those P at which the order of the networks is one of what they have learnt (`compared`).
    LCN and CNN are among the networks. `seed` is that of the resampling.
    """
    own = _of_kind(tables, place, kind)
    if own.empty:
        return no_points(NO_NETWORKS)
    sizes = [int(str(size)) for size, part in own.groupby("P") if compared(part)]
    parts = []
    for size, part in own.groupby("P"):
        value = correlation(
            part, across_sizes=False, generator=generator(seed, role="drawing")
        ).value
        if isfinite(value):
            left = "" if size in sizes else ", left out"
            parts.append(f"{value:.2f} (P = {size}, n = {len(part)}{left})")
    each = f"at each P: {', '.join(parts)}" if parts else "no P with three networks"
    chosen = own[own["P"].isin(sizes)]
    if chosen.empty:
        return no_points(f"no P at which most networks have learnt and their errors differ; {each}")
    values, errors = (
        chosen.pivot_table(index="net", columns="P", values=name).to_numpy(dtype=float)
        for name in ("value", "error")
    )
    found = mean_rank_correlation(values, errors, generator=generator(seed, role="drawing"))
    return _as_measurement(found, chosen, f"mean over {len(sizes)} P; {each}", "networks")


def compared(points: pd.DataFrame) -> bool:
    """Whether the networks of one P, a row each, have an order that is worth asking for.

    Most of them have begun to learn (ε at most 30 %), and the largest and the smallest ε are apart
    by more than three standard errors of what the test sets can tell.
    """
    error = points["error"].to_numpy(dtype=float)
    if len(points) < MIN_POINTS or not (error <= UNLEARNT).mean() > 0.5:
        return False
    n_tested = points["n_test"].to_numpy(dtype=float) * points["n_seeds"].to_numpy(dtype=float)
    variance = error * (1 - error) / n_tested
    ends = [error.argmax(), error.argmin()]
    return bool(np.ptp(error) > 3 * variance[ends].sum() ** 0.5)


def _of_kind(tables: Tables, place: Place, kind: str) -> pd.DataFrame:
    points = _points(tables, place, beside=True)[1]
    return points[points["kind"] == kind]


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


def change(tables: Tables, *, kind: str, place: Place) -> Measurement:
    """Sensitivity at the largest over that at the smallest P: geometric mean over networks.

    Of those that learn within their P, as in `same_sizes`.
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
    return _of_networks(as_ratio(measured))


def _points(tables: Tables, place: Place, *, beside: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells of the networks, and their errors beside their sensitivities at this place."""
    named = tables.get("cells", pd.DataFrame())
    measured = tables.get("sensitivities", pd.DataFrame())
    columns = ["net", "P", "kind", "value", "error", "n_capped", "n_seeds", "n_test", "width"]
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
NO_REASON = "reported: the paper shows 20 and 50 % depth in Figure 9 and says nothing of them"
FALLING_REASON = "reported: any two curves that fall with P have a high rank correlation"
SAME_TOPIC = "Named nets: ε falls where S and D fall, rank correlation over P at 80 % depth"
RANK_TOPIC = "Networks on one grammar: rank correlation of test error and sensitivities"
DEPTH_TOPIC = "Named nets: sensitivities fall at 80 % relative depth"


def _same_claims() -> list[Claim]:
    claims = [
        Claim(
            identifier=f"{kind.lower()}-with-error-{name.lower()}",
            topic=SAME_TOPIC,
            figure="9",
            statement=f"{name}: ε and {kind} ({WORDS[kind]}) over P, rank correlation",
            place="section 5; appendix B",
            expected=nan,
            tolerance=nan,
            tolerance_reason=FALLING_REASON,
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
        ("output", "D", "1 C", False, "the output, mean over P"),
        ("output", "S", "1 D", False, "the output, mean over P"),
        ("output", "D", "1 E", True, "the output, growing P"),
        ("output", "S", "1 F", True, "the output, growing P"),
        (DEEP, "D", "17 A", False, "80 % depth, mean over P"),
        (DEEP, "S", "17 B", False, "80 % depth, mean over P"),
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
            expected=nan if across else 1,
            tolerance=nan if across else 0.3,
            tolerance_reason=FALLING_REASON if across else RANK_REASON,
            measure=partial(growing if across else at_one_size, kind=kind, place=place),
        )
        for place, kind, figure, across, where in panels
    ]


def _depth_claims() -> list[Claim]:
    rows = [(0.2, nan, NO_REASON), (0.5, nan, NO_REASON), (0.8, 0.5, FALL_REASON)]
    return [
        Claim(
            identifier=f"{kind.lower()}-at-{100 * depth:.0f}-percent-depth",
            topic=DEPTH_TOPIC,
            figure="9",
            statement=f"{kind} at {100 * depth:.0f} % depth at the largest over the smallest P",
            place="appendix B",
            expected=expected,
            tolerance=nan,
            tolerance_reason=reason,
            measure=partial(change, kind=kind, place=depth),
        )
        for depth, expected, reason in rows
        for kind in "SD"
    ]


CLAIMS: tuple[Claim, ...] = (*_same_claims(), *_rank_claims(), *_depth_claims())
