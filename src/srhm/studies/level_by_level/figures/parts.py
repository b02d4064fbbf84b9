"""What the figures of this study share: looks of nets and depths, means over grammars, P*."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from srhm.figures.complexity_marks import with_ends
from srhm.figures.looks import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.panels import Marks
from srhm.figures.scales import Scale, by_name, graded

NETS = {"shared": Look("shared", marker="o"), "separate": Look("separate", marker="s")}
DEPTHS = {2: Look("$2$", VERMILION), 3: Look("$3$", BLUE), 4: Look("$4$", PURPLE)}
LEVELS = dict(enumerate((BLUE, VERMILION, GREEN, PURPLE, ORANGE), start=1))
TRAININGS = {"end to end": Look("end to end", GREY, "D"),
             "layer by layer": Look("layer by layer", GREY, "^")}  # fmt: skip


def nets(values: Iterable[str]) -> Scale:
    """Nets by marker."""
    return by_name("net", values, NETS, "Algorithm")


def depths(values: Iterable[int]) -> Scale:
    """L by colour."""
    return by_name("L", values, DEPTHS, "$L$")


def synonyms(values: Iterable[int]) -> Scale:
    """m by shade."""
    return graded("m", values, "$m$")


def means(
    rows: pd.DataFrame, by: Sequence[str], x: str, y: str, *, geometric: bool = False
) -> pd.DataFrame:
    """Means over grammars, `mean`, and `low` and `high`, a standard error beside it."""
    own = rows[[*by, x, y]].dropna()
    own = own.assign(of=np.log(own[y].astype(float)) if geometric else own[y])
    found = own.groupby([*by, x])["of"].agg(["mean", "sem"]).fillna(0.0).reset_index()
    found = found.assign(low=found["mean"] - found["sem"], high=found["mean"] + found["sem"])
    if not geometric:
        return found
    return found.assign(**{name: np.exp(found[name]) for name in ("mean", "low", "high")})


def line_of(rows: pd.DataFrame, x: str, by: Sequence[Scale], *, name: str) -> Marks:
    """A line through `means`, with bars of the standard error."""
    return Marks(rows=rows, x=x, y="mean", low="low", high="high", by=by, line="-", size=3.5,
                 name=name)  # fmt: skip


def stars(rows: pd.DataFrame, x: str) -> Marks:
    """P* of each curve with its interval, or the bound of a censored one with an arrow."""
    found = with_ends(rows)
    found = found.assign(censored=found["y_beyond"] != 0)
    return Marks(
        rows=found, x=x, y="y", low="y_low", high="y_high", beyond="y_beyond", open="censored",
        by=[depths(rows["L"]), nets(rows["net"])], name="P*", arrow_label="$P^*$ is",
    )  # fmt: skip


def networks(rows: pd.DataFrame, x: str) -> Marks:
    """P* of networks trained by SGD, in grey."""
    return Marks(
        rows=rows, x=x, y="P_star", by=[by_name("training", rows["training"], TRAININGS,
                                                "Networks, SGD")],
        filled=True, size=5, order=1.5, name="network",
    )  # fmt: skip
