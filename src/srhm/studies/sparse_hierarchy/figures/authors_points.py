"""Our own figure: the authors' points over ours, learnt and read by their practice.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 (s0) empty places.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import depths, empty_places, net_colours
from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.studies.sparse_hierarchy.practice_points import TOLERANCE, practice_points

PANELS = (
    ("LCN, $s=2$", ("lcn",), 2),
    ("CNN, $s=2$", ("cnn",), 2),
    ("LCN and CNN, $s=3$", ("lcn", "cnn"), 3),
)


@styled
def draw(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame, *, preset: str
) -> Figure:
    """The authors' P* over ours against ours, a panel for each net of s = 2, one for s = 3.

    Bars: 95 % of what one reading of one grammar on the authors' grid of P would give.
    """
    points = practice_points(sample_complexity, cells, published)
    over = {end: points["published"] / points[of] for end, of in
            (("ratio", "ours"), ("low_ratio", "high"), ("high_ratio", "low"))}  # fmt: skip
    points = points.assign(**{name: values.astype(float) for name, values in over.items()})
    # All panels from half the least to twice the largest: one has few points.
    ends = (points["ours"].min() / 2, points["ours"].max() * 2) if len(points) else (None, None)
    by = [net_colours(points["net"]), depths(points), empty_places(points["s0"])]
    panels = [
        Panel(
            title=title, x=Axis("our $P^*$", log=True, limits=ends),
            y=Axis("the authors' $P^*$ over ours", log=True), marks=[
                level(1, "equal", name="equal", line="--"),
                *(level(at, "tolerance of the mean", name=f"tolerance {at:.2f}")
                  for at in (1 / TOLERANCE, TOLERANCE)),
                Marks(rows=points[points["net"].isin(nets) & (points["s"] == s)], x="ours",
                      y="ratio", low="low_ratio", high="high_ratio", by=by, name="point",
                      bar_label="95 % of a reading"),
            ],
        ) for title, nets, s in PANELS
    ]  # fmt: skip
    notes = [
        f"{int(points['inside'].sum())} of {len(points)} points lie within their bar of 1; "
        + ", ".join(f"{str(net).upper()} ×{np.exp(own.mean()):.2f}" for net, own in
                    points[points["s"] == 2].groupby("net")["log_ratio"])
        + " at s = 2."
    ] if len(points) else []  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, height=2.4, notes=notes, share="y")
