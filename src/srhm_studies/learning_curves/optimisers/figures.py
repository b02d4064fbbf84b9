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
OVER_LAW = Axis("$P^*/(n_c m^L)$", log=True)
ROW = {name: float(i) for i, name in enumerate(OPTIMISERS)}


def optimisers(complexity: pd.DataFrame, grammars: pd.DataFrame, *, preset: str) -> Figure:
    """Exponents of s_0+1; P* of each net against s_0+1 at best rates, and against the rate.

    complexity, grammars: rows of SAMPLE_COMPLEXITY and GRAMMARS.
    """
    single = exponents(grammars)
    means = mean_exponents(single, by=("net", "optimiser", "L", "v"))
    single, means = (
        rows.assign(y=rows["optimiser"].map(ROW).astype(float) + 0.3 * ranks(rows["net"], NETS))
        for rows in (single, means)
    )
    by = [_optimisers(means).without("marker"), by_name("net", means["net"], NETS, "Net")]
    panels = [Panel(
        title=f"exponents: {several(means['n'], 'grammar') if len(means) else ''}",
        x=Axis("exponent of $s_0+1$ in $P^*$"),
        y=Axis(ticks={i: OPTIMISERS[name].label for name, i in ROW.items()}, limits=(3.5, -0.5)),
        marks=[
            Marks(rows=single, x="exponent", y="y", alpha=0.25, size=2.5, colour=BLACK,
                  name="grammar", label="single grammar"),
            Marks(rows=means, x="exponent", y="y", x_low="low", x_high="high", size=5, by=by,
                  name="exponent", bar_label="95 % interval"),
            level(2.0, "Eq. 3 and 4", name="two", across="y"),
        ],
    )]  # fmt: skip
    sparse = complexity[complexity["s0"] > 0]
    sparse = with_ends(sparse, unit=sparse["n_c"] * sparse["m"] ** sparse["L"])
    for net in NETS:
        best = sparse[(sparse["net"] == net) & sparse["best"]]
        best = best[best["v"] == best["v"].min()]
        places = sorted(set(best["s0"] + 1)) or [1, 2]
        unit = geometric_mean(best["y"] / (best["s0"] + 1) ** 2)
        x = (best["s0"] + 1) * 1.03 ** ranks(best["optimiser"], OPTIMISERS)
        panels.append(Panel(
            title=f"{net.upper()}, $L=2$, $v={best['v'].min()}$, best rates",
            x=Axis("$s_0+1$", log=True, ticks=places), y=OVER_LAW, marks=[
                stars(best.assign(x=x), "x", [_optimisers(best)], line="-",
                      bar_label="95 % interval"),
                power_law(places, 2, through=(1.0, unit), label="$(s_0+1)^2$", name="square"),
            ],
        ))  # fmt: skip
    for net in NETS:
        rates = sparse[sparse["net"] == net]
        rates = rates[rates["v"] == rates["v"].min()]
        known = sorted(set(rates["s0"]))
        s0 = known[len(known) // 2] if known else 0
        rates = rates[rates["s0"] == s0]
        rest = rates["optimiser"].map(ONE_LESS_MOMENTUM).fillna(1.0).astype(float)
        x = rates["rate"] / rest * 1.25 ** ranks(rates["optimiser"], OPTIMISERS)
        panels.append(Panel(
            title=f"{net.upper()}, $v={rates['v'].min()}$, $s_0={s0}$",
            x=Axis("learning rate (SGD: / $H(1-\\mu)$)", log=True), y=OVER_LAW,
            marks=[stars(rates.assign(x=x), "x", [_optimisers(rates)], line="-", name="rate")],
        ))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset)


def _optimisers(rows: pd.DataFrame) -> Scale:
    return by_name("optimiser", rows["optimiser"], OPTIMISERS, "Optimiser")
