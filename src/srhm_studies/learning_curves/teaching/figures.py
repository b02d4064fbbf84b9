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
    own = rows[rows["criterion"] == "test_error"]
    two = own[own["L"] == 2]
    main = _of_largest_v(two[two["taught"] != ""], "taught")
    by_level = _of_largest_v(two[two["synonyms"] == 0], "places")
    n = complexity["n_seeds"].max() if len(complexity) else 0
    return mosaic([
        *(_against_places(main, net, "taught") for net in ("cnn", "lcn")), _divided(own),
        _parted(rows), *(_against_places(by_level, net, "places") for net in ("cnn", "lcn")),
    ], columns=3, preset=preset, notes=[f"{n} grammars a curve."])  # fmt: skip


def shortcut(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Answers by the donor of placements against the test error; P* of synonyms by patterns."""
    if cells.empty:
        return mosaic([], columns=3, preset=preset)
    tables = {"cells": cells}
    answers = borrowed(tables).query("L == 3 and patterns == 0")
    own = deficits(tables).query("L == 3 and left_out == ''")
    # Patterns that are not shared: all (s_0+1)^s of each of the (s^L-1)/(s-1) rules.
    n_all = (own["s0"] + 1.0) ** (own["s"] * (own["s"] ** own["L"] - 1) / (own["s"] - 1))
    own = own.assign(patterns=own["patterns"].where(own["patterns"] > 0, n_all).astype(float))
    by = [replace(net_colours(own["net"]), title="Net"), shaped("v", own["v"], "$v$")]
    return mosaic([
        *(Panel(title=f"{net.upper()}, $L=3$", x=Axis("test error"),
                y=Axis("excess of the donor's class"), marks=[
                    Marks(rows=answers[answers["net"] == net], x="test_error", y="excess",
                          by=[_taught(answers)], name="excess"),
                    level(0, "none more than by chance")])
          for net in ("cnn", "lcn")),
        Panel(title="synonyms taught", x=Axis("patterns of positions", log=True),
              y=Axis("$m^2 P^*$(synonyms) / $P^*$(nothing)", log=True), marks=[
                  mean_line(own, "patterns", "ratio", *by, geometric=True, name="deficit"),
                  level(1, "no points for taught synonyms", line="--")]),
    ], columns=3, preset=preset)  # fmt: skip


def _of_largest_v(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """The curves of the largest v at which nets are taught the most."""
    n = (rows["net"] + rows[by]).groupby(rows["v"]).nunique()
    return rows[rows["v"] == n[n == n.max()].index.max()]


def _against_places(rows: pd.DataFrame, net: str, by: str) -> Panel:
    own = with_ends(rows[rows["net"] == net])
    of_level = by == "places"
    scale = by_name(by, own[by], PLACES, "Positions") if of_level else _taught(own)
    known = own[own["status"] == "reached"]
    unit = geometric_mean(known["P_star"] / known["law"])
    v = "/".join(str(one) for one in sorted(set(own["v"])))
    kind = "positions taught" if of_level else f"$L=2$, $v={v}$"
    return Panel(
        title=f"{net.upper()}, {kind}", x=Axis("$s_0+1$", log=True, ticks=own["per_place"]), y=STAR,
        marks=[
            stars(own, "per_place", [scale]),
            laws(own.assign(law=own["law"] * unit), "per_place", "law", "predicted", by=[scale]),
        ],
    )  # fmt: skip


def _divided(rows: pd.DataFrame) -> Panel:
    """P* of nothing over that of synonyms alone."""
    own = rows[(rows["places"] == "none") & (rows["status"] == "reached")]
    none = own[own["synonyms"] == 0]
    both = own[own["synonyms"] > 0].merge(none, on=GRAMMAR, suffixes=("", "_over"))
    both = both.assign(power=both["m"] ** both["synonyms"],
                       ratio=both["P_star_over"] / both["P_star"])  # fmt: skip
    by = [replace(net_colours(both["net"]), title="Net"), depths(both), empty_places(both["s0"])]
    return Panel(
        title="synonyms taught up to level $l$", x=Axis("$m^l$", log=True),
        y=Axis("$P^*$(nothing) / $P^*$(synonyms)", log=True),
        marks=[
            Marks(rows=both, x="power", y="ratio", by=by, name="ratio"),
            equality(both["power"], label="equality", name="equality"),
        ],
    )  # fmt: skip


def _parted(rows: pd.DataFrame) -> Panel:
    """P*_D against P*_S of each curve; arrows where one is censored."""
    ends = with_ends(rows[rows["taught"] != ""])
    first, second = (ends[ends["criterion"] == name] for name in ("S_2", "D_2"))
    both = first.merge(second, on=CURVE, suffixes=("", "_D"))
    return Panel(
        title="synonyms, diffeomorphisms", x=Axis("$P^*_S$", log=True),
        y=Axis("$P^*_D$", log=True),
        marks=[
            Marks(rows=both, x="y", y="y_D", x_beyond="y_beyond", beyond="y_beyond_D",
                  by=[_taught(both)], name="parted", arrow_label="$P^*$ is", faint_arrows=True),
            equality(both["y"], both["y_D"], label="equality", name="equality"),
        ],
    )  # fmt: skip


def _taught(rows: pd.DataFrame) -> Scale:
    return by_name("taught", rows["taught"], TAUGHT, "Taught")
