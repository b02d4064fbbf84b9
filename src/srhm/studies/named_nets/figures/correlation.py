"""Figures 1 and 17: test error of many networks against their sensitivities.

Letters of the paper: ε test error, D and S sensitivities to diffeomorphisms and synonyms of the
input's level (Eq. 6, 7), P training points; R_f sensitivity to smooth deformations of an image over
that to noise of the same norm (Petrini et al. 2021).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import (
    CAPPED,
    grammar_text,
    look,
    n_seeds,
    network_handles,
    protocol_lines,
)
from srhm.figures.drawing import add_legends, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line, marker
from srhm.figures.mosaic import mosaic
from srhm.model.seeding import generator
from srhm.statistics.rank_correlation import RankCorrelation
from srhm.studies.named_nets.error_and_sensitivity import (
    DEEP,
    Place,
    all_networks,
    correlation,
    fixed_size,
    side_by_side,
)
from srhm.studies.named_nets.figures.digits import digit_rows

Shown = Literal["output", "internal"]
PLACES: dict[Shown, Place] = {"output": "output", "internal": DEEP}
KINDS = {"D": "diffeomorphisms", "S": "synonyms"}
NO_IMAGES = "A, B: the images are not here; make cifar fetches them."
# Petrini et al. 2021, Figure 5: the test error of 15 networks goes as 0.2 times the root of R_f.
IMAGES_GUIDE = (0.2, 0.5)
FAINTEST = 0.25  # opacity of the smallest P
ROW = 2.2  # inches
# Letters of the panels of digits, and what the notes say of them.
PRIMED = ("A\u2032", "B\u2032")
DIGITS = "A\u2032, B\u2032, digits (published rows)"


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """Points of a panel: columns net, P, value, error and their ranges, n_capped, floor."""

    points: pd.DataFrame
    letter: str
    label: str
    title: str
    guide: tuple[float | None, float]  # prefactor (None: through the points' median) and power
    across_sizes: bool


@styled
def draw(
    core_cells: pd.DataFrame,
    core_sensitivities: pd.DataFrame,
    cells: pd.DataFrame,
    sensitivities: pd.DataFrame,
    *,
    place: Shown,
    preset: str,
    images: pd.DataFrame | None = None,
    digits: pd.DataFrame | None = None,
    with_images: bool = False,
    seed: int = 0,
) -> Figure:
    """Figure 1 (the output, with panels A and B of images) or 17 (a layer at 80 % depth).

    core_*: tables in which LCN and CNN are; the others are of the named networks. images: the rows
    of `tables.IMAGES`; None where CIFAR-10 is not there. digits: such rows of digits, which then
    stand below the empty frames.
    Points are averages over the seeds, bars go from the lowest to the highest. `seed` is that of
    the resampling behind the intervals of the rank correlations.
    """
    both = all_networks(core_cells, cells)
    rows = [table for table in (core_sensitivities, sensitivities) if len(table)]
    measured = pd.concat(rows, ignore_index=True) if rows else sensitivities
    points = side_by_side(both, measured, PLACES[place])
    size = fixed_size(both, points)
    if images is not None or digits is None or digits.empty:
        digits = None
    panels = _image_panels(images, digits) if with_images else []
    panels += _model_panels(points, size, place, letters="CDEF" if with_images else "ABCD")
    heading = ""
    if len(both):
        heading = f"SRHM: {grammar_text(both)}; transformations of the input's level, $l=1$"
    lines = [*_image_lines(images), *_image_lines(digits, DIGITS), *protocol_lines(both)]
    return _assembled(panels, heading, lines, preset=preset, seed=seed)


@styled
def draw_figure_1(
    core_cells: pd.DataFrame,
    core_sensitivities: pd.DataFrame,
    cells: pd.DataFrame,
    sensitivities: pd.DataFrame,
    images: pd.DataFrame,
    *,
    preset: str,
    digits: Sequence[str] = (),
) -> Figure:
    """Figure 1 with panels A and B, which are empty where no network was trained on images.

    digits: files of the published rows that then stand below them, as for `digits.digit_rows`.
    """
    return draw(
        core_cells,
        core_sensitivities,
        cells,
        sensitivities,
        place="output",
        preset=preset,
        images=images if len(images) else None,
        digits=digit_rows(digits),
        with_images=True,
    )


@styled
def draw_images(
    images: pd.DataFrame, *, preset: str, digits: Sequence[str] = (), seed: int = 0
) -> Figure:
    """Panels A and B of Figure 1 alone; the arguments are those of `draw_figure_1`."""
    shown = None if len(images) or not len(rows := digit_rows(digits)) else rows
    lines = [*_image_lines(images), *_image_lines(shown, DIGITS)]
    return _assembled(_image_panels(images, shown), "", lines, preset=preset, seed=seed)


def _assembled(
    panels: Sequence[_Panel], heading: str, lines: Sequence[str], *, preset: str, seed: int
) -> Figure:
    """A page with two panels in a row, of those that have points, and a heading above."""
    there = [panel for panel in panels if len(panel.points)]
    if any(panel.letter == "A" and not len(panel.points) for panel in panels):
        lines = [*lines, *([NO_IMAGES] if panels[0].guide == IMAGES_GUIDE else [])]
    if not there:
        return mosaic([], columns=1, preset=preset, absent=" ".join(lines))
    n_rows = -(-len(there) // 2)
    figure, part = laid_out_page(ROW * n_rows, preset=preset, heading=heading, foot=lines)
    boxes = part.subplots(n_rows, 2, squeeze=False).flatten()
    for axes, panel in zip(boxes, there, strict=False):
        panel_title(axes, panel.letter, panel.title)
        axes.set_xlabel(panel.label, labelpad=1)
        axes.set_ylabel("test error $\\varepsilon$", labelpad=2)
        _draw_panel(axes, panel, seed)
    for axes in boxes[len(there) :]:
        axes.set_axis_off()
    _legends(part, there, boxes)
    return figure


def _model_panels(
    points: pd.DataFrame, size: int | None, place: Shown, *, letters: str
) -> list[_Panel]:
    """At one P above, at all P below; D at the left, S at the right."""
    points = points.assign(floor=0.5 / points["n_test"])
    panels: list[_Panel] = []
    for across in (False, True):
        chosen = points if across else points[points["P"] == size]
        for kind, word in KINDS.items():
            own = chosen[chosen["kind"] == kind]
            where = "output" if place == "output" else "internal"
            title = "growing $P$" if across else f"$P={size}$" if size else "one $P$"
            panels.append(
                _Panel(
                    points=own,
                    letter=letters[len(panels)],
                    label=f"${kind}_{{\\mathrm{{{where}}}}}$ ({word})",
                    title=f"{title}, {_counted(own)}" if len(own) else title,
                    guide=(None, 1.0),
                    across_sizes=across,
                )
            )
    return panels


def _image_panels(images: pd.DataFrame | None, digits: pd.DataFrame | None) -> list[_Panel]:
    """CIFAR-10; in its place the digits, where these are given."""
    found = _panels_of(images, "CIFAR-10", "AB")
    below = [] if digits is None else _panels_of(digits, "digits", PRIMED)
    return [*found, *below]


def _panels_of(images: pd.DataFrame | None, data: str, letters: Sequence[str]) -> list[_Panel]:
    """All networks at their largest P, and at all P."""
    points = pd.DataFrame(columns=["net", "P"]) if images is None else _image_points(images)
    largest = points["P"].max() if len(points) else None
    panels = []
    for letter, across in zip(letters, (False, True), strict=True):
        own = points if across else points[points["P"] == largest]
        title = "growing $P$" if across else f"$P={largest}$" if largest else ""
        counts = f", {_counted(own)}" if len(own) else ""
        panels.append(
            _Panel(
                points=own,
                letter=letter,
                label="$R_f$ (smooth deformations)",
                title=f"{data}{', ' if title else ''}{title}{counts}",
                guide=IMAGES_GUIDE,
                across_sizes=across,
            )
        )
    return panels


def _image_points(images: pd.DataFrame) -> pd.DataFrame:
    """A row for each network and P; R_f is averaged in its logarithm, as its source does."""
    rows = images[images["test_error"].notna() & (images["relative_sensitivity"] > 0)]
    # Without a threshold of the loss the cap is where training is meant to end.
    capped = (rows["status"] == "capped") & rows["loss_threshold"].notna()
    rows = rows.assign(log=np.log(rows["relative_sensitivity"]), capped=capped)
    points = rows.groupby(["net", "P"], sort=False).agg(
        error=("test_error", "mean"),
        error_low=("test_error", "min"),
        error_high=("test_error", "max"),
        log=("log", "mean"),
        value_low=("relative_sensitivity", "min"),
        value_high=("relative_sensitivity", "max"),
        n_seeds=("seed", "nunique"),
        n_capped=("capped", "sum"),
        n_test=("n_test", "min"),
    )
    points = points.assign(value=np.exp(points["log"]), floor=0.5 / points["n_test"])
    return points.reset_index()


def _image_lines(images: pd.DataFrame | None, data: str = "CIFAR-10") -> list[str]:
    """How the networks were trained and measured, and how that ended."""
    if images is None or images.empty:
        return []
    lines = []
    by = ["width", "batch_size", "learning_rate", "loss_threshold", "max_steps", "n_points"]
    for (width, size, rate, loss, steps, n_points), part in images.groupby(
        by, sort=False, dropna=False
    ):
        found = part["status"].value_counts()
        statuses = ", ".join(f"{count} {word}" for word, count in found.items())
        bounded = isinstance(loss, float) and isfinite(loss)
        stop = f"loss < {loss:g}, " if bounded else ""
        seeds = part.groupby(["net", "P"])["seed"].nunique()
        lines.append(
            f"{data}: width {width}, batch {size}, rate {rate:g}, {stop}at most"
            f" {steps:,} steps; {n_seeds(seeds)}; {len(part)} networks: {statuses}; $R_f$ of"
            f" {n_points} images"
        )
    return lines


def _counted(points: pd.DataFrame) -> str:
    n = points["net"].nunique()
    return f"{n} network{'s' if n > 1 else ''}, {n_seeds(points['n_seeds'])}"


def _draw_panel(axes: Axes, panel: _Panel, seed: int) -> None:
    points = panel.points
    # A network without any error on its test set has one of at most half an error in n_test.
    y = points[["error", "floor"]].max(axis=1).to_numpy(dtype=float)
    x = points["value"].to_numpy(dtype=float)
    sizes = sorted(set(points["P"]))
    for i, (_, row) in enumerate(points.iterrows()):
        one = look(str(row["net"]))
        rank = sizes.index(row["P"]) / max(len(sizes) - 1, 1) if panel.across_sizes else 1.0
        alpha = FAINTEST + (1 - FAINTEST) * rank
        bars: Any = {"color": one.colour, "alpha": 0.5 * alpha, "linewidth": 0.6, "zorder": 2}
        axes.plot([row["value_low"], row["value_high"]], [y[i], y[i]], **bars)
        ends = np.maximum([row["error_low"], row["error_high"]], row["floor"])
        axes.plot([x[i], x[i]], ends, **bars)
        face = "white" if row["n_capped"] else one.colour
        axes.plot([x[i]], [y[i]], one.marker, color=one.colour, alpha=alpha, markersize=4.5,
                  markerfacecolor=face, markeredgewidth=0.9, zorder=3,
                  gid=f"{row['net']}{' capped' if row['n_capped'] else ''}")  # fmt: skip
        if row["error"] < row["floor"]:
            axes.annotate("", xy=(x[i], y[i]), xytext=(0, -9), textcoords="offset points",
                          annotation_clip=False, gid="no error",
                          arrowprops={"arrowstyle": "<|-", "color": one.colour, "linewidth": 0.8,
                                      "mutation_scale": 5, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    _log_axes(axes, x, y)
    _guide(axes, x, y, panel.guide)
    found = correlation(points, across_sizes=panel.across_sizes,
                        generator=generator(seed, role="drawing"))  # fmt: skip
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
    axes.text(0.03, 0.99, correlation_text(found), transform=axes.transAxes, va="top", ha="left",
              fontsize=7, zorder=5, bbox=behind)  # fmt: skip


def correlation_text(found: RankCorrelation) -> str:
    """Two lines: ρ with its interval, and p and n."""
    if not isfinite(found.value):
        return f"$\\rho$ is not determined, n = {found.n}"
    interval = f"[{found.low:.2f}, {found.high:.2f}]" if isfinite(found.low) else "[unknown]"
    p = f"p = {found.p_value:.3f}" if found.p_value >= 1e-3 else "p < 0.001"
    return f"$\\rho$ = {found.value:.2f} {interval}\n{p}, n = {found.n}".replace("-", "−")


def _log_axes(axes: Axes, x: np.ndarray, y: np.ndarray) -> None:
    axes.set(xscale="log", yscale="log")
    for axis, values, room in ((axes.xaxis, x, 1.35), (axes.yaxis, y, 2.6)):
        low, high = values.min() / 1.35, values.max() * room
        axis.axes.set(**{f"{axis.axis_name}lim": (low, high)})
        if high / low < 100:
            few_ticks(axis, low, high)


def _guide(axes: Axes, x: np.ndarray, y: np.ndarray, guide: tuple[float | None, float]) -> None:
    """The line y = a x^power; without an a through the medians of the points' logarithms."""
    prefactor, power = guide
    if prefactor is None:
        prefactor = float(np.exp(np.median(np.log(y) - power * np.log(x))))
    ends = np.array(axes.get_xlim())
    limits = axes.get_xlim(), axes.get_ylim()
    axes.plot(ends, prefactor * ends**power, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1,
              gid="guide")  # fmt: skip
    axes.set(xlim=limits[0], ylim=limits[1])


def _legends(part: SubFigure, panels: Sequence[_Panel], boxes: Iterable[Axes]) -> None:
    """Networks, then what marks, lines and numbers are."""
    nets = [net for panel in panels for net in panel.points["net"]]
    of_images = any(panel.guide == IMAGES_GUIDE and len(panel.points) for panel in panels)
    guide = "guide: slope 1" + ("; in A, B\n$0.2\\,R_f^{1/2}$" if of_images else "")
    marks: list[Line2D] = [
        line("lowest to highest\nseed", color="0.3", linewidth=0.6),
        line(guide, color=GUIDE, linestyle="--"),
    ]
    if any("capped" in str(one.get_gid()) for axes in boxes for one in axes.get_lines()):
        marks.insert(0, marker("o", CAPPED.replace(": ", ":\n")))
    if any(text.get_gid() == "no error" for axes in boxes for text in axes.texts):
        marks.append(marker("$\\downarrow$", "no error in the\ntest set: at 1/(2 n)",
                            markersize=7, markerfacecolor="0.3"))  # fmt: skip
    add_legends(part, [("Networks", network_handles(nets)), ("Marks", marks)])
