"""Figures 1, 9 and 17 of the paper, and Table 1: many networks and their sensitivities.

D and S are those to transformations of the input's level (l = 1).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isfinite
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from srhm.figures import looks
from srhm.figures.averaging import spread
from srhm.figures.drawing import laid_out_page, styled
from srhm.figures.looks import BLACK, ERROR, SHIFTS, SYNONYMS, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import BELOW, Axis, Marks, Panel, law
from srhm.figures.scales import Scale, nets
from srhm.figures.words import CAPPED, between, grammar_text, interval_text, ordered, protocol_lines
from srhm.model.seeding import generator
from srhm.networks.inspection import table1 as structures
from srhm.paper.named_nets.analysis import (
    DEEP,
    DEPTHS,
    all_networks,
    correlation,
    fixed_size,
    one_grammar,
    side_by_side,
)

QUANTITIES = Scale(column="quantity", title="Averages", looks={
    "error": Look("test error $\\varepsilon$", ERROR, "o", "-"),
    "S": Look("$S$ (synonyms)", SYNONYMS, "s", "-"),
    "D": Look("$D$ (diffeomorphisms)", SHIFTS, "^", "-"),
})  # fmt: skip
KINDS = {"D": "diffeomorphisms", "S": "synonyms"}
NO_IMAGES = "A, B: the images are not here; make cifar fetches them."
# Petrini et al. 2021, Figure 5: the test error of 15 networks goes as 0.2 times the root of R_f.
IMAGES_GUIDE = (0.2, 0.5)
FAINTEST = 0.25  # opacity of the smallest P
ROOM = 1.35  # factor between the outermost points and the edges
BARS = 3.0  # factor from the outermost points to which bars widen the axes
# Columns of Table 1, and where the paper's words of a family are; its column of dropout holds
# drop-connect too.
COLUMNS = {
    "": "", "depth": "paper_depth", "M parameters\n2-D, 1-D": "paper_parameters",
    "FC\nlayers": "paper_fc_layers", "acti-\nvation": "paper_activation",
    "pooling\n(2-D; 1-D if another)": "paper_pooling", "drop-\nout": "paper_dropout",
    "drop-\nconnect": "", "batch\nnorm": "paper_batch_norm", "skips": "paper_skip_connections",
}  # fmt: skip
# Words of the paper that do not fit into their column, shortened.
SHORT = {
    "yes (inv. residuals)": "yes", "yes + dropconnect": "yes", "if 'bn' in name": "if ‘bn’",
    "average (last layer only)": "average (last layer)",
    "avg. (last layer only)": "average (last layer)",
}  # fmt: skip
NONE, PAPER = "–", "paper"
Place = Literal["output", "internal"]
Drawn = tuple[dict[str, Panel], list[str]]  # panels by their letters, and notes


def fig09(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """Figure 9: ε, S and D at three relative depths against P.

    A row for each network, a column for each relative depth. A cross at the upper edge stands for a
    diverged seed.
    """
    cells = one_grammar(cells)
    order = ordered(cells["net"])
    if not order:
        return mosaic([], columns=1, preset=preset)
    names = ["net", "P"]
    ended = cells.assign(**{word: cells["status"] == word for word in ("capped", "diverged")})
    errors = spread(ended, "test_error", names, flags=["capped", "diverged"])
    errors = errors.rename(columns={"test_error": "mean"}).assign(quantity="error")
    columns = {"kind": "quantity", "value": "mean", "value_low": "low", "value_high": "high",
               "n_capped": "capped"}  # fmt: skip
    measured = {depth: side_by_side(cells, sensitivities, depth).rename(columns=columns)
                for depth in DEPTHS}  # fmt: skip
    tops = (table["high"].max() for table in (errors, *measured.values()) if len(table))
    top = 1.05 * max(1.0, *tops)
    panels = [
        Panel(title=f"{100 * depth:.0f} % depth" if net == order[0] else "",
              x=Axis("$P$ (points)" if net == order[-1] else "", log=True),
              y=Axis(looks.net(net).label, limits=(-0.03 * top, top)), marks=[
                  Marks(rows=pd.concat([curve.dropna(), rows[rows["net"] == net]]), x="P", y="mean",
                        low="low", high="high", open="capped", line="-", by=[QUANTITIES],
                        name=f"{net} at {depth:g}", size=3.2, width=0.9,
                        bar_label="lowest to highest seed", open_label=CAPPED),
                  Marks(rows=curve[curve["diverged"]].assign(top=top), x="P", y="top", marker="x",
                        colour=BLACK, name="diverged", label="a seed diverged"),
              ])
        for net in order for curve in [errors[errors["net"] == net]]
        for depth, rows in measured.items()
    ]  # fmt: skip
    heading = f"{grammar_text(cells)}; transformations of the input's level, $l=1$."
    return mosaic(panels, columns=len(DEPTHS), preset=preset, height=1.15, share="xy",
                  notes=[heading, *protocol_lines(cells)], letters=[""] * len(panels))  # fmt: skip


def fig01(*tables: pd.DataFrame, preset: str) -> Figure:
    """Figure 1: test error of many networks against sensitivities of the output.

    tables: cells and sensitivities of LCN and CNN, those of the named networks, and rows of
    `tables.IMAGES`, without any where no network was trained on images.
    """
    panels, lines = _images(tables[4])
    more, first = _on_the_model(*tables[:4], place="output", letters="CDEF")
    return _assembled({**panels, **more}, first[:1] + lines + first[1:], preset=preset)


def fig17(*tables: pd.DataFrame, preset: str) -> Figure:
    """Figure 17: as C to F of Figure 1, of a layer at 80 % depth."""
    return _assembled(*_on_the_model(*tables, place="internal", letters="ABCD"), preset=preset)


def fig01_images(images: pd.DataFrame, *, preset: str) -> Figure:
    """Panels A and B of Figure 1 alone."""
    return _assembled(*_images(images), preset=preset)


def _assembled(panels: Mapping[str, Panel], lines: Sequence[str], *, preset: str) -> Figure:
    return mosaic(list(panels.values()), columns=2, preset=preset, notes=lines,
                  absent=" ".join(lines), letters=list(panels))  # fmt: skip


def _images(images: pd.DataFrame) -> Drawn:
    """All networks on CIFAR-10 at their largest P, and at all P.

    R_f is averaged in its logarithm, as its source does.
    """
    if images.empty:
        return {letter: Panel(title="CIFAR-10") for letter in "AB"}, [NO_IMAGES]
    rows = images[images["test_error"].notna() & (images["relative_sensitivity"] > 0)]
    # Without a threshold of the loss the cap is where training is meant to end.
    capped = (rows["status"] == "capped") & rows["loss_threshold"].notna()
    rows = rows.assign(error=rows["test_error"], value=rows["relative_sensitivity"], capped=capped)
    names = ["net", "P"]
    counts = rows.groupby(names, sort=False).agg(
        n_seeds=("seed", "nunique"), n_capped=("capped", "sum"), n_test=("n_test", "min")
    )
    points = counts.assign(floor=0.5 / counts["n_test"]).reset_index()
    for column in ("error", "value"):
        ranges = spread(rows, column, names, geometric=column == "value")
        ends = {end: f"{column}_{end}" for end in ("low", "high")}
        points = points.merge(ranges.rename(columns=ends), on=names)
    largest = points["P"].max()
    panels = {
        letter: _panel(points if across else points[points["P"] == largest],
                       f"CIFAR-10, {'growing $P$' if across else f'$P={largest}$'}",
                       "$R_f$ (smooth deformations)", IMAGES_GUIDE, across)
        for letter, across in zip("AB", (False, True), strict=True)
    }  # fmt: skip
    lines = protocol_lines(images.assign(curve=images["net"]))
    measured = f"$R_f$ of {between(images['n_points'])} images"
    return panels, [f"CIFAR-10: {line}; {measured}" for line in lines]


def _on_the_model(
    core_cells: pd.DataFrame, core_sensitivities: pd.DataFrame, cells: pd.DataFrame,
    sensitivities: pd.DataFrame, *, place: Place, letters: str,
) -> Drawn:  # fmt: skip
    """At one P above, the grammar of most networks, at all P below; D at the left, S at the right.

    The first note is that of the grammars.
    """
    rows = [table for table in (core_sensitivities, sensitivities) if len(table)]
    measured = pd.concat(rows, ignore_index=True) if rows else sensitivities
    compared = all_networks(core_cells, cells, "networks")
    growing = all_networks(core_cells, cells, "cells")
    at_one, over = (side_by_side(trained, measured, "output" if place == "output" else DEEP)
                    for trained in (compared, growing))  # fmt: skip
    size = fixed_size(compared, at_one)
    points = pd.concat([at_one[at_one["P"] == size].assign(across=False), over.assign(across=True)])
    points = points.assign(floor=0.5 / points["n_test"])
    drawn = [
        _panel(points[(points["kind"] == kind) & (points["across"] == across)],
               "growing $P$" if across else f"$P={size}$" if size else "one $P$",
               f"${kind}_{{\\mathrm{{{place}}}}}$ ({word})", (None, 1.0), across)
        for across in (False, True) for kind, word in KINDS.items()
    ]  # fmt: skip
    lines = []
    if len(compared):
        shown = pd.concat([compared, growing]).drop_duplicates(["curve", "key"])
        words = [grammar_text(trained) for trained in (compared, growing)]
        pairs = (letters[:2], letters[2:])
        if words[0] != words[1]:
            words = [f"{', '.join(two)}: {text}" for two, text in zip(pairs, words, strict=True)]
        grammars = "; ".join(dict.fromkeys(words))
        lines = [f"SRHM, {grammars}; transformations of the input's level, $l=1$.",
                 *protocol_lines(shown)]  # fmt: skip
    return dict(zip(letters, drawn, strict=True)), lines


def _panel(
    points: pd.DataFrame, title: str, label: str, guide: tuple[float | None, float], across: bool
) -> Panel:
    """A panel of points with columns net, P, value, error and their ranges, n_capped, floor.

    guide: prefactor (None: through the points' median) and power of a law. across: of several P.
    """
    if points.empty:
        return Panel(title=title)
    # A network without any error on its test set has one of at most half an error in n_test.
    floor, none = points["floor"], points["error"] < points["floor"]
    points = points.assign(
        y=points["error"].clip(lower=floor), low=points["error_low"].clip(lower=floor),
        high=points["error_high"].clip(lower=floor), beyond=np.where(none, BELOW, 0),
    )  # fmt: skip
    sizes = sorted(set(points["P"]))
    x, y = (points[name].to_numpy(dtype=float) for name in ("value", "y"))
    limits = (max(float(points["value_low"].min()), x.min() / BARS) / ROOM,
              min(float(points["value_high"].max()), x.max() * BARS) * ROOM)  # fmt: skip
    bottom = max(float(points["low"].min()), y.min() / BARS)
    prefactor, power = guide
    words = "guide: slope 1" if prefactor is None else f"guide: ${prefactor:g}\\,R_f^{{1/2}}$"
    if prefactor is None:
        prefactor = float(np.exp(np.median(np.log(y) - power * np.log(x))))
    rank = correlation(points, across_sizes=across, generator=generator(0, role="drawing"))
    known = isfinite(rank.value)
    rho = interval_text(rank.value, rank.low, rank.high) if known else "not determined"
    networks = nets({*looks.NETS, *points["net"]}, title="Networks")
    labels = {0: "largest $P$", len(sizes) - 1: "smallest $P$"} if len(sizes) > 1 else {}
    marks = [
        Marks(rows=points[points["P"] == size], x="value", y="y", low="low", high="high",
              x_low="value_low", x_high="value_high", open="n_capped", beyond="beyond",
              by=[networks], name="network", size=4.5, label=labels.get(i, ""),
              alpha=FAINTEST ** (i / max(len(sizes) - 1, 1)), bar_label="lowest to highest seed",
              open_label=CAPPED, arrow_label="none in the test set, at $1/(2n)$: $\\varepsilon$ is")
        for i, size in enumerate(reversed(sizes))
    ]  # fmt: skip
    return Panel(
        title=f"{title}: $\\rho$ = {rho}, $n={rank.n}$", x=Axis(label, log=True, limits=limits),
        y=Axis("test error $\\varepsilon$", log=True,
               limits=(bottom / (3 * ROOM if none.any() else ROOM), y.max() * ROOM)),
        marks=[*marks, law(limits, lambda at: prefactor * at**power, words,
                           line="-." if guide == IMAGES_GUIDE else "--")],
    )  # fmt: skip


@styled
def table1(*, preset: str) -> Figure:
    """Table 1: the structure of VGG, ResNet and EfficientNet, as their modules are.

    Grey: the paper's words of each family.
    """
    families = [list(part) for _, part in groupby(structures(), key=lambda row: row["family"])]
    lines = []
    for part in families:
        for net, pair in groupby(part, key=lambda row: row["net"]):
            lines.append(_ours(net, *sorted(pair, key=lambda row: -row["dimensions"])))
        lines.append(_papers(part[0]))
    notes = [note for part in families for note in _notes(part)]
    figure, page = laid_out_page(0.18 * (len(lines) + 2), preset=preset, foot=notes)
    figure.cells = (tuple(head.replace("-\n", "") for head in COLUMNS), *map(tuple, lines))
    axes = page.subplots()
    axes.axis("off")
    table = axes.table([list(COLUMNS), *lines], cellLoc="left", edges="open", bbox=Bbox.unit())
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    table.auto_set_column_width(list(range(len(COLUMNS))))
    for (row, _), cell in table.get_celld().items():
        cell.PAD = 0.03
        if row == 0:
            cell.set_height(2 * cell.get_height())
            cell.set_text_props(weight="bold")
        elif lines[row - 1][0] == PAPER:
            cell.set_text_props(color="0.45", style="italic")
        if row == 0 or lines[row - 1][0] == PAPER:
            cell.visible_edges = "B"
            cell.set(edgecolor="0.6", linewidth=0.5)
    return figure


def _ours(net: str, two: Mapping[str, Any], one: Mapping[str, Any]) -> list[str]:
    """A network in two dimensions and in one."""
    pooling = SHORT.get(two["pooling"], two["pooling"])
    if one["pooling"] != two["pooling"]:
        pooling += f"; {SHORT.get(one['pooling'], one['pooling'])}"
    return [
        looks.net(net).label, str(two["depth"]),
        f"{two['n_parameters'] / 1e6:.2f}, {one['n_parameters'] / 1e6:.2f}", str(two["n_linear"]),
        two["activation"], pooling, f"{two['dropout']:g}" if two["dropout"] else NONE,
        f"{two['drop_connect']:.2g}" if two["drop_connect"] else NONE,
        "yes" if two["batch_norm"] else NONE, str(two["n_skips"]) if two["n_skips"] else NONE,
    ]  # fmt: skip


def _papers(row: Mapping[str, Any]) -> list[str]:
    connected = "yes" if "connect" in row["paper_dropout"] else NONE
    words = [row[key] if key else connected for key in list(COLUMNS.values())[1:]]
    return [PAPER, *(NONE if word == "/" else SHORT.get(word, word) for word in words)]


def _notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of "VGG11, VGG16: depth 9: ...": equal notes of a family once; those on 1-D once."""
    networks: dict[str, list[str]] = {}
    for row in rows:
        for note in filter(None, row["note"].split("; ")):
            if row["dimensions"] == 2:
                networks.setdefault(note, []).append(looks.net(row["net"]).label)
    return [f"{', '.join(names)}: {note}" for note, names in networks.items()]
