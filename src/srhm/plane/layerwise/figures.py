"""Layerwise against end-to-end training: learning curves, P* against m and L, and spectra."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLACK, GREEN, PURPLE, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, STAR, Axis, Marks, Panel, laws, level
from srhm.figures.scales import Scale, by_name, coloured, dashed, ranks, shaped
from srhm.figures.words import described, endings
from srhm.model.grammar import GRAMMAR
from srhm.plane.layerwise.analysis import GROWTH, SERIES, STUDY, compared, series_of
from srhm.scorecard.rows import chosen, counted

LOOKS = {
    "end_to_end": Look("end to end", BLACK),
    "layerwise": Look("layer by layer", GREEN),
    "shallow": Look("one hidden layer", PURPLE),
}
KINDS = (("weights", "weights", "singular value"),
         ("representation", "representations", "eigenvalue"))  # fmt: skip
LEAST = 1e-6  # of a spectrum, over its largest value
OTHER_STUDIES = ("bottleneck",)  # cells that have a figure of their own


def layerwise(
    cells: pd.DataFrame, complexity: pd.DataFrame, *, threshold: float, preset: str
) -> Figure:
    """A: test error against P of the grammar of most P that all trainings share; B, C: P*.

    B, C: against m, against L, a line for each grammar; the notes have the fitted slopes.
    """
    rows = compared(complexity, threshold=threshold)
    nets = cells[cells["study"] == STUDY]
    nets = nets.assign(series=series_of(nets))
    by = (
        by_name("series", rows["series"], LOOKS, "Training"),
        shaped("s0", rows["s0"], "Empty positions", label=lambda s0: f"$s_0={s0}$"),
        dashed("L", rows["L"], "Depth (B)", label=lambda L: f"$L={L}$"),
    )
    m, L = ({value: str(value) for value in sorted(set(rows[name]))} for name in "mL")
    return mosaic([
        _learning_curves(nets, threshold),
        _against(rows, "m", Axis("synonyms $m$", log=True, ticks=m), by),
        _against(rows, "L", Axis("depth $L$", ticks=L), by[:2]),
    ], columns=3, preset=preset, notes=[
        note for name in SERIES for note in _protocol(name, nets[nets["series"] == name], rows)
    ])  # fmt: skip


def _learning_curves(cells: pd.DataFrame, threshold: float) -> Panel:
    """A: mean over seeds with the range, a line for each series."""
    keys, by = [*GRAMMAR, "alpha_tilde"], ["series", "P"]
    counts = cells.groupby(keys).agg(series=("series", "nunique"), P=("P", "nunique"))
    order = counts.reset_index().sort_values(["series", "P", "L", "m"], ascending=False).head(1)
    example = cells.merge(order[keys])
    example = example.assign(unfitted=example["status"] != "fitted")
    means = spread(example, "test_error", by, flags=["unfitted"])
    return Panel(
        title="".join(f"$L={L:g}$, $m={m:g}$, $s_0={s0:g}$"
                      for L, m, s0 in order[["L", "m", "s0"]].to_numpy()),
        x=POINTS, y=Axis("test error $\\varepsilon$", limits=(-0.02, 1)), marks=[
            Marks(rows=means, x="P", y="test_error", low="low", high="high", open="unfitted",
                  line="-", by=[by_name("series", means["series"], LOOKS, "Training")], size=3.5,
                  name="error", open_label="not all fitted"),
            level(threshold, "threshold of $P^*$", line="--", name="threshold"),
        ],
    )  # fmt: skip


def _against(rows: pd.DataFrame, column: str, axis: Axis, by: Sequence[Scale]) -> Panel:
    """B, C: P* against one parameter of the grammar; series are moved a little from each other."""
    grammar = [name for name in GRAMMAR if name != column]
    rows = rows[rows.groupby(["series", *grammar])[column].transform("nunique") > 1]
    step = ranks(rows["series"], SERIES)
    place = rows[column] * 1.025**step if column == "m" else rows[column] + 0.05 * step
    law = rows["n_c"] * rows["m"].astype(float) ** rows["L"]
    rows = with_ends(rows.assign(place=place, law=law))
    reached = rows["y_beyond"] == 0
    known = stars(
        rows[reached], "place", by, each=[name for name in grammar if name not in ("s0", "L")],
        line="-", size=4.5, open="faint", open_label="above a tenth of the distinct data",
    )  # fmt: skip
    censored = stars(rows[~reached], "place", by[:2], size=4.5, name="bound of P*")
    laws_of = rows.drop_duplicates([*grammar, column])
    guide = laws(laws_of, column, "law", "$n_c m^L$", line=":", name="law", each=grammar)
    ends = (0.8 * float(law.min()), None) if len(law) else (None, None)
    return Panel(title=f"against ${column}$", x=axis, marks=[known, censored, guide],
                 y=replace(STAR, limits=ends))  # fmt: skip


def _protocol(name: str, cells: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Widths, alpha_tilde, seeds, unfitted cells and slopes of B of a series."""
    slopes = []
    for depth in sorted(set(rows["L"].tolist())):
        fit = GROWTH(against="m").fit(counted(chosen(rows, {"series": name, "L": depth}))[0])
        half = f" ± {fit.high - fit.slope:.1f}" if isfinite(fit.high) else ""
        slopes += [f"{fit.slope:.1f}{half} (L = {depth})"] if fit.n else []
    unfitted = endings(cells["status"], ("capped", "diverged"))
    return described(
        cells, "{series}: {nets}, h = {h}, α̃ = {tildes}, {ways}, {seeds}, {n} networks{end}"
        "{slopes}.",
        series=LOOKS[name].label, nets=", ".join(sorted(set(cells["net"]))).upper(),
        h=_listed(cells["width"]), tildes=_listed(cells["alpha_tilde"]),
        ways=", ".join(sorted(set(cells["optimiser"]))), n=len(cells),
        end=f" ({unfitted})" if unfitted else "",
        slopes=f"; slope of log P* on log m {', '.join(slopes)}" if slopes else "",
    )  # fmt: skip


