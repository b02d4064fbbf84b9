"""Necklace policies: q over its limit against the exit rate, and q* beside that of the columns."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import GUIDE
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import coloured, shaped
from srhm.studies.memory import theory
from srhm.studies.memory.figures.marks import MEMORIES
from srhm.studies.memory.selection import of_experiment

PRIMES = (2, 3, 5)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: q/q* - 1 of the exact chain against eps_1 as r, eps_0 vanish; B: -log q* against M_eff.

    Lines of B: Table 1, columns at M = M_eff/4 and necklaces at prime m; dots: the exact chain at
    its least eps_1.
    """
    found = of_experiment(cells, "necklaces")
    found = found.assign(excess=found["q"] / found["q_limit"] - 1, M_eff=4.0 ** found["size"])
    mu = found["mu"].min()
    least = found["exit_inside"] == found.groupby(["size", "mu"])["exit_inside"].transform("min")
    necklace, columns = MEMORIES["memento"].colour, MEMORIES["ram"].colour
    states = np.unique(np.geomspace(1, 4.0 ** max(PRIMES) / 4, 40).round()).astype(int)
    limits = [theory.necklace(m, mu) for m in PRIMES]
    return mosaic([
        Panel(title="necklaces towards $q^*$", y=Axis("$q/q^* - 1$", log=True),
              x=Axis("exit rate inside $\\varepsilon_1$", log=True),
              marks=[Marks(rows=found, x="exit_inside", y="excess", line="-", filled=False, by=[
                  coloured("size", found["size"], "$m$"), shaped("mu", found["mu"], "$\\mu$")])]),
        Panel(title=f"Table 1, $\\mu = {mu:g}$",
              x=Axis("effective memory $M_\\mathrm{eff}$", log=True),
              y=Axis("least $q$ at $r \\to 0$", log=True, limits=(min(limits) / 30, 1)),
              marks=[
                  Marks(rows=found[least & (found["mu"] == mu)], x="M_eff", y="q", name="exact",
                        label="necklaces, exact chain", colour=necklace, filled=False),
                  law(4 * states, [theory.column_of_confidence(int(M), mu) for M in states],
                      "columns, $\\alpha^{2M-1}$", line="-", colour=columns),
                  law([4.0**m for m in PRIMES], limits, "necklaces, $\\alpha^{m(n(m)-1)}$",
                      line="-", colour=necklace),
                  law(4 * states, [theory.hellman_cover(4 * int(M), mu) for M in states],
                      "Hellman and Cover, $M_\\mathrm{eff}$ states", line="-.", colour=GUIDE),
              ]),
    ], columns=2, preset=preset)  # fmt: skip
