"""P* of transformers, their learning curves, and their place in Figure 1."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean
from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLUE, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import BELOW, STAR, Axis, Marks, Panel, law, level
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
    known = with_ends(complexity.assign(per_place=complexity["s0"] + 1))
    reached = known[known["status"] == "reached"]
    shown = ["test_error", "S", "D", "bag_error"]
    means, n = (
        cells.groupby([*LEARNER.curve, "P"], as_index=False)[shown].mean(),
        complexity["n_seeds"],
    )
    return mosaic([
        *(_complexities(known[known["v"] == v]) for v in sorted(set(reached["v"]))),
        _curves(means), *(_plane(means, kind) for kind in "DS"),
    ], columns=2, preset=preset,
        notes=[f"{n.min()} to {n.max()} grammars a curve."] if len(n) else [])  # fmt: skip


def _nets(rows: pd.DataFrame) -> Scale:
    return by_name("net", rows["net"], NETS, "Net")


def _complexities(rows: pd.DataFrame) -> Panel:
    ends = np.array([rows["per_place"].min(), rows["per_place"].max()], dtype=float)
    known = rows[(rows["status"] == "reached") & (rows["net"] == "cnn")]
    unit = geometric_mean(known["P_star"] / known["per_place"] ** 2)
    return Panel(
        title=f"$v={rows['v'].iloc[0]}$",
        x=Axis("$s_0+1$", log=True, ticks=rows["per_place"]), y=STAR, marks=[
            stars(rows, "per_place", [_nets(rows)]),
            law(ends, unit * ends**2, "Eq. 4 through the CNN: $\\propto(s_0+1)^2$", name="square"),
        ],
    )  # fmt: skip


def _curves(means: pd.DataFrame) -> Panel:
    """Test errors at s_0 = 1, at the largest v of the net without positions; error of bags."""
    means = means[means["s0"] == 1]
    blind = means[means["net"] == BLIND]
    own = means[means["v"] == (blind if len(blind) else means)["v"].max()]
    floor = own.loc[own["net"] == BLIND, "bag_error"].mean()
    v = own["v"].iloc[0] if len(own) else ""
    return Panel(
        title=f"$v={v}$, $s_0=1$", x=Axis("$P$", log=True), y=Axis(ERROR),
        marks=[
            Marks(rows=own.sort_values("P"), x="P", y="test_error", by=[_nets(own)], line="-",
                  name="curve"),
            *([level(floor, "least error by counts of features")] if np.isfinite(floor) else []),
        ],
    )  # fmt: skip


def _plane(means: pd.DataFrame, kind: str) -> Panel:
    """Test error against a sensitivity of the output, all P, s_0 > 0; slope 1 as a guide."""
    own = means[(means["s0"] > 0) & means[kind].notna() & (means["test_error"] > 0)]
    own = own.assign(x=own[kind].clip(lower=LEAST), beyond=BELOW * (own[kind] < LEAST))
    word = {"S": "synonyms", "D": "diffeomorphisms"}[kind]
    ends = np.array([0.02, 1.0])
    return Panel(
        title=word, x=Axis(f"sensitivity ${kind}$ of the output", log=True),
        y=Axis(ERROR, log=True),
        marks=[
            Marks(rows=own, x="x", y="test_error", x_beyond="beyond",
                  by=[_nets(own).without("line")], name="plane", arrow_label=f"${kind}$ is"),
            law(ends, ends, "slope 1", name="slope", line="--"),
        ],
    )  # fmt: skip
