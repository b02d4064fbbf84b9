"""Error of each level: of tokens, and of the learnt responses against the article's rates.

Letters of the paper: P training points, L depth, l level, m synonyms, n_c classes, v features.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, shades
from srhm.studies.level_by_level.analysis import LEAST_GAP, diagonal, levels_of
from srhm.studies.level_by_level.figures.parts import LEVEL_HUES, band, label_logarithmic

ROW = 2.4  # inches, with titles and labels
TIMES_LAW = 4.0  # P over n_c m^L in panel C


@styled
def draw(cells: pd.DataFrame, levels: pd.DataFrame, *, preset: str) -> Figure:
    """Errors of each level of dense grammars with v = m = n_c, patches of all places pooled.

    A: share of patches with a wrong token against P, L = 3, the largest v: with learnt tokens below
    and with true ones. B: response error against P, the same grammars. C: response error against
    the level for each m at the P of TIMES_LAW n_c m^L, L = 3 and 4.
    """
    rows = levels_of(cells, levels)
    rows = rows[(rows["net"] == "shared") & (rows["draws"] == "independent")]
    rows = diagonal(rows[rows["cell_gap"] >= LEAST_GAP])
    foot = [
        "Dense grammars with $v = m = n_c$ that are weakly identifiable; bands: standard error."
    ]
    figure, page = laid_out_page(ROW, preset=preset, foot=foot)
    boxes = page.subplots(1, 3)
    deep = rows[rows["L"] == 3]
    deep = deep[deep["v"] == deep["v"].max()]
    _tokens(boxes[0], deep, preset=preset)
    _responses(boxes[1], deep, preset=preset)
    synonyms = _by_level(boxes[2], rows, preset=preset)
    present = sorted(set(deep["level"].tolist()))
    hues = [line(f"$l={k}$", color=LEVEL_HUES[k - 1], linewidth=3) for k in present]
    tints = shades(synonyms, "viridis_r")
    groups = [
        ("Level (A, B)", hues),
        ("Below (A)", [marker("o", "learnt tokens", markerfacecolor="0.3"),
                       marker("o", "true latents")]),
        ("Synonyms (C)", [line(f"$m={m}$", color=tints[m], linewidth=3) for m in synonyms]),
        ("Depth (C)", [line("$L=3$", color="0.3"), line("$L=4$", color="0.3", linestyle="-.")]),
        ("Laws", [line("$P^{-1/2}$ (B), $m^{-l/2}$ (C)", color=GUIDE, linestyle="--"),
                  line("$P^{-1}$ (B)", color=GUIDE, linestyle=":")]),
    ]  # fmt: skip
    add_legends(page, groups)
    return figure


def _title(rows: pd.DataFrame) -> str:
    return f"$L=3$, $v=m=n_c={rows['v'].iloc[0]}$"


def _tokens(axes: Axes, rows: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="training points $P$", ylabel="share of wrong tokens")
    if rows.empty:
        panel_title(axes, "A", "tokens")
        empty_panel(axes, f"not in preset {preset}")
        return
    panel_title(axes, "A", _title(rows))
    for level, own in rows.groupby("level"):
        tint = LEVEL_HUES[int(str(level)) - 1]
        band(axes, own, "P", "token_error", tint=tint, name=f"tokens l={level}")
        band(axes, own, "P", "token_error_clean", tint=tint, style=":", face="white",
             name=f"clean l={level}")  # fmt: skip
    axes.set_xscale("log")
    label_logarithmic(axes)
    axes.set_ylim(bottom=-0.02)


def _responses(axes: Axes, rows: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="training points $P$", ylabel="response error / signal")
    if rows.empty:
        panel_title(axes, "B", "responses")
        empty_panel(axes, f"not in preset {preset}")
        return
    panel_title(axes, "B", _title(rows))
    for level, own in rows.groupby("level"):
        tint = LEVEL_HUES[int(str(level)) - 1]
        band(axes, own, "P", "response_error", tint=tint, name=f"response l={level}",
             geometric=True)  # fmt: skip
        means = np.exp(np.log(own["response_error"]).groupby(own["P"]).mean())
        x = means.index.to_numpy(dtype=float)
        for power, style in ((-0.5, "--"), (-1.0, ":")):
            axes.plot(x, means.iloc[0] * (x / x[0]) ** power, color=GUIDE, linewidth=0.8,
                      linestyle=style, zorder=1, gid=f"law {power}")  # fmt: skip
    axes.set(xscale="log", yscale="log")
    label_logarithmic(axes)


def _by_level(axes: Axes, rows: pd.DataFrame, *, preset: str) -> list[int]:
    """The m that are drawn."""
    axes.set(xlabel="level $l$", ylabel="response error / signal")
    own = rows[(rows["L"] >= 3) & (rows["m"] > 2)]
    own = own[np.isclose(own["P"] / own["law"], TIMES_LAW, rtol=0.05)]
    panel_title(axes, "C", f"$P={TIMES_LAW:g}\\,n_c m^L$")
    if own.empty:
        empty_panel(axes, f"not in preset {preset}")
        return []
    synonyms = sorted(set(own["m"].tolist()))
    tints = shades(synonyms, "viridis_r")
    for m, depth in sorted(set(zip(own["m"].tolist(), own["L"].tolist(), strict=True))):
        one, tint = own[(own["m"] == m) & (own["L"] == depth)], tints[m]
        below = one[one["level"] < depth]
        band(axes, one, "level", "response_error", tint=tint, style="-" if depth == 3 else "-.",
             name=f"levels m={m} L={depth}", geometric=True)  # fmt: skip
        first = float(np.exp(np.log(below[below["level"] == 1]["response_error"]).mean()))
        x = np.arange(1, depth)
        axes.plot(x, first * float(m) ** (-(x - 1) / 2), color=GUIDE, linewidth=0.8,
                  linestyle="--", zorder=4, gid="law of m")  # fmt: skip
    axes.set(yscale="log", xticks=sorted(set(own["level"].tolist())))
    return synonyms
