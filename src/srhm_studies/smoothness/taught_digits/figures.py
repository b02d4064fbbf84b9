"""Test error and relative stability of networks that are taught invariances of digits."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.looks import BLACK, BLUE, SHIFTS, SYNONYMS, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import by_name
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm_studies.smoothness.taught_digits.analysis import NETS, means

# Colours as of synonyms and places on the SRHM.
TAUGHT = {
    "nothing": Look("nothing", BLACK, "o", "-"),
    "deformations": Look("deformations", SYNONYMS, "^", "-"),
    "places": Look("positions", SHIFTS, "s", "-"),
    "both": Look("both", BLUE, "D", "-"),
}
COLUMNS = {
    "test_error": ("test error $\\epsilon$", level(THRESHOLD, "10 %: $P^*$")),
    "R_deformations": ("$R_f$, deformations", level(1.0, "$R=1$", line="--")),
    "R_places": ("$R$, shifts", level(1.0, "$R=1$", line="--")),
}


def taught_digits(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Rows: LeNet, FC. Columns: test error, R_f to deformations, R to shifts, all against P."""
    table = means(cells)
    panels = [
        Panel(
            title=name, x=Axis("training digits $P$", log=True), y=Axis(label, log=True),
            marks=[
                Marks(rows=of_net, x="P", y=column, line="-", name=column,
                      by=[by_name("taught", of_net["taught"], TAUGHT, "Taught")]),
                guide,
            ],
        )
        for net, name in NETS.items()
        for of_net in [table[table["net"] == net]]
        for column, (label, guide) in COLUMNS.items()
    ]  # fmt: skip
    seeds = cells["seed"].nunique()
    return mosaic(panels, columns=3, preset=preset, notes=[f"{seeds} seeds."])
