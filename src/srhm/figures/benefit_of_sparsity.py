"""Figure 5: the sample complexity of the LCN at fixed dimension, over the input's sparsity (Eq. 5).

Letters of the paper: d = (s(s_0+1))^L places, F = (s_0+1)^-L informative fraction, m synonyms,
s branching, v features, P* sample complexity.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from srhm import theory
from srhm.figures.drawing import page, styled

N_FEATURES, BRANCHING = 10, 5  # v and s of Figure 5, with m = v^(s-1)
# The printed axes are not in the paper's text. These hold every grammar with L <= 3 that is drawn.
LOG10_DIMENSION = (0.5, 4.5)
LOG10_FRACTION = (-3.0, 0.0)
N_GRID = 400


@styled
def draw(*, preset: str) -> Figure:
    """Figure 5: log10 of Eq. 5 as colours and contours; dots are grammars with whole L and s_0."""
    n_synonyms = N_FEATURES ** (BRANCHING - 1)
    x = np.linspace(*LOG10_DIMENSION, N_GRID)
    y = np.linspace(*LOG10_FRACTION, N_GRID)
    # Eq. 5 is a product of powers, so that its logarithm is linear and may be taken on arrays.
    along, up = np.log(10) * x, np.log(10) * y
    log10_P = np.array(
        [
            [
                theory.log_sample_complexity_lcn(a, b, n_synonyms=n_synonyms, branching=BRANCHING)
                for a in along
            ]
            for b in up
        ]
    ) / np.log(10)
    # d F = s^L: below s there is no hierarchy at all.
    log10_P[x[None, :] + y[:, None] < np.log10(BRANCHING)] = np.nan

    figure = page(3.1, preset=preset)
    axes = figure.add_axes((0.11, 0.15, 0.52, 0.76))
    axes.set_facecolor("0.9")
    mesh = axes.pcolormesh(10**x, 10**y, log10_P, cmap="cividis", shading="nearest", rasterized=True)
    levels = np.arange(0, np.nanmax(log10_P), 5)
    lines = axes.contour(10**x, 10**y, log10_P, levels=levels, colors="white", linewidths=0.6)
    axes.clabel(lines, fmt=lambda level: f"$10^{{{level:.0f}}}$", fontsize=7)
    dimensions, fractions = _grammars()
    axes.plot(dimensions, fractions, "o", markersize=3.2, markerfacecolor="white",
              markeredgecolor="black", markeredgewidth=0.5)  # fmt: skip
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(10 ** LOG10_DIMENSION[0], 10 ** LOG10_DIMENSION[1]),
        ylim=(10 ** LOG10_FRACTION[0], 1.15 * 10 ** LOG10_FRACTION[1]),
        xlabel="input dimension $d$ (places)",
        ylabel="informative fraction $F = (s_0+1)^{-L}$",
    )
    axes.set_title("LCN: $P^* = F^{\\,\\log m/\\log s\\,-\\,1/2}\\; d^{\\,\\log m/\\log s\\,+\\,1/2}$"
                   "   (Eq. 5)", loc="left")  # fmt: skip
    bar = figure.colorbar(mesh, cax=figure.add_axes((0.655, 0.15, 0.018, 0.76)))
    bar.set_label("sample complexity $P^*$ (points; $\\log_{10}$)")
    figure.text(0.775, 0.91, f"$v = {N_FEATURES}$, $s = {BRANCHING}$,\n$m = v^{{s-1}} = 10^4$\n\n"
                "at fixed $d$, a smaller $F$\n(more empty places)\nlowers $P^*$",
                va="top", fontsize=7.5, linespacing=1.35)  # fmt: skip
    figure.legend(
        handles=[
            Line2D([], [], linestyle="", marker="o", markersize=3.2, markerfacecolor="white",
                   markeredgecolor="black", markeredgewidth=0.5,
                   label="a grammar:\nwhole $L$ and $s_0$"),
            Patch(facecolor="0.9", edgecolor="0.6", linewidth=0.5,
                  label="no grammar:\n$d\\,F = s^L < s$"),
        ],
        loc="upper left", bbox_to_anchor=(0.775, 0.42), labelspacing=0.8,
    )  # fmt: skip
    return figure


def _grammars() -> tuple[list[float], list[float]]:
    """Dimension and fraction of all grammars inside the panel."""
    found = [
        (float((BRANCHING * width) ** depth), float(width) ** -depth)
        for depth in range(1, 7)
        for width in range(1, 1001)
    ]
    inside = [
        (d, f)
        for d, f in found
        if d <= 10 ** LOG10_DIMENSION[1] and f >= 0.999 * 10 ** LOG10_FRACTION[0]
    ]
    return [d for d, _ in inside], [f for _, f in inside]
