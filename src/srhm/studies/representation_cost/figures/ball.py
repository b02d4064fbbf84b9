"""A ball under gravity on a ring: singular values of convolutions by frequency.

Letters: omega frequency on the ring, s_(omega, i) singular values of a layer at it.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, bars_of_seeds, law, level
from srhm.figures.scales import distinct
from srhm.studies.representation_cost.readings import finished, large_by_frequency, of_cells


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A: singular values of seed 0 by layer; B: how many are near 1 at each frequency."""
    own = finished(cells, "ball")
    rows = of_cells(values, own[own["seed"] == 0])
    frequencies = sorted(set(rows["frequency"].astype(int)))

    # Beside each other, by frequency.
    shift = 0.5 * (rows["frequency"] / max(len(frequencies) - 1, 1) - 0.5)
    found = (
        large_by_frequency(values, own)
        if len(own)
        else pd.DataFrame(columns=["frequency", "n_large"])
    )
    return mosaic([
        Panel(title="singular values by layer, seed 0",
              y=Axis(r"$s_{\omega,i}(W_l)$", limits=(0, None)),
              x=Axis("layer $l$", ticks=sorted(set(rows["k"]))), marks=[
                  Marks(rows=rows.assign(place=rows["k"] + shift), x="place", y="value", size=3,
                        by=[distinct("frequency", frequencies, r"$\omega$")], alpha=0.8),
                  level(0.5, "0.5: counted as near 1 (A)"),
              ]),
        Panel(title="middle layers, all seeds", x=Axis(r"frequency $\omega$", ticks=frequencies),
              y=Axis("singular values near 1", limits=(0, max(2.4, 1.2 * found["n_large"].max()))),
              marks=[*bars_of_seeds(found, "frequency", "n_large", name="count of a seed"),
                     law([0.6, 1.4], [2, 2], "the talk: two at frequency 1 (B)", name="talk")]),
    ], columns=2, preset=preset, height=2.4, notes=_notes(own))  # fmt: skip


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"L = {first['L']:g}, {first['width']:g} channels, {first['places']:g} places,"
        f" {first['n']:g} films, λL = {first['penalty']:g}, {len(cells)} seeds; C over the variance"
        f" {100 * (cells['loss'] / cells['variance']).mean():.1f} %."
    ]
