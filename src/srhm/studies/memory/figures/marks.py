"""What the figures of the study share: starts, memories, q in time, counts."""

from collections.abc import Sequence

import pandas as pd

from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.panels import Axis, Marks
from srhm.figures.scales import Scale

STARTS = {
    "random": Look("random", BLUE),
    "linear": Look("linear", ORANGE),
    "columns": Look("columns", GREEN),
    "ccp": Look("columns of confidence $+ 10^{-4}$", VERMILION),
    "cycles": Look("cycles", PURPLE),
    "necklace": Look("necklace", BLACK),
}
MEMORIES = {"ram": Look("RAM, $M$ states", BLUE), "memento": Look("Memento, $m$ plays", VERMILION)}
SIZES = {"ram": "RAM $M", "memento": "Memento $m"}
TIME = Axis("time $t$", log=True)
WORSE = Axis("probability of the worse arm $q$", log=True)


def in_time(cells: pd.DataFrame, history: pd.DataFrame, by: Scale) -> Sequence[Marks]:
    """q against t of each seed, thin, and their median, thick, up to where all of them came."""
    rows = cells[["key", by.column]].merge(history, on="key")
    n = cells.groupby(by.column)["key"].nunique()
    medians = rows.groupby([by.column, "t"])["q"].agg(["median", "size"]).reset_index()
    whole = medians[medians["size"] == medians[by.column].map(n)]
    return (
        Marks(rows=rows, x="t", y="q", by=[by], each=["key"], name="seed", label="seeds",
              marker="", line="-", width=0.5, alpha=0.4),
        Marks(rows=whole, x="t", y="median", by=[by], label="median of the seeds", marker="",
              line="-", width=1.6),
    )  # fmt: skip


def seeds_text(cells: pd.DataFrame) -> list[str]:
    """How many seeds each start has, and how many cells were capped."""
    if cells.empty:
        return []
    counts = cells.groupby(["memory", "size", "start"])["seed"].nunique()
    capped = int((cells["status"] == "capped").sum())
    ended = f"; {capped} of {len(cells)} flows ended at their budget" if capped else ""
    return [f"{int(counts.max())} seeds of each random start{ended}."]
