"""N_Delta/N, the bound on N_Delta, negative modes and cusps against the loss; gaps."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import density
from srhm.figures.looks import BLUE, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import by_name
from srhm_studies.landscape.minima.analysis import HIGHEST, KINDS, NAMES, at_minima
from srhm_studies.landscape.power_laws import HIGH, LOW, pooled_gaps

LOOKS = {kind: Look(name, *look) for (kind, name), look in zip(NAMES.items(), (
    (SKY, "v"), (BLUE, "o"), (PURPLE, "s"), (VERMILION, "D")
), strict=True)}  # fmt: skip
LOSS = Axis("training loss", log=True)
# At the numbers of the thesis: 0.75 and 0.23 of ReLU, 0.5 % of tanh.
THESIS = "thesis (A, D: ReLU; C: tanh)"
BINS = np.logspace(-4, 2, 19)


def minima(cells: pd.DataFrame, ends: pd.DataFrame, gaps: pd.DataFrame, *, preset: str) -> Figure:
    """A to D: each jammed network against its loss; E, F: densities of gaps, pooled by kind."""
    rows = at_minima(cells, ends)
    named = {tuple(columns.values()): kind for kind, columns in KINDS.items()}
    pairs = zip(rows["activation"], rows["hidden_layers"], strict=True)
    rows = rows.assign(kind=[named.get(pair, "") for pair in pairs])
    rows = rows[rows["kind"] != ""]
    jammed = rows[rows["is_jammed"]]
    used = jammed[jammed["counts"] & jammed["is_minimum"]]
    kinds = by_name("kind", LOOKS, LOOKS)
    parts = [
        ("unsatisfied", "unsatisfied points", r"$N_\Delta/N$", level(0.75, THESIS)),
        ("over", "bound over number", r"bound$/N_\Delta$", level(1.0, "the bound (B)", line="--")),
        ("negative", "negative modes", "negative fraction of $H$", level(0.005, THESIS)),
        ("cusps", "neurons at cusps", r"$N_c/N$", level(0.23, THESIS)),
    ]
    panels = [
        Panel(title=title, x=LOSS, y=Axis(label), marks=[
            Marks(rows=part, x="mean_loss", y=column, by=[kinds], size=3.5, filled=filled,
                  name=f"{column}-{filled}", label=text)
            for part, filled, text in (
                (jammed[jammed["is_minimum"]], True, "at a minimum (A to D)"),
                (jammed[~jammed["is_minimum"]], False, "not at a minimum (A to D)"))
        ] + [guide])
        for column, title, label, guide in parts
    ]  # fmt: skip
    panels += [
        Panel(title=title, x=Axis(label, log=True), y=Axis("density", log=True), marks=[
            Marks(rows=pd.concat([
                density(pooled_gaps(used[used["kind"] == kind], gaps, side=side), BINS)
                .assign(kind=kind) for kind in LOOKS
            ]), x="at", y="density", by=[kinds], line="-", size=3, width=0.7),
            law([LOW, HIGH], [0.25 * at**slope for at in (LOW, HIGH)],
                "thesis: slopes 0.3, −0.2 (E, F)", line="-"),
        ])
        for side, title, label, slope in (
            ("plus", "overlaps", r"$z=\Delta/\sqrt{\mathcal{L}}$", 0.3),
            ("minus", "gaps", r"$|\Delta|$", -0.2))
    ]  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=[
        f"{len(rows)} networks, {len(jammed)} jammed, {int(rows['counts'].sum())} of them with a"
        f" loss below {HIGHEST:g}, {len(used)} of these at a minimum."
    ])  # fmt: skip
