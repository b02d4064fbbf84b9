"""P* against alpha_tilde for each net and s_0, beside frozen kernels, and against Eq. 3 and 4.

Letters of the paper: P* sample complexity, L depth, s branching, s_0 empty places for each
informative one, m synonyms, n_c classes, ε test error; α̃ = √h α, Θ tangent kernel.
"""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import shape, with_ends
from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import TINTS, Look
from srhm.figures.marks import EQUATIONS, between, curves_and_seeds, plural, power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, levels
from srhm.figures.scales import Scale, graded
from srhm.figures.selection import at_threshold
from srhm.results.coordinates import NET_AND_DATA
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule

STUDY = "complexity"
NETS = ("lcn", "cnn", "fcn")
WAYS = {"flow": "gradient flow", "adam": "Adam", "sgd": "SGD"}
# Factors by which kernels and SGD are moved along alpha_tilde to be seen beside the networks.
APART = {"end_kernel": 1.5, "sgd": 1 / 1.5}
# Factor between the outermost places of the alpha_tilde at one prediction, where equal bounds would
# coincide: no point is further than a tenth from where it belongs.
ASIDE = 1.2
KERNELS = "frozen kernel of the end; at $\\Theta_0$: of the start"
BEYOND = 30.0  # factor from the largest alpha_tilde to the kernel at initialisation


