"""The conditions of the article, measured: a clean signal, and weak identifiability.

Letters of the paper: P training points, L depth, m synonyms, n_c classes, v features, ε test error.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, depth_handles, line, marker, shades
from srhm.studies.level_by_level.analysis import (
    CURVE,
    LEAST_GAP,
    curves,
    diagonal,
    identifiable,
    levels_of,
)
from srhm.studies.level_by_level.figures.parts import NETS, band, hue, net_handles

ROW = 2.4  # inches, with titles and labels
SHIFT = 0.06  # of the v of L and nets, so that bars do not hide each other


@styled
def draw(
    cells: pd.DataFrame, levels: pd.DataFrame, complexity: pd.DataFrame, *, preset: str
) -> Figure:
    """Dense grammars with v = m = n_c, independent draws.

    A: differences of synonyms over those of latents at level 1, against P over P*. B: share of
    grammars that are weakly identifiable. C: test error at the largest P against the gap.
    """
    foot = [f"Weakly identifiable: a gap of {LEAST_GAP} or more (line in C). Bands: standard error"
            " over grammars; bars: 95 %, binomial."]  # fmt: skip
    figure, page = laid_out_page(ROW, preset=preset, foot=foot)
    boxes = page.subplots(1, 3)
    dense = diagonal(cells[cells["draws"] == "independent"])
    synonyms = _clean(boxes[0], levels_of(cells, levels), complexity, preset=preset)
    _shares(boxes[1], dense, preset=preset)
    _errors(boxes[2], dense, preset=preset)
    tints = shades(synonyms, "viridis_r")
    groups = [
        ("Synonyms (A)", [line(f"$m={m}$", color=tints[m], linewidth=3) for m in synonyms]),
        ("Depth (A)", [line("$L=2$", color="0.3"),
                       line("$L=3$", color="0.3", linestyle="--")]),
        ("Depth (B, C)", depth_handles(sorted(set(dense["L"].tolist())))),
        ("Places (B, C)", net_handles(sorted(set(dense["net"])))),
        ("", [marker("o", "not weakly identifiable (C)")]),
    ]  # fmt: skip
    add_legends(page, groups)
    return figure


def _clean(axes: Axes, rows: pd.DataFrame, complexity: pd.DataFrame, *, preset: str) -> list[int]:
    """The m that are drawn."""
    axes.set(xlabel="$P/P^*$", ylabel="variance: synonyms / latents")
    panel_title(axes, "A", "clean signal, level 1")
    reached = diagonal(curves(complexity, net="shared"))
    reached = reached[(reached["status"] == "reached") & reached["L"].isin([2, 3])]
    own = rows[(rows["level"] == 1) & (rows["cell_gap"] >= LEAST_GAP)]
    own = own.merge(reached[["curve", "P_star"]], on="curve")
    if own.empty:
        empty_panel(axes, f"no $P^*$ in preset {preset}")
        return []
    own = own.assign(x=own["P"] / own["P_star"], ratio=own["within"] / own["between"])
    synonyms = sorted(set(own["m"].tolist()))
    tints = shades(synonyms, "viridis_r")
    for m, depth in sorted(set(zip(own["m"].tolist(), own["L"].tolist(), strict=True))):
        one = own[(own["m"] == m) & (own["L"] == depth)]
        band(axes, one, "x", "ratio", tint=tints[m], style="-" if depth == 2 else "--",
             name=f"clean m={m} L={depth}", geometric=True)  # fmt: skip
    axes.axhline(1, color=GUIDE, linewidth=0.8, linestyle=":", gid="as unlike as latents")
    axes.axvline(1, color=GUIDE, linewidth=0.8, linestyle=":", gid="P*")
    axes.set(xscale="log", yscale="log")
    return synonyms


def _shares(axes: Axes, dense: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="$v=m=n_c$", ylabel="weakly identifiable", ylim=(-0.05, 1.05))
    panel_title(axes, "B", "share of grammars")
    own = dense.drop_duplicates([*CURVE, "seed"])
    if own.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    kinds = sorted(set(zip(own["L"].tolist(), own["net"].tolist(), strict=True)))
    for place, (depth, net) in enumerate(kinds):
        chosen = own[(own["L"] == depth) & (own["net"] == net)]
        found = identifiable(chosen).groupby(chosen["v"]).agg(["sum", "count"])
        x = found.index.to_numpy(dtype=float) + SHIFT * (2 * place - len(kinds) + 1)
        share = (found["sum"] / found["count"]).to_numpy()
        ends = [stats.binomtest(int(k), int(n)).proportion_ci() for k, n in found.to_numpy()]
        bars = np.abs([share - [e.low for e in ends], np.array([e.high for e in ends]) - share])
        face = hue(depth) if net == "shared" else "white"
        axes.errorbar(x, share, yerr=bars, color=hue(depth), marker=NETS[net], markersize=4,
                      linewidth=0.8, markerfacecolor=face,
                      gid=f"share {net} L={depth}")  # fmt: skip
    axes.set_xticks(sorted(set(own["v"].tolist())))


def _errors(axes: Axes, dense: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="gap of the grammar", ylabel="test error at the largest $P$")
    panel_title(axes, "C", "what the gap decides")
    if dense.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    own = dense[dense["P"] == dense.groupby(list(CURVE))["P"].transform("max")]
    for depth, net in sorted(set(zip(own["L"].tolist(), own["net"].tolist(), strict=True))):
        one, faces = own[(own["L"] == depth) & (own["net"] == net)], (hue(depth), "white")
        for weakly, face in zip((True, False), faces, strict=True):
            chosen = one[identifiable(one) == weakly]
            axes.plot(chosen["gap"], chosen["test_error"], NETS[net], color=hue(depth),
                      markersize=3.5, markerfacecolor=face, linestyle="", markeredgewidth=0.8,
                      gid=f"grammars {net} L={depth} {weakly}")  # fmt: skip
    axes.axvline(LEAST_GAP, color=GUIDE, linewidth=0.8, linestyle=":", gid="least gap")
    axes.set_ylim(-0.03, 1)
