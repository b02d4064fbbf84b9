"""P* of transformers, their learning curves, and their place in Figure 1."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean
from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLUE, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import BELOW, STAR, Axis, Marks, Panel, law, level, power_law
from srhm.figures.scales import Scale, by_name
from srhm_studies.learning_curves.attention.analysis import BLIND
from srhm_studies.learning_curves.attention.configuration import LEARNER

NETS = {
    "transformer": Look("transformer, no positions", VERMILION, "X", "-"),
    "transformer_positions": Look("transformer, positions", PURPLE, "D", "-"),
    "cnn": Look("CNN", ORANGE, "s", "-"),
    "lcn": Look("LCN", BLUE, "o", "-"),
}
LEAST = 1e-3  # sensitivities below are drawn there, with an arrow
ERROR = "test error $\\epsilon$"


def attention(cells: pd.DataFrame, complexity: pd.DataFrame, *, preset: str) -> Figure:
    """P* against s_0+1; learning curves at s_0 = 1; test error against D and S of the output."""
    known, panels = with_ends(complexity.assign(per_place=complexity["s0"] + 1)), []
    for v in sorted(set(known.loc[known["status"] == "reached", "v"])):
        rows = known[known["v"] == v]
        cnn = rows[(rows["status"] == "reached") & (rows["net"] == "cnn")]
        unit = geometric_mean(cnn["P_star"] / cnn["per_place"] ** 2)
        panels.append(Panel(
            title=f"$v={v}$", x=Axis("$s_0+1$", log=True, ticks=rows["per_place"]), y=STAR, marks=[
                stars(rows, "per_place", [_nets(rows)]),
                power_law(rows["per_place"].tolist(), 2, through=(1.0, unit), name="square",
                          label="Eq. 4 through the CNN: $\\propto(s_0+1)^2$"),
            ],
        ))  # fmt: skip
    means = cells.groupby([*LEARNER.curve, "P"], as_index=False)[
        ["test_error", "S", "D", "bag_error"]
    ].mean()
    sparse = means[means["s0"] == 1]
    blind = sparse[sparse["net"] == BLIND]
    v = (blind if len(blind) else sparse)["v"].max()
    curves, floor = sparse[sparse["v"] == v], blind.loc[blind["v"] == v, "bag_error"].mean()
    panels.append(Panel(
        title=f"$v={v if len(curves) else ''}$, $s_0=1$", x=Axis("$P$", log=True), y=Axis(ERROR),
        marks=[
            Marks(rows=curves.sort_values("P"), x="P", y="test_error", by=[_nets(curves)], line="-",
                  name="curve"),
            *([level(floor, "least error by counts of features")] if np.isfinite(floor) else []),
        ],
    ))  # fmt: skip
    for kind, word in (("D", "diffeomorphisms"), ("S", "synonyms")):
        rows = means[(means["s0"] > 0) & means[kind].notna() & (means["test_error"] > 0)]
        rows = rows.assign(x=rows[kind].clip(lower=LEAST), beyond=BELOW * (rows[kind] < LEAST))
        panels.append(Panel(
            title=word, x=Axis(f"sensitivity ${kind}$ of the output", log=True),
            y=Axis(ERROR, log=True), marks=[
                Marks(rows=rows, x="x", y="test_error", x_beyond="beyond", name="plane",
                      by=[_nets(rows).without("line")], arrow_label=f"${kind}$ is"),
                law([0.02, 1.0], [0.02, 1.0], "slope 1", name="slope"),
            ],
        ))  # fmt: skip
    n = complexity["n_seeds"]
    return mosaic(panels, columns=2, preset=preset, notes=[
        f"{n.min()} to {n.max()} grammars a curve."
    ] if len(n) else [])  # fmt: skip


def _nets(rows: pd.DataFrame) -> Scale:
    return by_name("net", rows["net"], NETS, "Net")
