"""Columns of confidence: q against r and against M, with closed forms and learnt policies."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, levels
from srhm.figures.scales import Scale, coloured, parted
from srhm.studies.memory import theory
from srhm.studies.memory.figures.marks import WORSE
from srhm.studies.memory.selection import of_experiment, with_best_columns

# M of the panel against r: so many at most.
MOST_LINES = 5


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A row of panels for each mu: q against r at some M, q against M at some r.

    Lines: columns with the best exit rate. Rings: learnt from these + 1e-4. Dashed: r -> 0, Eq. 7;
    dash-dotted: the bound of Hellman and Cover, if the arm is chosen by the state alone.
    """
    best, learnt = of_experiment(cells, "columns"), with_best_columns(cells, ["ccp"])
    sizes = coloured("size", _chosen(best, learnt), "At $M$")
    resets = coloured(
        "r", sorted(set(learnt["r"])) or sorted(set(best["r"]))[:3], "At $r$",
        label=lambda r: f"${power(r)}$",
    )  # fmt: skip
    panels = []
    for mu, own in parted(best, "mu"):
        ours = learnt[learnt["mu"] == mu]
        M = np.arange(1, int(best["size"].max()) + 1)
        limits = pd.DataFrame({"size": list(sizes.looks)})
        limits["q"] = [theory.column_of_confidence(size, mu) for size in limits["size"]]
        panels += [
            Panel(title=f"$\\mu = {mu:g}$, against $r$", y=WORSE,
                  x=Axis("probability of a reset $r$", log=True),
                  marks=[*_both(own, ours, "r", sizes),
                         levels(limits, "q", "$r \\to 0$: Eq. 7", by=[sizes], name="limit")]),
            Panel(title=f"$\\mu = {mu:g}$, against $M$", y=WORSE, x=Axis("memory states $M$"),
                  marks=[*_both(own, ours, "size", resets),
                         law(M, [theory.column_of_confidence(int(m), mu) for m in M],
                             "$r \\to 0$: Eq. 7", name="limit"),
                         law(M, [theory.hellman_cover(int(m), mu) for m in M],
                             "Hellman and Cover, state alone", name="bound", line="-.")]),
        ]  # fmt: skip
    ratio = learnt["q"] / learnt["q_best"]
    notes = [f"{len(learnt)} learnt policies, q from {ratio.min():.4f} to {ratio.max():.4f} of that"
             " of the best columns."] if len(learnt) else []  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, notes=notes)


def _both(best: pd.DataFrame, learnt: pd.DataFrame, x: str, by: Scale) -> list[Marks]:
    """The best columns as lines, what was learnt as rings, at the values of the scale."""
    return [
        Marks(rows=best[best[by.column].isin(by.looks)], x=x, y="q", by=[by], name="columns",
              label="columns, best exit rate", marker="", line="-"),
        Marks(rows=learnt[learnt[by.column].isin(by.looks)], x=x, y="q", by=[by], name="learnt",
              label="learnt from these $+ 10^{-4}$", filled=False),
    ]  # fmt: skip


def _chosen(best: pd.DataFrame, learnt: pd.DataFrame) -> list[int]:
    """The M of the panels against r: those that are learnt, then the others, evenly."""
    known = sorted(set(learnt["size"].astype(int)))
    rest = [size for size in sorted(set(best["size"].astype(int))) if size not in known]
    n_more = max(0, MOST_LINES - len(known))
    some = rest[:: max(1, -(-len(rest) // n_more))] if n_more else []
    return sorted([*known, *some][:MOST_LINES])
