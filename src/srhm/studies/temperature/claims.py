"""What is expected of P* at other rates and batch sizes, fixed before looking.

Letters as in `analysis`: T is the learning rate over batch size times (1 - momentum). Tolerances
were written down with one table at hand, the pilot of two grammars that the README shows: CNN,
L = 2, v = 8 and 10, four rates.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR, NET_AND_DATA
from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import SHARED_GRAMMAR
from srhm.scorecard.fits import as_ratio, no_points, of_fit
from srhm.statistics.regression import mean
from srhm.statistics.sample_complexity import seed_complexities
from srhm.studies.temperature.analysis import (
    MAIN,
    TEXT,
    THRESHOLD,
    complexities_of,
    line_of,
    of_errors,
    usable,
)

TOPIC = "Learning rate, batch size and P*"
RATIOS, EXPONENTS, IN_TIME = "temperature", "temperature_exponents", "temperature_in_time"
TENTH = 0.10
TENTH_REASON = (
    "a tenth: two grammars of one size differ by as much, a decade of T moves P* by 20 to 80 %"
)
FIFTH = 0.2
EXPONENT_REASON = (
    "0.2: between s_0 = 1 and 4 it is a factor 1.2 in P*, which is what a decade of T makes"
)
# Ratios a decade apart at which most lines are measured: rates 0.01 and 0.001 at batch 4.
DECADE = (TEXT, TEXT / 10)
# P* that are counted: v, and the relative standard error.
LEAST_FEATURES, LEAST_ERROR = 6, 0.05

Pairs = Sequence[tuple[str, str]]


def _is(row: pd.Series | Mapping[str, Any], **wanted: Any) -> bool:
    return all(np.isclose(row[name], value) if isinstance(value, float) else row[name] == value
               for name, value in wanted.items())  # fmt: skip


def mean_ratio(tables: Tables, pairs: Pairs, what: str) -> Measurement:
    """Geometric mean of P* of the first curves over P* of the second ones.

    Of each seed alone, whose grammar both curves share. Seeds of one grammar are averaged over the
    pairs first, as pairs of one grammar are not independent. The interval is that of their
    scatter; n counts grammars.
    """
    if not pairs:
        return NOT_MEASURED
    cells = tables["cells"]
    wanted = {name for pair in pairs for name in pair}
    alone = seed_complexities(cells[cells["curve"].isin(wanted)], threshold=THRESHOLD)
    grammar = cells.drop_duplicates("curve").set_index("curve")[list(SHARED_GRAMMAR)]
    by_grammar = dict[tuple[Any, ...], list[float]]()
    for first, second in pairs:
        difference = (alone.loc[first] - alone.loc[second]).dropna()
        for seed, value in zip(difference.index, difference.to_numpy(dtype=float), strict=True):
            by_grammar.setdefault((*grammar.loc[first], seed), []).append(float(value))
    if not by_grammar:
        return no_points(f"{what}: no seed has both P*")
    values = np.array([np.mean(own) for own in by_grammar.values()])
    note = f"{len(pairs)} pairs of curves ({what}), {len(values)} grammars"
    return as_ratio(of_fit(mean(values, []), note))


def pairs_of(
    tables: Tables, first: Callable[[pd.Series], bool], second: Callable[[pd.Series], bool],
    *, on: Sequence[str],
) -> Pairs:  # fmt: skip
    """Curves of both kinds, uncensored, that agree in the columns `on`."""
    rows = usable(of_errors(complexities_of(tables)), small_pools=True)
    if rows.empty:
        return []
    rows = rows.assign(rounded=rows["ratio"].round(9))
    one, other = rows[rows.apply(first, axis=1)], rows[rows.apply(second, axis=1)]
    if one.empty or other.empty:
        return []
    both = one.merge(other, on=[*NET_AND_DATA, *on], suffixes=("", "_other"))
    return list(zip(both["curve"], both["curve_other"], strict=True))


# What a curve has at the text's options but for those that a claim is about.
_TRAINING = ("engine", "batch", "batch_size", "momentum", "loss_threshold", "width")


def _text_but(*names: str) -> Callable[[pd.Series], bool]:
    wanted = {name: MAIN[name] for name in _TRAINING if name not in names}
    return lambda row: _is(row, **wanted)


def _text(row: pd.Series) -> bool:
    return _is(row, **MAIN)


def batches(tables: Tables) -> Measurement:
    """P* at batches of 1, 16 and 64 over that at 4, equal T."""
    kind = _text_but("batch_size")
    pairs = pairs_of(
        tables,
        lambda row: kind(row) and row["batch_size"] in (1, 16, 64) and row["ratio"] > 0,
        _text,
        on=["rounded"],
    )
    return mean_ratio(tables, pairs, "batches of 1, 16 and 64 over 4")


def large_batch(tables: Tables) -> Measurement:
    """P* at batches of 256 over that at 4, equal T."""
    kind = _text_but("batch_size")
    pairs = pairs_of(
        tables,
        lambda row: kind(row) and row["batch_size"] == 256 and row["ratio"] > 0,
        _text,
        on=["rounded"],
    )
    return mean_ratio(tables, pairs, "batches of 256 over 4")


def momenta(tables: Tables) -> Measurement:
    """P* without momentum over that at 0.9, equal T."""
    kind = _text_but("momentum")
    pairs = pairs_of(tables, lambda row: kind(row) and row["momentum"] == 0, _text, on=["rounded"])
    return mean_ratio(tables, pairs, "momentum 0 over 0.9")


def decade(tables: Tables, *, net: str, depth: int) -> Measurement:
    """P* at T of the text over that at a tenth of it, s_0 >= 1."""

    def at(ratio: float) -> Callable[[pd.Series], bool]:
        return lambda row: (
            _text(row) and _is(row, net=net, L=depth, ratio=ratio) and row["s0"] > 0
        )  # fmt: skip

    pairs = pairs_of(tables, at(DECADE[1]), at(DECADE[0]), on=[])
    return mean_ratio(tables, pairs, f"T = {DECADE[1]:g} over {DECADE[0]:g}")


def thresholds(tables: Tables, *, stop: float) -> Measurement:
    """P* of trainings that stop at another loss over those that stop at 1e-3."""
    kind = _text_but("loss_threshold")
    pairs = pairs_of(
        tables, lambda row: kind(row) and _is(row, loss_threshold=stop), _text, on=["rounded"]
    )
    return mean_ratio(tables, pairs, f"stop at {stop:g} over 1e-3")


def reference(tables: Tables) -> Measurement:
    """P* of the dense reference trainer over that of the sparse engine, at two ratios."""
    kind = _text_but("engine")
    pairs = pairs_of(
        tables, lambda row: kind(row) and row["engine"] == "reference", _text, on=["rounded"]
    )
    return mean_ratio(tables, pairs, "reference over sparse")


def effect_in_width(tables: Tables) -> Measurement:
    """What a lower T does to P* at widths 128 and 512 over what it does at 64."""
    table = complexities_of(tables)
    if table.empty:
        return NOT_MEASURED
    rows = usable(of_errors(table), small_pools=True)
    rows = rows[rows["ratio"].round(9).isin([round(one, 9) for one in (TEXT, 0.3 * TEXT)])]
    kind = _text_but("width")
    rows = rows[rows.apply(kind, axis=1)] if len(rows) else rows
    pairs = {}
    for names, own in rows.groupby([*NET_AND_DATA, "width"]):
        line = own.sort_values("ratio")["curve"].tolist()
        if len(line) == 2:
            pairs[names] = (line[0], line[1])
    alone = seed_complexities(tables["cells"], threshold=THRESHOLD)
    changes = {names: alone.loc[low] - alone.loc[high] for names, (low, high) in pairs.items()}
    found = [
        value
        for (*family, width), change in changes.items()
        if width != MAIN["width"] and (base := changes.get((*family, MAIN["width"]))) is not None
        for value in (change - base).dropna()
    ]
    if not found:
        return NOT_MEASURED
    note = f"T = {0.3 * TEXT:g} over {TEXT:g}; {len(found)} grammars and widths"
    return as_ratio(of_fit(mean(np.array(found), []), note))


def published_table(tables: Tables) -> Measurement:
    """P* at s_0 = 4 with the rate of the table over that with the table's rate of s_0 = 1."""

    def at(rate: float) -> Callable[[pd.Series], bool]:
        wanted: dict[str, Any] = {"batch": "balanced", "net": "cnn", "L": 2, "s0": 4}
        return lambda row: _is(row, **wanted, learning_rate=rate)

    return mean_ratio(
        tables, pairs_of(tables, at(0.03), at(0.1), on=["width"]), "rates 0.03 over 0.1"
    )


