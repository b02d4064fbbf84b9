"""Claims on two hypotheses and a finite memory (thesis, chapter 7), all in terms of q.

Numbers that nothing random enters have their range over the cells as interval. Expected numbers are
the thesis's, tolerances are ours; both were fixed before measuring. The limits of Eq. 6, 7 and 10
and the chains in Gray order are exact: tests, and no claims.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.estimators import Range, pairs_of
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.sheet import Sheet, rows_in, rows_of
from srhm_studies.beyond.memory.analysis import (
    effective_memory,
    of_experiment,
    settings,
    with_best_columns,
)

SMALL = 64  # M_eff of the memories that Figure 4 has on its left
# What a RAM learns from the best columns, compared with these: gain, 1 - q/q_best.
learnt_by_ram = rows_in("cells", what="cells (M, μ, r)").then(
    lambda cells: with_best_columns(cells, ["ccp"])
).let(gain=lambda rows: 1 - rows["q"] / rows["q_best"])  # fmt: skip


@rows_of("cells", what="pairs of seeds")
def learnt(cells: pd.DataFrame, *, large: bool = False) -> pd.DataFrame:
    """What is learnt from each start and seed, with `M_eff`: at most SMALL, or above it."""
    cells = of_experiment(cells, "learning")
    cells = cells.assign(M_eff=effective_memory(cells))
    return cells[(cells["M_eff"] > SMALL) == large]


@rows_of("cells", what="seeds")
def costs(cells: pd.DataFrame) -> pd.DataFrame:
    """What a random start costs a Memento minus what it costs a RAM, by seed, mean over all sizes.

    Compared with the necklace start, and with the columns of confidence; sizes up to SMALL.
    """
    by_seed = []
    for memory, best in (("memento", "necklace"), ("ram", "ccp")):
        starts = of_experiment(cells, "learning")
        starts = starts[(starts["memory"] == memory) & (effective_memory(starts) <= SMALL)]
        random, other = (starts[starts["start"] == start] for start in ("random", best))
        pairs = pairs_of(random, other, on=settings(best), column="q")
        by_seed.append(pairs.groupby("seed")["difference"].mean() if len(pairs) else pd.Series())
    return (by_seed[0] - by_seed[1]).dropna().rename("cost").reset_index()


STARTS = {
    "random": "random starts", "linear": "linear starts", "columns": "columns",
    "ccp": "columns of confidence", "cycles": "cycles", "necklace": "necklaces",
}  # fmt: skip
sheet, THESIS = Sheet(), "thesis, ch. 7"
topic = partial(sheet.topic, "Two hypotheses and a finite memory")
say = topic("memory_columns", place=f"{THESIS}, Fig. 2: by nothing")
say("columns-local-optimum",
    "RAM: fraction by which learning from columns of confidence + 1e-4 lowers q (worse arm)",
    learnt_by_ram.number(Range, "gain", note_columns="status"), Below(0.01),
    "an upper bound: 0.01, what the 1e-4 and the end of the flow may leave")  # fmt: skip

say = topic("memory_starts", expected=Below(0),
            why="an upper bound: the thesis orders the starts, and gives no numbers")  # fmt: skip
for prefix, words, panel, large in (
    ("ram", "RAM", "A", False), ("ram-20", "RAM, M = 20", "B", True),
):  # fmt: skip
    for start, other in (("linear", "random"), ("columns", "linear"), ("ccp", "columns")):
        say(f"{prefix}-{start}-below-{other}",
            f"{words}, q (worse arm): learnt from {STARTS[start]} minus from {STARTS[other]}",
            learnt.given(large=large).difference(
                "q", memory="ram", start=start, over={"start": other}, on=settings(start),
                note_columns="size"), place=f"{THESIS}, Fig. 4 {panel}")  # fmt: skip
for prefix, words, panel, large in (
    ("memento", "Memento", "C", False), ("memento-4", "Memento, m = 4", "D", True),
):  # fmt: skip
    for other in ("cycles", "necklace"):
        say(f"{prefix}-random-{other}",
            f"{words}, q (worse arm): learnt from random starts minus from {STARTS[other]}",
            learnt.given(large=large).difference(
                "q", memory="memento", start="random", over={"start": other}, on=settings(other),
                note_columns="size"), Within(0, 0.05),
            "0.05, ours: a tenth of all values that q can have, 0 to 1/2",
            place=f"{THESIS}, Fig. 4 {panel}: no significant difference")  # fmt: skip
say("random-start-costs-memento-less",
    "Increase of q (worse arm) by random starts: Memento minus RAM",
    costs.mean("cost"), why="an upper bound: a Memento is less sensitive to its start",
    place=f"{THESIS}, section 5")  # fmt: skip

say = topic("memory_architectures", expected=Below(0),
            why="an upper bound: the thesis finds Memento better")  # fmt: skip
for suffix, M_eff, panel in (("", 64, "E"), ("-256", 256, "F")):
    say(f"memento-below-ram{suffix}",
        f"Random starts, effective memory {M_eff}: q (worse arm) of Memento minus RAM",
        learnt.given(large=M_eff > SMALL).difference(
            "q", memory="memento", start="random", M_eff=M_eff, over={"memory": "ram"},
            on=("M_eff", "mu", "r", "t_end", "seed")), place=f"{THESIS}, Fig. 4 {panel}",
        )  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "memento-below-ram":
            "at M_eff = 64 alone, as in the thesis, before with M_eff = 16; 20 seeds as there,"
            " before 6",
    },
)  # fmt: skip
