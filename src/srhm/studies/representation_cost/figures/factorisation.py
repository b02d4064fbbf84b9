"""Summary statistics: what a deep network keeps of the start of gradient descent.

Letters: theta start, w the vector that is factorised, L weight matrices.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, bars_of_seeds, level
from srhm.studies.representation_cost.figures.by_layer import counts, singular_values
from srhm.studies.representation_cost.readings import deepest, finished, of_cells

KNOWN = {"overlap": r"$|w^T\theta|$", "rest": r"$\|(I-ww^T)\theta\|$"}
ALL = {**KNOWN, "signed_overlap": r"$w^T\theta$", "one_coordinate": r"$\theta_2$"}


@styled
def draw(
    cells: pd.DataFrame,
    layers: pd.DataFrame,
    values: pd.DataFrame,
    components: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """A: singular values; B: directions; C, D: middle representation; E: what explains it."""
    own = deepest(finished(cells, "factorisation"))
    explained = own.melt(["seed"], [f"explained_{name}" for name in ALL], "of", "R2")
    order = {f"explained_{name}": i for i, name in enumerate(ALL)}
    explained["place"] = explained["of"].map(order).astype(float)
    # One below the other, so that they do not touch.
    places: dict[float, str] = {i: "\n" * (i % 2) + words for i, words in enumerate(ALL.values())}
    return mosaic([
        singular_values("weights", of_cells(values, own)),
        counts("directions of each layer", of_cells(layers, own),
               level(2, "two statistics (B)", name="two statistics", line="--")),
        *(_components(words, components[components["key"].isin(own["key"])], name)
          for name, words in KNOWN.items()),
        Panel(title="from two components", y=Axis("$R^2$ on new starts", limits=(None, 1.08)),
              x=Axis(ticks=places),
              marks=bars_of_seeds(explained, "place", "R2", name="explained")),
    ], columns=3, preset=preset, notes=_notes(own))  # fmt: skip


def _components(words: str, rows: pd.DataFrame, statistic: str) -> Panel:
    """Two components of the middle layer, coloured by a statistic."""

    def draw_points(axes: Axes) -> Sequence[Entry]:
        drawn = axes.scatter(rows["first"], rows["second"], c=rows[statistic], s=4, cmap="viridis",
                             linewidths=0, gid=f"components {statistic}")  # fmt: skip
        axes.figure.colorbar(drawn, ax=axes, shrink=0.9, pad=0.02, label=words)
        return []

    return Panel(title=f"layer $L/2$ by {words}", x=Axis("component 1"), y=Axis("component 2"),
                 extra=draw_points, has_extra=len(rows) > 0)  # fmt: skip


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"L = {first['L']:g}, width {first['width']:g}, d = {first['d']:g}, T = {first['T']:g},"
        f" N = {first['n']:g}, λL = {first['penalty']:g}, {len(cells)} seeds; error on new starts"
        f" over the variance {100 * cells['test_error'].mean():.1f} %."
    ]
