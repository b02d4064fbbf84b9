"""Squared parameter norm against depth, its limits, deep linear networks, stability.

Letters: theta parameters, L weight matrices, R^(0) and R^(1) limit and first correction of the
representation cost, s_i singular values, N points.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws, levels
from srhm.figures.scales import Scale, coloured
from srhm.studies.representation_cost.figures.by_layer import maps
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.limits import FIRST_DEPTH
from srhm.studies.representation_cost.readings import STABLE, finished, stable

RANKS = pd.DataFrame({"rank_of": [1, 2, 3]})


@styled
def draw(cells: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """A: ||theta||^2 / L with its fit; B: linear networks; C: R^(0), R^(1); D: stability."""
    own, linear = finished(cells, "maps"), finished(cells, "linear")
    own, linear = (one.assign(norm=one["squared_parameters"] / one["L"]) for one in (own, linear))
    linear = linear.assign(known=linear["cost_of_target"] / linear["L"])
    by = maps(pd.concat([own, limits]) if len(limits) else own)
    ranks = coloured("rank", linear["rank"].dropna().astype(int), "Rank (B)")
    norm = Axis(r"$\|\theta\|^2/L$", limits=(0, None))
    ends = np.array([own["L"].min(), own["L"].max()], dtype=float) if len(own) else np.array([])
    return mosaic([
        Panel(title="ReLU networks", x=_depths(own), y=norm, marks=[
            *by_stability(own, "L", "norm", by),
            laws(_fits(own, limits), "L", "norm", f"fit from $L={FIRST_DEPTH}$ on", by=[by],
                 name="fit", line="-"),
            levels(RANKS, "rank_of", "rank (A, C)", name="rank", line=":"),
        ]),
        Panel(title="linear networks", x=_depths(linear), y=norm, marks=[
            Marks(rows=linear.astype({"rank": int}), x="L", y="norm", by=[ranks], name="linear",
                  filled=False, size=3.5),
            laws(linear.astype({"rank": int}).drop_duplicates(["rank", "L"]), "L", "known",
                 "closed form", by=[ranks], name="closed form"),
        ]),
        Panel(title="limits", x=Axis("$R^{(0)}$"), y=Axis("$R^{(1)}$"), marks=[
            Marks(rows=limits, x="R0", y="R1", by=[by], name="limit", filled=False),
            Marks(rows=_bounds(limits), x="R0", y="R1", by=[by.without("marker")], name="bound",
                  marker="_", size=14, label="lower bound of $R^{(1)}$", guide=True),
            laws(RANKS, "rank_of", "", "rank (A, C)", name="rank", line=":"),
        ]),
        Panel(title="stability", x=_depths(own), marks=[
            *by_stability(own, "L", "sharpness", by),
            law(ends, STABLE * ends, f"${STABLE:g}L$", name="stable", line="-."),
        ], y=Axis(r"$\max_i\,\frac{2}{N}\|J_\theta f(x_i)\|_{op}^2$", log=True)),
    ], columns=2, preset=preset, notes=_notes(own))  # fmt: skip


def by_stability(cells: pd.DataFrame, x: str, y: str, by: Scale) -> list[Marks]:
    """Stable networks as open markers, the others as small crosses."""
    kept = stable(cells)
    return [
        Marks(rows=cells[kept], x=x, y=y, by=[by], filled=False, size=3.5, alpha=0.8),
        Marks(rows=cells[~kept], x=x, y=y, by=[by.without("marker")], marker="x", size=3.5,
              alpha=0.8, label="does not fit, or unstable"),
    ]  # fmt: skip


def _depths(cells: pd.DataFrame) -> Axis:
    return Axis("depth $L$", log=True, ticks=sorted(set(cells["L"])))


def _fits(cells: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """R0 + R1/L of each map, means over seeds, along the depths."""
    rows = []
    for name, mean in limits.groupby("map")[["R0", "R1"]].mean().iterrows():
        for L in np.geomspace(FIRST_DEPTH, cells.loc[cells["map"] == name, "L"].max(), 50):
            rows.append({"map": name, "L": L, "norm": mean["R0"] + mean["R1"] / L})
    return pd.DataFrame(rows)


def _bounds(limits: pd.DataFrame) -> pd.DataFrame:
    """The least R^(1) of maps of which it is known, at their rank."""
    names = [name for name in MAPS if name in set(limits["map"])]
    rows = [{"map": name, "R0": MAPS[name].bottleneck_rank, "R1": MAPS[name].first_correction}
            for name in names if np.isfinite(MAPS[name].first_correction)]  # fmt: skip
    return pd.DataFrame(rows)


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    seeds = cells["seed"].nunique()
    errors = ", ".join(
        f"{100 * (group['loss'] / group['variance']).mean():.1f} % ({name})"
        for name, group in cells.groupby("map")
    )
    return [
        f"Width {first['width']:g}, N = {first['n']:g}, λL = {first['penalty']:g},"
        f" {first['steps']:g} steps, {seeds} {plural('seed', seeds)}.",
        f"C over the variance: {errors}.",
    ]
