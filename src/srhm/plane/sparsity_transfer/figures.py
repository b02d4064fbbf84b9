"""Test error against P on the kind of sparsity that was learnt, and on the other one."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import mean_line
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Panel, level
from srhm.figures.scales import by_name
from srhm.figures.words import several
from srhm.model.grammar import GRAMMAR, n_nodes, n_placements

LEARNT = {"A": BLUE, "B": VERMILION}
LOOKS = {
    f"{learnt} on {tested}": Look(f"trained on {learnt}, tested on {tested}", tint,
                                  "o" if learnt == tested else "s",
                                  "-" if learnt == tested else "--", filled=learnt == tested)
    for learnt, tint in LEARNT.items() for tested in (learnt, "B" if learnt == "A" else "A")
}  # fmt: skip
NETS = ("cnn", "lcn", "fcn")


def sparsity_transfer(transfer: pd.DataFrame, *, threshold: float, preset: str) -> Figure:
    """A row of panels for each grammar, a column for each net: ε against P, averages over seeds."""
    rows = transfer[transfer["tested_on"].isin(list(LEARNT))]
    nets = [net for net in NETS if net in set(rows["net"])]
    panels = [
        _panel(cells, net, threshold)
        for _, grammar in rows.groupby(list(GRAMMAR), sort=False)
        for net in nets
        for cells in [grammar[grammar["net"] == net]]
    ]
    # How many test points a network has of each kind.
    n = rows["n"][rows["n"] > 0]
    points = f"{n.min()} to {n.max()}" if n.nunique() > 1 else f"{n.max()}"
    return mosaic(panels, columns=max(2, len(nets)), preset=preset, height=2.6, share="y", notes=[
        f"Tested on {points} points of each kind that are new to the network."
    ] if len(n) else [])  # fmt: skip


def _panel(cells: pd.DataFrame, net: str, threshold: float) -> Panel:
    if cells.empty:
        return Panel(title=net.upper())
    way = cells["trained_on"] + " on " + cells["tested_on"]
    first, seeds = cells.iloc[0], cells.groupby("curve")["seed"].nunique()
    words = f"$L={first['L']}$, $s_0={first['s0']}$, $v={first['v']}$"
    depth, branching, n_empty = int(first["L"]), int(first["s"]), int(first["s0"])
    of_a, of_b = (
        n_placements(branching=branching, n_empty=n_empty, sparsity=kind) for kind in "AB"
    )
    # Error on B of a network that is right on the data of A and guesses on all others.
    share = (of_a / of_b) ** n_nodes(depth=depth, branching=branching)
    right_on_a_alone = (1 - share) * (1 - 1 / int(first["n_c"]))
    return Panel(
        title=f"{net.upper()}, {words}: {several(seeds, 'seed')}",
        x=POINTS,
        y=Axis("test error $\\varepsilon$", limits=(-0.02, 1.02)),
        marks=[
            mean_line(cells.assign(way=way), "P", "error", by_name("way", way, LOOKS)),
            level(threshold, f"$\\varepsilon={100 * threshold:.3g}$ %", name="threshold"),
            level(right_on_a_alone, "B: right on A, else a guess", name="A alone",
                  line="-."),
        ],
    )  # fmt: skip
