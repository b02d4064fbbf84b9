"""P*, the onset of invariances and relative stability at each output scale alpha_tilde.

R_k = D_k/G_k: sensitivity of layer k to diffeomorphisms of the input over that to equal noise.
"""

import json
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.complexity_marks import OTHER_SHAPE, SHAPES, empty_places, shape, with_ends
from srhm.figures.looks import BLACK, ERROR, GREY, SHIFTS, SYNONYMS, TINTS, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, STAR, Axis, Marks, Panel, equality, level, levels
from srhm.figures.regimes import ALPHA_TILDE, WAYS
from srhm.figures.regimes import tildes as tildes_of
from srhm.figures.scales import Scale, by_name, graded, ranks
from srhm.figures.selection import at_threshold
from srhm.figures.words import EQUATIONS, curves_and_seeds, endings, power, several
from srhm.model.grammar import NET_AND_DATA
from srhm.statistics.regression import CONFIDENCE
from srhm.statistics.sample_complexity import SMALL_POOL

STUDY = "complexity"
NETS = ("lcn", "cnn", "fcn")
# Factor between the outermost places of the alpha_tilde at one prediction, where equal bounds would
# coincide: no point is further than a tenth from where it belongs.
ASIDE = 1.2
FROZEN = "frozen kernel of the end; at $\\Theta_0$: of the start"
BEYOND = 30.0  # factor from the largest alpha_tilde to the kernel at initialisation
KINDS = {
    "test_error": Look("test error $\\varepsilon$", ERROR, "o", "-"),
    "S": Look("$S_2$ (synonyms)", SYNONYMS, "o", "-"),
    "D": Look("$D_2$ (diffeomorphisms)", SHIFTS, "o", "-"),
}
KERNELS = {
    "initial": Look("$\\varepsilon$ of the kernel at initialisation", GREY, line=":"),
    "end": Look("$\\varepsilon$ of the kernel at the end", GREY, line="--"),
}
# Markers of P*_D by s_0, beside those of P*_S.
DISPLACED = {1: "+", 2: "x"}
BUDGET = "a run did not fit within its budget"
INTERVAL = f"{100 * CONFIDENCE:.3g} % interval"
ENDS: dict[str, Any] = {"y": "y", "low": "y_low", "high": "y_high", "beyond": "y_beyond"}