def _listed(values: pd.Series) -> str:
    return ", ".join(f"{value:g}" for value in sorted(set(values.tolist())))


def singular_values(
    cells: pd.DataFrame, values: pd.DataFrame, summaries: pd.DataFrame, *, preset: str
) -> Figure:
    """Participation ratios against layer and P, and the spectra, of one curve (`_example`).

    Above weights, below representations; of alpha_tilde the smallest and the largest.
    """
    curve = _example(cells, summaries)
    nets = cells[cells["curve"] == curve]
    ratios, spectra = (
        _with_states(table[table["curve"] == curve].merge(nets[["key", "P", "alpha_tilde"]]))
        for table in (summaries, values)
    )
    outside = set(ratios.loc[ratios["layer"] == "output", "k"])
    ticks = {k: "out" if k in outside else str(k) for k in sorted(set(ratios["k"]))}
    layers = coloured("k", ticks, "Layer", label=lambda k: ticks[k])
    ends = zip(
        sorted({state for state in ratios["state"] if state >= 0}), ("-", "--"), strict=False
    )
    states = Scale(column="state", looks={
        -1.0: Look("start", line=":", filled=False),
        **{state: Look(f"end, $\\tilde\\alpha={state:g}$", line=line) for state, line in ends},
    })  # fmt: skip
    ratio, panels = Axis("participation ratio", limits=(0, None)), []
    for kind, word, value in KINDS:
        of_kind = ratios[ratios["kind"] == kind]
        largest = of_kind[of_kind["P"] == of_kind["P"].max()]
        of_values = spectra[(spectra["kind"] == kind) & (spectra["P"] == spectra["P"].max())]
        size = f"{word}, $P={largest['P'].max()}$"
        panels += [
            Panel(title=size, x=Axis("layer $k$", ticks=ticks), y=ratio, marks=[
                _means(largest, "participation_ratio", "k", [states], bars=True)]),
            Panel(title=word, x=POINTS, y=ratio, marks=[
                _means(of_kind, "participation_ratio", "P", [layers, states])]),
            Panel(title=size, x=Axis("rank", log=True),
                  y=Axis(f"{value} over the largest", log=True, limits=(None, 1.5)), marks=[
                _means(_over_largest(of_values), "value", "rank", [layers, states], line=True)]),
        ]  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=described(
        nets, "{kind}, L = {L:g}, v = {v:g}, m = {m:g}, n_c = {n_c:g}, s_0 = {s0:g}, h = {width},"
        " α̃ = {tildes}, {optimiser}, study {study}; {seeds}, {n} networks: {ends}.",
        kind="".join(sorted(set(nets["net"]))).upper(), n=len(nets),
        tildes=_listed(nets["alpha_tilde"]), ends=endings(nets["status"], ()),
    ))  # fmt: skip


def _example(cells: pd.DataFrame, summaries: pd.DataFrame) -> str:
    """Name of the curve to show; empty without any."""
    measured = cells[cells["curve"].isin(summaries["curve"]) & ~cells["study"].isin(OTHER_STUDIES)]
    if measured.empty:
        return ""
    curves = measured.groupby("curve").agg(
        P=("P", "nunique"), tildes=("alpha_tilde", "nunique"), L=("hidden_layers", "max")
    )
    order = curves.reset_index().sort_values(["P", "tildes", "L", "curve"],
                                            ascending=[False] * 3 + [True])  # fmt: skip
    return str(order["curve"].iloc[0])


def _with_states(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the start, and of the end at the smallest and the largest alpha_tilde: `state`."""
    tildes = rows["alpha_tilde"]
    state = tildes.where(rows["when"] == "end", -1.0)
    ends = (tildes == tildes.min()) | (tildes == tildes.max()) | (state < 0)
    return rows.assign(state=state)[ends]


def _over_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Values over the largest of their filter, ranks from 1 on."""
    largest = rows.groupby(["key", "when", "k", "filter"], dropna=False)["value"].transform("max")
    shares = rows.assign(value=rows["value"] / largest.where(largest > 0))
    first = shares.groupby(["state", "k"])["rank"].transform("min")
    return shares.assign(rank=shares["rank"] - first + 1)


def _means(
    rows: pd.DataFrame, y: str, x: str, by: list[Scale], *, bars: bool = False, line: bool = False
) -> Marks:
    """Averages over seeds; bars from the lowest to the highest seed at the end of training."""
    means = spread(rows, y, [*(scale.column for scale in by), x])
    means = means[means[y] > LEAST] if line else means
    ends = means["state"] >= 0
    means = means.assign(
        mean=means[y], low=means["low"].where(ends), high=means["high"].where(ends)
    )
    return Marks(
        rows=means, x=x, y="mean", by=by, line="-", size=3.5, colour=BLACK,
        marker="" if line else "o", low="low" if bars else "", high="high" if bars else "",
    )  # fmt: skip
