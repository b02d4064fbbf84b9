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


def softmax_outputs(outputs: pd.DataFrame, cells: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each grammar: S at l = L against P, averages over the seeds of each net."""
    rows, panels = top_synonyms(outputs, cells).dropna(subset="softmax"), []
    for _, grammar in rows.groupby(list(GRAMMAR)):
        first, colours = grammar.iloc[0], nets(grammar["net"])
        both = grammar.melt(["net", "P"], list(OUTPUTS), var_name="output", value_name="S")
        expected = grammar.groupby(["net", "P"])["certain"].mean().reset_index()
        panels.append(Panel(
            title=f"$L={first['L']}$, $v={first['v']}$, $s_0={first['s0']}$", x=POINTS,
            y=Axis("$S$ of the output at $l=L$", limits=(-0.02, 1.02)), marks=[
                mean_line(both, "P", "S", colours, by_name("output", both["output"], OUTPUTS)),
                laws(expected, "P", "certain", "certain answers", line=":", name="certain",
                     by=[colours.without("marker")]),
                level(INSENSITIVE, f"$S={INSENSITIVE}$", name="threshold", line="-."),
            ],
        ))  # fmt: skip
    seeds = rows.groupby(["curve", "P"])["seed"].nunique()
    notes = [f"{between(seeds)} seeds each, {between(rows['n'])} test points."] if len(rows) else []
    return mosaic(panels, columns=2, preset=preset, height=2.4, notes=notes, share="y")
