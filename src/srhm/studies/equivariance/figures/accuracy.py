"""Accuracies in rotations never seen: blocks of Tetris, digits on the sphere."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import by_name
from srhm.studies.equivariance.changes import on_digits

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


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: blocks, with and without low-pass; B: digits, by what training and test are."""
    tetris, digits = cells[cells["experiment"] == "tetris"], on_digits(cells)
    # Plain networks of fewer fields are in figure `equivariance_layers`.
    tetris = tetris[tetris["width"] == tetris["width"].max()]
    filtered = tetris["low_pass"].astype(bool).map({True: "low-pass", False: "no low-pass"})
    tested = [
        digits.assign(place=digits["train"] + f"/{test}", accuracy=digits[f"accuracy_{test}"])
        for test in ("NR", "R")
    ]
    return mosaic([
        _panel("blocks of Tetris, rotated", tetris.assign(place=filtered), TETRIS,
               ["no low-pass", "low-pass"], chance=1 / 8),
        _panel("digits on the sphere", pd.concat(tested), DIGITS, ["NR/NR", "R/R", "NR/R"],
               chance=1 / 10, label="rotated (R) or not (NR) in training/test"),
    ], columns=2, preset=preset, height=2.6, notes=_notes(tetris, digits))  # fmt: skip


def _panel(
    title: str,
    cells: pd.DataFrame,
    thesis: Mapping[tuple[str, str], float],
    places: Sequence[str],
    *,
    chance: float,
    label: str = "",
) -> Panel:
    """Seeds side by side, their mean as a short line, and the thesis's value at each place."""
    if cells.empty:
        return Panel(title=title)
    seeds, means, known = [], [], []
    for (net, place), value in thesis.items():
        own = cells[(cells["net"] == net) & (cells["place"] == place)]["accuracy"]
        x = places.index(place) + (-OFF if net in EQUIVARIANT else OFF)
        named = {"equivariant": net in EQUIVARIANT, "net": net, "place": place}
        jitter = np.linspace(-0.05, 0.05, max(len(own), 2))[: len(own)]
        seeds.append(pd.DataFrame({"x": x + jitter, "accuracy": own.to_numpy(), **named}))
        means.append(pd.DataFrame({"x": [x - 0.09, x + 0.09], "accuracy": own.mean(), **named}))
        known.append({"x": x, "accuracy": value, **named})
    by = [by_name("equivariant", LOOKS, LOOKS, "Network")]
    each = ["net", "place"]
    return Panel(
        title=title, y=Axis("accuracy in the test", limits=(0, 1.05)),
        x=Axis(label, limits=(-0.5, len(places) - 0.5), ticks=dict(enumerate(places))), marks=[
            Marks(rows=pd.concat(seeds), x="x", y="accuracy", by=by, each=each, name="seeds",
                  size=3.5),
            Marks(rows=pd.concat(means), x="x", y="accuracy", by=by, each=each, name="mean",
                  label="mean of the seeds", marker="", line="-", width=1.6),
            Marks(rows=pd.DataFrame(known), x="x", y="accuracy", each=each, name="thesis",
                  label="thesis", marker="x", size=5, order=4.0),
            level(chance, "chance", line="--"),
        ],
    )  # fmt: skip


def _notes(tetris: pd.DataFrame, digits: pd.DataFrame) -> list[str]:
    found = []
    for letter, own in (("A", tetris), ("B", digits)):
        if len(own):
            first, seeds = own.iloc[0], own["seed"].nunique()
            what = (f"{first['n']:g}³ voxels, {first['width']:g} of the thesis's fields,"
                    f" {first['steps']:g} steps, {first['rotations']:g} rotations of each block"
                    if letter == "A" else
                    f"b = {first['band']:g}, {first['epochs']:g} epochs,"
                    f" {first['n_test']:g} digits in the test")  # fmt: skip
            found.append(f"{letter}: {seeds} {plural('seed', seeds)}; {what}.")
    return found
