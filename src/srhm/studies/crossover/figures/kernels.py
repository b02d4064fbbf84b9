"""Eigenvalues of the tangent kernel and what lies along its eigenvectors, initial and trained.

At a small and a large alpha_tilde (thesis, chapters 3a, 3b, 6): Gram matrix of Theta on test
points, eigenvalues lambda_rho in decreasing order, projections of centred targets Z.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.families import protocol
from srhm.figures.looks import GREY, VERMILION, Look, net
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import by_name
from srhm.statistics.output_scale import Family, families

STATES = {"initial": Look("at initialisation", GREY), "end": Look("after training", VERMILION)}
TARGETS = {"labels": "the labels", "level2": "level-2 latents"}
LEAST = 1e-9  # smaller parts of the trace are rounding


@styled
def draw(cells: pd.DataFrame, kernels: pd.DataFrame, *, preset: str) -> Figure:
    """For each family with kernels two rows, small and large alpha_tilde, of three panels.

    cells, kernels: rows of FLOW_CELLS and KERNELS, of any studies. Of the widest networks whose
    kernels were measured, at the smallest and the largest of their alpha_tilde: eigenvalues, labels
    and latents. Thin lines are members, thick ones their means (geometric for the eigenvalues).
    """
    chosen = (_measured(one, kernels) for one in families(cells, study="crossover"))
    shown = [one for one in chosen if one is not None]
    panels = []
    for family in shown:
        for tilde in (min(family.tildes), max(family.tildes)):
            own = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
            rows = kernels[kernels["key"].isin(own["key"]) & kernels["curve"].isin(own["curve"])]
            width = own["width"].iloc[0]
            name = f"{net(family.net).label}, $h={width}$, $\\tilde\\alpha={power(tilde)}$"
            panels += [_eigenvalues(name, rows), *(_projections(rows, one) for one in TARGETS)]
    notes = [f"{protocol(one)}." for one in shown]
    return mosaic(panels, columns=3, preset=preset, height=1.8, notes=notes)


def _measured(family: Family, kernels: pd.DataFrame) -> Family | None:
    """The family's cells of the widest networks that have kernels."""
    keys = set(zip(kernels["curve"], kernels["key"], strict=True))
    own = zip(family.cells["curve"], family.cells["key"], strict=True)
    with_kernels = family.cells[[one in keys for one in own]]
    if with_kernels.empty:
        return None
    widest = with_kernels[with_kernels["width"] == with_kernels["width"].max()]
    return replace(family, cells=widest)


def _eigenvalues(title: str, rows: pd.DataFrame) -> Panel:
    """lambda_rho over their sum against rho."""
    own = rows[(rows["quantity"] == "eigenvalue") & (rows["value"] > 0)]
    total = own.groupby(["when", "key"])["value"].transform("sum")
    members = own.assign(value=own["value"] / total)
    logs = members.assign(value=np.log(members["value"]))
    means = logs.groupby(["when", "rank"])["value"].mean().transform("exp").reset_index()
    return Panel(
        title=title, marks=_members_and_mean(members, means, "eigenvalues"),
        x=Axis("rank $\\rho$", log=True),
        y=Axis("$\\lambda_\\rho\\,/\\sum\\lambda$", log=True,
               limits=(LEAST, None) if len(own) and means["value"].min() < LEAST else (None, None)),
    )  # fmt: skip


def _projections(rows: pd.DataFrame, target: str) -> Panel:
    """Part of a target in the span of the first rho eigenvectors, against rho."""
    own = rows[(rows["quantity"] == "projection") & (rows["target"] == target)]
    own = own.sort_values(["when", "key", "rank"])
    members = own.assign(value=own.groupby(["when", "key"])["value"].cumsum())
    means = members.groupby(["when", "rank"])["value"].mean().reset_index()
    n = int(own["rank"].nunique())
    ranks = np.arange(1, n + 1)
    none = law(ranks, ranks / max(n, 1), "no alignment", line=":")
    return Panel(
        title=f"{TARGETS[target]}", marks=[*_members_and_mean(members, means, target), none],
        x=Axis("first $\\rho$ eigenvectors", log=True),
        y=Axis(f"part of {TARGETS[target]}", limits=(0, 1.03)),
    )  # fmt: skip


def _members_and_mean(members: pd.DataFrame, means: pd.DataFrame, name: str) -> list[Marks]:
    states = by_name("when", members["when"], STATES)
    return [
        Marks(rows=members, x="rank", y="value", by=[states], each=["key"], name=f"{name} member",
              label="one network", marker="", line="-", width=0.4, alpha=0.6),
        Marks(rows=means, x="rank", y="value", by=[states], name=name, label="mean", marker="",
              line="-", width=1.8),
    ]  # fmt: skip
