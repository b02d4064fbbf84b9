"""The first step of gradient descent: signal, noise, and what groups together (appendix C)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean, spread
from srhm.figures.complexity_marks import shape
from srhm.figures.looks import BLACK, BLUE, GREEN, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, equality, level, levels
from srhm.figures.scales import Scale, by_name, graded
from srhm.figures.words import several
from srhm.model.grammar import GRAMMAR
from srhm.plane.first_step import analysis as scaling

LAW = "(s_0+1)^L n_c m^L"
NETS = {"lcn": Look("LCN", line="-", filled=True), "cnn": Look("CNN", line="--", filled=False)}
# Nets by fill, where they have no line.
FILLS = {net: Look(f"{look.label} (C, D)", filled=look.filled) for net, look in NETS.items()}
DEPTHS = {1: Look("$1$", GREEN), 2: Look("$2$", VERMILION), 3: Look("$3$", BLUE),
          4: Look("$4$", PURPLE)}  # fmt: skip
# What an exponent is measured of: column, letter, and what Eq. 3 (LCN) and Eq. 4 (CNN) expect.
MEASURED = (("s0+1", "s_0+1", ("L", "2")), ("m", "m", ("L", "L")), ("n_c", "n_c", ("1", "1")))
SHIFT = 0.16  # of the rows of LCN and CNN
EQUAL = "equal ($y=x$ in C)"


def first_step(first_step: pd.DataFrame, *, preset: str) -> Figure:
    """Signal and noise of the first layer's update, and what groups together.

    A, B, F: the grammars that differ in s_0 alone; E: in m alone.
    """
    table = first_step[first_step["n_equal"] > 0]
    points, by_synonyms = scaling.equal_points(table), _differing(table, "m")
    shades = graded("s0", table["s0"], label=lambda s0: f"$s_0={s0}$", palette="flare")
    places = Scale(column="s0", title="Empty positions", looks={
        s0: Look(shade.label, shade.colour, shape(s0)) for s0, shade in shades.looks.items()
    })  # fmt: skip
    synonyms = graded("m", by_synonyms["m"], "Synonyms (E)", label=lambda m: f"$m={m}$")
    seeds = table.groupby(["net", *GRAMMAR])["seed"].nunique()
    counted = f", {several(seeds, 'seed')}" if len(table) else ""
    return mosaic([
        *(_noise(_differing(table[table["net"] == net], "s0"), points, net, places)
          for net in NETS),
        _against_law(scaling.over_seeds(points), places, counted),
        _exponents(points),
        _grouping(by_synonyms, "synonyms", synonyms),
        _grouping(_differing(table[table["s0"] > 0], "s0"), "placements", places),
    ], columns=3, preset=preset)  # fmt: skip


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
    parts = [f"{letter}={rows[name].iloc[0]}" for name, letter in
             (("L", "L"), ("v", "v"), ("s0", "s_0")) if rows[name].nunique() == 1]  # fmt: skip
    return f", ${', '.join(parts)}$" if parts else ""


def _means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Geometric mean, least and most over seeds of `ratio`, and `law` of the grammar."""
    law = (rows["s0"] + 1) ** rows["L"] * rows["n_c"] * rows["m"] ** rows["L"]
    return spread(rows.assign(law=law), "ratio", [*by, "law", "P"], geometric=True)


def _noise(rows: pd.DataFrame, points: pd.DataFrame, net: str, places: Scale) -> Panel:
    """A, B: noise over signal, a line for each s_0; P where it is 1 for independent points."""
    means = _means(rows.assign(ratio=rows["noise"] / rows["signal"]), ["s0"])
    equal = (
        scaling.over_seeds(points).merge(rows[["net", *GRAMMAR]].drop_duplicates()).assign(one=1.0)
    )
    return Panel(
        title=f"{net.upper()}{_title(rows)}", x=POINTS,
        y=Axis("noise / signal of the update", log=True), marks=[
            Marks(rows=means, x="P", y="ratio", low="low", high="high", by=[places], line="-",
                  size=3.5, name="noise"),
            Marks(rows=equal, x="n_equal", y="one", filled=False, order=4, name="equal",
                  colour=BLACK, by=[places.without("colour")],
                  label="equal for independent points"),
            level(1, EQUAL, line="--", name="signal"),
        ],
    )  # fmt: skip


