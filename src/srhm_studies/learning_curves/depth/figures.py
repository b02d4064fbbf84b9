"""P* against s_0+1 at several L, and its exponents: at s_0 > 0, and from one s_0 to the next."""

import pandas as pd
import pyarrow as pa
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import over_dense_law, unknown
from srhm.figures.looks import BLACK, GREEN, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws
from srhm.figures.scales import Scale, ranks
from srhm.model.theory import predicted
from srhm.statistics.exponents_of_grammars import (
    OF_GRAMMAR,
    complexities_of_grammars,
    mean_exponents,
    powers,
)
from srhm.store.tables import CELLS

# of: "all" s_0 > 0, "0 to 1" or "1 to 2".
EXPONENTS = pa.schema([
    *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
    *(("of", pa.string()), ("exponent", pa.float64())),
])  # fmt: skip
STEPS = {"0 to 1": (0, 1), "1 to 2": (1, 2)}


def exponents(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Rows of EXPONENTS; a grammar of which a P* is censored has none with it."""
    rows, by = complexities_of_grammars(cells, threshold=threshold), ["net", *OF_GRAMMAR, "of"]
    parts = [rows[rows["s0"] > 0].assign(of="all")]
    parts += [rows[rows["s0"].isin(pair)].assign(of=name) for name, pair in STEPS.items()]
    return powers(pd.concat(parts), "P_star", by=by)[EXPONENTS.names]


NETS = ("cnn", "lcn")
DEPTHS = Scale(column="L", title="$L$", looks={
    2: Look("$2$", GREEN, "o"), 3: Look("$3$", VERMILION, "s"), 4: Look("$4$", PURPLE, "D"),
})  # fmt: skip
WORDS = {"all": "$s_0>0$", **{name: f"$s_0$: {name}" for name in STEPS}}
SHAPES = Scale(column="of", title="Exponents", looks={
    s0: Look(words, marker=marker) for (s0, words), marker in zip(WORDS.items(), "oP^", strict=True)
})  # fmt: skip
LAW = "Eq. 3 (LCN), Eq. 4 (CNN)"


def depth(
    sample_complexity: pd.DataFrame, exponents: pd.DataFrame, *, preset: str, threshold: float
) -> Figure:
    """A column for each net: P* over n_c m^L against s_0+1, and its exponents against L."""
    rows = over_dense_law(sample_complexity, threshold=threshold)
    predictions = pd.Series([predicted(row) for _, row in rows.iterrows()], rows.index, float)
    rows = rows.assign(x=rows["s0"] + 1, law=predictions / (rows["n_c"] * rows["m"] ** rows["L"]))
    means = mean_exponents(exponents, by=("net", "L", "of"))
    means, single = (table.assign(x=table["L"] + 0.14 * ranks(table["of"], (*STEPS, "all")))
                     for table in (means, exponents))  # fmt: skip
    panels = []
    for net in NETS:
        stars = rows[rows["net"] == net]
        features = Scale(column="v", title="$v$", looks={
            v: Look(f"${v}$", line=line)
            for v, line in zip(sorted(set(stars["v"])), ("-", "--", "-."), strict=False)
        })  # fmt: skip
        panels.append(Panel(
            title=looks.net(net).label, x=Axis("$s_0+1$", log=True, ticks=(1, 2, 3, 4)),
            y=Axis("$P^*/(n_c m^L)$", log=True), marks=[
                Marks(rows=stars, x="x", y="y", low="y_low", high="y_high", beyond="y_beyond",
                      by=[features, DEPTHS], line="-", name="P*",
                      bar_label="95 % interval over seeds or grammars",
                      arrow_label="censored: $P^*$ is"),
                laws(stars, "x", "law", LAW, name="law", line=":",
                     by=[DEPTHS] if net == "lcn" else []),
            ] if len(stars) else [],
        ))  # fmt: skip
    for net in NETS:
        alone, powers = (table[table["net"] == net] for table in (single, means))
        depths = sorted({int(L) for L in powers["L"]})
        panels.append(Panel(
            title=f"{looks.net(net).label}: exponents of $s_0+1$", x=Axis("$L$", ticks=depths),
            y=Axis("exponent of $s_0+1$"), marks=[
                Marks(rows=alone, x="x", y="exponent", alpha=0.25, size=2.5, colour=BLACK,
                      name="grammar", label="single grammar"),
                Marks(rows=powers, x="x", y="exponent", low="low", high="high", colour=BLACK,
                      by=[SHAPES], name="power", size=5),
                law(depths, [2.0 if net == "cnn" else float(L) for L in depths], LAW, name="law",
                    line=":"),
            ] if len(powers) else [],
        ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, height=2.8,
                  notes=[*unknown(rows), *_left_out(rows, exponents)])  # fmt: skip


def _left_out(rows: pd.DataFrame, single: pd.DataFrame) -> list[str]:
    """A note on grammars that have no exponent at s_0 > 0, as one of their P* is censored."""
    words = []
    for (net, depth), stars in rows[rows["s0"] > 0].groupby(["net", "L"]):
        n = int(stars.groupby("v")["n_seeds"].min().sum())
        same = (single["net"] == net) & (single["L"] == depth) & (single["of"] == "all")
        if lacking := n - int(same.sum()):
            words.append(f"{looks.net(str(net)).label}, L = {depth}: {lacking} of {n}")
    note = f"Grammars without an exponent at s_0 > 0, as a P* is censored: {'; '.join(words)}."
    return [note] if words else []
