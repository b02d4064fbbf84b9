"""Figure 5: the sample complexity of the LCN at fixed dimension, over the input's sparsity (Eq. 5).

Letters of the paper: d = (s(s_0+1))^L places, F = (s_0+1)^-L informative fraction, m synonyms,
s branching, v features, P* sample complexity.
"""

from collections.abc import Sequence
from math import log

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.model import theory

N_FEATURES, BRANCHING = 10, 5  # v and s of Figure 5, with m = v^(s-1)
N_SYNONYMS = N_FEATURES ** (BRANCHING - 1)
# The ranges of the printed axes are not in the paper's text.
LOG10_DIMENSION = (0.5, 4.5)
LOG10_FRACTION = (-3.0, 0.0)
N_GRID = 150
LEVELS = 10.0 ** np.arange(6, 28, 3)
MOST_EMPTY = 9  # grammars are shown up to this s_0
NO_GRAMMAR = "0.9"


@styled
def draw(*, preset: str) -> Figure:
    """Figure 5: Eq. 5 in colour, on a logarithmic scale; dots are grammars with whole L and s_0."""
    power = "\\log m/\\log s"
    (left, right), (bottom, top) = (
        (10.0**low, 10.0**high) for low, high in (LOG10_DIMENSION, LOG10_FRACTION)
    )
    panel = Panel(
        title=f"LCN: $P^* \\sim F^{{\\,{power}\\,-\\,1/2}}\\; d^{{\\,{power}\\,+\\,1/2}}$  (Eq. 5)",
        x=Axis("input dimension $d$ (places)", log=True, limits=(left, right)),
        y=Axis("informative fraction $F = (s_0+1)^{-L}$", log=True, limits=(bottom, 1.7 * top)),
        marks=[Marks(rows=_grammars(), x="d", y="F", name="grammar", colour=BLACK, filled=False,
                     size=3.4, label=f"a grammar, $L = 1, 2 …$, $s_0 = 0 … {MOST_EMPTY}$")],
        extra=_map,
    )  # fmt: skip
    note = (
        f"v = {N_FEATURES}, s = {BRANCHING}, m = v^(s-1) = {N_SYNONYMS:,}. Lines: equal P*, a"
        " factor 1000 apart."
    )
    return mosaic([panel], columns=1, preset=preset, height=2.9, notes=[note])


def _map(axes: Axes) -> Sequence[Entry]:
    """Colours and lines of equal P*, the area without any grammar, L above its densest one."""
    dimensions = np.logspace(*LOG10_DIMENSION, N_GRID)
    fractions = np.logspace(*LOG10_FRACTION, N_GRID)
    P_star = np.array([[_sample_complexity(d, F) for d in dimensions] for F in fractions])
    # d F = s^L: below s there is no hierarchy at all.
    possible = P_star[np.multiply.outer(fractions, dimensions) >= BRANCHING]
    norm = LogNorm(possible.min(), possible.max())
    mesh = axes.pcolormesh(dimensions, fractions, P_star, cmap="cividis", norm=norm,
                           shading="gouraud", rasterized=True)  # fmt: skip
    axes.contour(dimensions, fractions, P_star, levels=LEVELS, colors="white",
                 linewidths=0.5)  # fmt: skip
    border = np.minimum(BRANCHING / dimensions, fractions[-1])
    axes.fill_between(dimensions, border, color=NO_GRAMMAR, linewidth=0, zorder=2.5)
    for depth, d in _grammars().groupby("L")["d"].min().items():
        axes.text(d, 1.22, f"$L={depth}$", fontsize=7, ha="center", va="bottom")
    bar = axes.figure.colorbar(mesh, ax=axes)
    bar.set_label("sample complexity $P^*$ (training points)")
    bar.set_ticks(list(LEVELS))
    bar.ax.minorticks_off()
    none = Patch(facecolor=NO_GRAMMAR, edgecolor="0.6", linewidth=0.5)
    return [Entry("", "no grammar: $d\\,F = s^L < s$", (none,))]


def _sample_complexity(dimension: float, fraction: float) -> float:
    exponent = theory.log_sample_complexity_lcn(
        log(dimension), log(fraction), n_synonyms=N_SYNONYMS, branching=BRANCHING
    )
    return float(np.exp(exponent))


def _grammars() -> pd.DataFrame:
    """L, d and F of each grammar inside the panel with s_0 up to MOST_EMPTY."""
    largest, smallest = 10 ** LOG10_DIMENSION[1], 10 ** LOG10_FRACTION[0]
    rows, depth = [], 1
    while BRANCHING**depth <= largest:
        for width in range(1, MOST_EMPTY + 2):
            rows.append({"L": depth, "d": (BRANCHING * width) ** depth, "F": width**-depth})
        depth += 1
    found = pd.DataFrame(rows)
    return found[(found["d"] <= largest) & (0.999 * smallest <= found["F"])]
