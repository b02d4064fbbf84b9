"""The (h, alpha_tilde) plane, and tangent kernels, of lazy and feature learning on the SRHM.

Eigenvalues lambda_rho of the Gram matrix of Theta on test points are in decreasing order.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.looks import BLACK, GREY, VERMILION, Look, net
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.regimes import ALPHA_TILDE, by_family, changes, edges, error_map, shares, title
from srhm.figures.scales import by_name
from srhm.figures.words import power
from srhm.statistics.regimes import Family, families, jamming_line

SHARES = {"some": Look("some networks did not fit", GREY, filled=True),
          "none": Look("no network fitted", BLACK, filled=True)}  # fmt: skip
STATES = {"initial": Look("at initialisation", GREY), "end": Look("after training", VERMILION)}
TARGETS = {"labels": "the labels", "level2": "level-2 latents"}
LEAST = 1e-9  # smaller parts of the trace are rounding


def crossover_diagram(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """For each family the plane with the error of single networks, and with that of their mean.

    A field is a pair of the grid; it reaches half-way, in logarithms, to its neighbours.
    """
    shown, by = families(cells, ensembles, study="crossover"), ["alpha_tilde", "width"]
    single = [family.cells.groupby(by)["test_error"].mean() for family in shown]
    known = pd.concat([
        *single, *(family.ensembles["ensemble_error"] for family in shown), pd.Series(dtype=float)
    ]).dropna()  # fmt: skip
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.5)
    scale = Normalize(low, max(high, low + 0.01))
    return by_family(shown, lambda one: [
        _plane(f"{title(one)}: single networks", one, one.cells.groupby(by)["test_error"].mean(),
               scale),
        _plane("mean output of the networks", one,
               one.ensembles.groupby(by)["ensemble_error"].mean(), scale),
    ], columns=2, preset=preset)  # fmt: skip


def _plane(name: str, family: Family, errors: pd.Series, scale: Normalize) -> Panel:
    """A map of errors, which networks fit, h* with the widths it lies between, levels."""
    if errors.empty:
        return Panel(title=name)
    cells, widths = family.cells, family.widths
    h, tildes = edges([float(width) for width in widths]), edges(family.tildes)
    lost = shares(cells, "width", "alpha_tilde").query("share != 'all'")
    ticks = {float(width): f"${width}$" for width in widths} if len(widths) <= 9 else None
    table = errors.unstack("width").reindex(index=family.tildes, columns=widths)
    return Panel(
        title=name, x=Axis("width $h$", log=True, limits=(h[0], h[-1]), ticks=ticks),
        y=Axis(ALPHA_TILDE, log=True, limits=(tildes[0], tildes[-1])), has_extra=True,
        extra=partial(error_map, errors=table, scale=scale, label="test error $\\varepsilon$ (%)"),
        marks=[
            Marks(rows=lost, x="width", y="alpha_tilde", name="fits", size=3, order=4.0,
                  by=[by_name("share", lost["share"], SHARES)]),
            Marks(rows=jamming_line(cells), x="h_star", y="alpha_tilde", x_low="h_low",
                  x_high="h_high", name="jamming line", colour=VERMILION, marker="", line="-",
                  width=1.6, order=3.0, sort=False,
                  label="$h^*$: most are jammed below; bar: grid of $h$"),
            changes(cells),
        ],
    )  # fmt: skip


def tangent_kernels(cells: pd.DataFrame, kernels: pd.DataFrame, *, preset: str) -> Figure:
    """Eigenvalues, labels and latents of the widest networks, at small and at large alpha_tilde.

    Thin lines are members, thick ones their means (geometric for the eigenvalues).
    """
    shown, known = [], kernels[["curve", "key"]].drop_duplicates()
    for family in families(cells, study="crossover"):
        members = family.cells.merge(known)
        if len(members):
            shown.append(replace(family, cells=members[members["width"] == members["width"].max()]))

    def panels(family: Family) -> list[Panel]:
        drawn = []
        for tilde in (min(family.tildes), max(family.tildes)):
            nets = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
            rows = kernels.merge(nets[["curve", "key"]])
            size = f"$h={nets['width'].iloc[0]}$, $\\tilde\\alpha={power(tilde)}$"
            drawn += [_eigenvalues(f"{net(family.net).label}, {size}", rows),
                      *(_projections(rows, target) for target in TARGETS)]  # fmt: skip
        return drawn

    return by_family(shown, panels, columns=3, preset=preset, height=1.8)


def _eigenvalues(title: str, rows: pd.DataFrame) -> Panel:
    """lambda_rho over their sum against rho."""
    eigenvalues = rows[(rows["quantity"] == "eigenvalue") & (rows["value"] > 0)]
    total = eigenvalues.groupby(["when", "key"])["value"].transform("sum")
    members = eigenvalues.assign(value=eigenvalues["value"] / total)
    means = spread(members, "value", ["when", "rank"], geometric=True)
    below = len(eigenvalues) and means["value"].min() < LEAST
    return Panel(
        title=title, marks=_members_and_mean(members, means, "eigenvalues"),
        x=Axis("rank $\\rho$", log=True),
        y=Axis("$\\lambda_\\rho\\,/\\sum\\lambda$", log=True,
               limits=(LEAST if below else None, None)),
    )  # fmt: skip


def _projections(rows: pd.DataFrame, target: str) -> Panel:
    """Part of a target in the span of the first rho eigenvectors, against rho."""
    projections = rows[(rows["quantity"] == "projection") & (rows["target"] == target)]
    projections = projections.sort_values(["when", "key", "rank"])
    members = projections.assign(value=projections.groupby(["when", "key"])["value"].cumsum())
    means = members.groupby(["when", "rank"])["value"].mean().reset_index()
    n = int(projections["rank"].nunique())
    ranks = np.arange(1, n + 1)
    none = law(ranks, ranks / max(n, 1), "no alignment", line=":")
    return Panel(
        title=f"{TARGETS[target]}", marks=[*_members_and_mean(members, means, target), none],
        x=Axis("first $\\rho$ eigenvectors", log=True),
        y=Axis(f"fraction of {TARGETS[target]}", limits=(0, 1.03)),
    )  # fmt: skip


def _members_and_mean(members: pd.DataFrame, means: pd.DataFrame, name: str) -> list[Marks]:
    states = by_name("when", members["when"], STATES)
    return [
        Marks(rows=members, x="rank", y="value", by=[states], each=["key"], name=f"{name} member",
              label="one network", marker="", line="-", width=0.4, alpha=0.6),
        Marks(rows=means, x="rank", y="value", by=[states], name=name, label="mean", marker="",
              line="-", width=1.8),
    ]  # fmt: skip
