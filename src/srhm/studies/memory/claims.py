"""Claims on two hypotheses and a finite memory (thesis, chapter 7), all in terms of q.

Numbers that nothing random enters have their range over the cells as interval. Expected numbers are
the thesis's, tolerances are ours; both were fixed before measuring.
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim
from srhm.scorecard.estimators import Difference, Mean, Range, Slope, pairs_of
from srhm.scorecard.expectations import Below, NoExpectation, Within
from srhm.scorecard.rows import rows_of
from srhm.studies.memory.selection import (
    effective_memory,
    of_experiment,
    settings,
    with_best_columns,
)

# The limit r -> 0 and the order sqrt(r). Corrections are sqrt(r) times up to 4000, at M = 16.
IN_THE_LIMIT, TO_LEADING_ORDER = 1e-14, 1e-8
# Where eps is still far from 1.
SMALL = 1e-4


@rows_of("cells")
def columns(cells: pd.DataFrame, *, r: float) -> pd.DataFrame:
    """Best columns of confidence at all r up to this one: q and exit rate over limits, minus 1."""
    own = of_experiment(cells, "columns")
    own = own[own["r"] <= r]
    return own.assign(
        excess=own["q"] / own["q_limit"] - 1,
        rate_excess=own["exit_rate"] / own["exit_rate_limit"] - 1,
        is_larger=own["size"] > 1,
        has_rate=own["exit_rate_limit"].notna(),
    )


@rows_of("cells")
def learnt_by_ram(cells: pd.DataFrame) -> pd.DataFrame:
    """What a RAM learns from each start beside the best columns: `gain`, 1 - q/q_best, and log."""
    rows = pd.concat([with_best_columns(cells, [start]) for start in ("ccp", "random")])
    over = rows["q"] / rows["q_best"]
    return rows.assign(gain=1 - over, log_over=np.log(over))


@rows_of("cells")
def learnt(cells: pd.DataFrame) -> pd.DataFrame:
    """What is learnt from each start and seed, with `M_eff`."""
    own = of_experiment(cells, "learning")
    return own.assign(M_eff=effective_memory(own))


@rows_of("cells")
def costs(cells: pd.DataFrame) -> pd.DataFrame:
    """What a random start costs a Memento minus what it costs a RAM, by seed, mean over all sizes.

    Over the necklace start, and over the columns of confidence.
    """
    by_seed = []
    for memory, best in (("memento", "necklace"), ("ram", "ccp")):
        own = of_experiment(cells, "learning")
        own = own[own["memory"] == memory]
        random, other = (own[own["start"] == start] for start in ("random", best))
        found = pairs_of(random, other, on=settings(best), column="q")
        by_seed.append(found.groupby("seed")["difference"].mean() if len(found) else pd.Series())
    return (by_seed[0] - by_seed[1]).dropna().rename("cost").reset_index()


@rows_of("cells")
def necklaces(cells: pd.DataFrame) -> pd.DataFrame:
    """Necklace policies: q over its limit, minus 1; part of the necklaces in the longest chain."""
    own = of_experiment(cells, "necklaces")
    return own.assign(
        excess=own["q"] / own["q_limit"] - 1,
        is_slowest=own["exit_inside"] == own["exit_inside"].min(),
        is_first=~own.duplicated("size"),
        chained=own["n_chain"] / own["n_necklaces"],
    )


@rows_of("cells")
def best_mementos(cells: pd.DataFrame) -> pd.DataFrame:
    """Least q over random starts of a Memento, and its log over the best necklace policy's."""
    own = of_experiment(cells, "learning").query("memory == 'memento' and start == 'random'")
    on = ["size", "mu", "r"]
    least = own.groupby(on, as_index=False)["q"].min()
    best = of_experiment(cells, "best_necklaces")[[*on, "q"]]
    found = least.merge(best, on=on, suffixes=("", "_best"))
    return found.assign(log_over=np.log(found["q"] / found["q_best"]))


EXACT = "0.01: the chain is exact; what remains are corrections ~ √r at the least r"
memory = partial(Claim, topic="Two hypotheses and a finite memory")
AGAINST = partial(Difference, "q", rows=learnt, what="pairs of seeds", tells=("size",))
from_starts = partial(memory, figure="memory_starts")

