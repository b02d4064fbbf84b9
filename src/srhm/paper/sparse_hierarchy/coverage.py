"""How many curves of each figure of the paper a run has, and why the others are missing.

The curves of Figures 4, 10 and 13 are the authors' points (reference/); Figures 6, 11 and 14
show the same. Those of Figures 7, 8, 12, 15 and 16 are what their captions say.
"""

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR, NET_AND_DATA
from srhm.training.configuration import HierarchySection
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
    sensitivities. section: the configuration that asks for them.
    """
    errors = _present(sample_complexity, "test_error")
    measured = _present(sample_complexity, "S_2")
    cells = [curve.cells[0] for curve in plan(section, Path()).curves.values()]
    planned = {
        tuple(one[name] for name in NET_AND_DATA)
        for one in cells
        if one["batch"] == "shuffled" and not one["whitening"] and not one["bias"]
    }
    rows = []
    for figure, curves in curves_of_figures(published).items():
        there = errors & measured if figure in MEASURED else errors
        absent = [curve for curve in curves if curve not in there]
        reasons: dict[str, list[Coordinates]] = {}
        for curve in absent:
            reason = "planned, not there yet" if curve in planned else "not in this preset"
            if curve in errors:
                reason = "trained, sensitivities not kept"
            reasons.setdefault(reason, []).append(curve)
        parts = [f"{len(own)} {why} ({_listed(own)})" for why, own in reasons.items()]
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
