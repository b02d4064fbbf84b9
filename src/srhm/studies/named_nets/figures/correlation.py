"""Figures 1 and 17: test error of many networks against their sensitivities.

Letters of the paper: ε test error, D and S sensitivities to diffeomorphisms and synonyms of the
input's level (Eq. 6, 7), P training points; R_f sensitivity to smooth deformations of an image over
that to noise of the same norm (Petrini et al. 2021).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures import looks
from srhm.figures.architecture_marks import CAPPED, grammar_text, n_seeds, protocol_lines
from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.marks import GUIDE
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import BELOW, Axis, Marks, Panel, law
from srhm.figures.scales import nets
from srhm.model.seeding import generator
from srhm.statistics.rank_correlation import RankCorrelation
from srhm.studies.named_nets.error_and_sensitivity import (
    DEEP,
    Most,
    Place,
    all_networks,
    correlation,
    fixed_size,
    side_by_side,
)
from srhm.studies.named_nets.figures.digits import digit_rows

Shown = Literal["output", "internal"]
PLACES: dict[Shown, Place] = {"output": "output", "internal": DEEP}
# Grammars of the panels: that of most networks at one P, that of most cells over P.
GRAMMARS: tuple[Most, Most] = ("networks", "cells")
KINDS = {"D": "diffeomorphisms", "S": "synonyms"}
NO_IMAGES = "A, B: the images are not here; make cifar fetches them."
# Petrini et al. 2021, Figure 5: the test error of 15 networks goes as 0.2 times the root of R_f.
IMAGES_GUIDE = (0.2, 0.5)
FAINTEST = 0.25  # opacity of the smallest P
ROOM = 1.35  # factor between the outermost points and the edges
BARS = 3.0  # factor from the outermost points to which bars widen the axes
# Letters of the panels of digits, and what the notes say of them.
PRIMED = ("A\u2032", "B\u2032")
DIGITS = "A\u2032, B\u2032, digits (archive)"


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
    stand in their place.
    Points are averages over the seeds, bars go from the lowest to the highest. `seed` is that of
    the resampling behind the intervals of the rank correlations.
    """
    rows = [table for table in (core_sensitivities, sensitivities) if len(table)]
    measured = pd.concat(rows, ignore_index=True) if rows else sensitivities
    panels, lines = _images(images, digits, seed) if with_images else ({}, [])
    letters = "CDEF" if with_images else "ABCD"
    compared, growing = (all_networks(core_cells, cells, most) for most in GRAMMARS)
    at_one, over = (side_by_side(c, measured, PLACES[place]) for c in (compared, growing))
    drawn = _model_panels(at_one, over, fixed_size(compared, at_one), place, seed)
    panels |= dict(zip(letters, drawn, strict=True))
    if len(compared):
        shown = pd.concat([compared, growing]).drop_duplicates(["curve", "key"])
        lines = [*_grammar_lines(compared, growing, letters), *lines, *protocol_lines(shown)]
    return _assembled(panels, lines, preset=preset)


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
    """Figure 1 with panels A and B, left out where no network was trained on images.

    digits: files of the published rows that then stand there, as for `digits.digit_rows`.
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
    panels, lines = _images(images if len(images) else None, digit_rows(digits), seed)
    return _assembled(panels, lines, preset=preset)


def _assembled(panels: Mapping[str, Panel], lines: Sequence[str], *, preset: str) -> Figure:
    return mosaic(list(panels.values()), columns=2, preset=preset, notes=lines,
                  absent=" ".join(lines), letters=list(panels))  # fmt: skip


def _images(
    images: pd.DataFrame | None, digits: pd.DataFrame | None, seed: int
) -> tuple[dict[str, Panel], list[str]]:
    """Panels by their letters, and notes: CIFAR-10, or digits where it is not there."""
    if images is not None:
        return _image_panels(images, "CIFAR-10", "AB", seed), _image_lines(images, "CIFAR-10")
    if digits is None or digits.empty:
        return {letter: Panel(title="CIFAR-10") for letter in "AB"}, [NO_IMAGES]
    panels = _image_panels(digits, "digits", PRIMED, seed)
    return panels, [*_image_lines(digits, DIGITS), NO_IMAGES]


def _grammar_lines(compared: pd.DataFrame, growing: pd.DataFrame, letters: str) -> list[str]:
    """The grammar of all panels, or that of each row of panels."""
    texts = [grammar_text(cells) for cells in (compared, growing)]
    rows = [f"{letters[0]}, {letters[1]}: ", f"{letters[2]}, {letters[3]}: "]
    words = texts[:1] if texts[0] == texts[1] else [r + t for r, t in zip(rows, texts, strict=True)]
    return [f"SRHM, {'; '.join(words)}; transformations of the input's level, $l=1$."]


def _model_panels(
    compared: pd.DataFrame, growing: pd.DataFrame, size: int | None, place: Shown, seed: int
) -> list[Panel]:
    """At one P above, at all P below; D at the left, S at the right."""
    points = pd.concat(
        [compared[compared["P"] == size].assign(across=False), growing.assign(across=True)]
    )
    points = points.assign(floor=0.5 / points["n_test"])
    return [
        _panel(
            points[(points["kind"] == kind) & (points["across"] == across)],
            title="growing $P$" if across else f"$P={size}$" if size else "one $P$",
            label=f"${kind}_{{\\mathrm{{{place}}}}}$ ({word})",
            guide=(None, 1.0), across_sizes=across, seed=seed,
        )
        for across in (False, True)
        for kind, word in KINDS.items()
    ]  # fmt: skip


def _image_panels(
    images: pd.DataFrame, data: str, letters: Sequence[str], seed: int
) -> dict[str, Panel]:
    """All networks at their largest P, and at all P."""
    points = _image_points(images)
    largest = points["P"].max()
    return {
        letter: _panel(
            points if across else points[points["P"] == largest],
            title=f"{data}, {'growing $P$' if across else f'$P={largest}$'}",
            label="$R_f$ (smooth deformations)",
            guide=IMAGES_GUIDE, across_sizes=across, seed=seed,
        )
        for letter, across in zip(letters, (False, True), strict=True)
    }  # fmt: skip


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


def _image_lines(images: pd.DataFrame, data: str) -> list[str]:
    """How the networks were trained and measured, and how that ended."""
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


def _panel(
    points: pd.DataFrame,
    *,
    title: str,
    label: str,
    guide: tuple[float | None, float],
    across_sizes: bool,
    seed: int,
) -> Panel:
    """A panel of points with columns net, P, value, error and their ranges, n_capped, floor.

    guide: prefactor (None: through the points' median) and power of a law.
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
    lowest, leftmost, rightmost = (
        points[name].to_numpy(dtype=float) for name in ("low", "value_low", "value_high")
    )
    limits = (max(leftmost.min(), x.min() / BARS) / ROOM,
              min(rightmost.max(), x.max() * BARS) * ROOM)  # fmt: skip
    bottom = max(lowest.min(), y.min() / BARS)
    prefactor, power = guide
    words = "guide: slope 1" if prefactor is None else f"guide: ${prefactor:g}\\,R_f^{{1/2}}$"
    if prefactor is None:
        prefactor = float(np.exp(np.median(np.log(y) - power * np.log(x))))
    # The numbers stand above the points and, where it lies above these, the guide.
    top = max(y.max() * 2.6, prefactor * limits[1] ** power * 1.6)
    found = correlation(points, across_sizes=across_sizes,
                        generator=generator(seed, role="drawing"))  # fmt: skip
    networks = nets({*looks.NETS, *points["net"]}, title="Networks")
    marks = [
        Marks(rows=points[points["P"] == size], x="value", y="y", low="low", high="high",
              x_low="value_low", x_high="value_high", open="n_capped", beyond="beyond",
              by=[networks], name="network", size=4.5,
              alpha=FAINTEST ** (i / max(len(sizes) - 1, 1)), bar_label="lowest to highest seed",
              open_label=CAPPED, arrow_label="none in the test set, at $1/(2n)$: $\\varepsilon$ is")
        for i, size in enumerate(reversed(sizes))
    ]  # fmt: skip
    dashes = "-." if guide == IMAGES_GUIDE else "--"
    return Panel(
        title=f"{title}, {_counted(points)}", x=Axis(label, log=True, limits=limits),
        y=Axis("test error $\\varepsilon$", log=True,
               limits=(bottom / (3 * ROOM if none.any() else ROOM), top)),
        marks=[*marks, law(limits, lambda at: prefactor * at**power, words, line=dashes)],
        extra=partial(_printed, found, opacities=len(sizes) > 1),
    )  # fmt: skip


def _counted(points: pd.DataFrame) -> str:
    n = points["net"].nunique()
    return f"{n} network{'s' if n > 1 else ''}, {n_seeds(points['n_seeds'])}"


def _printed(found: RankCorrelation, axes: Axes, *, opacities: bool) -> Sequence[Entry]:
    """Writes the rank correlation into the upper left corner; entries of the opacity of P."""
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
    axes.text(0.03, 0.99, correlation_text(found), transform=axes.transAxes, va="top", ha="left",
              fontsize=7, zorder=5, bbox=behind)  # fmt: skip
    ends = (("smallest", FAINTEST), ("largest", 1.0)) if opacities else ()
    return [
        Entry("Opacity: $P$", word, (Line2D([], [], color=GUIDE, marker="o", markersize=4,
                                            linestyle="", alpha=alpha),), rank=rank)
        for rank, (word, alpha) in enumerate(ends)
    ]  # fmt: skip


def correlation_text(found: RankCorrelation) -> str:
    """Two lines: ρ with its interval, and p and n."""
    if not isfinite(found.value):
        return f"$\\rho$ is not determined, n = {found.n}"
    interval = f"[{found.low:.2f}, {found.high:.2f}]" if isfinite(found.low) else "[unknown]"
    p = f"p = {found.p_value:.3f}" if found.p_value >= 1e-3 else "p < 0.001"
    return f"$\\rho$ = {found.value:.2f} {interval}\n{p}, n = {found.n}".replace("-", "−")
