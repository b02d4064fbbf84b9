"""P* against s_0+1 of networks between LCN and CNN, and its exponents.

Letters of the paper: P* sample complexity, L depth, s_0 empty places for each informative one, v
features, n_c classes, m synonyms.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import over_dense_law, unknown
from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, Look
from srhm.figures.marks import between, plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import Scale
from srhm.statistics.exponents_of_grammars import mean_exponents
from srhm.studies.weight_sharing.analysis import FIRST, FIRST_PLACE, P_STAR, SECOND

# From what knows most places to what knows none.
ORDER = ("lcn", "cnn_features", "cnn_third", "cnn_second", "cnn_second_third", "cnn_first",
         "cnn_first_third", "cnn_first_second", "cnn_places", "cnn", "cnn_pooled_last",
         "cnn_pooled_first", "cnn_pooled")  # fmt: skip
# Colours are of networks, so that steps and layers are told apart by their open markers.
MARKERS = {(FIRST, 1): "^", (FIRST, 2): "s", (FIRST, 3): "D", (SECOND, 2): "v", (SECOND, 3): "X"}
STEP = {FIRST: "first gradient step", SECOND: "second gradient step"}
OF = {
    (P_STAR, 0): Look("$P^*$", BLACK, "o", filled=True),
    (FIRST_PLACE, 0): Look("$P^*$, $s_0=0$ to 1", BLACK, "o", filled=True),
} | {
    (of, layer): Look(f"{STEP[of]}, layer {layer}", BLACK, marker, filled=False)
    for (of, layer), marker in MARKERS.items()
}
SHIFT = 0.13


@styled
def draw(
    sample_complexity: pd.DataFrame, exponents: pd.DataFrame, *, preset: str, threshold: float
) -> Figure:
    """A row for each L: P* over n_c m^L against s_0+1 at the largest v, exponents of P* and steps.

    sample_complexity, exponents: rows of SAMPLE_COMPLEXITY and EXPONENTS.
    """
    rows = over_dense_law(sample_complexity, threshold=threshold)
    found, panels = mean_exponents(exponents, by=("net", "L", "of", "layer", "places")), []
    for depth in sorted(set(rows["L"])):
        panels.append(_complexities(rows[rows["L"] == depth], depth))
        panels.append(_exponents(found[found["L"] == depth], exponents, depth))
    return mosaic(panels, columns=2, preset=preset, height=3.0, notes=unknown(rows))


def _nets(names: pd.Series) -> list[str]:
    return [net for net in ORDER if net in set(names)]


def _complexities(rows: pd.DataFrame, depth: int) -> Panel:
    v = rows["v"].max()
    own = rows[rows["v"] == v]
    nets = _nets(own["net"])
    apart = {net: 1.02 ** (i - len(nets) / 2) for i, net in enumerate(nets)}
    own = own.assign(x=(own["s0"] + 1) * own["net"].map(apart).astype(float))
    by = Scale(column="net", looks={net: looks.net(net) for net in nets})
    ends = np.array([own["s0"].min() + 1, own["s0"].max() + 1], dtype=float)
    return Panel(
        title=f"$L={depth}$, $v={v}$", x=Axis("$s_0+1$", log=True),
        y=Axis("$P^*/(n_c m^L)$", log=True),
        marks=[
            Marks(rows=own, x="x", y="y", low="y_low", high="y_high", beyond="y_beyond", by=[by],
                  line="-", name="P*", bar_label="95 % interval over seeds",
                  arrow_label="censored: $P^*$ is"),
            *(law(ends, 1.5 * ends**power, f"$(s_0+1)^{power}$", name=f"power {power}", line=line)
              for power, line in ((1, ":"), (2, "--"))),
        ],
    )  # fmt: skip


def _exponents(rows: pd.DataFrame, single: pd.DataFrame, depth: int) -> Panel:
    nets = _nets(rows["net"])
    place = {net: float(i) for i, net in enumerate(nets)}
    present = set(zip(rows["of"], rows["layer"], strict=True))
    # From s_0 = 0 to 1 where P* has no other pair of s_0.
    of_points, hidden = P_STAR, FIRST_PLACE
    if (P_STAR, 0) not in present:
        of_points, hidden = hidden, of_points
    shown = [one for one in OF if one in present and one[0] != hidden]

    def placed(table: pd.DataFrame) -> pd.DataFrame:
        keys = pd.Series(list(zip(table["of"], table["layer"], strict=True)), index=table.index)
        own = table.assign(mark=keys)[keys.isin(shown)]
        below = SHIFT * own["mark"].map(shown.index).astype(float)
        return own.assign(y=own["net"].map(place).astype(float) + below)

    marks = {one: OF[one] for one in shown}
    rows = placed(rows)
    alone = placed(single[(single["L"] == depth) & (single["of"] == of_points)])
    n = rows.loc[rows["of"] == of_points, "n"]
    grammars = f": {between(n)} {plural('grammar', int(n.max()))}" if len(n) else ""
    return Panel(
        title=f"$L={depth}${grammars}", x=Axis("exponent of $s_0+1$"),
        y=Axis(ticks={i: looks.net(net).label for net, i in place.items()},
               limits=(len(nets) - 0.2, -0.6)),
        marks=[
            Marks(rows=alone, x="exponent", y="y", alpha=0.25, size=2.5, colour=BLACK,
                  name="grammar", label="single grammar"),
            Marks(rows=rows, x="exponent", y="y", x_low="low", x_high="high", size=4,
                  by=[Scale(column="mark", looks=marks, title="Exponent")], name="exponent",
                  bar_label="95 % interval over grammars"),
        ],
    )  # fmt: skip
