"""Exponents of s_0+1 by optimiser, P* against s_0+1 and against the rate."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean
from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLACK, BLUE, GREEN, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, power_law
from srhm.figures.scales import Scale, by_name, ranks
from srhm.figures.words import several
from srhm.statistics.exponents_of_grammars import mean_exponents
from srhm_studies.learning_curves.optimisers.analysis import ONE_LESS_MOMENTUM, exponents

OPTIMISERS = {
    "momentum": Look("SGD, momentum", BLACK, "o"),
    "plain": Look("SGD", BLUE, "s"),
    "decay": Look("SGD, weight decay", GREEN, "^"),
    "adam": Look("Adam", VERMILION, "D"),
}
NETS = {"cnn": Look("CNN", filled=True), "lcn": Look("LCN", filled=False)}
ROW = {name: float(i) for i, name in enumerate(OPTIMISERS)}


def optimisers(complexity: pd.DataFrame, grammars: pd.DataFrame, *, preset: str) -> Figure:
    """complexity, grammars: rows of SAMPLE_COMPLEXITY and GRAMMARS."""
    return mosaic([
        _exponents(exponents(grammars)), *(_places(complexity, net) for net in NETS),
        *(_rates(complexity, net) for net in NETS),
    ], columns=3, preset=preset)  # fmt: skip


def _exponents(single: pd.DataFrame) -> Panel:
    def placed(rows: pd.DataFrame) -> pd.DataFrame:
        y = rows["optimiser"].map(ROW).astype(float) + 0.3 * ranks(rows["net"], NETS)
        return rows.assign(y=y)

    found = placed(mean_exponents(single, by=("net", "optimiser", "L", "v")))
    by = [_optimisers(found).without("marker"), by_name("net", found["net"], NETS, "Net")]
    n = several(found["n"], "grammar") if len(found) else ""
    return Panel(
        title=f"exponents: {n}", x=Axis("exponent of $s_0+1$ in $P^*$"),
        y=Axis(ticks={i: OPTIMISERS[name].label for name, i in ROW.items()}, limits=(3.5, -0.5)),
        marks=[
            Marks(rows=placed(single), x="exponent", y="y", alpha=0.25, size=2.5, colour=BLACK,
                  name="grammar", label="single grammar"),
            Marks(rows=found, x="exponent", y="y", x_low="low", x_high="high", size=5, by=by,
                  name="exponent", bar_label="95 % interval"),
            level(2.0, "Eq. 3 and 4", name="two", across="y"),
        ],
    )  # fmt: skip


def _places(rows: pd.DataFrame, net: str) -> Panel:
    own = rows[(rows["net"] == net) & rows["best"] & (rows["s0"] > 0)]
    v = own["v"].min()
    own = with_ends(own[own["v"] == v], unit=own["n_c"] * own["m"] ** own["L"])
    own = own.assign(x=(own["s0"] + 1) * 1.03 ** ranks(own["optimiser"], OPTIMISERS))
    ends = sorted(set(own["s0"] + 1)) or [1, 2]
    unit = geometric_mean(own["y"] / (own["s0"] + 1) ** 2)
    return Panel(
        title=f"{net.upper()}, $L=2$, $v={v}$, best rates",
        x=Axis("$s_0+1$", log=True, ticks=ends),
        y=Axis("$P^*/(n_c m^L)$", log=True),
        marks=[
            stars(own, "x", [_optimisers(own)], line="-", bar_label="95 % interval"),
            power_law([float(ends[0]), float(ends[-1])], 2, through=(1.0, unit),
                      label="$(s_0+1)^2$", name="square"),
        ],
    )  # fmt: skip


def _rates(rows: pd.DataFrame, net: str) -> Panel:
    own = rows[(rows["net"] == net) & (rows["s0"] > 0)]
    v = own["v"].min()
    places = sorted(set(own.loc[own["v"] == v, "s0"]))
    s0 = places[len(places) // 2] if places else 0
    own = own[(own["v"] == v) & (own["s0"] == s0)]
    own = with_ends(own, unit=own["n_c"] * own["m"] ** own["L"])
    rest = own["optimiser"].map(ONE_LESS_MOMENTUM).fillna(1.0).astype(float)
    own = own.assign(x=own["rate"] / rest * 1.25 ** ranks(own["optimiser"], OPTIMISERS))
    return Panel(
        title=f"{net.upper()}, $v={v}$, $s_0={s0}$",
        x=Axis("learning rate; of SGD over $H(1-\\mu)$", log=True),
        y=Axis("$P^*/(n_c m^L)$", log=True),
        marks=[stars(own, "x", [_optimisers(own)], line="-", name="rate")],
    )  # fmt: skip


def _optimisers(rows: pd.DataFrame) -> Scale:
    return by_name("optimiser", rows["optimiser"], OPTIMISERS, "Optimiser")
