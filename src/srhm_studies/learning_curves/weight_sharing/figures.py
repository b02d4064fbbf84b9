"""P* against s_0+1 of networks between LCN and CNN, and its exponents."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import over_dense_law, unknown
from srhm.figures.looks import BLACK, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import Scale
from srhm.figures.words import several
from srhm.statistics.exponents_of_grammars import mean_exponents
from srhm_studies.learning_curves.weight_sharing.analysis import FIRST, FIRST_PLACE, P_STAR, SECOND

# From what knows most places to what knows none.
ORDER = ("lcn", "cnn_features", "cnn_third", "cnn_second", "cnn_second_third", "cnn_first",
         "cnn_first_third", "cnn_first_second", "cnn_places", "cnn", "cnn_pooled_last",
         "cnn_pooled_first", "cnn_pooled")  # fmt: skip
# Steps are told from P* by open markers. Of steps the layer with the largest exponent is drawn.
OF = {
    P_STAR: Look("$P^*$", BLACK, "o", filled=True),
    FIRST_PLACE: Look("$P^*$", BLACK, "o", filled=True),
    FIRST: Look("first gradient step", BLACK, "^", filled=False),
    SECOND: Look("second gradient step", BLACK, "v", filled=False),
}
SHIFT = 0.2
POWERS = {1: ":", 2: "--", 3: "-.", 4: "-"}


def weight_sharing(
    sample_complexity: pd.DataFrame, exponents: pd.DataFrame, *, preset: str, threshold: float
) -> Figure:
    """A row for each L: P* over n_c m^L against s_0+1 at the largest v; exponents, and of steps."""
    rows = over_dense_law(sample_complexity, threshold=threshold)
    means, panels = mean_exponents(exponents, by=("net", "L", "of", "layer", "places")), []
    for depth in sorted(set(rows["L"])):
        stars = rows[rows["L"] == depth]
        stars = stars[stars["v"] == stars["v"].max()]
        nets = _nets(stars["net"])
        apart = {net: 1.02 ** (i - len(nets) / 2) for i, net in enumerate(nets)}
        stars = stars.assign(x=(stars["s0"] + 1) * stars["net"].map(apart).astype(float))
        ends = np.array([stars["s0"].min() + 1, stars["s0"].max() + 1], dtype=float)
        # Guides begin below all networks.
        start = 0.7 * stars.loc[stars["s0"] == stars["s0"].min(), "y"].min()
        powers = (1, 2) if depth == 2 else (2, depth)  # counting and Eq. 4; Eq. 4 and 3
        panels.append(Panel(
            title=f"$L={depth}$, $v={stars['v'].max()}$", x=Axis("$s_0+1$", log=True),
            y=Axis("$P^*/(n_c m^L)$", log=True), marks=[
                Marks(rows=stars, x="x", y="y", low="y_low", high="y_high", beyond="y_beyond",
                      by=[Scale(column="net", looks={net: looks.net(net) for net in nets})],
                      line="-", name="P*", bar_label="95 % interval over seeds",
                      arrow_label="censored: $P^*$ is"),
                *(law(ends, start * (ends / ends[0]) ** power, f"$(s_0+1)^{power}$",
                      name=f"power {power}", line=POWERS[power])
                  for power in powers),
            ],
        ))  # fmt: skip
        panels.append(_exponents(means[means["L"] == depth], exponents, depth))
    return mosaic(panels, columns=2, preset=preset, height=3.0, notes=unknown(rows))


def _nets(names: pd.Series) -> list[str]:
    return [net for net in ORDER if net in set(names)]


def _exponents(rows: pd.DataFrame, single: pd.DataFrame, depth: int) -> Panel:
    nets = _nets(rows["net"])
    place = {net: float(i) for i, net in enumerate(nets)}
    # From s_0 = 0 to 1 where P* has no other pair of s_0.
    of_points, hidden = P_STAR, FIRST_PLACE
    if of_points not in set(rows["of"]):
        of_points, hidden = hidden, of_points
    shown = [quantity for quantity in OF if quantity in set(rows["of"]) and quantity != hidden]
    marks = {quantity: OF[quantity] for quantity in shown}
    most = rows[rows["of"].isin(shown)].groupby(["net", "of"], observed=True)["exponent"].idxmax()

    def placed(table: pd.DataFrame) -> pd.DataFrame:
        below = SHIFT * table["of"].map(shown.index).astype(float)
        return table.assign(y=table["net"].map(place).astype(float) + below)

    rows = placed(rows.loc[most])
    alone = placed(single[(single["L"] == depth) & (single["of"] == of_points)])
    n = rows.loc[rows["of"] == of_points, "n"]
    grammars = f": {several(n, 'grammar')}" if len(n) else ""
    return Panel(
        title=f"$L={depth}${grammars}",
        x=Axis("exponent of $s_0+1$" + (", $s_0=0$ to 1" if of_points == FIRST_PLACE else "")),
        y=Axis(ticks={i: looks.net(net).label for net, i in place.items()},
               limits=(len(nets) - 0.2, -0.6)),
        marks=[
            Marks(rows=alone, x="exponent", y="y", alpha=0.25, size=2.5, colour=BLACK,
                  name="grammar", label="single grammar"),
            Marks(rows=rows, x="exponent", y="y", x_low="low", x_high="high", size=4,
                  by=[Scale(column="of", looks=marks, title="Exponent")], name="exponent",
                  bar_label="95 % interval over grammars"),
        ],
    )  # fmt: skip
