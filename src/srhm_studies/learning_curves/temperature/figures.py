"""P* at each ratio of learning rate to batch size, its exponents and constants, and time.

T: learning rate over batch size times (1 - momentum); time: steps times rate over (1 - momentum).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import empty_places, unknown, with_ends
from srhm.figures.looks import BLACK, BLUE, ERROR, GREY, LINES, SHIFTS, SYNONYMS, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, levels
from srhm.figures.scales import Scale, by_name, coloured, distinct, parted, ranks
from srhm.figures.words import EQUATIONS, several
from srhm.model.grammar import NET_AND_DATA
from srhm_studies.learning_curves.temperature.analysis import MAIN, TEXT, line_of, of_errors

T = Axis("$T=\\eta/[B\\,(1-\\mu)]$", log=True)
LIMIT = 0.35  # factor of T: where the limit stands left of the smallest T
# Factors of T between what is drawn apart: v, families in the limit, choices, kinds of nets.
APART, FAMILIES_APART, CHOICES_APART, KINDS_APART = 1.06, 1.07, 1.12, 1.08
# What is compared with the line at equal T: its look, columns in which a curve differs.
OTHERS: Mapping[str, tuple[Look, Mapping[str, Any]]] = {
    look.label: (look, change) for look, change in (
        (Look("width 128", BLUE, "o"), {"width": 128}),
        (Look("width 512", BLUE, "D"), {"width": 512}),
        (Look("stop at $10^{-2}$", VERMILION, "^"), {"loss_threshold": 1e-2}),
        (Look("stop at $10^{-4}$", VERMILION, "v"), {"loss_threshold": 1e-4}),
        (Look("dense reference", BLACK, "P"), {"engine": "reference"}),
    )
}  # fmt: skip
FELT = {"S_2": Look("$P^*_S$", SYNONYMS, "X"), "D_2": Look("$P^*_D$", SHIFTS, "d")}
STARS: Mapping[str, Any] = {
    "x": "x", "y": "y", "low": "y_low", "high": "y_high", "beyond": "y_beyond", "size": 3.8,
    "bar_label": "95 % interval over seeds", "arrow_label": "censored: $P^*$ is",
}  # fmt: skip
# Colour and shape by net, L by fill.
KINDS = {
    f"{net} {depth}": Look(f"{net.upper()}, $L={depth}$", looks.net(net).colour,
                           looks.net(net).marker, filled=depth == 3)
    for net in ("cnn", "lcn") for depth in (2, 3)
}  # fmt: skip
TITLES = {"s0+1": "exponent of $s_0+1$", "m": "exponent of $m$",
          "constant": "$C_0$ (LCN), $C_1$ (CNN)"}  # fmt: skip
WAYS = {"one rate": "rate of $s_0=1$", "table": "published rates"}
ROOM = 0.5  # of exponents, beyond the values; longer bars run out of the panel
LOSSES = {"train_loss": Look("training loss", GREY), "test_error": Look("test error", ERROR)}
LEVEL = 1  # of the transformations that are drawn
TIME = "time: steps $\\times\\,\\eta/(1-\\mu)$"
N_TIMES = 60  # of the common grid to which single trainings are interpolated
LEAST = 1e-3  # of what is drawn in logarithms


def _limit(smallest: float) -> Marks:
    return level(smallest * LIMIT**0.5, "left of it: limit $T\\to0$", name="to zero", across="y")


def _text(line: str) -> Marks:
    return level(TEXT, "the text's $T$", line=line, across="y")


def _grammar(one: pd.Series) -> str:
    return f"{one['net'].upper()}, $L={one['L']}$, $v={one['v']}$, $s_0={one['s0']}$"


def temperature(complexities: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """P* over Eq. 3 or 4 against T, a panel for each net and L, and two of the single choices.

    Left of the smallest T: the limit with the interval of both extrapolations, gradient descent,
    gradient flow.
    """
    rows = line_of(complexities)
    # Exponents of m have families of their own: their constants are those of the other figure.
    rows = rows[rows["m"] == rows["v"] ** (rows["s"] - 1)]
    rows = with_ends(rows, unit=rows["prediction"])
    by = [coloured("v", rows["v"].astype(int), "$v$"), empty_places(rows["s0"])]
    a, b, d, e = (
        _kind(net, L, rows[(rows["net"] == net) & (rows["L"] == L)], by, limits)
        for net in ("cnn", "lcn") for L in (2, 3)
    )  # fmt: skip
    return mosaic([a, b, _batches(complexities), d, e, _others(complexities)], columns=3,
                  preset=preset, height=2.4, notes=unknown(rows))  # fmt: skip


def _kind(
    net: str, depth: int, rows: pd.DataFrame, by: Sequence[Scale], limits: pd.DataFrame
) -> Panel:
    smallest = float(rows["ratio"].min()) if len(rows) else TEXT
    rows = rows.assign(x=rows["ratio"] * APART ** ranks(rows["v"]))
    at_limit = limits.merge(rows[list(NET_AND_DATA)].drop_duplicates(), on=list(NET_AND_DATA))
    # Side by side by v and s_0: bars at one x would hide each other.
    aside = FAMILIES_APART ** ranks(at_limit.groupby(["v", "s0"]).ngroup())
    at_limit = at_limit.assign(x=smallest * LIMIT * aside)
    for name in ("P_limit", "P_limit_low", "P_limit_high", "P_full", "P_flow"):
        at_limit[name] = at_limit[name] / at_limit["prediction"]
    return Panel(
        title=f"{net.upper()}, $L={depth}$: {rows['curve'].nunique()} curves", x=T,
        y=Axis(f"$P^*$ / {EQUATIONS[net][0]}", log=True), marks=[
            Marks(rows=rows[rows["status"] == "reached"], x="x", y="y", name="line", by=by[:1],
                  each=["s0"], marker="", line="-", width=0.7, alpha=0.5),
            Marks(rows=rows, by=by, open="faint", name="P*",
                  open_label="$P^*$ above a tenth of all data", **STARS),
            Marks(rows=at_limit, x="x", y="P_limit", low="P_limit_low", high="P_limit_high",
                  name="limit", by=by, filled=False, size=3.8),
            *(Marks(rows=at_limit.dropna(subset=[name]), x="x", y=name, name=name, marker=marker,
                    size=size, colour=BLACK, label=label)
              for name, marker, size, label in (("P_full", "_", 6, "gradient descent"),
                                                ("P_flow", "x", 5, "gradient flow"))),
            _limit(smallest), _text("--"),
        ] if len(rows) else [],
    )  # fmt: skip


def _batches(complexities: pd.DataFrame) -> Panel:
    """P* of the family of most batch sizes and momenta."""
    rows = of_errors(complexities)
    for name in ("engine", "batch", "loss_threshold", "width"):
        rows = rows[rows[name] == MAIN[name]]
    rows = rows[rows["ratio"] > 0]
    n = rows.groupby(list(NET_AND_DATA))["batch_size"].transform("nunique")
    rows = rows[n == n.max()].merge(rows[n == n.max()][list(NET_AND_DATA)].head(1))
    if rows["batch_size"].nunique() < 2:
        return Panel(title="rate and batch apart")
    shift = APART ** (ranks(rows["batch_size"]) + 0.5 * (rows["momentum"] == 0))
    stars = with_ends(rows.assign(x=rows["ratio"] * shift))
    momenta = Scale(column="momentum", title="$\\mu$ (C)", looks={
        m: Look(f"${m:g}$", filled=m > 0) for m in sorted(set(stars["momentum"]))
    })  # fmt: skip
    by = [distinct("batch_size", stars["batch_size"], "$B$ (C)"), momenta]
    return Panel(title=_grammar(rows.iloc[0]), x=T, y=Axis("$P^*$ (points)", log=True),
                 marks=[Marks(rows=stars, by=by, name="batch", **STARS)])  # fmt: skip


def _others(complexities: pd.DataFrame) -> Panel:
    """P* of curves that differ from the line in one choice, over P* of the line at equal T."""
    base = line_of(complexities)
    base = base[base["status"] == "reached"]
    choices = {name: line_of(complexities, **change) for name, (_, change) in OTHERS.items()}
    for criterion, look in FELT.items():
        felt = complexities[complexities["criterion"] == criterion]
        choices[look.label] = felt[felt["curve"].isin(base["curve"])]
    known = {name: look for name, (look, _) in OTHERS.items()}
    known |= {look.label: look for look in FELT.values()}
    line, parts = base.assign(rounded=base["ratio"].round(9)), []
    for name, rows in choices.items():
        stars = rows[rows["status"] == "reached"].assign(rounded=rows["ratio"].round(9), other=name)
        parts.append(stars.merge(line, on=[*NET_AND_DATA, "rounded"], suffixes=("", "_line")))
    both = pd.concat([part for part in parts if len(part)] or parts[:1])
    aside = CHOICES_APART ** ranks(both["other"], known)
    both = both.assign(quotient=both["P_star"] / both["P_star_line"], x=both["ratio"] * aside)
    return Panel(title="other choices at equal $T$", x=T,
                 y=Axis("$P^*$ / $P^*$ of A to E", log=True),
                 marks=[Marks(rows=both, x="x", y="quotient", size=3.6, alpha=0.75,
                              name="quotient", by=[by_name("other", both["other"], known)]),
                        level(1, "equal (F)", name="equal", line="-.")])  # fmt: skip


def temperature_exponents(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """A: exponents of (s_0+1) against T; B: of m; C: constants; D: with the table's rates.

    Left of the smallest T: the limit. D: at one rate of the table, and at all of its rates.
    """
    rows = exponents.assign(kind=exponents["net"] + " " + exponents["L"].astype(str))
    rows = rows[rows["kind"].isin(KINDS)]
    rows = rows.assign(rank=ranks(rows["kind"], KINDS))
    by, panels = by_name("kind", rows["kind"], KINDS), []
    for quantity, label in TITLES.items():
        by_T = rows[(rows["of"] == quantity) & rows["at"].isin(["ratio", "limit"])]
        measured = by_T["at"] == "ratio"
        smallest = float(by_T.loc[measured, "ratio"].min())
        smallest = smallest if smallest > 0 else TEXT
        x = by_T["ratio"].where(measured, smallest * LIMIT) * KINDS_APART ** by_T["rank"]
        by_T, constant = by_T.assign(x=x.astype(float)), quantity == "constant"
        panels.append(Panel(
            title=label, x=Axis("$T=\\eta/[B\\,(1-\\mu)]$; left: limit", log=True),
            y=_height(by_T, label, log=constant), marks=[
                _values(by_T[measured], by, "ratio", line="-", width=0.7,
                        bar_label="95 % interval"),
                _values(by_T[~measured], by, "limit"), _limit(smallest), _text("-."),
                *([] if constant else [_expected(by_T)]),
            ],
        ))  # fmt: skip
    table = rows[rows["at"].isin(WAYS)]
    both = table.groupby("kind")["at"].transform("nunique") == len(WAYS)
    place = table["at"].map({way: float(i) for i, way in enumerate(WAYS)}).astype(float)
    table = table.assign(x=place + 0.06 * table["rank"])[both]
    panels.append(Panel(
        title="one rate, and published rates", y=_height(table, TITLES["s0+1"]),
        x=Axis(ticks=dict(enumerate(WAYS.values())), limits=(-0.4, 1.4)),
        marks=[_values(table, by, "table", line="-", width=0.7), _expected(table)],
    ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset)


def _values(rows: pd.DataFrame, by: Scale, name: str, **look: Any) -> Marks:
    return Marks(rows=rows, x="x", y="value", low="low", high="high", by=[by], name=name,
                 **look)  # fmt: skip


def _expected(rows: pd.DataFrame) -> Marks:
    return levels(rows.drop_duplicates("expected"), "expected", "Eq. 3, Eq. 4")


def _height(rows: pd.DataFrame, label: str, *, log: bool = False) -> Axis:
    known = rows[["value", "expected"]].astype(float)
    if log or rows.empty:
        return Axis(label, log=log)
    return Axis(label, limits=(known.min().min() - ROOM, known.max().max() + ROOM))


def temperature_in_time(
    cells: pd.DataFrame, histories: pd.DataFrame, sensitivity_histories: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """A column for each net, grammar and P; rows: loss and error, S_{k,1}, D_{k,1} against time.

    Each training is interpolated in log time up to the end of the first that stops; lines are means
    over the trainings of a learning rate.
    """
    watched = cells[cells["key"].isin(histories["key"])].drop_duplicates("key")
    cases = [case for _, case in watched.groupby([*NET_AND_DATA, "P"], sort=False)]
    felt = sensitivity_histories
    felt = felt[(felt["l"] == LEVEL) & (felt["n"] > 0)].assign(what=felt["layer"].astype(str))
    rates = sorted(set(watched["learning_rate"].astype(float)), reverse=True)
    by_rate = Scale(column="rate", title="Learning rate", looks={
        rate: Look(f"$\\eta={rate:g}$", line=style)
        for rate, style in zip(rates, LINES, strict=False)
    })  # fmt: skip
    layers = coloured("what", felt["what"], "Layers",
                      label=lambda k: k if k == "output" else f"$k={k}$")  # fmt: skip
    rows = [(histories.melt(["key", "time"], list(LOSSES), "what"),
             by_name("what", LOSSES, LOSSES, "Top"), "error", "loss, error")]  # fmt: skip
    rows += [(felt[felt["kind"] == kind], layers, kind, f"${kind}_{{k,{LEVEL}}}$") for kind in "SD"]
    panels = []
    for table, by, name, label in rows:
        for case in cases:
            first, seeds = case.iloc[0], several(case["seed"].nunique(), "seed")
            single = table.merge(case[["key", "learning_rate"]], on="key")
            means = [averages(part).assign(rate=rate, what=what)
                     for (rate, what), part in parted(single, "learning_rate", "what")]  # fmt: skip
            means = [part for part in means if len(part)]
            panels.append(Panel(
                title=f"{_grammar(first)}, $P={first['P']}$: {seeds}" if name == "error" else "",
                x=Axis(TIME if name == "D" else "", log=True), y=Axis(label, log=True),
                marks=[Marks(rows=pd.concat(means), x="time", y="value", by=[by_rate, by],
                             name=name, marker="", line="-")] if means else [],
                note="" if means else "none: $s_0=0$", has_extra=True,
            ))  # fmt: skip
    return mosaic(panels, columns=max(len(cases), 1), preset=preset, height=2.0, share="x")


def averages(rows: pd.DataFrame) -> pd.DataFrame:
    """Times and geometric means over trainings of the values, above LEAST.

    rows: columns key, time, value. The times lie between the latest first and the earliest last
    look with a number.
    """
    single = []
    for _, history in rows.groupby("key"):
        known = history[np.isfinite(history["value"].to_numpy(dtype=float)) & (history["time"] > 0)]
        if len(known) > 1:
            x, y = (known[column].to_numpy(dtype=float) for column in ("time", "value"))
            single.append((np.log(x), np.log(np.maximum(y, LEAST))))
    if not single:
        return pd.DataFrame(columns=["time", "value"])
    grid = np.linspace(max(x[0] for x, _ in single), min(x[-1] for x, _ in single), N_TIMES)
    means = np.mean([np.interp(grid, x, y) for x, y in single], axis=0)
    return pd.DataFrame({"time": np.exp(grid), "value": np.exp(means)})