def sensitivities(tables: Tables, *, criterion: str) -> Measurement:
    """P*_S/P* (or P*_D/P*) at a tenth of the text's T over the same at the text's T.

    Of the averages over seeds; a point is a family, the interval that of their scatter.
    """
    table = complexities_of(tables)
    if table.empty:
        return NOT_MEASURED
    felt = table[(table["criterion"] == criterion) & (table["status"] == "reached")]
    both = line_of(table).merge(felt[["curve", "P_star"]], on="curve", suffixes=("", "_felt"))
    both = both.assign(quotient=np.log(both["P_star_felt"] / both["P_star"]))
    wide = both.assign(rounded=both["ratio"].round(9)).pivot_table(
        index=list(NET_AND_DATA), columns="rounded", values="quotient"
    )
    ends = [round(one, 9) for one in DECADE]
    if not set(ends) <= set(wide.columns):
        return NOT_MEASURED
    change = (wide[ends[1]] - wide[ends[0]]).dropna().to_numpy(dtype=float)
    if not len(change):
        return no_points("no family has both P* at both T")
    return as_ratio(of_fit(mean(change, []), f"{len(change)} families"))


def of_limits(tables: Tables, *, column: str) -> Measurement:
    """P* of gradient descent or of gradient flow over the extrapolated limit.

    A point is a family; the interval is that of their scatter.
    """
    table = tables.get("limits", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    known = table[np.isfinite(table[column].to_numpy(dtype=float))]
    if known.empty:
        return NOT_MEASURED
    values = np.log(known[column].to_numpy(dtype=float) / known["P_limit"].to_numpy(dtype=float))
    single = "; ".join(
        f"{row['net'].upper()} L = {row['L']}, v = {row['v']}, s_0 = {row['s0']}:"
        f" {row[column]:.0f} over {row['P_limit']:.0f}"
        f" [{row['P_limit_low']:.0f}, {row['P_limit_high']:.0f}]"
        for row in known.to_dict("records")
    )
    return as_ratio(of_fit(mean(values, []), single))


def gradient_descent_steps(tables: Tables) -> Measurement:
    """P* of gradient descent at rate 0.32 over that at 0.08."""

    def at(rate: float) -> Callable[[pd.Series], bool]:
        return lambda row: row["ratio"] == 0 and _is(row, learning_rate=rate)  # fmt: skip

    return mean_ratio(tables, pairs_of(tables, at(0.32), at(0.08), on=["width"]), "0.32 over 0.08")


def fitted(
    tables: Tables, *, of: str, net: str, depth: int, at: str, ratio: float = nan
) -> Measurement:
    """A row of the table of exponents."""
    table = tables.get("exponents", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    rows = table[(table["of"] == of) & (table["net"] == net) & (table["L"] == depth)]
    rows = rows[rows["at"] == at]
    if np.isfinite(ratio):
        rows = rows[np.isclose(rows["ratio"], ratio)]
    if rows.empty:
        return NOT_MEASURED
    row = rows.iloc[0]
    note = f"v = {', '.join(row['features'].split())}; {row['n']} families"
    return Measurement(
        value=row["value"], low=row["low"], high=row["high"], n=int(row["n"]), note=note
    )


def change_of_exponent(tables: Tables, *, net: str, depth: int) -> Measurement:
    """Exponent of (s_0+1) at the text's T less that at a tenth of it, v for v the same families.

    From P* of each seed of the families with both T: the slope of what the decade does to log P*.
    """
    rows = usable(line_of(complexities_of(tables)))
    if rows.empty:
        return NOT_MEASURED
    rows = rows[(rows["net"] == net) & (rows["L"] == depth)]
    rows = rows[(rows["m"] == rows["v"] ** (rows["s"] - 1)) & (rows["n_c"] == rows["v"])]
    rows = rows.assign(rounded=rows["ratio"].round(9))
    curves = rows.pivot_table(
        index=list(NET_AND_DATA), columns="rounded", values="curve", aggfunc="first"
    )
    ends = [round(one, 9) for one in DECADE]
    if not set(ends) <= set(curves.columns):
        return NOT_MEASURED
    curves = curves[ends].dropna().reset_index()
    alone = seed_complexities(tables["cells"], threshold=THRESHOLD)
    slopes = []
    for _, own in curves.groupby(SHARED_GRAMMAR):
        change = alone.loc[own[ends[0]]].to_numpy() - alone.loc[own[ends[1]]].to_numpy()
        x = np.log1p(own["s0"].to_numpy(dtype=float))
        x = x - x.mean()
        if len(x) > 1:
            found = x @ change / (x @ x)
            slopes += found[np.isfinite(found)].tolist()
    if not slopes:
        return no_points("no grammar with two s_0 at both T")
    return of_fit(mean(np.array(slopes), []), f"{len(slopes)} grammars, {len(curves)} families")


def precise(tables: Tables) -> Measurement:
    """Number of P* at v >= 6 with a standard error below 5 %."""
    rows = usable(of_errors(complexities_of(tables)), small_pools=True)
    if rows.empty:
        return NOT_MEASURED
    own = rows[(rows["v"] >= LEAST_FEATURES) & (rows["log_se"] < LEAST_ERROR)]
    n = len(own)
    all_of = int((rows["v"] >= LEAST_FEATURES).sum())
    return Measurement(value=n, low=nan, high=nan, n=n, note=f"of {all_of} with v >= 6")


def insensitive_layer(tables: Tables, *, kind: str, level: int) -> Measurement:
    """S or D of the output at the end of training, at the small over the large ratio, equal P.

    Of the networks that are watched; a point is a grammar and case.
    """
    cells = tables.get("cells", pd.DataFrame())
    measured = tables.get("sensitivity_histories", pd.DataFrame())
    if cells.empty or measured.empty:
        return NOT_MEASURED
    last = measured[measured["steps"] == measured.groupby("key")["steps"].transform("max")]
    last = last[(last["layer"] == "output") & (last["kind"] == kind) & (last["l"] == level)]
    # A cell that is watched may be one of a learning curve, too.
    both = last.merge(cells.drop_duplicates("key").drop(columns=["curve", "steps"]), on="key")
    found = []
    for _, own in both.groupby(["net", *GRAMMAR, "P", "seed"]):
        own = own.sort_values("learning_rate")
        if len(own) == 2 and (own["value"] > 0).all():
            found.append(log(own["value"].iloc[0] / own["value"].iloc[1]))
    if not found:
        return NOT_MEASURED
    return as_ratio(
        of_fit(mean(np.array(found), []), f"{len(found)} grammars, rates a decade apart")
    )


def _claim(
    identifier: str,
    statement: str,
    measure: Callable[[Tables], Measurement],
    *,
    figure: str = RATIOS,
    place: str,
    expected: float = nan,
    tolerance: float = nan,
    reason: str,
) -> Claim:
    return Claim(
        identifier=identifier,
        topic=TOPIC,
        figure=figure,
        statement=statement,
        place=place,
        expected=expected,
        tolerance=tolerance,
        tolerance_reason=reason,
        measure=measure,
    )


SDE = "Sclocchi and Wyart (2024): noise of SGD depends on the rate over the batch size"
PILOT = "pilot of two grammars, see the page"
LAW = {"lcn": "Eq. 3", "cnn": "Eq. 4"}
# Factors that the pilot has for a decade: 1.26 to 1.37 at L = 2, 1.8 at L = 3.
DECADES = {
    ("cnn", 2): (1.4, 0.2),
    ("lcn", 2): (1.4, 0.3),
    ("cnn", 3): (1.8, 0.3),
    ("lcn", 3): (1.8, 0.4),
}
DECADE_REASON = (
    "the pilot: 1.26 to 1.43 (CNN, L = 2), 1.17 and 1.51 (LCN, L = 2), 1.79 and 1.84 (CNN, L = 3);"
    " nothing is known of the LCN at L = 3"
)


def _one(net: str, depth: int) -> str:
    return f"{net.upper()}, L = {depth}"


def _of_kind(net: str, depth: int) -> list[Claim]:
    kind, name = _one(net, depth), f"{net}-{depth}"
    expected = 2.0 if net == "cnn" else float(depth)
    factor, tolerance = DECADES[net, depth]
    common: dict[str, Any] = {"figure": EXPONENTS, "place": LAW[net], "expected": expected}
    return [
        _claim(
            f"decade-{name}",
            f"{kind}: P* at a tenth of the text's T over P* at the text's T",
            partial(decade, net=net, depth=depth),
            place=PILOT,
            expected=factor,
            tolerance=tolerance,
            reason=DECADE_REASON,
        ),
        _claim(
            f"places-text-{name}",
            f"{kind}: exponent of s_0+1 at the ratio of the text",
            partial(fitted, of="s0+1", net=net, depth=depth, at="ratio", ratio=TEXT),
            tolerance=FIFTH,
            reason=EXPONENT_REASON,
            **common,
        ),
        _claim(
            f"places-limit-{name}",
            f"{kind}: exponent of s_0+1 in the limit of no noise",
            partial(fitted, of="s0+1", net=net, depth=depth, at="limit"),
            tolerance=FIFTH,
            reason=EXPONENT_REASON,
            **common,
        ),
    ]


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "ratio-alone",
        "P* at batches of 1, 16 and 64 over P* at batch 4, at equal T",
        batches,
        place=SDE,
        expected=1.0,
        tolerance=TENTH,
        reason=TENTH_REASON,
    ),
    _claim(
        "ratio-momentum",
        "P* without momentum over P* at momentum 0.9, at equal T",
        momenta,
        place="Smith and Le (2018): the noise scale has a factor 1/(1 - momentum)",
        expected=1.0,
        tolerance=TENTH,
        reason=TENTH_REASON,
    ),
    _claim(
        "ratio-large-batch",
        "P* at batches of 256 over P* at batch 4, at equal T",
        large_batch,
        place=SDE,
        reason="where the rule ends is not known beforehand: reported",
    ),
    *_of_kind("cnn", 2),
    *_of_kind("lcn", 2),
    *_of_kind("cnn", 3),
    *_of_kind("lcn", 3),
    *(
        _claim(
            f"more-empty-more-noise-{net}-2",
            f"{_one(net, 2)}: exponent of s_0+1 at the text's T less that at a tenth",
            partial(change_of_exponent, net=net, depth=2),
            figure=EXPONENTS,
            place=PILOT,
            expected=0.0,
            reason="in the pilot a lower T raises P* more at larger s_0: the difference is below 0",
        )
        for net in ("cnn", "lcn")
    ),
    *(
        _claim(
            f"synonyms-limit-{net}-2",
            f"{_one(net, 2)}: exponent of m in the limit of no noise",
            partial(fitted, of="m", net=net, depth=2, at="limit"),
            figure=EXPONENTS,
            place=LAW[net],
            expected=2.0,
            tolerance=FIFTH,
            reason="0.2: a factor 1.3 between m = 2 and 8, about that of a decade of T",
        )
        for net in ("cnn", "lcn")
    ),
    *(
        _claim(
            f"constant-{at}-{net}-{depth}",
            f"{_one(net, depth)}: {'C_0' if net == 'lcn' else 'C_1'}"
            f" {'at the ratio of the text' if at == 'ratio' else 'in the limit of no noise'}",
            partial(
                fitted,
                of="constant",
                net=net,
                depth=depth,
                at=at,
                ratio=TEXT if at == "ratio" else nan,
            ),
            figure=EXPONENTS,
            place=LAW[net],
            reason="the paper gives about s^(L/2) (LCN) and 1 (CNN), no error: reported",
        )
        for net, depth in (("cnn", 2), ("lcn", 2), ("cnn", 3), ("lcn", 3))
        for at in ("ratio", "limit")
    ),
    _claim(
        "table-effect-cnn-2",
        "CNN, L = 2: what the published rates add to the exponent of s_0+1",
        partial(fitted, of="s0+1", net="cnn", depth=2, at="effect"),
        figure=EXPONENTS,
        place="practice of Figure 4: rate 0.1 below s_0 = 4, 0.03 there",
        expected=0.0,
        tolerance=TENTH,
        reason="0.1: half of what is allowed to an exponent",
    ),
    _claim(
        "table-direct-cnn-2",
        "CNN, L = 2, s_0 = 4, balanced: P* at the published 0.03 over P* at 0.1",
        published_table,
        figure=EXPONENTS,
        place="practice of Figure 4: rate 0.1 below s_0 = 4, 0.03 there",
        expected=1.0,
        tolerance=TENTH,
        reason=TENTH_REASON,
    ),
    _claim(
        "limit-gradient-descent",
        "P* of gradient descent over the limit of small T",
        partial(of_limits, column="P_full"),
        place="Sclocchi and Wyart (2024): at small T SGD is gradient descent",
        expected=1.0,
        tolerance=TENTH,
        reason=TENTH_REASON,
    ),
    _claim(
        "limit-gradient-flow",
        "P* of gradient flow at alpha~ = 1 over the limit of small T",
        partial(of_limits, column="P_flow"),
        place="study complexity",
        expected=1.0,
        tolerance=0.15,
        reason="15 %: a tenth, and half as much for its stop at a loss of 1e-2",
    ),
    _claim(
        "gradient-descent-steps",
        "P* of gradient descent at rate 0.32 over P* at 0.08",
        gradient_descent_steps,
        place="without noise the rate should not count",
        expected=1.0,
        tolerance=0.05,
        reason="5 %: the same data without noise; half of what is allowed to other pairs",
    ),
    _claim(
        "another-route",
        "P* of the dense reference trainer over that of the sparse engine, two ratios",
        reference,
        place="the same training by another code",
        expected=1.0,
        tolerance=0.05,
        reason="5 %: runs differ by rounding only, but near P* rounding decides single errors",
    ),
    _claim(
        "width",
        "What a 3.3 times lower T does to P*: widths 128 and 512 over width 64",
        effect_in_width,
        place="widths of 32 to 512 gave one error in trials",
        expected=1.0,
        tolerance=TENTH,
        reason=TENTH_REASON,
    ),
    *(
        _claim(
            f"stop-{stop:g}",
            f"P* of trainings that stop at a loss of {stop:g} over those that stop at 1e-3",
            partial(thresholds, stop=stop),
            place="appendix D: stop at 1e-3",
            expected=1.0,
            tolerance=TENTH,
            reason=TENTH_REASON,
        )
        for stop in (1e-2, 1e-4)
    ),
    *(
        _claim(
            f"concurrence-{criterion[0]}",
            f"P*_{criterion[0]}/P* at a tenth of the text's T over the same at the text's T",
            partial(sensitivities, criterion=criterion),
            place="section 5: P*, P*_S and P*_D concur",
            expected=1.0,
            tolerance=0.15,
            reason="15 %: P*_S and P*_D are read off falls less steep than that of the error",
        )
        for criterion in ("S_2", "D_2")
    ),
    _claim(
        "in-between",
        "S of the output at level 1, rate 0.001 over 0.01, at one P between both P*",
        partial(insensitive_layer, kind="S", level=1),
        figure=IN_TIME,
        place="section 5: networks that learn are insensitive to synonyms",
        reason="by how much is not known beforehand: reported",
    ),
    _claim(
        "precision",
        "P* at v >= 6 with a relative standard error below 5 %",
        precise,
        place="this study",
        reason="a count, which shows how much is behind the other rows: reported",
    ),
)
