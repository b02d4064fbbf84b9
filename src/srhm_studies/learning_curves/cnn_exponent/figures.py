"""The CNN's exponents of s_0+1: of each grammar, and means."""

import pandas as pd
import pyarrow as pa
from matplotlib.figure import Figure

from srhm.figures.looks import BLACK, BLUE, GREY, ORANGE, PURPLE, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import Scale, ranks
from srhm.statistics.exponents_of_grammars import (
    OF_GRAMMAR,
    complexities_of_grammars,
    mean_exponents,
    powers,
)
from srhm.store.tables import CELLS

# of: "all" s_0 > 0, "1 to 2" or "2 to 3".
EXPONENTS = pa.schema(
    [
        *(CELLS.field(name) for name in ("width", "learning_rate", *OF_GRAMMAR)),
        *(("of", pa.string()), ("exponent", pa.float64())),
    ]
)
STEPS = {"1 to 2": (1, 2), "2 to 3": (2, 3)}


def exponents(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Rows of EXPONENTS; a grammar of which a P* is censored has none with it."""
    stars = complexities_of_grammars(cells, threshold=threshold)
    networks = cells.drop_duplicates("curve")[["curve", "width", "learning_rate"]]
    stars = stars.merge(networks, on="curve")
    parts = [stars.assign(of="all")]
    parts += [stars[stars["s0"].isin(pair)].assign(of=name) for name, pair in STEPS.items()]
    return powers(pd.concat(parts), "P_star", by=EXPONENTS.names[:-1])


WIDTHS = Scale(column="width", title="channels", looks={
    128: Look("128", BLUE, "o"), 512: Look("512", ORANGE, "s"),
})  # fmt: skip
RATES = Scale(column="learning_rate", title="mean, learning rate", looks={
    0.001: Look("0.001", BLACK, "o"), 0.0003: Look("0.0003", GREY, "D"),
})  # fmt: skip
WORDS = {"all": "1 to 3", **{name: name for name in STEPS}}


def cnn_exponent(exponents: pd.DataFrame, *, preset: str) -> Figure:
    """Exponents at L = 4, of all s_0 and of two steps; exponents at L = 2 against v, by width."""
    means = mean_exponents(exponents, by=("width", "L", "v", "of"))
    deep = exponents[exponents["L"] == 4]
    return mosaic([
        _deep(mean_exponents(deep, by=("of", "learning_rate")), deep),
        _vocabularies(means[means["L"] == 2], exponents[exponents["L"] == 2]),
    ], columns=2, preset=preset, height=2.8)  # fmt: skip


def _deep(means: pd.DataFrame, grammars: pd.DataFrame) -> Panel:
    by_v = {v: Look(f"$v={v}$", PURPLE, marker)
            for v, marker in zip(sorted(set(grammars["v"])), "^v", strict=False)}  # fmt: skip

    def placed(table: pd.DataFrame, shift: float | pd.Series = 0.0) -> pd.DataFrame:
        slower = 0.3 * ranks(-table["learning_rate"])
        return table.assign(x=ranks(table["of"], WORDS) + slower + shift)

    return Panel(
        title="$L=4$", x=Axis("$s_0$", ticks=dict(zip((-1, 0, 1), WORDS.values(), strict=True))),
        y=Axis("exponent of $s_0+1$"),
        marks=[
            Marks(rows=placed(grammars, 0.12 * ranks(grammars["v"])), x="x", y="exponent", size=3,
                  alpha=0.5, by=[Scale(column="v", title="single grammar", looks=by_v)],
                  name="grammar"),
            Marks(rows=placed(means), x="x", y="exponent", low="low", high="high", by=[RATES],
                  size=5, name="exponent", bar_label="95 % interval over grammars"),
            law([-1, 1], [2, 2], "Eq. 4", name="law", line=":"),
        ] if len(means) else [],
    )  # fmt: skip


def _vocabularies(means: pd.DataFrame, grammars: pd.DataFrame) -> Panel:
    def placed(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(x=table["v"] + 0.2 * ranks(table["width"]))

    sizes = sorted({int(v) for v in means["v"]})
    ends = [sizes[0], sizes[-1]] if sizes else []
    return Panel(
        title="$L=2$", x=Axis("$v$", ticks=sizes), y=Axis("exponent of $s_0+1$, $s_0=1$ to $4$"),
        marks=[
            Marks(rows=placed(grammars), x="x", y="exponent", alpha=0.25, size=2.5, by=[WIDTHS],
                  name="grammar"),
            Marks(rows=placed(means), x="x", y="exponent", low="low", high="high", by=[WIDTHS],
                  size=5, name="exponent", bar_label="95 % interval over grammars"),
            law(ends, [2.0 for _ in ends], "Eq. 4", name="law", line=":"),
            law(ends, [1.0 for _ in ends], "counting", name="counting", line="--"),
        ] if len(means) else [],
    )  # fmt: skip
