"""Claims on two hypotheses and a finite memory (thesis, chapter 7), all in terms of q.

Numbers that nothing random enters have their range over the cells as interval. Expected numbers are
the thesis's, tolerances are ours; both were fixed before measuring. The limits of Eq. 6, 7 and 10
and the chains in Gray order are exact: tests, and no claims.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Difference, Mean, Range, pairs_of
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import rows_of
from srhm_studies.beyond.memory.selection import (
    effective_memory,
    of_experiment,
    settings,
    with_best_columns,
)

SMALL = 64  # M_eff of the memories that Figure 4 has on its left


@rows_of("cells")
def learnt_by_ram(cells: pd.DataFrame) -> pd.DataFrame:
    """What a RAM learns from the best columns beside these: `gain`, 1 - q/q_best."""
    rows = with_best_columns(cells, ["ccp"])
    return rows.assign(gain=1 - rows["q"] / rows["q_best"])


@rows_of("cells")
def learnt(cells: pd.DataFrame, *, large: bool = False) -> pd.DataFrame:
    """What is learnt from each start and seed, with `M_eff`: at most SMALL, or above it."""
    own = of_experiment(cells, "learning")
    own = own.assign(M_eff=effective_memory(own))
    return own[(own["M_eff"] > SMALL) == large]


@rows_of("cells")
def costs(cells: pd.DataFrame) -> pd.DataFrame:
    """What a random start costs a Memento minus what it costs a RAM, by seed, mean over all sizes.

    Over the necklace start, and over the columns of confidence; sizes up to SMALL.
    """
    by_seed = []
    for memory, best in (("memento", "necklace"), ("ram", "ccp")):
        own = of_experiment(cells, "learning")
        own = own[(own["memory"] == memory) & (effective_memory(own) <= SMALL)]
        random, other = (own[own["start"] == start] for start in ("random", best))
        found = pairs_of(random, other, on=settings(best), column="q")
        by_seed.append(found.groupby("seed")["difference"].mean() if len(found) else pd.Series())
    return (by_seed[0] - by_seed[1]).dropna().rename("cost").reset_index()


memory = partial(Claim, topic="Two hypotheses and a finite memory")
AGAINST = partial(Difference, "q", what="pairs of seeds", tells=("size",))
from_starts = partial(memory, figure="memory_starts")
# By memory: claims with their two starts, more of the place, expectation and reason.
STARTS = {
    "ram": (
        [(f"{better}-below-{worse}", better, worse)
         for better, worse in (("linear", "random"), ("columns", "linear"), ("ccp", "columns"))],
        "", Below(0), "an upper bound: the thesis orders the starts, and gives no numbers",
    ),
    "memento": (
        [(f"random-{other}", "random", other) for other in ("cycles", "necklace")],
        ": no significant difference", Within(0, 0.05),
        "0.05, ours: a tenth of all values that q can have, 0 to 1/2",
    ),
}  # fmt: skip


def of_starts(prefix: str, words: str, place: str, *, large: bool) -> list[Claim]:
    """q learnt from one start less q learnt from another, for the pairs of STARTS of a memory."""
    kind = prefix.split("-")[0]
    pairs, also, expected, why = STARTS[kind]
    return [
        from_starts(
            f"{prefix}-{name}", f"{words}: q learnt from {start} minus q learnt from {other}",
            place=f"thesis, ch. 7, {place}{also}", expected=expected, why=why,
            measure=AGAINST(
                where={"memory": kind, "start": start}, over={"start": other},
                on=settings(other if kind == "memento" else start), rows=learnt.given(large=large),
            ),
        )
        for name, start, other in pairs
    ]  # fmt: skip


def of_both_memories(name: str, M_eff: int, place: str) -> Claim:
    """A Memento learns less q than a RAM of equal memory, both from random starts."""
    return memory(
        name, f"q from random starts at equal seed, M_eff = {M_eff}: Memento minus RAM",
        figure="memory_architectures", place=f"thesis, ch. 7, {place}",
        expected=Below(0), why="an upper bound: the thesis finds Memento better",
        measure=Difference(
            "q", where={"memory": "memento", "start": "random", "M_eff": M_eff},
            over={"memory": "ram"}, on=("M_eff", "mu", "r", "t_end", "seed"),
            rows=learnt.given(large=M_eff > SMALL), what="pairs of seeds",
        ),
    )  # fmt: skip


STATED = (
    memory(
        "columns-local-optimum",
        "Learning from the columns + 1e-4: by which part it lowers their best q",
        figure="memory_columns", place="thesis, ch. 7, Fig. 2: by nothing",
        expected=Below(0.01),
        why="an upper bound: 1 %, what the 1e-4 and the end of the flow may leave",
        measure=Range(
            "gain", rows=learnt_by_ram, what="cells (M, μ, r)",
            tells=("status",),
        ),
    ),
    *of_starts("ram", "RAM", "Fig. 4 A", large=False),
    *of_starts("ram-20", "RAM, M = 20", "Fig. 4 B", large=True),
    *of_starts("memento", "Memento", "Fig. 4 C", large=False),
    *of_starts("memento-4", "Memento, m = 4", "Fig. 4 D", large=True),
    from_starts(
        "random-start-costs-memento-less", "What a random start costs in q: a Memento minus a RAM",
        place="thesis, ch. 7, section 5",
        expected=Below(0), why="an upper bound: a Memento is less sensitive to its start",
        measure=Mean("cost", rows=costs, what="seeds"),
    ),
    of_both_memories("memento-below-ram", 64, "Fig. 4 E"),
    of_both_memories("memento-below-ram-256", 256, "Fig. 4 F"),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "memento-below-ram": "at M_eff = 64 alone, as the thesis's figure, before with M_eff = 16;"
        " 20 seeds as there, before 6",
    },
)