CLAIMS = (
    memory(
        "columns-limit",
        "Columns of confidence: q over α^(2M-1)/(1 + α^(2M-1)) at r → 0, minus 1",
        figure="memory_columns", place="thesis, ch. 7, Eq. 7, Fig. 2",
        expected=Within(0, 0.01), why=EXACT,
        measure=Range("excess", rows=columns.given(r=IN_THE_LIMIT), what="cells at r ≤ 1e-14"),
    ),
    memory(
        "columns-local-optimum",
        "Learning from the columns + 1e-4: by which part it lowers their best q",
        figure="memory_columns", place="thesis, ch. 7, Fig. 2: by nothing",
        expected=Below(0.01),
        why="an upper bound: 1 %, what the 1e-4 and the end of the flow may leave",
        measure=Range(
            "gain", where={"start": "ccp"}, rows=learnt_by_ram, what="cells (M, μ, r)",
            tells=("status",),
        ),
    ),
    memory(
        "columns-exit-rate", "The best exit rate ε of the columns over Eq. 6 (mended), minus 1",
        figure="memory_exit_rate", place="thesis, ch. 7, Eq. 6",
        expected=Within(0, 0.01), why=EXACT,
        measure=Range(
            "rate_excess", where={"has_rate": True}, rows=columns.given(r=TO_LEADING_ORDER),
            what="cells (M ≥ 2, μ, r ≤ 1e-8)",
        ),
    ),
    memory(
        "columns-exit-slope", "Slope of log ε against log r",
        figure="memory_exit_rate", place="thesis, ch. 7, section 3: ε ~ √r",
        expected=Within(0.5, 0.02),
        why="0.02: the next order of ε, ~ r, is a hundredth of √r at r = 1e-4",
        measure=Slope(
            "exit_rate", against="r", within=("size", "mu"), where={"is_larger": True},
            rows=columns.given(r=SMALL), what="cells",
        ),
    ),
    memory(
        "necklace-limit", "Necklace policy: q over (1 + α^(m(1-n)))^(-1) at r, ε → 0, minus 1",
        figure="memory_necklaces", place="thesis, ch. 7, Eq. 10",
        expected=Within(0, 0.01),
        why="0.01: the policy is exact; what remains is of the order of ε₁",
        measure=Range(
            "excess", where={"is_slowest": True}, rows=necklaces, what="m and μ",
            tells=("exit_inside",),
        ),
    ),
    memory(
        "necklace-gray-order",
        "Part of the necklaces that the longest chain in Gray order has, m = 2, 3, 5",
        figure="memory_necklaces", place="thesis, ch. 7, definition 4.1",
        expected=Within(1, 0.01),
        why="0.01: a number of necklaces is counted; for a prime m the chain has all of them",
        measure=Range(
            "chained", where={"size": (2, 3, 5), "is_first": True}, rows=necklaces, what="prime m"
        ),
    ),
    *(
        from_starts(
            f"ram-{better}-below-{worse}",
            f"RAM: q learnt from {better} minus q learnt from {worse}",
            place="thesis, ch. 7, Fig. 4 A, B",
            expected=Below(0),
            why="an upper bound: the thesis orders the starts, and gives no numbers",
            measure=AGAINST(
                where={"memory": "ram", "start": better}, over={"start": worse},
                on=settings(better),
            ),
        )
        for better, worse in (("linear", "random"), ("columns", "linear"), ("ccp", "columns"))
    ),
    from_starts(
        "ram-random-over-columns",
        "RAM: logarithm of q learnt from random starts over that of the columns",
        place="thesis, ch. 7, Fig. 4 A, B: far worse",
        expected=NoExpectation(), why="the source gives no number",
        measure=Mean(
            "log_over", where={"start": "random"}, rows=learnt_by_ram, what="random starts of a RAM"
        ),
    ),
    *(
        from_starts(
            f"memento-random-{start}",
            f"Memento: q learnt from random minus q learnt from {start}",
            place="thesis, ch. 7, Fig. 4 C, D: no significant difference",
            expected=Within(0, 0.05),
            why="0.05, ours: a tenth of all values that q can have, 0 to 1/2",
            measure=AGAINST(
                where={"memory": "memento", "start": "random"}, over={"start": start},
                on=settings(start),
            ),
        )
        for start in ("cycles", "necklace")
    ),
    from_starts(
        "random-start-costs-memento-less", "What a random start costs in q: a Memento minus a RAM",
        place="thesis, ch. 7, section 5",
        expected=Below(0), why="an upper bound: a Memento is less sensitive to its start",
        measure=Mean("cost", rows=costs, what="seeds"),
    ),
    memory(
        "memento-below-ram", "q from random starts at equal M_eff and seed: Memento minus RAM",
        figure="memory_architectures", place="thesis, ch. 7, Fig. 4 E, F",
        expected=Below(0), why="an upper bound: the thesis finds Memento better",
        measure=Difference(
            "q", where={"memory": "memento", "start": "random"}, over={"memory": "ram"},
            on=("M_eff", "mu", "r", "t_end", "seed"), rows=learnt, what="pairs of seeds",
            tells=("M_eff",),
        ),
    ),
    memory(
        "memento-over-necklace",
        "Memento: logarithm of the least q learnt over the best necklace policy",
        figure="memory_architectures",
        place="thesis, ch. 7, section 6: they are the same policy",
        expected=NoExpectation(),
        why="the source gives no number; below 0 something better was learnt",
        measure=Range("log_over", rows=best_mementos, what="m and r, the least of the seeds"),
    ),
)  # fmt: skip
