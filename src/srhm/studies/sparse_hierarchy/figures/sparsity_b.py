"""Figures 7, 8: learning curves with sparsity B, raw and rescaled by Eq. 3 or Eq. 4.

Letters of the paper: P training points, ε test error, L depth, s branching, s_0 empty places for
each informative one, v features.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import depths, empty_places, net_colours
from srhm.figures.drawing import styled
from srhm.figures.marks import EQUATIONS, curves_and_seeds
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.selection import predicted, text_curves

OTHER_SPARSITY = "0.6"
ERROR = Axis("test error $\\varepsilon$ (%)", limits=(-2, 102))


@styled
def draw(cells: pd.DataFrame, *, net: str, width: int, threshold: float, preset: str) -> Figure:
    """Figure 7 (LCN, Eq. 3) or 8 (CNN, Eq. 4), s = 2: ε against P, and against P rescaled.

    The main curves of sparsity B of this width, of one vocabulary as in the paper: that of most
    curves, the larger v of equal ones. In grey the averages of the curves with sparsity A and
    otherwise the same parameters, where there are any. Averages leave out diverged cells; bars are
    from the lowest to the highest seed.
    """
    rows = cells[cells["net"] == net]
    chosen = {
        sparsity: text_curves(rows, width=width, branching=2, sparsity=sparsity)
        for sparsity in "AB"
    }
    n_curves = chosen["B"].groupby("v")["curve"].nunique()
    usual = n_curves[n_curves == n_curves.max()].index.max()
    chosen["B"] = chosen["B"][chosen["B"]["v"] == usual]
    shared = ["L", "s0", "v"]
    beside = chosen["A"].merge(chosen["B"][shared].drop_duplicates(), on=shared)
    own, other = _averages(chosen["B"]), _averages(beside)
    by = [net_colours(own["net"]), depths(own), empty_places(own["s0"])]
    equation, formula = EQUATIONS[net]
    panels = []
    for x, label, title in (
        (
            "P",
            "training points $P$",
            f"{net.upper()}, sparsity B" + (f", $v = {usual}$" if len(own) else ""),
        ),
        ("scaled", f"$P\\;/\\;{formula}$   ({equation})", "$P$ rescaled"),
    ):
        lost = own[own["n_diverged"] > 0].assign(mean=100.0)
        panels.append(
            Panel(title=title, x=Axis(label, log=True), y=ERROR, marks=[
                Marks(rows=other, x=x, y="mean", each=["curve"], label="the same with sparsity A",
                      name="A curve", colour=OTHER_SPARSITY, marker="", line="-", width=0.7,
                      order=1.5),
                Marks(rows=own, x=x, y="mean", low="low", high="high", by=by, each=["curve"],
                      name="B curve", line="-", width=0.8,
                      bar_label="from lowest to highest seed"),
                Marks(rows=own[own["n_capped"] > 0], x=x, y="mean", marker="s", filled=False,
                      size=6.5, colour=looks.net(net).colour, label="a seed stopped at the cap",
                      name="capped", order=1.2),
                Marks(rows=lost, x=x, y="mean", marker="x", colour=looks.net(net).colour,
                      label="a seed diverged (left out)", name="diverged"),
                level(100 * threshold, f"$\\varepsilon = {100 * threshold:.3g}$ %",
                      name="threshold", line="--"),
            ] if len(own) else [])
        )  # fmt: skip
    notes = [f"{net.upper()}, sparsity B: {curves_and_seeds(chosen['B'])}."] if len(own) else []
    return mosaic(panels, columns=2, preset=preset, height=2.6, notes=notes)


def _averages(cells: pd.DataFrame) -> pd.DataFrame:
    """Means, ends (in %), numbers of capped and diverged seeds of each curve and P; scaled: P."""
    by = ["curve", "net", "L", "s0", "v", "P"]
    found = cells.assign(
        error=100 * cells["test_error"], capped=cells["status"] == "capped",
        lost=cells["test_error"].isna(),
    ).groupby(by, as_index=False).agg(
        mean=("error", "mean"), low=("error", "min"), high=("error", "max"),
        n_capped=("capped", "sum"), n_diverged=("lost", "sum"),
    )  # fmt: skip
    scale = {row["curve"]: predicted(row) for _, row in cells.drop_duplicates("curve").iterrows()}
    return found.assign(scaled=found["P"] / found["curve"].map(scale).astype(float))
