"""The first step of gradient descent: signal, noise, and what groups together (appendix C).

Letters of the paper: P training points, L depth, s_0 empty places for each informative one, v
features, m synonyms, n_c classes.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import shape
from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREEN, PURPLE, VERMILION, Look
from srhm.figures.marks import between, plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level, levels
from srhm.figures.scales import Scale, by_name, graded
from srhm.results.coordinates import GRAMMAR
from srhm.studies.first_step.scaling import (
    all_data_ratio,
    equal_points,
    exponent,
    grouping_ratio,
    over_seeds,
)

LAW = "(s_0+1)^L n_c m^L"
NETS = {
    "lcn": Look("LCN", line="-", filled=True), "cnn": Look("CNN", line="--", filled=False)
}  # fmt: skip
DEPTHS = {1: Look("$1$", GREEN), 2: Look("$2$", VERMILION), 3: Look("$3$", BLUE),
          4: Look("$4$", PURPLE)}  # fmt: skip
# What an exponent is measured of: column, letter, and what Eq. 3 (LCN) and Eq. 4 (CNN) expect.
MEASURED = (
    ("s0+1", "s_0+1", ("L", "2")),
    ("m", "m", ("L", "L")),
    ("n_c", "n_c", ("1", "1")),
)
SHIFT = 0.16  # of the rows of LCN and CNN


@styled
def draw(first_step: pd.DataFrame, *, preset: str) -> Figure:
    """Signal and noise of the first layer's update, from the table of the first step.

    A, B: noise over signal against P, LCN and CNN, for the grammars that differ in s_0 alone. C:
    the P at which they are equal against the law of appendix C. D: fitted exponents beside those of
    Eq. 3 and 4. E, F: variance between synonyms of a latent, and between placements of a tuple,
    over that between latents, against P over the law; both below 1 where they group together.
    """
    table = first_step[first_step["n_equal"] > 0]
    points = equal_points(table)
    places = graded("s0", table["s0"], "Empty places", label=lambda s0: f"$s_0={s0}$",
                    palette="flare")  # fmt: skip
    shaped = {s0: Look(one.label, one.colour, shape(s0))
              for s0, one in places.looks.items()}  # fmt: skip
    places = Scale(column="s0", looks=shaped, title=places.title)
    by_synonyms = _differing(table, "m")
    synonyms = graded("m", by_synonyms["m"], "Synonyms (E)", label=lambda m: f"$m={m}$")
    of_places = _differing(table[table["s0"] > 0], "s0")
    panels = [
        *(_noise(_differing(table[table["net"] == net], "s0"), points, net, places)
          for net in NETS),
        _against_law(over_seeds(points), places, _seeds(table)),
        _exponents(points),
        _grouping(by_synonyms, "synonyms", synonyms),
        _grouping(of_places, "placements", places),
    ]  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def _differing(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of the grammars that differ in this column alone: most values of it, then least L."""
    rest = [name for name in GRAMMAR if name != column]
    if table.empty:
        return table
    counts = table.groupby(rest)[column].nunique().rename("n").reset_index()
    best = counts.sort_values(["n", "L", "v"], ascending=[False, True, False]).head(1)
    return table.merge(best[rest])


def _title(rows: pd.DataFrame) -> str:
    """What the grammars of a panel share."""
    parts = [
        f"{letter}={rows[name].iloc[0]}"
        for name, letter in (("L", "L"), ("v", "v"), ("s0", "s_0"))
        if rows[name].nunique() == 1
    ]
    return f", ${', '.join(parts)}$" if parts else ""


def _seeds(table: pd.DataFrame) -> str:
    if table.empty:
        return ""
    n = table.groupby(["net", *GRAMMAR])["seed"].nunique()
    return f", {between(n)} {plural('seed', int(n.max()))}"


