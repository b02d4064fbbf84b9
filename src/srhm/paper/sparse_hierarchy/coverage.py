"""How many curves of each figure of the paper a run has, and why the others are missing.

The curves of Figures 4, 10 and 13 are the authors' points (reference/); Figures 6, 11 and 14
show the same. Those of Figures 7, 8, 12, 15 and 16 are what their captions say.
"""

from collections.abc import Mapping
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.model import theory
from srhm.model.grammar import GRAMMAR, NET_AND_DATA
from srhm.training.configuration import HierarchySection
from srhm.training.cost import costs
from srhm.training.plan import plan

# Figures whose curves are the points of other figures, by net.
POINTS = {"4": ("4", None), "6": ("4", "lcn"), "10": ("10", "lcn"), "11": ("10", "lcn"),
          "13": ("13", "cnn"), "14": ("4, 13", "cnn")}  # fmt: skip
# net, L, v, s_0, sparsity of the others; s = 2.
CAPTIONS: dict[str, tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], str], ...]]
CAPTIONS = {
    "7": (("lcn", (2, 3), (6,), (1, 2, 4), "B"),),
    "8": (("cnn", (2, 3), (6,), (1, 2, 4), "B"),),
    "12": (("lcn", (2,), (8,), (0, 1, 2, 4), "A"),),
    "15": (("cnn", (2,), (8,), (0, 1, 2, 4), "A"),),
    "16": (("fcn", (2,), (6, 8), (0, 1, 2), "A"), ("fcn", (3,), (4, 6, 8), (0, 1, 2), "A")),
}
FIGURES = sorted({*POINTS, *CAPTIONS}, key=int)
# Those that show sensitivities: of their curves these must have been measured.
MEASURED = ("6", "11", "12", "14", "15", "16")
FEW = 3  # curves of one net, L and s that are named; of more their number
LONG = 3600.0  # seconds on one core: a P* that takes more by itself is a reason
PLANNED = "planned, not there yet"
Coordinates = tuple[Any, ...]  # in the order of NET_AND_DATA


def curves_of_figures(published: pd.DataFrame) -> dict[str, list[Coordinates]]:
    """Net and data of each curve that the paper shows, by figure; published: the paper's points."""
    found: dict[str, list[Coordinates]] = {}
    for figure in FIGURES:
        if figure in POINTS:
            sources, net = POINTS[figure]
            rows = published[published["figure"].isin(sources.split(", "))]
            rows = rows if net is None else rows[rows["net"] == net]
            points = rows[["net", *GRAMMAR]].drop_duplicates().itertuples(index=False)
            found[figure] = [(*map(_plain, point), "A") for point in points]
        else:
            found[figure] = [
                (net, L, 2, s0, v, v, v, sparsity)
                for net, depths, features, empty, sparsity in CAPTIONS[figure]
                for L, v, s0 in product(depths, features, empty)
            ]
    return found


def coverage(
    sample_complexity: pd.DataFrame, published: pd.DataFrame, section: HierarchySection
) -> pd.DataFrame:
    """A row for each of FIGURES: figure, published, ours (numbers of curves), missing (a text).

    Ours are trained by the text's protocol, at any width, and measured where the figure shows
    sensitivities. section: the configuration that asks for them, with what training those that are
    not there yet is expected to take; a curve that it does not ask for is missing for its cost if
    its P* alone takes more than an hour on one core.
    """
    errors = _present(sample_complexity, "test_error")
    measured = _present(sample_complexity, "S_2")
    planned = _planned(section)
    rows = []
    for figure, curves in curves_of_figures(published).items():
        there = errors & measured if figure in MEASURED else errors
        absent = [curve for curve in curves if curve not in there]
        reasons: dict[str, list[Coordinates]] = {}
        for curve in absent:
            reason = _reason(curve, section, trained=errors, planned=planned)
            reasons.setdefault(reason, []).append(curve)
        parts = [
            f"{len(own)} {why} ({_listed(own)}{_expected(own, planned) if why == PLANNED else ''})"
            for why, own in reasons.items()
        ]
        rows.append(
            {
                "figure": figure,
                "published": len(curves),
                "ours": len(curves) - len(absent),
                "missing": "; ".join(parts),
            }
        )
    return pd.DataFrame(rows)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else int(value)


def _present(table: pd.DataFrame, criterion: str) -> set[Coordinates]:
    """Net and data of the curves of the text's protocol that have this criterion."""
    if table.empty:
        return set()
    rows = table[(table["criterion"] == criterion) & (table["batch"] == "shuffled")]
    rows = rows[~rows["whitening"].astype(bool) & ~rows["bias"].astype(bool)]
    return {tuple(map(_plain, row)) for row in rows[list(NET_AND_DATA)].itertuples(index=False)}


def _planned(section: HierarchySection) -> dict[Coordinates, float]:
    """Expected seconds of each curve of the text's protocol that a section asks for, one core.

    Of a curve that is asked for at several widths, those at the section's.
    """
    found: dict[Coordinates, float] = {}
    for curve in plan(section, Path()).curves.values():
        cells = [entry["cell"] for entry in curve.entries]
        one = cells[0]
        if one["batch"] != "shuffled" or one["whitening"] or one["bias"]:
            continue
        coordinates = tuple(one[name] for name in NET_AND_DATA)
        if coordinates not in found or one["width"] == section.width:
            found[coordinates] = sum(cost.seconds for cost in costs(cells))
    return found


def _reason(
    curve: Coordinates,
    section: HierarchySection,
    *,
    trained: set[Coordinates],
    planned: Mapping[Coordinates, float],
) -> str:
    if curve in trained:
        return "trained, sensitivities not kept"
    if curve in planned:
        return PLANNED
    seconds = seconds_at_the_prediction(dict(zip(NET_AND_DATA, curve, strict=True)), section)
    if seconds > LONG:
        return "not planned, as P* alone takes more than an hour on one core"
    return "not in this preset"


def seconds_at_the_prediction(one: Mapping[str, Any], section: HierarchySection) -> float:
    """Expected seconds on one core of a network at the predicted P*, of the section's width."""
    predicted = theory.predicted_sample_complexity(
        one["net"], depth=one["L"], branching=one["s"], n_synonyms=one["m"],
        n_classes=one["n_c"], n_empty=one["s0"],
    )  # fmt: skip
    training = section.training.model_dump()
    cell = {**training, **one, "width": section.width, "P": round(predicted)}
    (cost,) = costs([cell | {"n_test": section.n_test}])
    return cost.seconds


def _expected(curves: list[Coordinates], planned: Mapping[Coordinates, float]) -> str:
    """What training these curves is expected to take."""
    minutes = sum(planned[curve] for curve in curves) / 60
    if minutes < 60:
        return f"; in all some {ceil(minutes)} core-minutes"
    return f"; in all some {minutes / 60:.1f} core-hours"


def _listed(curves: list[Coordinates]) -> str:
    """Curves in short: CNN, L = 2: 14; CNN, L = 3, s = 3: (s_0, v) = (1, 4), (2, 4)."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for curve in curves:
        one = dict(zip(NET_AND_DATA, curve, strict=True))
        key = (one["net"], one["L"], one["s"])
        groups.setdefault(key, []).append(f"({one['s0']}, {one['v']})")
    parts = []
    for (net, L, s), own in groups.items():
        which = f"(s_0, v) = {', '.join(own)}" if len(own) <= FEW else str(len(own))
        parts.append(f"{net.upper()}, L = {L}{'' if s == 2 else f', s = {s}'}: {which}")
    return "; ".join(parts)
