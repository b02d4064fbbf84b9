"""Columns of confidence: q against r and against M, with closed forms and learnt policies."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, Colour, line, marker, patch, power
from srhm.studies.memory import theory
from srhm.studies.memory.figures.marks import ABSENT, ROW, tints
from srhm.studies.memory.selection import of_experiment, with_best_columns

# M of the panel against r: so many at most.
MOST_LINES = 5


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A row of panels for each mu: q against r at some M, q against M at some r.

    Lines: columns with the best exit rate. Rings: learnt from these + 1e-4. Dashed: r -> 0, Eq. 7;
    dash-dotted: the bound of Hellman and Cover, if the arm is chosen by the state alone.
    """
    best = of_experiment(cells, "columns")
    learnt = with_best_columns(cells, ["ccp"])
    values = sorted(set(best["mu"]))
    if not values:
        figure, part = laid_out_page(ROW, preset=preset)
        empty_panel(part.subplots(), ABSENT)
        return figure
    figure, part = laid_out_page(ROW * len(values), preset=preset, foot=_foot(learnt))
    panels = part.subplots(len(values), 2, squeeze=False)
    sizes = _chosen(best, learnt)
    of_size = tints(sizes)
    resets = sorted(set(learnt["r"])) or sorted(set(best["r"]))[:3]
    of_reset = tints(resets)
    letters = iter("ABCDEFGH")
    for row, mu in zip(panels, values, strict=True):
        own, ours = best[best["mu"] == mu], learnt[learnt["mu"] == mu]
        panel_title(row[0], next(letters), f"$\\mu = {mu:g}$, against $r$")
        _against(row[0], own, ours, "r", "size", of_size, mu)
        panel_title(row[1], next(letters), f"$\\mu = {mu:g}$, against $M$")
        _against(row[1], own, ours, "size", "r", of_reset, mu)
        row[0].set(xscale="log", xlabel="probability of a reset $r$")
        row[1].set(xlabel="memory states $M$")
        row[0].set_ylabel("probability of the worse arm $q$")
    add_legends(part, [
        ("At $M$", [patch(f"${size}$", tint) for size, tint in of_size.items()]),
        ("At $r$", [patch(f"${power(r)}$", tint) for r, tint in of_reset.items()]),
        ("", [line("columns, best exit rate", color="0.3"),
              marker("o", "learnt from these $+ 10^{-4}$"),
              line("$r \\to 0$: Eq. 7", color=GUIDE, linestyle="--"),
              line("Hellman and Cover, state alone", color=GUIDE, linestyle="-.")]),
    ])  # fmt: skip
    return figure


def _against(
    axes: Axes,
    best: pd.DataFrame,
    learnt: pd.DataFrame,
    x: str,
    by: str,
    colours: dict[float, Colour],
    mu: float,
) -> None:
    for value, tint in colours.items():
        own = best[best[by] == value].sort_values(x)
        axes.plot(own[x], own["q"], color=tint, gid=f"columns {by} {value:g}")
        ours = learnt[learnt[by] == value]
        axes.plot(ours[x], ours["q"], "o", color=tint, markersize=4, markerfacecolor="white",
                  gid=f"learnt {by} {value:g}")  # fmt: skip
        if by == "size":
            limit = theory.column_of_confidence(int(value), mu)
            axes.axhline(limit, color=tint, linewidth=0.8, linestyle="--", gid=f"limit {value:g}")
    if by == "r":
        M = np.arange(1, int(best["size"].max()) + 1)
        for form, style, name in ((theory.column_of_confidence, "--", "limit"),
                                  (theory.hellman_cover, "-.", "bound")):  # fmt: skip
            q = [form(int(size), mu) for size in M]
            axes.plot(M, q, color=GUIDE, linewidth=0.8, linestyle=style, gid=name)
    axes.set_yscale("log")


def _chosen(best: pd.DataFrame, learnt: pd.DataFrame) -> list[int]:
    """The M of the panels against r: those that are learnt, then the others, evenly."""
    known = sorted(set(learnt["size"].astype(int)))
    rest = [size for size in sorted(set(best["size"].astype(int))) if size not in known]
    n_more = max(0, MOST_LINES - len(known))
    some = rest[:: max(1, -(-len(rest) // n_more))] if n_more else []
    return sorted([*known, *some][:MOST_LINES])


def _foot(learnt: pd.DataFrame) -> list[str]:
    if learnt.empty:
        return []
    ratio = learnt["q"] / learnt["q_best"]
    return [f"{len(learnt)} learnt policies, q from {ratio.min():.4f} to {ratio.max():.4f} of that"
            " of the best columns."]  # fmt: skip