@styled
def draw(
    cells: pd.DataFrame,
    complexity: pd.DataFrame,
    *,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """P* of the study "complexity" at this threshold, from the tables of cells and of P*.

    A, B, C: P* against alpha_tilde, a panel for each net, a line for each s_0; at the right edge
    P* of the kernel at initialisation, open diamonds that of the kernel at the end; above the frame
    the change of the kernel at each alpha_tilde, a geometric mean over the cells. D, E, F: P* of
    the networks against the prediction of Eq. 3 or 4, a colour for each alpha_tilde, side by side.
    """
    table = complexity[complexity["study"] == STUDY]
    rows = at_threshold(table, threshold)
    own = cells[cells["study"] == STUDY]
    flow = own[own["optimiser"] != "sgd"]
    parts = {
        "test_error": main(rows),
        "sgd": rows[rows["optimiser"] == "sgd"],
        **{
            name: main(at_threshold(table, threshold, criterion=name))
            for name in ("initial_kernel", "end_kernel")
        },
    }
    errors = parts["test_error"]
    tildes, nets = tilde_scale(errors["alpha_tilde"]), set(errors["net"])
    above, below = [], []
    for net in NETS:
        of_net = {name: part[part["net"] == net] for name, part in parts.items()}
        above.append(_against_alpha(net, of_net, flow[flow["net"] == net], rule))
        below.append(_against_prediction(net, of_net["test_error"], tildes))
    notes = [*protocol(own), *_other_widths(rows)]
    return mosaic([*above, *below], columns=max(1, len(nets)), preset=preset, notes=notes)


def main(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the study's main curves.

    Not those trained with SGD, which are a check, nor those of widths that were trained at fewer
    alpha_tilde than others of the same net and data: these check that a width is enough.
    """
    own = rows[rows["optimiser"] != "sgd"]
    if own.empty:
        return own
    scales = own.groupby([*NET_AND_DATA, "width"])["alpha_tilde"].transform("nunique")
    return own[scales == scales.groupby([own[name] for name in NET_AND_DATA]).transform("max")]


def tilde_scale(values: Iterable[float]) -> Scale:
    """A shade for each alpha_tilde, the same in all figures of the study."""
    title = "$\\tilde\\alpha$"
    return graded("alpha_tilde", values, title, label=lambda a: f"${power(a)}$", palette="flare")


def _other_widths(rows: pd.DataFrame) -> list[str]:
    others = rows[rows["optimiser"] != "sgd"].drop(main(rows).index)
    return [
        f"Not drawn, a row of the scorecard: {str(net).upper()}, h = {width}, at α̃ ="
        f" {', '.join(f'{a:g}' for a in sorted(set(part['alpha_tilde'])))} alone."
        for (net, width), part in others.groupby(["net", "width"])
    ]


def protocol(cells: pd.DataFrame) -> list[str]:
    """How the networks of a study were trained, a line for each way, and how that ended."""
    lines = []
    for (way, width, labels, loss, activation, budget), part in cells.groupby(
        ["optimiser", "width", "labels", "loss", "activation", "budget"]
    ):
        ends = part["status"].value_counts()
        counts = ", ".join(f"{ends[w]} {w}" for w in ("fitted", "capped", "diverged") if w in ends)
        nets = ", ".join(sorted({net.upper() for net in part["net"]}))
        n_seeds = part.groupby("curve")["seed"].nunique()
        lines.append(
            f"{nets}: {WAYS.get(str(way), str(way))}, h = {width}, {activation}, {labels},"
            f" {str(loss).replace('_', '-')}, at most {budget:,} gradient evaluations{_step(part)};"
            f" {between(n_seeds)} {plural('seed', int(n_seeds.max()))}; {len(part)} networks:"
            f" {counts}."
        )
    return lines


def _step(cells: pd.DataFrame) -> str:
    """How far a step of the flow moves F at most; empty for other optimisers."""
    settings: list[str] = cells["settings"].tolist() if "settings" in cells else []
    moves = {json.loads(one).get("max_output_change") for one in settings} - {None}
    return f" in steps that move F by at most {max(moves):g}" if moves else ""


def _hues(rows: pd.DataFrame, *, shapes: bool) -> Scale:
    """s_0 by colour, and by shape."""
    places = sorted({int(s0) for s0 in rows["s0"]})
    order = (2, 1, 0, 3, 4)
    found = {
        s0: Look(f"$s_0={s0}$", TINTS[order[s0] if s0 < len(order) else -1],
                 shape(s0) if shapes else "")
        for s0 in places
    }  # fmt: skip
    return Scale(column="s0", looks=found, title="Empty places", named=shapes)


def _drawn(rows: pd.DataFrame) -> pd.DataFrame:
    """With the ends of bars, and `open`: P* above a tenth of the data, or a bound."""
    found = with_ends(rows)
    return found.assign(open=rows["small_pool"].astype(bool) | (found["y_beyond"] != 0))


def _against_alpha(
    net: str, parts: dict[str, pd.DataFrame], cells: pd.DataFrame, rule: IntervalRule
) -> Panel:
    errors = _drawn(parts["test_error"])
    if errors.empty:
        return Panel(title=net.upper())
    every = pd.concat(list(parts.values()))
    shape, hue = _hues(every, shapes=True), _hues(every, shapes=False)
    tildes = sorted(set(errors["alpha_tilde"]))
    edge = tildes[-1] * BEYOND
    aside = {
        name: _drawn(parts[name]).assign(x=parts[name]["alpha_tilde"] * factor)
        for name, factor in APART.items()
    }
    # The same at every alpha_tilde, but for the sizes P that it was asked for.
    start = parts["initial_kernel"].sort_values("n_cells", ascending=False).drop_duplicates("curve")
    rank = start.groupby("s0").cumcount()
    aside["initial_kernel"] = _drawn(start).assign(x=edge * 2.0 ** (rank + start["s0"] - 0.5))
    interval = f"{100 * rule.confidence:.3g} % interval (Student $t$ over seeds)"
    shared: dict[str, Any] = {"y": "y", "low": "y_low", "high": "y_high", "beyond": "y_beyond"}
    others = [
        Marks(rows=aside[name], x="x", marker="x" if name == "sgd" else "d", filled=False,
              by=[hue], name=name, **shared,
              label="SGD" if name == "sgd" else KERNELS)
        for name in ("end_kernel", "initial_kernel", "sgd")
    ]  # fmt: skip
    predictions = errors.drop_duplicates("s0")
    labels = {**{a: f"${power(a)}$" for a in tildes}, edge * 2: "$\\Theta_0$"}
    return Panel(
        title=f"{net.upper()}: {curves_and_seeds(errors)}",
        x=Axis("$\\tilde\\alpha = \\sqrt{h}\\,\\alpha$", log=True, ticks=labels,
               limits=(tildes[0] / 4, edge * 14)),
        y=Axis("sample complexity $P^*$", log=True),
        marks=[
            Marks(rows=errors[errors["status"] == "reached"], x="alpha_tilde", y="y", by=[hue],
                  name="line", marker="", line="-"),
            Marks(rows=errors, x="alpha_tilde", by=[shape], open="open", name="networks",
                  bar_label=interval, arrow_label="censored: $P^*$ is",
                  open_label=f"$P^*$ above {100 * rule.small_pool:.3g} % of all data, or a bound",
                  **shared),
            *others,
            levels(predictions, "prediction", "prediction, constant 1", by=[hue], line=":"),
        ],
        extra=partial(_changes, cells=cells, tildes=tildes),
    )  # fmt: skip


def _changes(axes: Axes, *, cells: pd.DataFrame, tildes: Sequence[float]) -> Sequence[Entry]:
    """The kernel's change above the frame."""
    top = axes.secondary_xaxis("top")
    labels = [_change(cells[np.isclose(cells["alpha_tilde"], a)]) for a in tildes]
    top.set_xticks(tildes, labels, fontsize=7)
    top.set_xticks([], minor=True)
    top.tick_params(length=2, pad=1)
    return ()


def _change(cells: pd.DataFrame) -> str:
    """Geometric mean of the kernel's change over cells, to a digit or a power of ten."""
    found = cells["kernel_change"]
    found = found[np.isfinite(found) & (found > 0)]
    if found.empty:
        return ""
    value = float(np.exp(np.log(found).mean()))
    digit = float(f"{value:.1g}")
    return f"${digit:g}$" if digit < 1000 else f"$10^{{{round(np.log10(value))}}}$"


def _against_prediction(net: str, errors: pd.DataFrame, tildes: Scale) -> Panel:
    gaps = len(tildes.looks) - 1
    aside = {a: ASIDE ** ((k - gaps / 2) / max(1, gaps)) for k, a in enumerate(tildes.looks)}
    rows = _drawn(errors)
    rows = rows.assign(x=rows["prediction"] * rows["alpha_tilde"].map(aside).astype(float))
    equation, formula = EQUATIONS.get(net, ("Eq. 3 (LCN)", EQUATIONS["lcn"][1]))
    values = [*rows["x"], *rows["y"].dropna()] or [1.0]
    ends = [min(values) / 1.5, max(values) * 1.5]
    shapes = Scale(
        column="s0", named=False,
        looks={s0: Look("", marker=shape(s0)) for s0 in set(rows["s0"])},
    )  # fmt: skip
    return Panel(
        title=f"{net.upper()}: {len(rows)} $P^*$", x=Axis(f"{equation}, ${formula}$", log=True),
        y=Axis("sample complexity $P^*$", log=True),
        marks=[
            Marks(rows=rows[rows["status"] == "reached"], x="x", y="y", by=[tildes], name="line",
                  marker="", line="-"),
            Marks(rows=rows, x="x", y="y", low="y_low", high="y_high", beyond="y_beyond",
                  open="open", by=[tildes, shapes], name="networks"),
            law(ends, ends, "$y=x$", name="y = x"),
        ],
    )  # fmt: skip
