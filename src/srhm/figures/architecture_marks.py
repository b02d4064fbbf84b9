"""What the figures of many architectures share: names, colours, markers, how they were trained.

Letters of the paper: P training points, H width, η rate of SGD.
"""

from collections.abc import Sequence

import pandas as pd

from srhm.figures.looks import NETS, net
from srhm.figures.marks import ENDINGS, endings, several

CAPPED = "hollow: a seed was capped"


def ordered(nets: Sequence[str]) -> list[str]:
    """Networks as the legends list them, each once."""
    known = [one for one in NETS if one in set(nets)]
    return [*known, *sorted(set(nets) - set(known))]


def protocol_lines(cells: pd.DataFrame) -> list[str]:
    """How the networks of a figure were trained, a line for each way, and how that ended.

    "VGG11, ResNet18: width 16, batch 32, rate 0.01, loss < 0.01, at most 2,000 steps; 2 seeds; 20
    networks: 17 fitted, 2 capped, 1 diverged". LCN, CNN and FCN have a rate in units of H.
    """
    by = ["width", "batch_size", "learning_rate", "loss_threshold", "max_steps"]
    hierarchical = cells["net"].isin(["lcn", "cnn", "fcn", "fcn2"]).rename("hierarchical")
    lines = []
    for (width, size, rate, loss, steps, times_width), part in cells.groupby(
        [*(cells[name] for name in by), hierarchical], sort=False
    ):
        names = ", ".join(net(one).label for one in ordered(list(part["net"])))
        seeds = part.groupby(["curve", "P"])["seed"].nunique()
        words = [*ENDINGS, *sorted(set(part["status"]) - set(ENDINGS))]
        lines.append(
            f"{names}: width {width}, batch {size}, rate {rate:g}{' H' if times_width else ''},"
            f" loss < {loss:g}, at most {steps:,} steps; {several(seeds, 'seed')};"
            f" {several(len(part), 'network')}: {endings(part['status'], words)}"
        )
    return lines


def grammar_text(cells: pd.DataFrame) -> str:
    """The grammar of the cells for a title: all have the same."""
    row = cells.iloc[0]
    return (
        f"$L={row['L']}$, $s={row['s']}$, $s_0={row['s0']}$, $n_c={row['n_c']}$,"
        f" $m={row['m']}$, $v={row['v']}$"
    )