def _means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Geometric mean, least and most over seeds of `ratio`, and `law` of the grammar."""
    rows = rows.assign(
        log=np.log(rows["ratio"].astype(float)),
        law=(rows["s0"] + 1) ** rows["L"] * rows["n_c"] * rows["m"] ** rows["L"],
    )
    found = rows.groupby([*by, "law", "P"])["log"].agg(["mean", "min", "max"])
    return found.map(np.exp).reset_index()


def _noise(rows: pd.DataFrame, points: pd.DataFrame, net: str, places: Scale) -> Panel:
    """A, B: noise over signal, a line for each s_0; P where it is 1 for independent points."""
    means = _means(rows.assign(ratio=rows["noise"] / rows["signal"]), ["s0"])
    equal = over_seeds(points).merge(rows[["net", *GRAMMAR]].drop_duplicates()).assign(one=1.0)
    shapes = {s0: Look("", BLACK, look.marker) for s0, look in places.looks.items()}
    return Panel(
        title=f"{net.upper()}{_title(rows)}", x=Axis("training points $P$", log=True),
        y=Axis("noise / signal of the update", log=True),
        marks=[
            Marks(rows=means, x="P", y="mean", low="min", high="max", by=[places], line="-",
                  size=3.5, name="noise"),
            Marks(rows=equal, x="n_equal", y="one", filled=False, order=4, name="equal",
                  colour=BLACK, by=[Scale(column="s0", looks=shapes, named=False)],
                  label="equal for independent points"),
            level(1, "equal ($y=x$ in C)", line="--", name="signal"),
        ],
    )  # fmt: skip


def _against_law(means: pd.DataFrame, places: Scale, seeds: str) -> Panel:
    """C: a marker for each net and grammar with its interval; filled LCN, open CNN."""
    ends = [means["law"].min() / 1.5, means["law"].max() * 1.5] if len(means) else []
    shapes = {s0: Look("", marker=look.marker) for s0, look in places.looks.items()}
    by = [by_name("L", means["L"], DEPTHS, "$L$"), by_name("net", means["net"], _fills()),
          Scale(column="s0", looks=shapes, named=False)]  # fmt: skip
    return Panel(
        title=f"all grammars{seeds}", x=Axis(f"${LAW}$", log=True),
        y=Axis("$P$ where noise = signal", log=True),
        marks=[
            Marks(rows=means, x="law", y="n_equal", low="low", high="high", by=by, name="point"),
            law(ends, ends, "equal ($y=x$ in C)", name="y = x"),
        ],
    )  # fmt: skip


def _fills() -> dict[str, Look]:
    """Nets by fill, where they have no line."""
    return {net: Look(f"{look.label} (C, D)", filled=look.filled) for net, look in NETS.items()}


def _exponents(points: pd.DataFrame) -> Panel:
    """D: a row for each letter and L, LCN above CNN; ticks where Eq. 3 and 4 have them."""
    names: list[str] = []
    found = []
    for of, letter, laws in MEASURED:
        for depth in sorted(set(points["L"].tolist())):
            fits = {net: exponent(points, net=net, of=of, depth=depth) for net in NETS}
            if not any(fit.n for fit in fits.values()):
                continue
            for (net, fit), sign, wanted in zip(fits.items(), (-1, 1), laws, strict=True):
                if fit.n:
                    expected = depth if wanted == "L" else float(wanted)
                    found.append({"net": net, "L": depth, "of": of, "slope": fit.slope,
                                  "place": len(names) + sign * SHIFT, "law": expected,
                                  "low": fit.low, "high": fit.high})  # fmt: skip
            names.append(f"${letter}$")
    columns = ["net", "L", "of", "slope", "place", "law", "low", "high"]
    rows = pd.DataFrame(found, columns=columns)
    known = rows[np.isfinite(rows["low"].astype(float))]
    ends = pd.concat([known.assign(end=known[side]) for side in ("low", "high")])
    depths = by_name("L", rows["L"], DEPTHS, "$L$")
    return Panel(
        title="exponents", x=Axis("exponent in $P$ where noise = signal"),
        y=Axis(ticks=dict(enumerate(names)), limits=(len(names) - 0.5, -0.5)),
        marks=[
            Marks(rows=ends, x="end", y="place", by=[depths], each=["place"], line="-", marker="",
                  width=1.2, name="interval"),
            Marks(rows=rows, x="slope", y="place", by=[depths, by_name("net", rows["net"],
                  _fills())], each=["of"], name="exponent"),
            Marks(rows=rows, x="law", y="place", marker="|", size=9, colour=BLACK, name="law",
                  label="Eq. 3 (LCN), Eq. 4 (CNN)"),
        ],
    )  # fmt: skip


def _grouping(rows: pd.DataFrame, kind: str, by: Scale) -> Panel:
    """E, F: a variance over that between latents; full LCN, dashed CNN, dotted all data."""
    means = _means(rows.assign(ratio=grouping_ratio(rows, kind)), ["net", by.column])
    means = means.assign(x=means["P"] / means["law"])
    whole = pd.DataFrame(
        [
            {by.column: value, "all": all_data_ratio(own)}
            for value, own in rows[rows["net"] == "lcn"].groupby(by.column)
            if kind == "synonyms"
        ],
        columns=[by.column, "all"],
    )
    return Panel(
        title=f"{kind}{_title(rows)}", x=Axis(f"$P$ / ${LAW}$", log=True),
        y=Axis(f"variance: {kind} / latents", log=True),
        marks=[
            Marks(rows=means, x="x", y="mean", by=[by, by_name("net", means["net"], NETS)],
                  line="-", size=3.5, name=kind),
            levels(whole, "all", "all data (E)", by=[by], name="all data", line=":"),
            level(1, "equal ($y=x$ in C)", line="--", name="grouped"),
        ],
    )  # fmt: skip
