"""The picture of docs/beyond.md: what empty positions cost, by the levels that a layer knows.

P* at L = 2 and v = 8, the largest v of both studies, divided by P* of dense data (s_0 = 0, nothing
taught) of the LCN or, for all other networks, of the CNN. All seven networks of `weight_sharing`,
and LCN and CNN of `teaching` that are taught the positions of all levels: archived results of
`laptop`, 64 channels. A mark is the geometric mean of P* over the grammars of a curve. Dashed:
(s_0+1)^n, n = 0, 1, 2. No line is a fit. That v = 8 shows these powers was seen before the picture
was made; that all networks are shown was not.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.statistics.exponents_of_grammars import complexities_of_grammars
from srhm.store.published_provenance import PROVENANCE_FILE
from srhm_studies.learning_curves.teaching.analysis import seed_stars

PICTURE = "docs/images/positions.png"
SHARING, TEACHING = "published/laptop/weight_sharing", "published/laptop/teaching"
CHOICE = "L == 2 and v == 8"
THRESHOLD = 0.1
# Where (s_0+1)^n stands, by n.
POWERS = ((1.45, 0.86), (1.5, 1.27), (1.13, 2.1))
BLUE, ORANGE, GREEN, GREY, INK = "#0072B2", "#E69F00", "#009E73", "#8A8A8A", "#1A1A1A"


@dataclass(frozen=True)
class Look:
    """How a network is shown: its name, the height of the name (in P*), colour and marker."""

    words: str
    height: float
    colour: str
    marker: str
    hollow: bool = False


LOOKS = {
    "lcn": Look("LCN", 27, BLUE, "o"),
    "cnn_features": Look("shared between features", 20.6, BLUE, "^"),
    "cnn_places": Look("shared among positions", 14.9, ORANGE, "^"),
    "cnn": Look("CNN", 11.6, ORANGE, "s"),
    "cnn_pooled_first": Look("CNN, sums in layer 1", 5.6, GREEN, "s"),
    "cnn_pooled_last": Look("CNN, sums in layer 2", 4.0, GREEN, "D"),
    "lcn taught": Look("LCN, positions taught", 1.42, BLUE, "o", hollow=True),
    "cnn_pooled": Look("CNN, sums in both layers", 1.14, GREEN, "o"),
    "cnn taught": Look("CNN, positions taught", 0.92, ORANGE, "s", hollow=True),
}  # fmt: skip


def origin_of(root: Path) -> str:
    """What the picture says of its origin, for a test: digests of the tables."""
    files = (root / folder / PROVENANCE_FILE for folder in (SHARING, TEACHING))
    return json.dumps([json.loads(file.read_text("utf-8"))["sha256"] for file in files])


def costs(root: Path) -> pd.DataFrame:
    """P* over that of dense data: net (of LOOKS), s0, ratio."""
    cells = pd.read_parquet(root / SHARING / "cells.parquet").query(CHOICE)
    shared = complexities_of_grammars(cells, threshold=THRESHOLD)
    cells = pd.read_parquet(root / TEACHING / "cells.parquet").query(CHOICE)
    of_teaching = seed_stars(cells[cells["patterns"].isna()])
    stars = of_teaching[of_teaching["synonyms"] == 0]
    dense = _mean(stars.query("s0 == 0 and places == 'none'")).set_index("net")["P_star"]
    taught = stars.query("places == 'all'")
    table = pd.concat([_mean(shared), _mean(taught.assign(net=taught["net"] + " taught"))])
    kinds = ["lcn" if net.startswith("lcn") else "cnn" for net in table["net"]]
    return table.assign(ratio=table["P_star"].to_numpy() / dense[kinds].to_numpy())


def _mean(grammars: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of P* over grammars."""
    logs = grammars.assign(P_star=np.log(grammars["P_star"]))
    means = logs.groupby(["net", "s0"], as_index=False)["P_star"].mean()
    return means.assign(P_star=np.exp(means["P_star"]))


def draw(table: pd.DataFrame) -> Figure:
    """The picture of a table of `costs`."""
    style = {"font.size": 13, "axes.spines.top": False, "axes.spines.right": False,
             "xtick.minor.size": 0, "ytick.minor.size": 0}  # fmt: skip
    with matplotlib.style.context(style, after_reset=True):
        figure = Figure(figsize=(9, 6))
        axes = figure.subplots()
        figure.subplots_adjust(left=0.09, right=0.7, bottom=0.12, top=0.97)
        at = np.array([1, 5])
        for n in range(3):
            axes.loglog(at, at.astype(float) ** n, color=GREY, lw=1.2, ls=(0, (5, 3)), zorder=1)
            x, y = POWERS[n]
            axes.text(x, y, f"$(s_0+1)^{n}$", color=GREY, fontsize=11)
        for net, look in LOOKS.items():
            marks = table[table["net"] == net].sort_values("s0")
            axes.plot(marks["s0"] + 1, marks["ratio"], color=look.colour, marker=look.marker, ms=8,
                      mfc="white" if look.hollow else look.colour, lw=1, zorder=3)  # fmt: skip
            axes.text(5.35, look.height, look.words, color=INK, va="center", clip_on=False)
        axes.minorticks_off()
        axes.set(xlim=(0.97, 5.2), ylim=(0.75, 33), xlabel="positions for each feature, $s_0+1$",
                 ylabel="$P^*$ divided by $P^*$ of dense data")  # fmt: skip
        axes.set_xticks([1, 2, 3, 5], ["1", "2", "3", "5"])
        axes.set_yticks([1, 2, 5, 10, 25], ["1", "2", "5", "10", "25"])
        return figure
