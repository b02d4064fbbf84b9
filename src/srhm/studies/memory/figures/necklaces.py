"""Necklace policies: q over its limit against the exit rate, and q* beside that of the columns."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker
from srhm.studies.memory import theory
from srhm.studies.memory.figures.marks import ABSENT, MEMORIES, ROW, groups, tints
from srhm.studies.memory.selection import of_experiment

PRIMES = (2, 3, 5)
SHAPES = ("o", "s", "^", "D")


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: q/q* - 1 of the exact chain against eps_1 as r, eps_0 vanish; B: -log q* against M_eff.

    Lines of B: Table 1, columns at M = M_eff/4 and necklaces at prime m; dots: the exact chain at
    its least eps_1.
    """
    found = of_experiment(cells, "necklaces")
    figure, part = laid_out_page(ROW, preset=preset)
    panels = part.subplots(1, 2)
    panel_title(panels[0], "A", "necklaces towards $q^*$")
    if found.empty:
        for axes in panels:
            empty_panel(axes, ABSENT)
        return figure
    of_plays = tints(found["size"].astype(int))
    values = sorted(set(found["mu"]))
    shapes = {mu: SHAPES[i % len(SHAPES)] for i, mu in enumerate(values)}
    handles = []
    for (plays, mu), own in groups(found, ["size", "mu"]):
        own = own.sort_values("exit_inside")
        tint, shape = of_plays[int(plays)], shapes[mu]
        panels[0].plot(own["exit_inside"], own["q"] / own["q_limit"] - 1, f"-{shape}", color=tint,
                       markersize=3.5, markerfacecolor="white",
                       gid=f"excess {int(plays)} {mu:g}")  # fmt: skip
        handles.append(line(f"$m = {int(plays)}$, $\\mu = {mu:g}$", color=tint, marker=shape,
                            markersize=3.5, markerfacecolor="white"))  # fmt: skip
    panels[0].set(xscale="log", yscale="log", xlabel="exit rate inside $\\varepsilon_1$",
                  ylabel="$q/q^* - 1$")  # fmt: skip
    mu = min(values)
    panel_title(panels[1], "B", f"Table 1, $\\mu = {mu:g}$")
    _table(panels[1], found[found["mu"] == mu], mu)
    add_legends(part, [
        ("A", handles),
        ("B", [line("columns, $\\alpha^{2M-1}$", color=MEMORIES["ram"]),
               line("necklaces, $\\alpha^{m(n(m)-1)}$", color=MEMORIES["memento"]),
               line("Hellman and Cover, $M_\\mathrm{eff}$ states", color=GUIDE, linestyle="-."),
               marker("o", "necklaces, exact chain")]),
    ])  # fmt: skip
    return figure


def _table(axes: Axes, found: pd.DataFrame, mu: float) -> None:
    sizes = np.array([4.0**m for m in PRIMES])
    states = np.unique(np.geomspace(1, sizes[-1] / 4, 40).round()).astype(int)
    columns = [theory.column_of_confidence(int(M), mu) for M in states]
    bound = [theory.hellman_cover(4 * int(M), mu) for M in states]
    necklaces = [theory.necklace(m, mu) for m in PRIMES]
    axes.plot(4 * states, columns, color=MEMORIES["ram"], gid="columns")
    axes.plot(4 * states, bound, color=GUIDE, linestyle="-.", gid="bound")
    axes.plot(sizes, necklaces, "-", color=MEMORIES["memento"], gid="necklaces")
    own = found[found["exit_inside"] == found.groupby("size")["exit_inside"].transform("min")]
    axes.plot(4.0 ** own["size"], own["q"], "o", color=MEMORIES["memento"], markersize=4.5,
              markerfacecolor="white", gid="exact")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="effective memory $M_\\mathrm{eff}$",
             ylabel="least $q$ at $r \\to 0$", ylim=(min(*necklaces) / 30, 1))  # fmt: skip
