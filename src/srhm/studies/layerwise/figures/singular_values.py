"""Singular values of weights and eigenvalues of representations, initial against trained.

Letters: P training points, k layer, h width, alpha_tilde scale of F (large: lazy learning).
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale, coloured

KINDS = (
    ("weights", "weights", "singular value"), ("representation", "representations", "eigenvalue")
)  # fmt: skip
OUTSIDE = "output"
LEAST = 1e-6  # of a spectrum, over its largest value
# Bottleneck cells have a figure of their own.
OTHER_STUDIES = ("bottleneck",)


@styled
def draw(
    cells: pd.DataFrame, values: pd.DataFrame, summaries: pd.DataFrame, *, preset: str
) -> Figure:
    """Participation ratios against layer and P, and the spectra, of one curve.

    cells, values, summaries: tables of cells, of singular values and of their summaries. The curve
    is the one with most P, then most alpha_tilde, of those whose singular values were measured. Of
    several alpha_tilde the smallest (full) and the largest (dashed) are shown, dotted the start.
    Averages over seeds; above weights, below representations.
    """
    curve = _example(cells, summaries)
    own = cells[cells["curve"] == curve]
    coordinates = own[["key", "P", "alpha_tilde"]]
    ratios, spectra = (
        _with_states(table[table["curve"] == curve].merge(coordinates, on="key"))
        for table in (summaries, values)
    )
    outside = set(ratios.loc[ratios["layer"] == OUTSIDE, "k"])
    ticks = {k: "out" if k in outside else str(k) for k in sorted(set(ratios["k"]))}
    layers, states = coloured("k", ticks, "Layer", label=lambda k: ticks[k]), _states(ratios)
    ratio = Axis("participation ratio", limits=(0, None))
    panels = []
    for kind, word, value in KINDS:
        of_kind = ratios[ratios["kind"] == kind]
        largest = of_kind[of_kind["P"] == of_kind["P"].max()]
        of_values = spectra[(spectra["kind"] == kind) & (spectra["P"] == spectra["P"].max())]
        size = f"{word}, $P={largest['P'].max()}$"
        panels += [
            Panel(title=size, x=Axis("layer $k$", ticks=ticks), y=ratio, marks=[
                _means(largest, "participation_ratio", "k", [states], bars=True)]),
            Panel(title=word, x=Axis("training points $P$", log=True), y=ratio, marks=[
                _means(of_kind, "participation_ratio", "P", [layers, states])]),
            Panel(title=size, x=Axis("rank", log=True),
                  y=Axis(f"{value} over the largest", log=True, limits=(None, 1.5)), marks=[
                _means(_over_largest(of_values), "value", "rank", [layers, states], line=True)]),
        ]  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=_notes(own))


def _example(cells: pd.DataFrame, summaries: pd.DataFrame) -> str:
    """Name of the curve to show; empty without any."""
    own = cells[cells["curve"].isin(summaries["curve"]) & ~cells["study"].isin(OTHER_STUDIES)]
    if own.empty:
        return ""
    found = own.groupby("curve").agg(
        P=("P", "nunique"), tildes=("alpha_tilde", "nunique"), L=("hidden_layers", "max")
    )
    order = found.reset_index().sort_values(
        ["P", "tildes", "L", "curve"], ascending=[False, False, False, True]
    )
    return str(order["curve"].iloc[0])


def _with_states(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the start, and of the end at the smallest and the largest alpha_tilde: `state`."""
    tildes = rows["alpha_tilde"]
    state = tildes.where(rows["when"] == "end", -1.0)
    ends = (tildes == tildes.min()) | (tildes == tildes.max()) | (state < 0)
    return rows.assign(state=state)[ends]


def _states(rows: pd.DataFrame) -> Scale:
    """Lines of the states: dotted, full, dashed."""
    found = {-1.0: Look("start", line=":", filled=False)}
    tildes = sorted({value for value in rows["state"] if value >= 0})
    for value, style in zip(tildes, ("-", "--"), strict=False):
        found[value] = Look(f"end, $\\tilde\\alpha={value:g}$", line=style)
    return Scale(column="state", looks=found)


def _over_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Values over the largest of their filter, ranks from 1 on."""
    largest = rows.groupby(["key", "when", "k", "filter"], dropna=False)["value"].transform("max")
    found = rows.assign(value=rows["value"] / largest.where(largest > 0))
    first = found.groupby(["state", "k"])["rank"].transform("min")
    return found.assign(rank=found["rank"] - first + 1)


def _means(
    rows: pd.DataFrame, y: str, x: str, by: list[Scale], *, bars: bool = False, line: bool = False
) -> Marks:
    """Averages over seeds; bars from the lowest to the highest seed at the end of training."""
    columns = [*(one.column for one in by), x]
    means = rows.groupby(columns)[y].agg(["mean", "min", "max"]).reset_index()
    means = means[means["mean"] > LEAST] if line else means
    ends = means["state"] >= 0
    means = means.assign(low=means["min"].where(ends), high=means["max"].where(ends))
    return Marks(
        rows=means, x=x, y="mean", by=by, line="-", size=3.5, colour=BLACK,
        marker="" if line else "o", low="low" if bars else "", high="high" if bars else "",
    )  # fmt: skip


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first, n_seeds = cells.iloc[0], cells["seed"].nunique()
    counts = cells["status"].value_counts()
    status = ", ".join(f"{counts[name]} {name}" for name in counts.index)
    tildes = ", ".join(f"{value:g}" for value in sorted(set(cells["alpha_tilde"])))
    return [
        f"{str(first['net']).upper()}, L = {first['L']:g}, v = {first['v']:g}, m = {first['m']:g},"
        f" n_c = {first['n_c']:g}, s_0 = {first['s0']:g}, h = {first['width']}, α̃ = {tildes},"
        f" {first['optimiser']}, study {first['study']}; {n_seeds} {plural('seed', n_seeds)},"
        f" {len(cells)} cells: {status}."
    ]
