"""Figures of networks that are equivariant under rotations: accuracies, layers, errors, kernels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.drawing import laid_out_page, styled
from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, by_name, ranks, shaped
from srhm.figures.words import described
from srhm.scorecard.rows import chosen
from srhm_studies.beyond.equivariance.analysis import ALL, NOTHING, by_block, changed, on_digits

# Equivariant networks, and ordinary ones.
LOOKS = {True: Look("steerable (A), spherical (B)", BLUE, "o", filled=False),
         False: Look("plain (A), planar (B)", VERMILION, "s", filled=False)}  # fmt: skip
EQUIVARIANT = ("steerable", "spherical")
OFF = 0.14  # of the two networks, from the middle of their place
# Tables 2 and 1 of the two articles, by network and place along the axis.
TETRIS = {("steerable", "low-pass"): 0.99, ("plain", "low-pass"): 0.27,
          ("steerable", "no low-pass"): 0.36, ("plain", "no low-pass"): 0.24}  # fmt: skip
DIGITS = {("planar", "NR/NR"): 0.98, ("planar", "R/R"): 0.23, ("planar", "NR/R"): 0.11,
          ("spherical", "NR/NR"): 0.96, ("spherical", "R/R"): 0.95,
          ("spherical", "NR/R"): 0.94}  # fmt: skip
FILTERS = {NOTHING: Look("filter (A)", BLUE), "no-filter": Look("no filter (A)", VERMILION)}
PAIRS = {"mirror images": Look("mirror images", marker="^", line="--"),
         "others": Look("other six", marker="o", line="-")}  # fmt: skip
WORDS: Mapping[str, str] = {
    "no-filter": "no filter", NOTHING: "filter", "narrow": "0.87 voxels", "wide": "wide layer 1",
    "bias": "biases", "turned": "rotated", "padding": "padding 4", "behind": "after gates",
    ALL: "all"}  # fmt: skip
NETS = {"steerable": Look("steerable (C)", BLUE, "o"), "plain": Look("plain (C)", VERMILION, "s")}
THESIS = {"no-filter": 0.36, ALL: 0.99}
ACTS = {
    "none": Look("none", BLACK), "gate": Look("gates", BLUE), "norm": Look("norm", GREEN),
    "components": Look("ReLU of components", PURPLE), "relu": Look("ReLU", VERMILION),
    "softplus": Look("softplus", ORANGE), "square": Look("square", SKY),
}  # fmt: skip
LOW_PASS = {True: Look("low-pass", marker="o", line="-"),
            False: Look("no low-pass", marker="^", line="--")}  # fmt: skip
ACCURACY = Axis("accuracy, rotated", limits=(0, 1.05))
TRAINED = ("{n:g}³ voxels, {width:g} of the thesis's fields, {steps:g} steps, {rotations:g}"
           " rotations of each block.")  # fmt: skip


def _seeds_and_means(
    rows: pd.DataFrame, x: str, y: str, *by: Scale, means: pd.DataFrame | None = None
) -> list[Marks]:
    """Seeds as open markers, and a line through their means, or through those of other rows."""
    avg = (rows if means is None else means).groupby([*(scale.column for scale in by), x])[y].mean()
    return [
        Marks(rows=rows, x=x, y=y, by=by, filled=False, size=3.5, name="seeds"),
        Marks(rows=avg.reset_index(), x=x, y=y, by=by, marker="", line="-", name="mean"),
    ]


def equivariance_accuracy(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Accuracies in rotations never seen. A: blocks, with and without low-pass; B: digits."""
    tetris, digits = cells[cells["experiment"] == "tetris"], on_digits(cells)
    # Plain networks of fewer fields are in figure `equivariance_layers`.
    tetris = tetris[tetris["width"] == tetris["width"].max()]
    filtered = tetris["low_pass"].astype(bool).map({True: "low-pass", False: "no low-pass"})
    tested = [digits.assign(place=digits["train"] + f"/{test}", accuracy=digits[f"accuracy_{test}"])
              for test in ("NR", "R")]  # fmt: skip
    return mosaic([
        _accuracies("blocks of Tetris, rotated", tetris.assign(place=filtered), TETRIS,
                    ["no low-pass", "low-pass"], 1 / 8),
        _accuracies("digits on the sphere", pd.concat(tested), DIGITS, ["NR/NR", "R/R", "NR/R"],
                    1 / 10, "rotated (R) or not (NR) in training/test"),
    ], columns=2, preset=preset, height=2.6, notes=[
        *described(tetris, "A: {seeds}; " + TRAINED),
        *described(digits, "B: {seeds}; b = {band:g}, {epochs:g} epochs, {n_test:g} digits in the"
                           " test."),
    ])  # fmt: skip


