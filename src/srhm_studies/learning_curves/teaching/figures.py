"""P* of networks that are taught an invariance."""

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean, mean_line
from srhm.figures.complexity_marks import depths, empty_places, net_colours, stars, with_ends
from srhm.figures.looks import BLACK, BLUE, GREY, ORANGE, SHIFTS, SKY, SYNONYMS, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import STAR, Axis, Marks, Panel, equality, laws, level
from srhm.figures.scales import Scale, by_name, shaped
from srhm_studies.learning_curves.teaching.analysis import CURVE, borrowed, deficits, taught

TAUGHT = {
    "nothing": Look("nothing", BLACK, "o"),
    "synonyms": Look("synonyms", SYNONYMS, "^"),
    "places": Look("positions", SHIFTS, "s"),
    "both": Look("both", BLUE, "D"),
}
PLACES = {
    "none": Look("none", BLACK, "o"),
    "level 1": Look("level 1", SKY, "v"),
    "level 2": Look("level 2", ORANGE, "p"),
    "halves": Look("within halves", GREY, "P"),
    "skewed": Look("skewed", VERMILION, "X"),
    "all": Look("all levels", BLUE, "s"),
}
GRAMMAR = [name for name in CURVE if name not in ("synonyms", "places")]


def teaching(complexity: pd.DataFrame, *, preset: str) -> Figure:
    """P* against s_0+1 by what is taught; against synonyms; P*_D against P*_S."""
    rows = complexity.assign(taught=taught(complexity), per_place=complexity["s0"] + 1)
    errors = rows[rows["criterion"] == "test_error"]
    two = errors[errors["L"] == 2]
    main = _of_largest_v(two[two["taught"] != ""], "taught")
    by_level = _of_largest_v(two[two["synonyms"] == 0], "places")
    # P* of nothing over that of synonyms alone.
    reached = errors[(errors["places"] == "none") & (errors["status"] == "reached")]
    saved = reached[reached["synonyms"] > 0].merge(
        reached[reached["synonyms"] == 0], on=GRAMMAR, suffixes=("", "_over")
    )
    saved = saved.assign(power=saved["m"] ** saved["synonyms"],
                         ratio=saved["P_star_over"] / saved["P_star"])  # fmt: skip
    by = [replace(net_colours(saved["net"]), title="Net"), depths(saved), empty_places(saved["s0"])]
    # P*_S and P*_D of each curve; arrows where one is censored.
    felt = with_ends(rows[rows["taught"] != ""])
    felt = felt[felt["criterion"] == "S_2"].merge(
        felt[felt["criterion"] == "D_2"], on=CURVE, suffixes=("", "_D")
    )
    n = complexity["n_seeds"].max() if len(complexity) else 0
    return mosaic([
        *(_against_places(main, net, "taught") for net in ("cnn", "lcn")),
        Panel(title="synonyms taught up to level $l$", x=Axis("$m^l$", log=True),
              y=Axis("$P^*$(nothing) / $P^*$(synonyms)", log=True), marks=[
                  Marks(rows=saved, x="power", y="ratio", by=by, name="ratio"),
                  equality(saved["power"], label="equality", name="equality")]),
        Panel(title="synonyms, diffeomorphisms", x=Axis("$P^*_S$", log=True),
              y=Axis("$P^*_D$", log=True), marks=[
                  Marks(rows=felt, x="y", y="y_D", x_beyond="y_beyond", beyond="y_beyond_D",
                        by=[_taught(felt)], name="parted", arrow_label="$P^*$ is",
                        faint_arrows=True),
                  equality(felt["y"], felt["y_D"], label="equality", name="equality")]),
        *(_against_places(by_level, net, "places") for net in ("cnn", "lcn")),
    ], columns=3, preset=preset, notes=[f"{n} grammars a curve."])  # fmt: skip


def shortcut(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Answers by the donor of placements against the test error; P* of synonyms by patterns."""
    if cells.empty:
        return mosaic([], columns=3, preset=preset)
    tables = {"cells": cells}
    answers = borrowed(tables).query("L == 3 and patterns == 0")
    rows = deficits(tables).query("L == 3 and left_out == ''")
    # Patterns that are not shared: all (s_0+1)^s of each of the (s^L-1)/(s-1) rules.
    n_all = (rows["s0"] + 1.0) ** (rows["s"] * (rows["s"] ** rows["L"] - 1) / (rows["s"] - 1))
    rows = rows.assign(patterns=rows["patterns"].where(rows["patterns"] > 0, n_all).astype(float))
    by = [replace(net_colours(rows["net"]), title="Net"), shaped("v", rows["v"], "$v$")]
    return mosaic([
        *(Panel(title=f"{net.upper()}, $L=3$", x=Axis("test error"),
                y=Axis("excess of the donor's class"), marks=[
                    Marks(rows=answers[answers["net"] == net], x="test_error", y="excess",
                          by=[_taught(answers)], name="excess"),
                    level(0, "none more than by chance")])
          for net in ("cnn", "lcn")),
        Panel(title="synonyms taught", x=Axis("patterns of positions", log=True),
              y=Axis("$m^2 P^*$(synonyms) / $P^*$(nothing)", log=True), marks=[
                  mean_line(rows, "patterns", "ratio", *by, geometric=True, name="deficit"),
                  level(1, "no points for taught synonyms", line="--")]),
    ], columns=3, preset=preset)  # fmt: skip


def _of_largest_v(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """The curves of the largest v at which nets are taught the most."""
    n = (rows["net"] + rows[by]).groupby(rows["v"]).nunique()
    return rows[rows["v"] == n[n == n.max()].index.max()]


def _against_places(rows: pd.DataFrame, net: str, by: str) -> Panel:
    ends, of_level = with_ends(rows[rows["net"] == net]), by == "places"
    scale = by_name(by, ends[by], PLACES, "Positions") if of_level else _taught(ends)
    known = ends[ends["status"] == "reached"]
    unit = geometric_mean(known["P_star"] / known["law"])
    v = "/".join(map(str, sorted(set(ends["v"]))))
    return Panel(
        title=f"{net.upper()}, {'positions taught' if of_level else f'$L=2$, $v={v}$'}", y=STAR,
        x=Axis("$s_0+1$", log=True, ticks=ends["per_place"]), marks=[
            stars(ends, "per_place", [scale]),
            laws(ends.assign(law=ends["law"] * unit), "per_place", "law", "predicted", by=[scale]),
        ],
    )  # fmt: skip


def _taught(rows: pd.DataFrame) -> Scale:
    return by_name("taught", rows["taught"], TAUGHT, "Taught")
