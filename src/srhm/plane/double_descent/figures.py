"""Double descent: test error, ensemble error and norm of F against the width h at fixed P."""

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.legends import Entry
from srhm.figures.looks import TINTS, Look
from srhm.figures.looks import net as look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale
from srhm.figures.words import between, endings, ordered, patch
from srhm.figures.words import several as number
from srhm.statistics.jamming import JAMMED, smallest_that_fit, with_jamming

STUDY = "double_descent"
WIDTH = Axis("width $h$", log=True)
COLUMNS = {
    "test_error": Axis("test error $\\varepsilon$", limits=(0, None)),
    "test_norm": Axis("$\\|F\\|$, test points", log=True),
    "unsatisfied": Axis("$N_\\Delta/N$", limits=(-0.01, None), ticks=(0, 0.1, 1), linear=JAMMED,
                        stretch=0.5),
}  # fmt: skip


def double_descent(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """A row of panels for each network: error, norm of F, unsatisfied points; bands: h*."""
    networks = cells[cells["study"] == STUDY]
    several = networks["labels"].nunique() > 1
    networks = networks.assign(size=_named(networks, several=several))
    names = dict.fromkeys(networks.sort_values(["P", "labels"])["size"])
    looks = {name: Look(name, TINTS[i % len(TINTS)]) for i, name in enumerate(names)}
    sizes = Scale(column="size", looks=looks)
    parts = {net: networks[networks["net"] == net] for net in ordered(networks["net"])}
    return mosaic([
        panel for net, part in parts.items()
        for panel in _row(net, part, ensembles, sizes, several=several)
    ], columns=3, preset=preset, notes=[_protocol(part) for part in parts.values()])  # fmt: skip


def _named(rows: pd.DataFrame, *, several: bool) -> pd.Series:
    """P, and the labels where there are several kinds."""
    names = "$P=" + rows["P"].astype(str) + "$"
    return names + ", " + rows["labels"] if several else names


def _row(
    net: str, cells: pd.DataFrame, ensembles: pd.DataFrame, sizes: Scale, *, several: bool
) -> list[Panel]:
    """Means over members by width, hollow where most are jammed, and the mean network's error."""
    members = f"{number(cells.groupby(['width', 'P', 'labels']).size(), 'network')} each"
    stars = smallest_that_fit(cells)
    stars = stars[stars["status"] == "reached"] if len(stars) else stars
    stars = stars.assign(size=_named(stars, several=several)) if len(stars) else stars
    known = cells[["curve", "P", "size"]].drop_duplicates()
    together = ensembles.merge(known, on=["curve", "P"])
    together = together.groupby(["size", "width"])["ensemble_error"].mean().reset_index()
    marked, panels = with_jamming(cells), []
    jammed = marked.groupby(["size", "width"])["jammed"].mean().gt(0.5).reset_index()
    titles = (f"{look(net).label}, {members}", "norm of $F$", "unsatisfied points")
    for title, (column, axis) in zip(titles, COLUMNS.items(), strict=True):
        rows = spread(marked, column, ["size", "width"]).rename(columns={column: "mean"})
        rows = rows.merge(jammed, on=["size", "width"])
        marks = [Marks(rows=rows, x="width", y="mean", low="low", high="high", by=[sizes],
                       open="jammed", line="-", size=3.5, name=column, label="single networks",
                       bar_label="lowest to highest", open_label="most are jammed")]  # fmt: skip
        if column == "test_error":
            marks.append(Marks(rows=together, x="width", y="ensemble_error", by=[sizes], size=3,
                               marker="s", line="--", filled=False, name="ensemble",
                               label="mean output of a seed's networks"))  # fmt: skip
        if column == "unsatisfied":
            marks.append(level(JAMMED, f"jammed above ${JAMMED:g}$"))
        panels.append(Panel(title=title, x=WIDTH, y=axis, marks=marks,
                            extra=partial(_h_star, stars=stars, sizes=sizes)))  # fmt: skip
    return panels


def _h_star(axes: Axes, stars: pd.DataFrame, sizes: Scale) -> list[Entry]:
    """The two widths that h* lies between."""
    for _, star in stars.iterrows():
        axes.axvspan(star["h_low"], star["h_high"], color=sizes.looks[star["size"]].colour,
                     alpha=0.15, linewidth=0, gid=f"h* P={star['P']} {star['labels']}")  # fmt: skip
    return [Entry("", "$h^*$", patch("0.85"))] if len(stars) else []


def _protocol(cells: pd.DataFrame) -> str:
    """How the networks of a row were trained, and how that ended."""
    first = cells.iloc[0]
    text = f"{look(first['net']).label}: {first['loss'].replace('_', ' ')}, {first['optimiser']}"
    text += f", at most {between(cells['budget'])} evaluations; {endings(cells['status'])}"
    for _, star in smallest_that_fit(cells).iterrows():
        words = {"below_range": "no width is jammed", "above_range": "all widths are jammed"}.get(
            star["status"],
            f"h* between {star['h_low']:g} and {star['h_high']:g}, N* between"
            f" {star['N_low']:.0f} and {star['N_high']:.0f}",
        )
        text += f"; P = {star['P']} ({star['labels']}): {words}"
    return f"{text}."