def _accuracies(
    title: str, cells: pd.DataFrame, thesis: Mapping[tuple[str, str], float],
    places: Sequence[str], chance: float, label: str = "",
) -> Panel:  # fmt: skip
    """Seeds, their mean as a dash, and the thesis's value at each place."""
    if cells.empty:
        return Panel(title=title)
    known = pd.DataFrame([(*setting, value) for setting, value in thesis.items()],
                         columns=["net", "place", "accuracy"])  # fmt: skip
    networks = cells.merge(known[["net", "place"]])
    networks, known = (
        rows.assign(equivariant=same, x=rows["place"].map(places.index) + np.where(same, -OFF, OFF))
        for rows in (networks, known) for same in [rows["net"].isin(EQUIVARIANT)]
    )  # fmt: skip
    by = by_name("equivariant", LOOKS, LOOKS, "Network")
    return Panel(
        title=title, y=Axis("test accuracy", limits=(0, 1.05)),
        x=Axis(label, limits=(-0.5, len(places) - 0.5), ticks=dict(enumerate(places))),
        marks=_beside_the_thesis(networks, known, chance, by),
    )  # fmt: skip


def _beside_the_thesis(
    networks: pd.DataFrame, known: pd.DataFrame, chance: float, *by: Scale, **look: Any
) -> list[Marks]:
    """Seeds, their mean as a dash, what the thesis has, and the accuracy of a guess."""
    means = networks.groupby([*(scale.column for scale in by), "x"])["accuracy"].mean()
    return [
        Marks(rows=networks, x="x", y="accuracy", by=by, name="seeds", size=3.5, **look),
        Marks(rows=means.reset_index(), x="x", y="accuracy", marker="_", size=14, name="mean",
              by=[scale.without("marker") for scale in by], label="mean of the seeds"),
        Marks(rows=known, x="x", y="accuracy", marker="x", size=5, order=4.0, name="thesis",
              label="thesis"),
        level(chance, "chance", line="--"),
    ]  # fmt: skip


def equivariance_layers(cells: pd.DataFrame, blocks: pd.DataFrame, *, preset: str) -> Figure:
    """A: change over distance by layer; B: accuracy by change; C: by number of parameters."""
    tables = {"cells": cells, "blocks": blocks}
    networks, tetris = changed(tables), cells[cells["experiment"] == "tetris"]
    tetris = tetris[tetris["low_pass"].fillna(False).astype(bool)] if len(tetris) else tetris
    return mosaic([
        _by_layer(by_block(tables)), _by_change(networks),
        Panel(title="number of parameters", y=ACCURACY, x=Axis("parameters", log=True), marks=[
            *_seeds_and_means(tetris, "parameters", "accuracy",
                              by_name("net", tetris["net"], NETS, "Networks (C)")),
            level(1 / 8, "chance", line="--"),
        ] if len(tetris) else []),
    ], columns=3, preset=preset, height=2.7,
        notes=described(networks, "{seeds}; " + TRAINED))  # fmt: skip


def _by_layer(rows: pd.DataFrame) -> Panel:
    """Geometric means over blocks of each seed, and over seeds."""
    title = "change / distance of the nearest"
    if rows.empty:
        return Panel(title=title)
    alike = (rows["pair"] == "mirror images") & (rows["layer"] == 1)
    shown = rows[rows["change"].isin(FILTERS) & ~alike]
    by = [by_name("change", shown["change"], FILTERS, "Networks"),
          by_name("pair", shown["pair"], PAIRS, "Blocks (A)")]  # fmt: skip
    each = ["change", "pair", "layer"]
    seeds, means = (spread(shown, "over", keys, geometric=True) for keys in ([*each, "seed"], each))
    return Panel(
        title=title, y=Axis("change / distance", log=True),
        x=Axis("layer", ticks={1: "1", 2: "2", 3: "3", 4: "4", 5: "scores"}), marks=[
            *_seeds_and_means(seeds, "layer", "over", *by, means=means),
            level(0.5, "half of a distance", line=":"),
        ],
    )  # fmt: skip


def _by_change(networks: pd.DataFrame) -> Panel:
    title = "one thing changed"
    if networks.empty:
        return Panel(title=title)
    places = [name for name in WORDS if name in set(networks["change"])]
    placed = networks.assign(x=networks["change"].map(places.index).astype(float))
    known = pd.DataFrame([{"x": places.index(name), "accuracy": THESIS[name]} for name in THESIS
                          if name in places])  # fmt: skip
    return Panel(
        title=title, y=ACCURACY, x=Axis(limits=(-0.5, len(places) - 0.5), upright=True, ticks={
            i: WORDS[name] for i, name in enumerate(places)}),
        marks=_beside_the_thesis(placed, known, 1 / 8, colour=BLUE, marker="o", filled=False,
                                 label="seeds (B)"),
    )  # fmt: skip


