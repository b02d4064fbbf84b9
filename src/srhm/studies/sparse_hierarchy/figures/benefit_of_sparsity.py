"""Figure 5: the sample complexity of the LCN at fixed dimension, over the input's sparsity (Eq. 5).

Letters of the paper: d = (s(s_0+1))^L places, F = (s_0+1)^-L informative fraction, m synonyms,
s branching, v features, P* sample complexity.
"""

from math import log
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from srhm.figures.drawing import add_legends, laid_out_page, styled
from srhm.figures.marks import line
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
DOT: dict[str, Any] = {
    "marker": "o",
    "markersize": 3.4,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 0.5,
    "linestyle": "",
}


@styled
def draw(*, preset: str) -> Figure:
    """Figure 5: Eq. 5 in colour, on a logarithmic scale; dots are grammars with whole L and s_0."""
    figure, part = laid_out_page(2.9, preset=preset)
    axes = part.subplots()
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
    _grammars(axes)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(dimensions[0], dimensions[-1]),
        ylim=(fractions[0], 1.7 * fractions[-1]),
        xlabel="input dimension $d$ (places)",
        ylabel="informative fraction $F = (s_0+1)^{-L}$",
    )
    power = "\\log m/\\log s"
    title = f"LCN: $P^* \\sim F^{{\\,{power}\\,-\\,1/2}}\\; d^{{\\,{power}\\,+\\,1/2}}$  (Eq. 5)"
    axes.set_title(title, loc="left")
    bar = part.colorbar(mesh, ax=axes)
    bar.set_label("sample complexity $P^*$ (training points)")
    bar.set_ticks(list(LEVELS))
    bar.ax.minorticks_off()
    _notes(part)
    return figure


def _sample_complexity(dimension: float, fraction: float) -> float:
    exponent = theory.log_sample_complexity_lcn(
        log(dimension), log(fraction), n_synonyms=N_SYNONYMS, branching=BRANCHING
    )
    return float(np.exp(exponent))


def _grammars(axes: Axes) -> None:
    """A dot for each grammar inside the panel with s_0 up to MOST_EMPTY; L at its densest one."""
    largest, smallest = 10 ** LOG10_DIMENSION[1], 10 ** LOG10_FRACTION[0]
    depth = 1
    while BRANCHING**depth <= largest:
        widths = np.arange(1, MOST_EMPTY + 2, dtype=float)
        d, F = (BRANCHING * widths) ** depth, widths**-depth
        inside = (d <= largest) & (0.999 * smallest <= F)
        axes.plot(d[inside], F[inside], **DOT, clip_on=False, zorder=3)
        axes.text(d[0], 1.22, f"$L={depth}$", fontsize=7, ha="center", va="bottom")
        depth += 1


def _notes(part: SubFigure) -> None:
    """What stands at the right of the colour bar."""
    text = line(
        f"$v = {N_FEATURES}$, $s = {BRANCHING}$,\n$m = v^{{s-1}} = {N_SYNONYMS}$\n\n"
        "At fixed $d$, a smaller $F$\n(more empty places)\nlowers $P^*$. Lines: equal\n"
        "$P^*$, a factor $10^3$ apart.",
        linestyle="",
    )
    dot = Line2D([], [], **DOT, label=f"a grammar, $L = 1, 2 …$,\n$s_0 = 0 … {MOST_EMPTY}$")
    none = Patch(facecolor=NO_GRAMMAR, edgecolor="0.6", linewidth=0.5,
                 label="no grammar:\n$d\\,F = s^L < s$")  # fmt: skip
    add_legends(part, [("", [text]), ("", [dot, none])])
