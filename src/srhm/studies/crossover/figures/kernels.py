"""Eigenvalues of the tangent kernel and what lies along its eigenvectors, initial and trained.

At a small and a large alpha_tilde (thesis, chapters 3a, 3b, 6): Gram matrix of Theta on test
points, eigenvalues lambda_rho in decreasing order, projections of centred targets Z.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import look
from srhm.figures.drawing import add_legends, empty_panel, panel_title, styled
from srhm.figures.families import ABSENT, LETTERS, rows_of_panels
from srhm.figures.marks import line, power
from srhm.statistics.output_scale import Family, families

COLOURS = {"initial": "#7F7F7F", "end": "#D55E00"}
WORDS = {"initial": "at initialisation", "end": "after training"}
TARGETS = {"labels": "the labels", "level2": "level-2 latents"}
ABREAST = 2  # families beside each other
LEAST = 1e-9  # smaller parts of the trace are rounding
ROW = 1.7  # inches


@styled
def draw(cells: pd.DataFrame, kernels: pd.DataFrame, *, preset: str) -> Figure:
    """For each family with kernels two columns, small and large alpha_tilde, of three panels.

    cells, kernels: rows of FLOW_CELLS and KERNELS, of any studies. Of the widest networks whose
    kernels were measured, at the smallest and the largest of their alpha_tilde: eigenvalues, labels
    and latents. Thin lines are members, thick ones their means (geometric for the eigenvalues).
    """
    chosen = (_measured(one, kernels) for one in families(cells, study="crossover"))
    shown = [one for one in chosen if one is not None]
    n_rows, n_columns = 3 * -(-len(shown) // ABREAST), 2 * min(len(shown), ABREAST)
    figure, page, panels = rows_of_panels(shown, n_rows, n_columns, row=ROW, preset=preset)
    letters = iter(LETTERS)
    for i, family in enumerate(shown):
        block = panels[3 * (i // ABREAST) : 3 * (i // ABREAST) + 3]
        for j, tilde in enumerate((min(family.tildes), max(family.tildes))):
            column = 2 * (i % ABREAST) + j
            own = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
            rows = kernels[kernels["key"].isin(own["key"]) & kernels["curve"].isin(own["curve"])]
            _column([row[column] for row in block], rows, first=column == 0)
            panel_title(block[0][column], next(letters), _title(family, own, tilde))
    for row in panels[::3]:
        filled = [axes for axes in row if axes.get_lines()]
        ends = [end for axes in filled for end in axes.get_ylim()]
        for axes in filled:
            axes.set_ylim(max(min(ends), LEAST), max(ends))
    _drop_empty(panels)
    if shown:
        add_legends(page, [("", _state_handles()), ("", _line_handles())])
    return figure


def _state_handles() -> list[Line2D]:
    return [line(WORDS[when], color=tint, linewidth=1.8) for when, tint in COLOURS.items()]


def _line_handles() -> list[Line2D]:
    return [
        line("one network", color="0.5", linewidth=0.5),
        line("no alignment", color="0.35", linewidth=0.8, linestyle=":"),
    ]


def _column(axes: Sequence[Axes], rows: pd.DataFrame, *, first: bool) -> None:
    """Eigenvalues, labels and latents of one family at one alpha_tilde."""
    values, *others = axes
    _eigenvalues(values, rows)
    for panel, target in zip(others, TARGETS, strict=True):
        if not _projections(panel, rows, target):
            empty_panel(panel, ABSENT)
    if first:
        values.set_ylabel("$\\lambda_\\rho\\,/\\sum\\lambda$")
        for panel, words in zip(others, TARGETS.values(), strict=True):
            panel.set_ylabel(f"part of {words}")
    else:
        for panel in axes:
            panel.tick_params(axis="y", which="both", labelleft=False)


def _drop_empty(panels: Sequence[Sequence[Axes]]) -> None:
    """Takes away panels of a last block that is not full."""
    for row in panels:
        for axes in row:
            if not (axes.get_lines() or axes.texts):
                axes.remove()


def _measured(family: Family, kernels: pd.DataFrame) -> Family | None:
    """The family's cells of the widest networks that have kernels."""
    if kernels.empty:
        return None
    keys = set(zip(kernels["curve"], kernels["key"], strict=True))
    own = zip(family.cells["curve"], family.cells["key"], strict=True)
    with_kernels = family.cells[[one in keys for one in own]]
    if with_kernels.empty:
        return None
    widest = with_kernels[with_kernels["width"] == with_kernels["width"].max()]
    return replace(family, cells=widest)


def _title(family: Family, cells: pd.DataFrame, tilde: float) -> str:
    width = cells["width"].iloc[0]
    return f"{look(family.net).label}, $h={width}$, $\\tilde\\alpha={power(tilde)}$"


def _eigenvalues(axes: Axes, rows: pd.DataFrame) -> None:
    """lambda_rho over their sum against rho."""
    values = rows[rows["quantity"] == "eigenvalue"]
    for when, tint in COLOURS.items():
        table = values[values["when"] == when].pivot_table(
            index="rank", columns="key", values="value"
        )
        if table.empty:
            continue
        table = (table / table.clip(lower=0).sum()).where(table > 0)
        _thin(axes, table, tint, gid=f"eigenvalues {when} member")
        mean = np.exp(np.log(table).mean(axis=1))
        axes.plot(_ranks(table), mean, color=tint, linewidth=1.8, gid=f"eigenvalues {when}")
    axes.set(xscale="log", yscale="log", xlabel="rank $\\rho$")


def _projections(axes: Axes, rows: pd.DataFrame, target: str) -> int:
    """Part of a target in the span of the first rho eigenvectors, against rho; their number."""
    values = rows[(rows["quantity"] == "projection") & (rows["target"] == target)]
    n = 0
    for when, tint in COLOURS.items():
        table = values[values["when"] == when].pivot_table(
            index="rank", columns="key", values="value"
        )
        if table.empty:
            continue
        n = len(table)
        together = table.cumsum()
        _thin(axes, together, tint, gid=f"{target} {when} member")
        axes.plot(_ranks(table), together.mean(axis=1), color=tint, linewidth=1.8,
                  gid=f"{target} {when}")  # fmt: skip
    if n:
        ranks = np.arange(1, n + 1)
        axes.plot(ranks, ranks / n, color="0.35", linewidth=0.8, linestyle=":", gid="no alignment")
    axes.set(xscale="log", ylim=(0, 1.03), xlabel="first $\\rho$ eigenvectors")
    return n


def _thin(axes: Axes, table: pd.DataFrame, tint: str, *, gid: str) -> None:
    for key in table.columns:
        axes.plot(_ranks(table), table[key], color=tint, linewidth=0.4, alpha=0.6, gid=gid)


def _ranks(table: pd.DataFrame) -> Sequence[int]:
    """1, 2, ... whatever the table counts from."""
    return range(1, len(table) + 1)
