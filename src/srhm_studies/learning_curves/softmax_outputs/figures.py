"""S of the logits and of their softmax at the top level against P."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import mean_line
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Panel, laws, level
from srhm.figures.scales import by_name, nets
from srhm.figures.words import between
from srhm.model.grammar import GRAMMAR
from srhm_studies.learning_curves.softmax_outputs.analysis import INSENSITIVE, top_synonyms

OUTPUTS = {
    "logits": Look("logits", line="--", filled=False),
    "softmax": Look("softmax", line="-", filled=True),
}
HEIGHT = 2.4  # inches of a row


def softmax_outputs(outputs: pd.DataFrame, cells: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each grammar: S at l = L against P, averages over the seeds of each net."""
    rows = top_synonyms(outputs, cells)
    rows = rows[rows["softmax"].notna()]
    panels = [_panel(own) for _, own in rows.groupby(list(GRAMMAR))]
    seeds = rows.groupby(["curve", "P"])["seed"].nunique()
    notes = [f"{between(seeds)} seeds each, {between(rows['n'])} test points."] if len(rows) else []
    return mosaic(panels, columns=2, preset=preset, height=HEIGHT, notes=notes, share="y")


def _panel(rows: pd.DataFrame) -> Panel:
    one = rows.iloc[0]
    both = rows.melt(
        ["net", "P"], list(OUTPUTS), var_name="output", value_name="S"
    )  # a row for each output
    colours = nets(rows["net"])
    expected = rows.groupby(["net", "P"])["certain"].mean().reset_index()
    return Panel(
        title=f"$L={one['L']}$, $v={one['v']}$, $s_0={one['s0']}$",
        x=POINTS,
        y=Axis("$S$ of the output at $l=L$", limits=(-0.02, 1.02)),
        marks=[
            mean_line(both, "P", "S", colours, by_name("output", both["output"], OUTPUTS)),
            laws(expected, "P", "certain", "certain answers",
                 by=[colours.without("marker")], line=":", name="certain"),
            level(INSENSITIVE, f"$S={INSENSITIVE}$", name="threshold", line="-."),
        ],
    )  # fmt: skip
