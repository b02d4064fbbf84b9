"""Where trained networks lose rotations: by layer, by what is changed, by number of parameters."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import by_name
from srhm.studies.equivariance.changes import ALL, NOTHING, by_block, changed

FILTERS: Mapping[str, Look] = {
    NOTHING: Look("filter (A)", BLUE), "no-filter": Look("no filter (A)", VERMILION),
}  # fmt: skip
PAIRS: Mapping[str, Look] = {
    "mirror images": Look("mirror images", marker="^", line="--"),
    "others": Look("other six", marker="o", line="-"),
}
WORDS: Mapping[str, str] = {
    "no-filter": "no filter", NOTHING: "as before", "narrow": "0.87 voxels", "wide": "wide layer 1",
    "bias": "biases", "turned": "rotated", "padding": "padding 4", "behind": "behind", ALL: "all",
}  # fmt: skip
NETS = {"steerable": Look("steerable (C)", BLUE, "o"), "plain": Look("plain (C)", VERMILION, "s")}
THESIS = {"no-filter": 0.36, ALL: 0.99}


@styled
def draw(cells: pd.DataFrame, blocks: pd.DataFrame, *, preset: str) -> Figure:
    """A: change over distance by layer; B: accuracy by change; C: by number of parameters."""
    tables = {"cells": cells, "blocks": blocks}
    networks, rows = changed(tables), by_block(tables)
    return mosaic(
        [_by_layer(rows), _by_change(networks), _by_parameters(cells)],
        columns=3, preset=preset, height=2.7, notes=_notes(networks),
    )  # fmt: skip


def _by_layer(rows: pd.DataFrame) -> Panel:
    """Geometric means over blocks of each seed, and over seeds."""
    title = "change over distance of the nearest"
    if rows.empty:
        return Panel(title=title)
    alike = (rows["pair"] == "mirror images") & (rows["layer"] == 1)
    own = rows[rows["change"].isin(FILTERS) & ~alike]
    own = own.assign(over=np.log(own["over"]))
    each = ["change", "pair", "layer"]
    seeds, means = (own.groupby(by)["over"].mean().reset_index() for by in ([*each, "seed"], each))
    seeds, means = (one.assign(over=np.exp(one["over"])) for one in (seeds, means))
    by = [by_name("change", own["change"], FILTERS, "Networks"),
          by_name("pair", own["pair"], PAIRS, "Blocks (A)")]  # fmt: skip
    return Panel(
        title=title, y=Axis("change / distance", log=True),
        x=Axis("layer", ticks={1: "1", 2: "2", 3: "3", 4: "4", 5: "scores"}), marks=[
            Marks(rows=seeds, x="layer", y="over", by=by, filled=False, size=3.5, name="seeds"),
            Marks(rows=means, x="layer", y="over", by=by, marker="", line="-",
                  name="mean"),
            level(0.5, "half of a distance", line=":"),
        ],
    )  # fmt: skip


def _by_change(networks: pd.DataFrame) -> Panel:
    title = "one thing changed"
    if networks.empty:
        return Panel(title=title)
    places = [name for name in WORDS if name in set(networks["change"])]
    own = networks.assign(x=networks["change"].map(places.index).astype(float))
    means = own.groupby("x")["accuracy"].mean().reset_index()
    lines = [means.assign(place=means["x"], x=means["x"] + end) for end in (-0.25, 0.25)]
    known = [{"x": places.index(name), "accuracy": THESIS[name]} for name in THESIS
             if name in places]  # fmt: skip
    return Panel(
        title=title, y=Axis("accuracy, rotated", limits=(0, 1.05)),
        x=Axis(limits=(-0.5, len(places) - 0.5), upright=True,
               ticks={i: WORDS[name] for i, name in enumerate(places)}), marks=[
            Marks(rows=own, x="x", y="accuracy", colour=BLUE, marker="o", filled=False, size=3.5,
                  name="seeds", label="seeds (B)"),
            Marks(rows=pd.concat(lines), x="x", y="accuracy", each=["place"], marker="", line="-",
                  width=1.6, name="mean", label="mean of the seeds"),
            Marks(rows=pd.DataFrame(known), x="x", y="accuracy", marker="x", size=5, order=4.0,
                  name="thesis", label="thesis"),
            level(1 / 8, "chance", line="--"),
        ],
    )  # fmt: skip


def _by_parameters(cells: pd.DataFrame) -> Panel:
    title = "number of parameters"
    own = cells[(cells["experiment"] == "tetris") & (cells["low_pass"] == True)]  # noqa: E712
    if own.empty:
        return Panel(title=title)
    means = own.groupby(["net", "parameters"])["accuracy"].mean().reset_index()
    by = [by_name("net", own["net"], NETS, "Networks (C)")]
    return Panel(
        title=title, y=Axis("accuracy, rotated", limits=(0, 1.05)), x=Axis("parameters", log=True),
        marks=[
            Marks(rows=own, x="parameters", y="accuracy", by=by, filled=False, size=3.5,
                  name="seeds"),
            Marks(rows=means, x="parameters", y="accuracy", by=by, marker="", line="-",
                  name="mean"),
            level(1 / 8, "chance", line="--"),
        ],
    )  # fmt: skip


def _notes(networks: pd.DataFrame) -> list[str]:
    if networks.empty:
        return []
    first = networks.iloc[0]
    return [f"{networks['seed'].nunique()} seeds; {first['n']:g}³ voxels, {first['width']:g} of"
            f" the thesis's fields, {first['steps']:g} steps, {first['rotations']:g} rotations of"
            " each block."]  # fmt: skip
