"""Figures 6, 11, 12, 14, 15, 16 of the paper: sensitivities to synonyms and diffeomorphisms.

S_2 and D_2 are those of the second hidden layer f_2 at l = 1 (Eq. 6, 7). Figure 16 has those of the
output, too, of the FCN of the published figures (fcn2).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from srhm.figures import looks
from srhm.figures.averaging import spread
from srhm.figures.complexity_marks import complexity_marks, depths, empty_places, with_ends
from srhm.figures.drawing import INPUT_COLOURS, OUTLINE, frame, row_of_tiles
from srhm.figures.legends import Entry
from srhm.figures.looks import ERROR, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, equality, level
from srhm.figures.scales import Scale
from srhm.figures.selection import at_threshold, practice_curves, text_curves
from srhm.figures.words import EQUATIONS, curves_and_seeds, protocol_lines
from srhm.model import theory
from srhm.model.encoding import symbols
from srhm.model.grammar import draw_grammar
from srhm.model.seeding import generator
from srhm.model.transformations import displace, exchange_synonyms
from srhm.paper.sparse_hierarchy.figures_model import PARAMETERS, draw_tree, first_data
from srhm.statistics.sample_complexity import OUTPUT_OF_FCN, OUTPUT_THRESHOLD

# Criteria of the sensitivities to level 1 by kind, of layer 2.
LAYER_TWO = {"S": "S_2", "D": "D_2"}
OTHER = "_sensitivity"  # ending of the columns of P*_S and P*_D
WORDS = {"S": ("synonyms exchanged, positions kept", "p_1"),
         "D": ("features kept, positions drawn anew", "\\tau_1")}  # fmt: skip
# Chosen so that both transformations change every patch of the datum; any other does.
SEED = 14
MARGIN, PANEL = 2.6, PARAMETERS.input_length
TOP, HEIGHT = 1.4, 14.6  # tiles
TREE = (2.6, 4.9, 7.5)  # heights of class, level 2, input
TRANSFORMED, FORMULA = 11.3, 13.7
FEATURES = 8  # v of the paper's figures
LEVELS = Scale(column="l", title="level", looks={
    1: Look("$l=1$: the input's patches", VERMILION), 2: Look("$l=2$: the class's patch", SKY)
})  # fmt: skip
LAYERS = {"1": "layer $k=1$", "2": "layer $k=2$", "output": "output"}
KINDS = {"S": "$S_{k,l}$ (synonyms)", "D": "$D_{k,l}$ (diffeomorphisms)"}


def invariances(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, *, net: str, branchings: Sequence[int],
    illustrated: bool, width: int | None, threshold: float, preset: str,
    practice: str | None = None,
) -> Figure:  # fmt: skip
    """Figure 6 (LCN, s = 2, illustrated), 11 (LCN, s = 3), 14 (CNN, s = 2, 3) or 16 (FCN, s = 2).

    A row of two panels for each s: P* at this threshold of the test error against P*_S and P*_D at
    the paper's thresholds, of the net's main curves of this width (None: of each depth the width of
    most curves, as the FCN's differs between depths). Illustrated: panels A and B show what the
    transformations do. practice: the net of the published figure, where it is another one: a row
    more if there are curves of it, trained as that was, against P*_S and P*_D of the output.
    """
    rows = sample_complexity[sample_complexity["net"] == net]
    kinds = [(net, s, text_curves(rows, width=width, branching=s), LAYER_TWO) for s in branchings]
    rows = sample_complexity[sample_complexity["net"] == practice]
    made = [(str(practice), s, practice_curves(rows, branching=s), OUTPUT_OF_FCN)
            for s in branchings]  # fmt: skip
    kinds += [shown for shown in made if len(shown[2])]
    tables = pd.concat([table for _, _, table, _ in kinds])
    everything = at_threshold(tables, threshold)
    by = [depths(everything), empty_places(everything["s0"])]
    panels = [_transformation(kind) for kind in LAYER_TWO] if illustrated else []
    notes = []
    for own_net, s, table, criteria in kinds:
        errors = at_threshold(table, threshold)
        for kind in LAYER_TWO:
            felt = table[table["criterion"] == criteria[kind]]
            both = errors.merge(felt, on="curve", suffixes=("", OTHER))
            label = f"$P^*_{kind}$ of ${kind}$ of the output = {100 * OUTPUT_THRESHOLD:.3g} %"
            if criteria is LAYER_TWO:
                label = _at_layer_two(kind, own_net, s, sorted(set(both["L"].tolist())))
            panels.append(_concurrence(f"{looks.net(own_net).label}, $s={s}$", both, label, by,
                                       threshold))  # fmt: skip
            # At s_0 = 0 there is no D.
            possible = errors if kind == "S" else errors[errors["s0"] > 0]
            missing = len(set(possible["curve"]) - set(both["curve"]))
            without = f", {missing} without {criteria[kind]}" if missing else ""
            notes.append(f"{kind}, s = {s}: {curves_and_seeds(both)}{without}.")
    notes += protocol_lines(cells[cells["curve"].isin(tables["curve"])])
    return mosaic(panels, columns=2, preset=preset, height=3.1, notes=notes)


def _concurrence(
    title: str, rows: pd.DataFrame, label: str, by: Sequence[Scale], threshold: float
) -> Panel:
    """P* against P*_S or P*_D, and y = x."""
    if rows.empty:
        return Panel(title=title)
    drawn = with_ends(with_ends(rows), of=OTHER)
    drawn = drawn.assign(faint=drawn["faint"] | drawn[f"faint{OTHER}"])
    marks = complexity_marks(drawn, x=f"y{OTHER}", by=by, x_low=f"y_low{OTHER}",
                             x_high=f"y_high{OTHER}", x_beyond=f"y_beyond{OTHER}")  # fmt: skip
    return Panel(
        title=title, square=True, marks=[*marks, equality(drawn["y"], drawn[f"y{OTHER}"], room=2)],
        x=Axis(label, log=True),
        y=Axis(f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ %", log=True),
    )  # fmt: skip


def _at_layer_two(kind: str, net: str, branching: int, found: Sequence[int]) -> str:
    """Label with the thresholds of the depths in the panel."""
    percent = {
        L: f"{100 * theory.sensitivity_threshold(kind, net, depth=L, branching=branching):.3g} %"
        for L in found
    }
    values = ", ".join(f"{value} ($L={L}$)" for L, value in percent.items())
    if len(set(percent.values())) == 1:
        values = percent[found[0]]
    return f"$P^*_{kind}$ of ${kind}_2 =$ {values}"


def _transformation(kind: str) -> Panel:
    """Panel A (S) or B (D): a datum, its tree, and what p_1 or tau_1 makes of it."""
    title, operator = WORDS[kind]
    formula = (
        f"${kind}_2 = \\langle\\Vert f_2(x) - f_2({operator}\\,x)\\Vert^2\\rangle\\;/\\;"
        "\\langle\\Vert f_2(x_1) - f_2(x_2)\\Vert^2\\rangle$"
    )

    def drawing(axes: Axes) -> Sequence[Entry]:
        grammar = draw_grammar(PARAMETERS, generator=generator(SEED, role="grammar"))
        datum, random = first_data(grammar, SEED), generator(SEED, role="drawing")
        image = exchange_synonyms(datum, grammar, level=1, generator=random)
        if kind == "D":
            image = displace(datum, grammar, level=1, generator=random)
        axes.set_axis_off()
        axes.set(xlim=(0, MARGIN + PANEL + 0.4), ylim=(HEIGHT, TOP), aspect="equal")
        draw_tree(axes, MARGIN, TREE, grammar, datum)
        # The row of the image below that of the datum.
        before, after = (symbols(data, PARAMETERS)[0] for data in (datum, image))
        row_of_tiles(axes, MARGIN, TRANSFORMED, after.tolist(), INPUT_COLOURS)
        for first, last in runs(before != after):
            frame(axes, MARGIN + first, TRANSFORMED, width=last - first, pad=0.08)
        kept = (datum.features[0] == image.features[0]) & (datum.positions[0] == image.positions[0])
        for start, end, same in zip(datum.positions[0], image.positions[0], kept, strict=True):
            axes.annotate(
                "", xy=(MARGIN + end + 0.5, TRANSFORMED - 0.8),
                xytext=(MARGIN + start + 0.5, TREE[-1] + 0.6), gid="kept" if same else "changed",
                arrowprops={"arrowstyle": "-|>", "linewidth": 0.6 if same else 0.9, "shrinkA": 0,
                            "shrinkB": 0, "mutation_scale": 6,
                            "color": "0.6" if same else "black"},
            )  # fmt: skip
        left, middle = MARGIN - 2.1, (TREE[-1] + TRANSFORMED) / 2
        axes.text(left, middle, f"${operator}$", fontsize=9, va="center")
        axes.text(left, TRANSFORMED, f"${operator}\\,x$", fontsize=7, va="center", color=OUTLINE)
        axes.text(MARGIN + PANEL / 2, FORMULA, formula, fontsize=7.5, ha="center", va="center")
        return []

    return Panel(title=title, extra=drawing, has_extra=True)


def runs(changed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First place, and the one after the last, of each unbroken run of changed places."""
    edges = np.flatnonzero(np.diff(changed.astype(int), prepend=0, append=0))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def sensitivity_curves(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, net: str, width: int, preset: str
) -> Figure:
    """Figure 12 (LCN, Eq. 3) or 15 (CNN, Eq. 4): S_{k,l} and D_{k,l} against P rescaled.

    L = s = 2, at FEATURES, or at the largest v where none has that; diverged networks are left out.
    """
    rows = text_curves(sensitivities, width=width, branching=2)
    rows = rows[
        (rows["net"] == net) & (rows["L"] == 2) & (rows["variant"] == "text") & (rows["n"] > 0)
    ]
    features = set(rows["v"].astype(int))
    n_features = FEATURES if FEATURES in features else max(features, default=None)
    rows = rows[rows["v"] == n_features]
    trained, by = cells[cells["curve"].isin(rows["curve"])], ["curve", "s0", "P"]
    curves = trained.drop_duplicates("curve")
    law = {row["curve"]: theory.predicted(row) for _, row in curves.iterrows()}
    errors, values = (
        table.assign(x=table["P"] / table["curve"].map(law).astype(float))
        for table in (trained.groupby(by, as_index=False)["test_error"].mean(),
                    spread(rows, "value", ["kind", "layer", "l", *by]))
    )  # fmt: skip
    places, (equation, formula) = empty_places(trained["s0"]), EQUATIONS[net]
    x = Axis(f"$P\\;/\\;{formula}$   ({equation})", log=True)
    panels = []
    for kind, name in KINDS.items():
        of_kind = values[values["kind"] == kind]
        learnt = errors[errors["curve"].isin(of_kind["curve"])]
        at = theory.sensitivity_threshold(kind, net, depth=2, branching=2)
        threshold = level(at, "threshold of $P^*_S$, $P^*_D$", name="threshold", line="--")
        panels += [
            Panel(title=title, x=x, y=Axis(name, limits=(-0.03, None)), marks=[
                Marks(rows=learnt, x="x", y="test_error", by=[places], each=["curve"], colour=ERROR,
                      alpha=0.4, line="-", width=0.8, size=2.5, order=1.0, name="error",
                      label="test error $\\varepsilon$"),
                Marks(rows=of_kind[of_kind["layer"] == layer], x="x", y="value", low="low",
                      high="high", by=[LEVELS, places], each=["curve"], line="-", size=3.5,
                      name="level", bar_label="from lowest to highest seed"),
                *([threshold] if layer == "2" else []),
            ] if len(of_kind) else [])
            for layer, title in LAYERS.items()
        ]  # fmt: skip
    notes = [f"{net.upper()}, L = s = 2, v = {n_features}: {curves_and_seeds(trained)}."]
    return mosaic(panels, columns=3, preset=preset, height=1.95, share="y",
                  notes=notes if len(trained) else [])  # fmt: skip
