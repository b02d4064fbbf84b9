"""What is expected of P* at other rates and batch sizes, fixed before looking.

Letters as in `analysis`: T is the learning rate over batch size times (1 - momentum). Tolerances
were written down with one table at hand, the pilot of two grammars that the README shows: CNN,
L = 2, v = 8 and 10, four rates.

A ratio of P* is taken of each seed alone, whose grammar both curves share. Seeds of one grammar are
averaged over the pairs first, as pairs of one grammar are not independent; n counts grammars.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.grammar import NET_AND_DATA
from srhm.scorecard.claims import Claim, after_a_look, predictions
from srhm.scorecard.complexity_rows import of_seeds, of_the_paper
from srhm.scorecard.estimators import Mean, Slope, Stored
from srhm.scorecard.expectations import Within
from srhm.scorecard.grammars import SHARED_GRAMMAR
from srhm.scorecard.rows import chosen, left_out, rows_of
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars, powers
from srhm.statistics.sample_complexity import seed_complexities
from srhm_studies.learning_curves.temperature.analysis import (
    MAIN,
    TEXT,
    THRESHOLD,
    line_of,
    of_errors,
    usable,
)

# Ratios a decade apart at which most lines are measured: rates 0.01 and 0.001 at batch 4.
DECADE = (TEXT, TEXT / 10)
# What a curve has at the text's options.
_TEXT = {name: MAIN[name] for name in
         ("engine", "batch", "batch_size", "momentum", "loss_threshold", "width")}  # fmt: skip
# Conditions as a row function takes them.
Kind = tuple[tuple[str, Any], ...]


def _text(**other: Any) -> Kind:
    """Curves of the text's options but for these."""
    return tuple(sorted({**_TEXT, **other}.items()))


def _at(ratio: float) -> float:
    return round(ratio, 9)


@rows_of("complexities", nothing="no curves of both kinds")
def reached(table: pd.DataFrame) -> pd.DataFrame:
    """P* of the test error, uncensored; T is rounded, and noisy where it is above zero."""
    rows = usable(of_errors(table), small_pools=True)
    T = rows["ratio"].round(9)
    return rows.drop(columns="ratio").assign(T=T, noisy=T > 0, sparse=rows["s0"] > 0)


@rows_of(reached, "cells", nothing="no curves of both kinds")
def pairs(
    rows: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    first: Kind,
    second: Kind,
    on: tuple[str, ...] = (),
    papers: bool = False,
) -> pd.DataFrame:
    """Curves of both kinds that agree in `on`, a row for each seed that has both P*: ratio.

    papers: of the paper's grammars alone.
    """
    rows = rows[of_the_paper(rows)] if papers else rows
    one, other = chosen(rows, dict(first)), chosen(rows, dict(second))
    both = one.merge(other, on=[*NET_AND_DATA, *on], suffixes=("", "_over"))
    if both.empty:
        return both
    wanted = {*both["curve"], *both["curve_over"]}
    alone = seed_complexities(cells[cells["curve"].isin(wanted)], threshold=THRESHOLD)
    logs = alone.loc[both["curve"]].to_numpy() - alone.loc[both["curve_over"]].to_numpy()
    seeds = pd.DataFrame(np.exp(logs), index=both.index, columns=alone.columns)
    seeds = seeds.melt(var_name="seed", value_name="ratio", ignore_index=False)
    return both.join(seeds).dropna(subset="ratio")