def equivariance_error(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Voxels (A, B; E, F in rotations of the cube), and SO(3) against band limit and grid."""
    voxels, sphere = (cells[cells["experiment"] == name] for name in ("voxels", "sphere"))
    voxels = voxels[voxels["net"] == "steerable"]
    # Those of another width are there for their number of parameters.
    voxels = voxels[voxels["width"].isin(voxels["width"].mode())]
    voxels = voxels.assign(low_pass=voxels["low_pass"].astype(bool))
    deepest = voxels[voxels["depth"] == voxels["depth"].max()]
    finest = voxels[voxels["n"] == voxels.loc[voxels["depth"] < 4, "n"].max()]
    plain = sphere[sphere["oversampling"] == 1]
    coarse = sphere[sphere["band"] == sphere.loc[sphere["oversampling"] > 1, "band"].min()]
    shallow = coarse[coarse["depth"] == coarse.loc[coarse["oversampling"] > 1, "depth"].min()]
    filtered = by_name("low_pass", voxels["low_pass"], LOW_PASS, "Voxels")
    depths = shaped("depth", sphere["depth"].astype(int), "Layers (C, D)")
    a, b, e, f = (
        _errors(title, rows[rows["turns"] == turns], x, label, filtered)
        for turns, title in (("random", "voxels, any rotation"), ("cube", "voxels, of the cube"))
        for rows, x, label in ((deepest, "n", "voxels along a side $n$"),
                               (finest, "depth", "layers"))
    )  # fmt: skip
    return mosaic([
        a, b, _errors("SO(3)", plain, "band", "band limit $b$", depths),
        _errors("SO(3): grid", shallow, "oversampling", "grid points / $2b$", depths),
        e, f,
    ], columns=3, preset=preset, notes=[
        note for letters, rows in (("A, B, E, F", voxels), ("C, D", sphere))
        for note in described(rows, "{letters}: {seeds} of untrained networks, {most:g} rotations"
                                   " each.", letters=letters, most=rows["rotations"].max())
    ])  # fmt: skip


def _errors(title: str, cells: pd.DataFrame, x: str, label: str, by: Scale) -> Panel:
    """Seeds as marks, their geometric mean as a line, for each nonlinearity and setting."""
    varied = cells[cells.groupby(["act", by.column])[x].transform("nunique") > 1]
    acts = by_name("act", varied["act"], ACTS, "Nonlinearity")
    varied = varied.assign(at=varied[x] * 1.015 ** ranks(varied["act"], acts.looks))
    means = spread(varied, "error", ["act", by.column, "at"], geometric=True)
    return Panel(title=title, x=Axis(label, log=True, ticks=varied[x]),
                 y=Axis(r"equivariance error $\Delta$", log=True),
                 marks=_seeds_and_means(varied, "at", "error", acts, by, means=means))  # fmt: skip


@styled
def equivariance_kernels(basis: pd.DataFrame, *, preset: str) -> Figure:
    """The basis of equivariant kernels between vectors (thesis, Fig. 2).

    For each J a matrix of 3 x 3 discs: the half of the sphere that one sees along (1, 1, 1).
    """
    if basis.empty:
        return mosaic([], columns=1, preset=preset)
    titles = ("$J = 0$: identity", "$J = 1$: curl", "$J = 2$: gradient of div")
    figure, page = laid_out_page(2.5, preset=preset)
    largest = float(basis["value"].abs().max())
    grid = page.subplots(3, 11, width_ratios=[1, 1, 1, 0.4, 1, 1, 1, 0.4, 1, 1, 1])
    for axes in grid.ravel():
        axes.set_axis_off()
    for J, i, j in np.ndindex(3, 3, 3):
        entry = chosen(basis, {"J": J, "row": i, "column": j})
        picture = entry.pivot_table(index="v", columns="u", values="value")
        grid[i, 4 * J + j].imshow(picture, origin="lower", cmap="PuOr", vmin=-largest,
                                  vmax=largest, extent=(-1, 1, -1, 1), interpolation="bilinear",
                                  gid=f"kernel {J} {i} {j}")  # fmt: skip
        if (i, j) == (0, 1):
            grid[i, 4 * J + j].set_title(f"$\\bf{{{'ABC'[J]}}}$  {titles[J]}", fontsize=8)
    scale = ScalarMappable(Normalize(-largest, largest), "PuOr")
    page.colorbar(scale, ax=grid, shrink=0.8, label="$Q^J Y^J(x)$")
    return figure
