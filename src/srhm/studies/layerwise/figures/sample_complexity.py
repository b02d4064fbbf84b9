"""Layerwise against end-to-end training: learning curves, and P* against m and L.

Letters of the paper: P training points, P* sample complexity, L depth, m synonyms, n_c classes, s_0
empty places for each informative one, ε test error.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, GREEN, PURPLE, Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import ABOVE, BELOW, Axis, Marks, Panel, laws, level
from srhm.figures.scales import Scale, by_name, dashed, shaped
from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.rows import chosen, counted
from srhm.studies.layerwise.analysis import GROWTH, SERIES, STUDY, compared, series_of

LOOKS = {
    "end_to_end": Look("end to end", BLACK),
    "layerwise": Look("layer by layer", GREEN),
    "shallow": Look("one hidden layer", PURPLE),
}


@styled
def draw(cells: pd.DataFrame, complexity: pd.DataFrame, *, threshold: float, preset: str) -> Figure:
    """P* of the layerwise study from the tables of cells and of sample complexities.

    A: test error against P for the grammar with most points that both trainings share. B: P*
    against m, a line for each grammar at other m; the notes have the fitted slopes. C: P* against
    L, a line for each grammar at other L, beside n_c m^L.
    """
    rows = compared(complexity, threshold=threshold)
    own = cells[cells["study"] == STUDY]
    own = own.assign(series=series_of(own))
    by = (
        by_name("series", rows["series"], LOOKS, "Training"),
        shaped("s0", rows["s0"], "Empty places", label=lambda s0: f"$s_0={s0}$"),
        dashed("L", rows["L"], "Depth (B)", label=lambda L: f"$L={L}$"),
    )
    return mosaic(
        [
            _learning_curves(own, threshold),
            _against(rows, "m", Axis("synonyms $m$", log=True, ticks=_ticks(rows["m"])), by),
            _against(rows, "L", Axis("depth $L$", ticks=_ticks(rows["L"])), by[:2]),
        ],
        columns=3, preset=preset, notes=_notes(own, rows),
    )  # fmt: skip


def _ticks(values: pd.Series) -> dict[float, str]:
    return {value: str(value) for value in sorted(set(values))}


def _learning_curves(cells: pd.DataFrame, threshold: float) -> Panel:
    """A: mean over seeds with the range, a line for each series."""
    keys = [*GRAMMAR, "alpha_tilde"]
    counts = cells.groupby(keys).agg(series=("series", "nunique"), P=("P", "nunique"))
    order = counts.reset_index().sort_values(["series", "P", "L", "m"], ascending=False)
    example = cells.merge(order.head(1)[keys])
    means = example.assign(unfitted=example["status"] != "fitted").groupby(
        ["series", "P"], as_index=False
    ).agg(error=("test_error", "mean"), low=("test_error", "min"), high=("test_error", "max"),
          unfitted=("unfitted", "any"))  # fmt: skip
    words = "".join(
        f"$L={one.L:g}$, $m={one.m:g}$, $s_0={one.s0:g}$" for one in order.head(1).itertuples()
    )
    return Panel(
        title=words, x=Axis("training points $P$", log=True),
        y=Axis("test error $\\varepsilon$", limits=(-0.02, 1)),
        marks=[
            Marks(rows=means, x="P", y="error", low="low", high="high", open="unfitted", line="-",
                  by=[by_name("series", means["series"], LOOKS, "Training")], size=3.5,
                  open_label="not all fitted"),
            level(threshold, "threshold of $P^*$", line="--", name="threshold"),
        ],
    )  # fmt: skip


def _against(rows: pd.DataFrame, column: str, axis: Axis, by: Sequence[Scale]) -> Panel:
    """B, C: P* against one parameter of the grammar, lines through those that differ in it.

    Points are moved a little, so that those of two series do not hide each other.
    """
    grammar = [name for name in GRAMMAR if name != column]
    rows = rows[rows.groupby(["series", *grammar])[column].transform("nunique") > 1]
    step = rows["series"].map({name: i - 1 for i, name in enumerate(SERIES)}).astype(float)
    place = rows[column] * 1.025**step if column == "m" else rows[column] + 0.05 * step
    reached, late = rows["status"] == "reached", rows["status"] == "not_reached"
    bound = rows["P_star_low"].where(late, rows["P_star_high"])
    bound = bound.where((bound > 0) & np.isfinite(bound))
    law = rows["n_c"] * rows["m"].astype(float) ** rows["L"]
    rows = rows.assign(
        place=place, law=law, P_star=rows["P_star"].where(reached, bound),
        small_pool=rows["small_pool"].astype(bool), censored=~reached,
        beyond=late.map({True: ABOVE, False: BELOW}).where(~reached, 0),
    )  # fmt: skip
    known = Marks(
        rows=rows[reached], x="place", y="P_star", low="P_star_low", high="P_star_high", by=by,
        each=[name for name in grammar if name not in ("s0", "L")], line="-", size=4.5,
        open="small_pool", name="P*", open_label="above a tenth of the distinct data",
    )  # fmt: skip
    censored = Marks(
        rows=rows[~reached], x="place", y="P_star", by=by[:2], open="censored", size=4.5,
        beyond="beyond", name="bound of P*", arrow_label="$P^*$ lies",
    )  # fmt: skip
    laws_of = rows.drop_duplicates([*grammar, column])
    guide = replace(laws(laws_of, column, "law", "$n_c m^L$", line=":", name="law"), each=grammar)
    ends = (0.8 * float(law.min()), None) if len(law) else (None, None)
    return Panel(
        title=f"against ${column}$", x=axis, marks=[known, censored, guide],
        y=Axis("sample complexity $P^*$", log=True, limits=ends),
    )  # fmt: skip


def _notes(cells: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Widths, alpha_tilde, seeds, unfitted cells and slopes of B, for each series."""
    found = []
    for name in SERIES:
        part = cells[cells["series"] == name]
        if part.empty:
            continue
        n_seeds = part["seed"].nunique()
        counts = part["status"].value_counts().to_dict()
        unfitted = ", ".join(f"{counts[s]} {s}" for s in ("capped", "diverged") if s in counts)
        found.append(
            f"{LOOKS[name].label}: {', '.join(sorted(set(part['net']))).upper()},"
            f" h = {_listed(part['width'])}, α̃ = {_listed(part['alpha_tilde'])},"
            f" {', '.join(sorted(set(part['optimiser'])))}, {n_seeds} {plural('seed', n_seeds)},"
            f" {len(part)} cells" + (f" ({unfitted})" if unfitted else "") + _slopes(rows, name)
            + "."
        )  # fmt: skip
    return found


def _slopes(rows: pd.DataFrame, series: str) -> str:
    """Fitted slopes of log P* on log m at each L."""
    parts = []
    for depth in sorted(set(rows["L"].tolist())):
        own = chosen(rows, {"series": series, "L": depth})
        fit = GROWTH(against="m").fit(counted(own)[0])
        if fit.n:
            half = f" ± {fit.high - fit.slope:.1f}" if isfinite(fit.high) else ""
            parts.append(f"{fit.slope:.1f}{half} (L = {depth})")
    return f"; slope of log P* on log m {', '.join(parts)}" if parts else ""


def _listed(values: pd.Series) -> str:
    return ", ".join(f"{value:g}" for value in sorted(set(values.tolist())))