def main(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the study's main curves.

    Not those trained with SGD, which are a check, nor those of widths that were trained at fewer
    alpha_tilde than others of the same net and data: these check that a width is enough.
    """
    flows = rows[rows["optimiser"] != "sgd"]
    if flows.empty:
        return flows
    scales = flows.groupby([*NET_AND_DATA, "width"])["alpha_tilde"].transform("nunique")
    return flows[scales == scales.groupby([flows[name] for name in NET_AND_DATA]).transform("max")]


def _protocol(cells: pd.DataFrame) -> list[str]:
    """How the networks of a study were trained, a line for each way, and how that ended."""
    lines = []
    by = ["optimiser", "width", "labels", "loss", "activation", "budget"]
    for (way, width, labels, loss, activation, budget), part in cells.groupby(by):
        nets = ", ".join(sorted({net.upper() for net in part["net"]}))
        settings: list[str] = part["settings"].tolist() if "settings" in part else []
        moves = {json.loads(setting).get("max_output_change") for setting in settings} - {None}
        step = f" in steps that move F by at most {max(moves):g}" if moves else ""
        lines.append(
            f"{nets}: {WAYS[str(way)]}, h = {width}, {activation}, {labels},"
            f" {str(loss).replace('_', '-')}, at most {budget:,} gradient evaluations{step};"
            f" {several(part.groupby('curve')['seed'].nunique(), 'seed')}; {len(part)} networks:"
            f" {endings(part['status'])}."
        )
    return lines


def complexity(
    cells: pd.DataFrame, complexity: pd.DataFrame, *, threshold: float, preset: str
) -> Figure:
    """P* at this threshold: A to C against alpha_tilde, D to F against Eq. 3 or 4, for each net."""
    table = complexity[complexity["study"] == STUDY]
    rows, nets = at_threshold(table, threshold), cells[cells["study"] == STUDY]
    parts = {criterion: main(at_threshold(table, threshold, criterion=criterion))
             for criterion in ("test_error", "initial_kernel", "end_kernel")}  # fmt: skip
    errors = parts["test_error"]
    others = rows[rows["optimiser"] != "sgd"].drop(errors.index)
    others_of = others.groupby(["net", "width"])["alpha_tilde"]
    of_net = {net: {name: part[part["net"] == net] for name, part in parts.items()} for net in NETS}
    tildes = tildes_of(errors["alpha_tilde"])
    return mosaic([
        *(_against_alpha(net, tables) for net, tables in of_net.items()),
        *(_against_prediction(net, tables["test_error"], tildes) for net, tables in of_net.items()),
    ], columns=max(1, errors["net"].nunique()), preset=preset, notes=[
        *_protocol(nets),
        *(f"Not drawn, a row of the scorecard: {str(net).upper()}, h = {width}, at α̃ ="
          f" {', '.join(f'{a:g}' for a in sorted(set(values)))} alone."
          for (net, width), values in others_of),
    ])  # fmt: skip


def _drawn(rows: pd.DataFrame) -> pd.DataFrame:
    """With the ends of bars, and `open`: P* above a tenth of the data, or a bound."""
    drawn = with_ends(rows)
    return drawn.assign(open=rows["small_pool"].astype(bool) | (drawn["y_beyond"] != 0))


def _against_alpha(net: str, parts: dict[str, pd.DataFrame]) -> Panel:
    errors = _drawn(parts["test_error"])
    if errors.empty:
        return Panel(title=net.upper())
    order = (2, 1, 0, 3, 4)
    shapes = Scale(column="s0", title="Empty positions", looks={
        s0: Look(f"$s_0={s0}$", TINTS[order[s0] if s0 < len(order) else -1], shape(s0))
        for s0 in sorted({int(s0) for part in parts.values() for s0 in part["s0"]})
    })  # fmt: skip
    hue = shapes.without("marker")
    tildes = sorted(set(errors["alpha_tilde"]))
    edge = tildes[-1] * BEYOND
    end = _drawn(parts["end_kernel"])
    # The same at every alpha_tilde, but for the sizes P that it was asked for.
    start = parts["initial_kernel"].sort_values("n_cells", ascending=False).drop_duplicates("curve")
    rank = start.groupby("s0").cumcount()
    start = _drawn(start).assign(x=edge * 2.0 ** (rank + start["s0"] - 0.5))
    labels = {**{a: f"${power(a)}$" for a in tildes}, edge * 2: "$\\Theta_0$"}
    return Panel(
        title=f"{net.upper()}: {curves_and_seeds(errors)}", y=STAR,
        x=Axis(ALPHA_TILDE, log=True, ticks=labels,
               limits=(tildes[0] / 4, edge * 14)),
        marks=[
            Marks(rows=errors[errors["status"] == "reached"], x="alpha_tilde", y="y", by=[hue],
                  name="line", marker="", line="-"),
            Marks(rows=errors, x="alpha_tilde", by=[shapes], open="open", name="networks",
                  bar_label=f"{INTERVAL} (Student $t$ over seeds)", **ENDS,
                  open_label=f"$P^*$ above {100 * SMALL_POOL:.3g} % of all data, or a"
                             " bound", arrow_label="censored: $P^*$ is"),
            *(Marks(rows=frozen, x="x", marker="d", filled=False, by=[hue], name=name,
                    label=FROZEN, **ENDS)
              for name, frozen in (("end_kernel", end.assign(x=1.5 * end["alpha_tilde"])),
                                   ("initial_kernel", start))),
            levels(errors.drop_duplicates("s0"), "prediction", "prediction, constant 1", by=[hue],
                   line=":"),
        ],
    )  # fmt: skip


def _against_prediction(net: str, errors: pd.DataFrame, tildes: Scale) -> Panel:
    rows = _drawn(errors)
    aside = ranks(rows["alpha_tilde"], tildes.looks) / max(1, len(tildes.looks) - 1)
    rows = rows.assign(x=rows["prediction"] * ASIDE**aside)
    equation, formula = EQUATIONS.get(net, ("Eq. 3 (LCN)", EQUATIONS["lcn"][1]))
    return Panel(
        title=f"{net.upper()}: {len(rows)} $P^*$", x=Axis(f"{equation}, ${formula}$", log=True),
        y=STAR, marks=[
            Marks(rows=rows[rows["status"] == "reached"], x="x", y="y", by=[tildes], name="line",
                  marker="", line="-"),
            Marks(rows=rows, x="x", open="open", name="networks", **ENDS,
                  by=[tildes, empty_places(rows["s0"]).without()]),
            equality(rows["x"], rows["y"], room=1.5),
        ],
    )  # fmt: skip


def onset(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, frozen_kernels: pd.DataFrame,
    complexity: pd.DataFrame, *, threshold: float, preset: str,
) -> Figure:  # fmt: skip
    """Error and sensitivities of layer 2 against P, a row for each net; last P*_S, P*_D against P*.

    Left: smallest alpha_tilde; right: largest, of one s_0 (`example`); lines: averages over seeds.
    """
    nets = main(cells[cells["study"] == STUDY])
    values = series(nets, sensitivities, frozen_kernels)
    table = main(complexity[complexity["study"] == STUDY])
    tildes, panels, onsets = tildes_of(nets["alpha_tilde"]), [], []
    for net in [name for name in NETS if name in set(nets["net"])]:
        s0 = example(nets[nets["net"] == net])
        part = values[(values["net"] == net) & (values["s0"] == s0)]
        panels += [
            _against_points(part[part["alpha_tilde"] == tilde], threshold,
                            f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$")
            for tilde in (part["alpha_tilde"].min(), part["alpha_tilde"].max())
        ]  # fmt: skip
        onsets.append(_onsets(table, threshold, tildes, net))
    return mosaic([*panels, *onsets], columns=2, preset=preset, notes=_protocol(nets))


def example(cells: pd.DataFrame) -> int:
    """The s_0 that has most P at the smallest and largest alpha_tilde, of those above 0 if any."""
    counts = cells.groupby("s0").agg(tildes=("alpha_tilde", "nunique"), P=("P", "nunique"))
    counts = counts.assign(empty=counts.index > 0).reset_index()
    order = counts.sort_values(["empty", "P", "tildes", "s0"], ascending=[False] * 3 + [True])
    return int(order["s0"].iloc[0])


def series(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, frozen_kernels: pd.DataFrame
) -> pd.DataFrame:
    """Rows net, s0, alpha_tilde, P, seed, kind, value, open: what panels show against P.

    kind: test_error, S, D (second hidden layer, level 1, at the end), initial, end (test error of
    frozen kernels). open: the run of this value did not fit.
    """
    columns = ["curve", "key", "net", "s0", "alpha_tilde", "P", "seed"]
    kinds = [cells.assign(kind="test_error", value=cells["test_error"])]
    if len(sensitivities):
        felt = sensitivities.query("when == 'end' and kind in ('S', 'D') and layer == '2'")
        felt = felt[(felt["l"] == 1) & (felt["n"] > 0)]
        kinds.append(cells[[*columns, "status"]].merge(felt, on=["curve", "key"]))
    if len(frozen_kernels):
        rows = cells[columns].merge(frozen_kernels, on=["curve", "key"])
        kinds.append(rows.assign(kind=rows["kernel"], value=rows["test_error"]))
    every = pd.concat([rows[[*columns, "kind", "value", "status"]] for rows in kinds])
    return every.assign(open=every["status"] != "fitted").reset_index(drop=True)


def _against_points(values: pd.DataFrame, threshold: float, title: str) -> Panel:
    # Members of a seed are one line.
    seeds = spread(values, "value", ["kind", "P", "seed"], flags=["open"])
    means = spread(seeds, "value", ["kind", "P"], flags=["open"])
    networks, kernels = (averages[averages["kind"].isin(KINDS)] for averages in (seeds, means))
    frozen = means[means["kind"].isin(KERNELS)]
    scale = by_name("kind", kernels["kind"], KINDS)
    lost = values[values["value"].isna() & (values["kind"] == "test_error")].assign(value=1.0)
    return Panel(
        title=title, note=several(values["seed"].nunique(), "seed"), x=POINTS,
        # Room for the number of seeds above the lines.
        y=Axis("$\\varepsilon$, $S_2$, $D_2$",
               limits=(-0.03, max(1.2, 1.15 * float(values["value"].max())))),
        marks=[
            Marks(rows=networks, x="P", y="value", by=[scale.without()], each=["seed"], name="seed",
                  marker="", line="-", width=0.7, alpha=0.3, label="seeds"),
            Marks(rows=kernels, x="P", y="value", by=[scale], open="open", line="-", size=3.5,
                  name="mean", open_label=BUDGET),
            Marks(rows=frozen, x="P", y="value", by=[by_name("kind", frozen["kind"], KERNELS)],
                  marker="", line="-", name="mean"),
            Marks(rows=lost, x="P", y="value", marker="x", colour=BLACK, name="diverged",
                  label="diverged"),
            level(threshold, "threshold of $\\varepsilon$", line="-.", name="threshold"),
        ],
    )  # fmt: skip


def _onsets(table: pd.DataFrame, threshold: float, tildes: Scale, net: str) -> Panel:
    """P*_S and P*_D against P* of the test error; where neither is reached nothing is known."""
    on = ["curve", "alpha_tilde"]
    columns = [*on, "P_star", "P_star_low", "P_star_high", "status"]
    shapes = {
        f"{kind}{s0}": Look(f"$P^*_{kind}$, $s_0={s0}$", marker=markers.get(s0, other))
        for kind, markers, other in (("S", SHAPES, OTHER_SHAPE), ("D", DISPLACED, "*"))
        for s0 in sorted(set(table["s0"]))
    }  # fmt: skip
    table = table[table["net"] == net]
    felt = {kind: table[table["criterion"] == f"{kind}_2"][columns] for kind in "SD"}
    rows = pd.concat([
        at_threshold(table, threshold).merge(stars, on=on, suffixes=("_x", "")).assign(kind=kind)
        for kind, stars in felt.items()
    ])  # fmt: skip
    known = (rows["status_x"] == "reached") | (rows["status"] == "reached")
    left = int((~known).sum())
    rows = with_ends(with_ends(rows[known], of="_x"))
    rows = rows.assign(mark=rows["kind"] + rows["s0"].astype(str), bound=rows["y_beyond_x"] != 0)
    return Panel(
        title=f"{net.upper()}: all $s_0$" + (f", {left} with both censored" if left else ""),
        x=Axis(f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ %", log=True),
        y=Axis("$P^*_S$, $P^*_D$", log=True), marks=[
            Marks(rows=rows, x="y_x", x_low="y_low_x", x_high="y_high_x", name="onset", **ENDS,
                  open="bound", bar_label=INTERVAL,
                  by=[tildes, Scale(column="mark", title="Onsets", looks=shapes)],
                  open_label="$P^*$ of $\\varepsilon$ is censored",
                  arrow_label="censored: $P^*$ is"),
            equality(rows["y"], rows["y_x"], room=1.5),
        ],
    )  # fmt: skip


def stability(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """R_k against P at the smallest and the largest alpha_tilde, and against the layer, by net.

    Of one s_0 (`example`); right: at the largest P that all alpha_tilde have. Lines: geometric
    means over seeds; R is drawn where D and G are known.
    """
    nets = main(cells[cells["study"] == STUDY])
    values = stabilities(nets, sensitivities)
    outside = set(values.loc[values["layer"] == "output", "k"])
    names = {k: "out" if k in outside else str(k) for k in sorted(set(values["k"]))}
    layers = graded("k", names, "Layer", label=lambda k: names[k])
    tildes, panels = tildes_of(values["alpha_tilde"]), []
    unity = level(1, "$R=1$", line="--", name="R = 1")
    for net in [net for net in NETS if net in set(values["net"])]:
        mine = values[values["net"] == net]
        s0 = example(mine)
        mine = mine[mine["s0"] == s0]
        height = Axis("$R_k = D_k/G_k$", log=True,
                      limits=(mine["value"].min() / 1.5, mine["value"].max() * 1.5))  # fmt: skip
        for tilde in (mine["alpha_tilde"].min(), mine["alpha_tilde"].max()):
            end, start = _ends(mine[mine["alpha_tilde"] == tilde])
            panels.append(Panel(
                title=f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$", x=POINTS,
                y=height, marks=[
                    _line(end, "P", layers),
                    levels(_means(start, ["k"]), "value", "before training", by=[layers], line=":",
                           name="initial"),
                    unity],
            ))  # fmt: skip
        shared = mine.groupby("P")["alpha_tilde"].nunique()
        P = shared[shared == shared.max()].index.max()
        end, start = _ends(mine[mine["P"] == P])
        panels.append(Panel(
            title=f"$P={P}$", x=Axis("layer $k$", ticks=names), y=height, marks=[
                _line(end, "k", tildes),
                Marks(rows=_means(start, ["k"]), x="k", y="value", name="initial",
                      label="before training", line=":", marker=""),
                unity],
        ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=_protocol(nets))


def stabilities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """R of every layer: net, s0, alpha_tilde, P, seed, status, when, layer, k, value.

    Rows of level 1 with a positive finite value; members of a seed are rows of their own.
    """
    coordinates = ["net", "s0", "alpha_tilde", "P", "seed", "status"]
    columns = [*coordinates, "when", "layer", "k", "value"]
    felt = sensitivities.query("kind == 'R' and l == 1 and n > 0 and value > 0")
    felt = felt[np.isfinite(felt["value"])]
    return cells[["curve", "key", *coordinates]].merge(felt, on=["curve", "key"])[columns]


def _ends(values: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """After and before training."""
    return values[values["when"] == "end"], values[values["when"] == "initial"]


def _means(values: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Geometric means over the seeds, the lowest and highest of them, and whether one is capped."""
    rows = values.assign(capped=values["status"] != "fitted")
    how: dict[str, Any] = {"geometric": True, "flags": ["capped"]}
    return spread(spread(rows, "value", [*by, "seed"], **how), "value", by, **how)


def _line(values: pd.DataFrame, at: str, by: Scale) -> Marks:
    return Marks(
        rows=_means(values, [by.column, at]), x=at, y="value", low="low", high="high",
        open="capped", by=[by], line="-", size=3.5, name="R", open_label=BUDGET,
    )  # fmt: skip