def _against_law(means: pd.DataFrame, places: Scale, seeds: str) -> Panel:
    """C: a marker for each net and grammar with its interval; filled LCN, open CNN."""
    by = [by_name("L", means["L"], DEPTHS, "$L$"), by_name("net", means["net"], FILLS),
          places.without("colour")]  # fmt: skip
    return Panel(
        title=f"all grammars{seeds}", x=Axis(f"${LAW}$", log=True),
        y=Axis("$P$ where noise = signal", log=True), marks=[
            Marks(rows=means, x="law", y="n_equal", low="low", high="high", by=by, name="point"),
            equality(means["law"], room=1.5, label=EQUAL),
        ],
    )  # fmt: skip


def _exponents(points: pd.DataFrame) -> Panel:
    """D: a row for each letter and L, LCN above CNN; ticks where Eq. 3 and 4 have them."""
    names: list[str] = []
    fitted = []
    for parameter, letter, laws in MEASURED:
        for depth in sorted(set(points["L"].tolist())):
            fits = [scaling.exponent(points, net=net, of=parameter, depth=depth) for net in NETS]
            fitted += [
                {"net": net, "L": depth, "of": parameter, "slope": fit.slope, "low": fit.low,
                 "high": fit.high, "place": len(names) + sign * SHIFT,
                 "law": depth if wanted == "L" else float(wanted)}
                for net, fit, sign, wanted in zip(NETS, fits, (-1, 1), laws, strict=True) if fit.n
            ]  # fmt: skip
            names += [f"${letter}$"] if any(fit.n for fit in fits) else []
    columns = ["net", "L", "of", "slope", "place", "law", "low", "high"]
    rows = pd.DataFrame(fitted, columns=columns).astype({"low": float, "high": float})
    by = [by_name("L", rows["L"], DEPTHS, "$L$"), by_name("net", rows["net"], FILLS)]
    return Panel(
        title="exponents", x=Axis("exponent in $P$ where noise = signal"),
        y=Axis(ticks=dict(enumerate(names)), limits=(len(names) - 0.5, -0.5)), marks=[
            Marks(rows=rows, x="slope", y="place", x_low="low", x_high="high", by=by, each=["of"],
                  name="exponent"),
            Marks(rows=rows, x="law", y="place", marker="|", size=9, colour=BLACK, name="law",
                  label="Eq. 3 (LCN), Eq. 4 (CNN)"),
        ],
    )  # fmt: skip


def _grouping(rows: pd.DataFrame, kind: str, by: Scale) -> Panel:
    """E, F: a variance over that between latents; full LCN, dashed CNN, dotted all data."""
    noise = {"synonyms": "synonym_noise", "placements": "placement_noise"}[kind]
    ratio = rows[noise] / rows["latent_signal"]
    means = _means(rows.assign(ratio=ratio), ["net", by.column])
    means = means.assign(x=means["P"] / means["law"])
    whole = pd.DataFrame([
        {by.column: value,
         "all": geometric_mean(table["all_synonym_noise"] / table["all_latent_signal"])}
        for value, table in rows[rows["net"] == "lcn"].groupby(by.column) if kind == "synonyms"
    ], columns=[by.column, "all"])  # fmt: skip
    return Panel(
        title=f"{kind}{_title(rows)}", x=Axis(f"$P$ / ${LAW}$", log=True),
        y=Axis(f"variance: {kind} / latents", log=True), marks=[
            Marks(rows=means, x="x", y="ratio", by=[by, by_name("net", means["net"], NETS)],
                  line="-", size=3.5, name=kind),
            levels(whole, "all", "all data (E)", by=[by], name="all data", line=":"),
            level(1, EQUAL, line="--", name="grouped"),
        ],
    )  # fmt: skip
