"""Our own figure: what each choice of the practice does to the sample complexity.

The practice is how the published figures were made where it differs from the text: whitened input,
biases, balanced batches with a table of rates, the best test error over training (deviations.md).
Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places, v features.
"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import empty_places, first_shape, with_ends
from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, ORANGE, Look
from srhm.figures.marks import curves_and_seeds
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale
from srhm.figures.selection import FAST_ENGINE, at_threshold, text_protocol
from srhm.results.coordinates import NET_AND_DATA
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule

NET, BRANCHING, DEPTHS = "cnn", 2, (2, 3)
# Column, its value in the practice, its name.
CHOICES = (
    ("whitening", True, "whitened input"),
    ("bias", True, "biases"),
    ("batch", "balanced", "balanced batches,\nrate table"),
)
TEXT, ALL = "the text", "all three"
# Whitening and biases need another engine; the reference without them is a check of the fast one.
REFERENCE = ",\nreference engine"
CRITERIA = Scale(column="criterion", title="$P^*$ from", looks={
    "test_error": Look("the error at the stop", BLUE),
    "best_test_error": Look("the best error over training", ORANGE),
})  # fmt: skip
POINT, ROOM = 0.045, 0.9  # inches: a point; titles and labels of the axes
LEAST = 8  # points for which a row has room
SPREAD = 0.8  # part of a row that its points take


@styled
def draw(
    sample_complexity: pd.DataFrame,
    *,
    width: int,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """P* of the CNN under each choice of the practice, divided by that of the text's protocol.

    Both P* at this threshold, the divisor that of the error at the stop; s = 2, n_c = v,
    m = v^(s-1), sparsity A, this width. A panel for each L, a row for each choice that the table
    holds, a point for each curve and criterion; bars are the interval of the numerator alone.
    `rule` made the table.
    """
    tables = [_rows(at_threshold(sample_complexity, threshold, criterion=one), width)
              for one in CRITERIA.looks]  # fmt: skip
    rows = pd.concat(tables, ignore_index=True)
    known = rows[rows["curve"].isin(_compared(rows))]
    text = text_protocol(tables[0], width=width)
    text = text[text["status"] == "reached"].rename(columns={"P_star": "unit"})
    # The text's own error at the stop over itself is 1.
    known = known[(known["choice"] != TEXT) | (known["criterion"] != "test_error")]
    both = known.merge(text[[*NET_AND_DATA, "unit"]], on=list(NET_AND_DATA))
    names = list(dict.fromkeys(both.sort_values("rank")["choice"]))
    drawn = with_ends(both, unit=both["unit"])
    rows_of = drawn.groupby(["choice", "L"]).size().groupby("choice").max().clip(lower=LEAST)
    sizes = rows_of.reindex(names).astype(float)
    centres = sizes.cumsum() - sizes / 2
    drawn = _placed(drawn, sizes, centres)
    lost = len(known) - len(both)
    shape = first_shape(drawn)
    panels = [_panel(drawn[drawn["L"] == depth], depth, centres, sizes.sum(), rule, shape)
              for depth in DEPTHS]  # fmt: skip
    notes = [f"CNN, L = {depth}, v = {', '.join(map(str, sorted(set(own['v']))))}:"
             f" {curves_and_seeds(own)}." for depth, own in drawn.groupby("L")]  # fmt: skip
    if lost:
        notes.append(f"{lost} P* are left out, as the text's P* is censored.")
    height = POINT * max(sizes.sum(), 3 * LEAST) + ROOM
    return mosaic(panels, columns=2, preset=preset, height=height, notes=notes, share="y")


def _rows(table: pd.DataFrame, width: int) -> pd.DataFrame:
    """Curves of the figure with the name and the rank of their choice."""
    rows = table[
        (table["net"] == NET)
        & (table["s"] == BRANCHING)
        & (table["sparsity"] == "A")
        & (table["width"] == width)
        & (table["n_c"] == table["v"])
        & (table["m"] == table["v"] ** (table["s"] - 1))
    ]
    named = [_choice(row) for _, row in rows.iterrows()]
    return rows.assign(rank=[rank for rank, _ in named], choice=[name for _, name in named])


def _choice(row: pd.Series) -> tuple[int, str]:
    """Rank from top to bottom and name: the text, each choice, their combinations, all."""
    made = [i for i, (column, value, _) in enumerate(CHOICES) if row[column] == value]
    name = " +\n".join(CHOICES[i][2] for i in made) or TEXT
    if len(made) == len(CHOICES):
        name = ALL
    other = row["engine"] != FAST_ENGINE and not {0, 1} & set(made)
    rank = 100 * len(made) + 10 * sum(made) + int(other)
    return rank, name + REFERENCE if other else name


def _compared(rows: pd.DataFrame) -> set[str]:
    """Names of the curves whose data model was learnt in another way than the text's too."""
    kinds = rows.groupby(list(NET_AND_DATA))["choice"].transform("nunique")
    return set(rows["curve"][kinds > 1])


def _placed(rows: pd.DataFrame, sizes: pd.Series, centres: pd.Series) -> pd.DataFrame:
    """With place: in the row of the choice, side by side in the order of criterion, v, s_0."""
    rows = rows.assign(late=rows["criterion"] != "test_error").sort_values(["late", "v", "s0"])
    groups = rows.groupby(["L", "choice"])
    aside = (groups.cumcount() + 0.5) / groups["late"].transform("size") - 0.5
    size, centre = (rows["choice"].map(one).astype(float) for one in (sizes, centres))
    return rows.assign(place=centre + SPREAD * aside * size)


def _panel(
    rows: pd.DataFrame, depth: int, centres: pd.Series, end: float, rule: IntervalRule, shape: str
) -> Panel:
    """One L: points in the row of their choice; shape: of the entry in the legend."""
    ends: dict[str, Any] = {"x_low": "y_low", "x_high": "y_high", "x_beyond": "y_beyond"}
    marks = Marks(
        rows=rows, x="y", y="place", by=[CRITERIA, empty_places(rows["s0"])], name="ours",
        label=f"a curve; bar: {100 * rule.confidence:.3g} % interval", marker=shape, sort=False,
        arrow_label="censored: $P^*$", neutral=True, **ends,
    )  # fmt: skip
    ticks = {float(at): str(name) for name, at in centres.items()}
    return Panel(
        title=f"CNN, $L={depth}$",
        marks=[marks, level(1, "$P^*$ of the text", name="text", line="--", across="y")],
        x=Axis("$P^*$ in units of the text's $P^*$", log=True),
        y=Axis(limits=(end, 0), ticks=ticks),
    )  # fmt: skip
