"""What is changed in networks that learn blocks of Tetris, one thing at a time; imports no torch.

Coordinates of the experiment `layers` by the name of the change. `wide`: layer 1 has a larger part
of its fields of Table 1 than the other layers.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from srhm.scorecard.sheet import rows_of

MIRRORED = (0, 1)  # blocks that are mirror images of each other
NOTHING, ALL = "nothing", "all"
SAME: Mapping[str, Any] = {
    "low_pass": True, "blur": 2.0, "place": "before", "padding": 2, "wide": False, "bias": False,
    "train": "NR",
}  # fmt: skip
BEHIND: Mapping[str, Any] = {"blur": 0.87, "place": "behind"}
CHANGES: Mapping[str, Mapping[str, Any]] = {
    NOTHING: {},
    "no-filter": {"low_pass": False},
    "narrow": {"blur": 0.87},
    "wide": {"wide": True},
    "bias": {"bias": True},
    "turned": {"train": "R"},
    "padding": {"padding": 4},
    "behind": BEHIND,
    ALL: {**BEHIND, "bias": True, "train": "R"},
}


def on_digits(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks on digits, of most epochs alone."""
    networks = cells[cells["experiment"] == "digits"]
    return networks[networks["epochs"] == networks["epochs"].max()]


@rows_of("cells", nothing="no trained networks with a change", what="networks")
def changed(cells: pd.DataFrame) -> pd.DataFrame:
    """Trained networks of the experiment, with the `change` that each has; others are no rows."""
    networks = cells[(cells["experiment"] == "layers") & (cells["steps"] > 0)]
    networks = networks.assign(wide=networks["first"] > networks["width"], change="")
    for name, change in CHANGES.items():
        wanted = {**SAME, **change}
        fits = pd.concat([networks[column] == value for column, value in wanted.items()], axis=1)
        networks.loc[fits.all(axis=1), "change"] = name
    return networks[networks["change"] != ""]


@rows_of(changed, "blocks", nothing="no blocks of trained networks", what="networks")
def by_block(networks: pd.DataFrame, blocks: pd.DataFrame) -> pd.DataFrame:
    """The same for each block; `over`: change over the distance of the nearest other block."""
    rows = networks[["key", "change", "seed"]].merge(
        blocks.rename(columns={"change": "moved"}).drop(columns="curve"), on="key"
    )
    return rows.assign(
        over=rows["moved"] / rows["distance"],
        pair=rows["block"].isin(MIRRORED).map({True: "mirror images", False: "others"}),
    )


@rows_of(changed, "layers", nothing="no layers of trained networks", what="networks")
def by_layer(networks: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """A row for each layer of these networks; `over`: change under rotations over distance."""
    columns = ["key", "change", "seed", "n", "width", "accuracy"]
    rows = networks[columns].merge(layers.drop(columns="curve"), on="key")
    return rows.assign(over=rows["error"] / rows["distance"])