@rows_of(reached, "cells", nothing="no grammar with both T at several widths")
def in_width(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """What a lower T does to P* at other widths over what it does at the text's: ratio."""
    kinds = [tuple({**_TEXT, "T": _at(T)}.items()) for T in (0.3 * TEXT, TEXT)]
    kinds = [tuple(pair for pair in kind if pair[0] != "width") for kind in kinds]
    found = pairs.function(rows, cells, first=kinds[0], second=kinds[1], on=("width",))
    if found.empty:
        return found
    own = found["width"] == MAIN["width"]
    both = found[~own].merge(found[own], on=[*NET_AND_DATA, "seed"], suffixes=("", "_main"))
    return both.assign(ratio=both["ratio"] / both["ratio_main"])


@rows_of("complexities", nothing="no family has both P* at both T")
def sensitivities(table: pd.DataFrame, *, criterion: str) -> pd.DataFrame:
    """P*_S/P* (or P*_D/P*) at a tenth of the text's T over the same at the text's T, by family.

    Of the averages over seeds. Families with both P* and without one of P*_S are left out.
    """
    felt = table[(table["criterion"] == criterion) & (table["status"] == "reached")]
    both = line_of(table).merge(
        felt[["curve", "P_star"]], on="curve", suffixes=("", "_felt"), how="left"
    )
    quotient = np.log(both["P_star_felt"] / both["P_star"])
    both = both.assign(quotient=quotient, T=both["ratio"].round(9))
    ends = [_at(one) for one in DECADE]
    both = both[both["T"].isin(ends)]
    found = both.pivot_table(
        index=list(NET_AND_DATA), columns="T", values=["P_star", "quotient"], dropna=False
    )
    if found.empty:
        return found
    wide = found.reindex(columns=pd.MultiIndex.from_product([["P_star", "quotient"], ends]))
    known = wide[[("P_star", one) for one in ends]].notna().all(axis=1)
    change = wide["quotient", ends[1]] - wide["quotient", ends[0]]
    rows = pd.DataFrame({"ratio": np.exp(change)})[known].reset_index()
    kind = criterion[0]
    return left_out(rows, {f"whose P*_{kind} is not known at one T": rows["ratio"].isna()})


@rows_of("limits", nothing="no family with both")
def limits(table: pd.DataFrame) -> pd.DataFrame:
    """P* of gradient descent and of gradient flow over the extrapolated limit, by family."""
    return table.assign(full=table["P_full"] / table["P_limit"],
                        flow=table["P_flow"] / table["P_limit"])  # fmt: skip


@rows_of("complexities", "cells", nothing="no P* at L = 3 and a tenth of the text's T")
def dense_at_small_T(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """P* at a tenth of the text's T, of the paper's grammars without sparsity."""
    rows = usable(line_of(table))
    rows = rows[of_the_paper(rows) & (rows["s0"] == 0)]
    rows = of_seeds(rows[rows["ratio"].round(9) == _at(DECADE[1])], cells)
    return rows[rows["status"] == "reached"]


@rows_of("practice", nothing="no grammar of this study with a published curve by both")
def by_practice(table: pd.DataFrame) -> pd.DataFrame:
    """P* by text over practice: measured over predicted, quotient."""
    return table.assign(quotient=table["measured"] / table["predicted"])


@rows_of("exponents", nothing="no such exponent")
def fitted(table: pd.DataFrame) -> pd.DataFrame:
    """The table of exponents, T rounded."""
    return table.assign(T=table["ratio"].round(9))


@rows_of("complexities", "cells", nothing="no grammar with both s_0 at this T")
def powers_of_places(table: pd.DataFrame, cells: pd.DataFrame, *, T: float) -> pd.DataFrame:
    """Power of s_0+1 of each grammar at one T from s_0 = 1 to 2: exponent."""
    rows = line_of(table)
    rows = rows[of_the_paper(rows) & (rows["ratio"].round(9) == _at(T))]
    own = cells[cells["curve"].isin(rows["curve"])]
    alone = complexities_of_grammars(own, threshold=THRESHOLD)
    return powers(alone[alone["s0"].isin((1, 2))], "P_star", by=("net", *OF_GRAMMAR))


GRAMMARS = (*SHARED_GRAMMAR, "seed")
PER_GRAMMAR = partial(Mean, "ratio", scale="ratio", per=GRAMMARS, what="seeds of pairs of curves")
TENTH: Any = {
    "expected": Within(1, 0.1),
    "why": "a tenth: two grammars of one size differ by as much, a decade of T moves P* by 20 to"
    " 80 %",
}
SDE = "Sclocchi and Wyart (2024): noise of SGD depends on the rate over the batch size"
PILOT = "pilot of two grammars, see the page"
TABLE = "practice of Figure 4: rate 0.1 below s_0 = 4, 0.03 there"
LAW = {"lcn": "Eq. 3", "cnn": "Eq. 4"}
# Rate 0.003 at batch 4, at which most v are measured.
SMALL = 0.3 * TEXT
KINDS = (("cnn", 2), ("lcn", 2), ("cnn", 3), ("lcn", 3))
# Factors that the pilot has for a decade: 1.26 to 1.37 at L = 2, 1.8 at L = 3.
DECADES = {("cnn", 2): Within(1.4, 0.2), ("lcn", 2): Within(1.4, 0.3),
           ("cnn", 3): Within(1.8, 0.3), ("lcn", 3): Within(1.8, 0.4)}  # fmt: skip

ratio = partial(Claim, topic="Learning rate, batch size and P*", figure="temperature")
exponent = partial(ratio, figure="temperature_exponents")


def _equal_T(**other: Any) -> Mean:
    """P* of curves with another option over those of the text, at equal T."""
    return PER_GRAMMAR(rows=pairs.given(first=_text(**other), second=_text(), on=("T",)))


def _fitted(what: str, net: str, depth: int, at: str, **ratio: float) -> Stored:
    """A row of the table of exponents."""
    return Stored(rows=fitted, where={"of": what, "net": net, "L": depth, "at": at, **ratio},
                  what="families", each="v = {features}")  # fmt: skip


def _decade(net: str, depth: int) -> Mean:
    ends = (_text(net=net, L=depth, T=_at(T), sparse=True) for T in DECADE)
    second, first = ends
    return PER_GRAMMAR(rows=pairs.given(first=first, second=second, papers=True))


def _of_kind(net: str, depth: int) -> list[Claim]:
    kind, name = f"{net.upper()}, L = {depth}", f"{net}-{depth}"
    law = Within(2 if net == "cnn" else depth, 0.2)
    why = "0.2: between s_0 = 1 and 4 it is a factor 1.2 in P*, which is what a decade of T makes"
    return [
        ratio(
            f"decade-{name}", f"{kind}: P* at a tenth of the text's T over P* at the text's T",
            place=PILOT, expected=DECADES[net, depth],
            why="the pilot: 1.26 to 1.43 (CNN, L = 2), 1.17 and 1.51 (LCN, L = 2), 1.79 and 1.84"
                " (CNN, L = 3); nothing is known of the LCN at L = 3",
            measure=_decade(net, depth),
        ),
        exponent(
            f"places-text-{name}", f"{kind}: exponent of s_0+1 at the ratio of the text",
            place=LAW[net], expected=law, why=why,
            measure=_fitted("s0+1", net, depth, "ratio", T=_at(TEXT)),
        ),
        exponent(
            f"places-limit-{name}", f"{kind}: exponent of s_0+1 in the limit of no noise",
            place=LAW[net], expected=law, why=why,
            measure=_fitted("s0+1", net, depth, "limit"),
        ),
    ]  # fmt: skip


STATED: tuple[Claim, ...] = (
    ratio(
        "ratio-alone", "P* at batches of 1, 16 and 64 over P* at batch 4, at equal T",
        place=SDE, measure=_equal_T(batch_size=(1, 16, 64), noisy=True), **TENTH,
    ),
    ratio(
        "ratio-momentum", "P* without momentum over P* at momentum 0.9, at equal T",
        place="Smith and Le (2018): the noise scale has a factor 1/(1 - momentum)",
        measure=_equal_T(momentum=0), **TENTH,
    ),
    *(one for net, depth in KINDS for one in _of_kind(net, depth)),
    *(exponent(
        f"synonyms-limit-{net}-2",
        f"{net.upper()}, L = 2: exponent of m in the limit of no noise",
        place=LAW[net], expected=Within(2, 0.2),
        why="0.2: a factor 1.3 between m = 2 and 8, about that of a decade of T",
        measure=_fitted("m", net, 2, "limit"),
    ) for net in ("cnn", "lcn")),
    *(exponent(
        f"features-small-T-{net}-3",
        f"{net.upper()}, L = 3, s_0 = 0: exponent of v = n_c = m at a tenth of the text's T",
        place=LAW[net], expected=Within(4, 0.35), fixed="after",
        why="0.35, as for the same law in sparse_hierarchy; written after a look at v = 4 and 6,"
            " before the curves at v = 5, 7 and 8 were trained",
        measure=Slope("P_star", against="v", rows=dense_at_small_T, where={"net": net, "L": 3},
                      error="clusters", what="curves", each="{P_star:.0f} (v = {v})"),
    ) for net in ("cnn", "lcn")),
    exponent(
        "places-by-v-cnn-2",
        "CNN, L = 2: power from s_0 = 1 to 2 against log v, rate 0.003: slope",
        place=f"{LAW['cnn']}: one power for all v", expected=Within(0, 0.2), fixed="after",
        why="0.2: from v = 4 to 10 about what is allowed to an exponent; written after a look",
        measure=Slope("exponent", against="v", logs="x", where={"net": "cnn", "L": 2},
                      rows=powers_of_places.given(T=SMALL), what="grammars"),
    ),
    exponent(
        "table-effect-cnn-2", "CNN, L = 2: what the published rates add to the exponent of s_0+1",
        place=TABLE, expected=Within(0, 0.1), why="0.1: half of what is allowed to an exponent",
        measure=_fitted("s0+1", "cnn", 2, "effect"),
    ),
    exponent(
        "table-direct-cnn-2",
        "CNN, L = 2, s_0 = 4, balanced: P* at the published 0.03 over P* at 0.1",
        place=TABLE, **TENTH,
        measure=PER_GRAMMAR(rows=pairs.given(on=("width",), **{
            name: (("batch", "balanced"), ("net", "cnn"), ("L", 2), ("s0", 4),
                   ("learning_rate", rate)) for name, rate in (("first", 0.03), ("second", 0.1))
        })),
    ),
    *(ratio(
        f"text-over-practice-{net}-{depth}",
        f"{net.upper()}, L = {depth}: P* by text over practice, measured over that from T alone",
        place="Figure 4; "+SDE, **TENTH | {"why": f"{TENTH['why']}; written after a look at the"
        " points"}, fixed="after",
        measure=Mean("quotient", scale="ratio", error="clusters", rows=by_practice,
                     where={"net": net, "L": depth}, what="grammars",
                     each="{measured:.2f} for {predicted:.2f} (v = {v}, s_0 = {s0})"),
    ) for net, depth in KINDS),
    ratio(
        "limit-gradient-descent", "P* of gradient descent over the limit of small T",
        place="Sclocchi and Wyart (2024): at small T SGD is gradient descent",
        measure=Mean("full", scale="ratio", rows=limits, error="clusters", what="families"),
        **TENTH,
    ),
    ratio(
        "limit-gradient-flow", "P* of gradient flow at alpha~ = 1 over the limit of small T",
        place="study complexity", expected=Within(1, 0.15),
        why="15 %: a tenth, and half as much for its stop at a loss of 1e-2",
        measure=Mean("flow", scale="ratio", rows=limits, error="clusters", what="families"),
    ),
    ratio(
        "gradient-descent-steps", "P* of gradient descent at rate 0.32 over P* at 0.08",
        place="without noise the rate should not count", expected=Within(1, 0.05),
        why="5 %: the same data without noise; half of what is allowed to other pairs",
        measure=PER_GRAMMAR(rows=pairs.given(on=("width",), **{
            name: (("noisy", False), ("learning_rate", rate))
            for name, rate in (("first", 0.32), ("second", 0.08))
        })),
    ),
    ratio(
        "width", "What a 3.3 times lower T does to P*: widths 128 and 512 over width 64",
        place="widths of 32 to 512 gave one error in trials",
        measure=Mean("ratio", scale="ratio", rows=in_width, per=GRAMMARS,
                     what="grammars and widths"), **TENTH,
    ),
    *(ratio(
        f"stop-{stop:g}",
        f"P* of trainings that stop at a loss of {stop:g} over those that stop at 1e-3",
        place="appendix D: stop at 1e-3", measure=_equal_T(loss_threshold=stop), **TENTH,
    ) for stop in (1e-2, 1e-4)),
    *(ratio(
        f"concurrence-{kind}",
        f"P*_{kind}/P* at a tenth of the text's T over the same at the text's T",
        place="section 5: P*, P*_S and P*_D concur", expected=Within(1, 0.15),
        why="15 %: P*_S and P*_D are read off falls less steep than that of the error",
        measure=Mean("ratio", scale="ratio", rows=sensitivities.given(criterion=f"{kind}_2"),
                     error="clusters", what="families"),
    ) for kind in "SD"),
)  # fmt: skip

CLAIMS = after_a_look(
    predictions(STATED, {
        "decade-* limit-gradient-flow gradient-descent-steps width": "2026-11-22, 5fa188c1",
    }),
    {
        "decade-*": "the paper's grammars alone, as the pilot's; before, m = 2 and 4 at v = 8, too",
        "concurrence-* limit-*": "intervals by vocabularies, whose rules families share",
        "places-text-* places-limit-* synonyms-limit-* table-effect-*":
            "intervals by vocabularies, of three or more; before, of paired seeds or the scatter",
        "width": "the interval over grammars, each of which has two widths",
    },
)  # fmt: skip
