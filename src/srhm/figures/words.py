"""What the figures of curves share: colours, markers, points with their intervals, legends.

Letters of the paper: L depth, s_0 empty places for each informative one, v features, P* sample
complexity.
"""

from collections.abc import Iterable, Sequence
from math import isfinite, log10
from typing import Any

import pandas as pd
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from srhm.figures.looks import NETS, net

GUIDE = "0.35"  # colour of laws and of what is not told apart
ENDINGS = ("fitted", "capped", "diverged")
IN_WORDS = {"capped": "stopped at the step limit"}

EQUATIONS = {
    "lcn": ("Eq. 3", "s^{L/2}(s_0+1)^L\\,n_c\\,m^L"),
    "cnn": ("Eq. 4", "(s_0+1)^2\\,n_c\\,m^L"),
}


def curves_and_seeds(rows: pd.DataFrame) -> str:
    """ "4 curves, 3–5 seeds", from cells or from rows of P*."""
    if rows.empty:
        return "no curve"
    seeds = rows["n_seeds"] if "n_seeds" in rows else rows.groupby("curve")["seed"].nunique()
    return f"{several(rows['curve'].nunique(), 'curve')}, {several(seeds, 'seed')}"


def between(numbers: pd.Series) -> str:
    """The number, or the least and the most of them."""
    least, most = numbers.min(), numbers.max()
    return f"{most}" if least == most else f"{least}–{most}"


def plural(word: str, n: int) -> str:
    """The word in the number that n asks for."""
    return word if n == 1 else f"{word}s"


def several(counts: int | pd.Series, word: str) -> str:
    """ "1 seed", "3 seeds", or "2–3 seeds" where their numbers differ."""
    numbers = pd.Series(counts)
    return f"{between(numbers)} {plural(word, int(numbers.max()))}"


def endings(statuses: pd.Series, order: Sequence[str] = ENDINGS) -> str:
    """How many networks ended in which way: "17 fitted, 2 diverged"; without order, most first."""
    counts = statuses.value_counts()
    return ", ".join(f"{counts[word]} {IN_WORDS.get(word, word)}"
                     for word in order or counts.index if word in counts)  # fmt: skip


def described(cells: pd.DataFrame, words: str, /, **more: Any) -> list[str]:
    """A note in words with fields: those of the first cell, how many "seeds", what is given.

    Without cells there is none.
    """
    if cells.empty:
        return []
    first: Any = cells.iloc[0]
    seeds = several(cells["seed"].nunique(), "seed")
    return [words.format_map({**first, "seeds": seeds, **more})]


def three_digits(value: float) -> str:
    """Three significant digits, for use inside $ $."""
    number = float(f"{value:.3g}")
    if number < 1e5:
        return f"{number:.3g}" if number < 100 else f"{number:.0f}"
    power = int(log10(number))
    factor = f"{number / 10**power:.3g}\\times " if number > 10**power else ""
    return f"{factor}10^{{{power}}}"


def interval_text(value: float, low: float, high: float) -> str:
    """ "−1.02 [−1.05, −0.99]", without brackets where the interval is not known."""
    text = f"{value:.2f}"
    if isfinite(low) and isfinite(high):
        text += f" [{low:.2f}, {high:.2f}]"
    return text.replace("-", "\u2212")


def few_ticks(axis: Axis, low: float, high: float) -> None:
    """Ticks with plain labels where decades are too few, even ones within a fifth."""
    powers = [10.0**k for k in range(int(log10(low)) - 2, int(log10(high)) + 2)]
    inside: list[float] = []
    for factors in ((1, 3), (1, 2, 5), (1, 2, 3, 5, 7), (1, 1.5, 2, 3, 5, 7)):
        if len(inside) < 3:
            inside = [a * power for power in powers for a in factors if low <= a * power <= high]
    if len(inside) < 2:
        even = MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(low, high)
        inside = [step for step in even if low <= step <= high] or [low]
    axis.set_ticks(inside, labels=[f"${three_digits(step)}$" for step in inside])
    axis.set_ticks([], minor=True)


def patch(tint: str) -> Line2D:
    """A handle that is a short thick line."""
    return Line2D([], [], color=tint, linewidth=4, solid_capstyle="butt")


def power(value: float) -> str:
    """10^k for powers of ten, else three digits; for use inside $ $."""
    exponent = log10(value)
    if abs(exponent - round(exponent)) < 1e-9 and not 0.09 < value < 101:
        return f"10^{{{round(exponent)}}}"
    return f"{value:.3g}"


CAPPED = "hollow: a seed stopped at the step limit"


def ordered(nets: Iterable[str]) -> list[str]:
    """Networks as the legends list them, each once."""
    there = set(nets)
    return [net for net in NETS if net in there] + sorted(there - set(NETS))


def protocol_lines(cells: pd.DataFrame) -> list[str]:
    """How the networks of a figure were trained, a line for each way, and how that ended.

    "VGG11, ResNet18: width 16, batch 32, rate 0.01, loss < 0.01, at most 2,000 steps; 2 seeds; 20
    networks: 19 fitted, 1 diverged". LCN, CNN and FCN have a rate in units of H.
    """
    by = ["width", "batch_size", "learning_rate", "loss_threshold", "max_steps"]
    hierarchical = cells["net"].isin(["lcn", "cnn", "fcn", "fcn2"]).rename("hierarchical")
    lines = []
    for (width, size, rate, loss, steps, times_width), part in cells.groupby(
        [*(cells[name] for name in by), hierarchical], sort=False, dropna=False
    ):
        stop = f" loss < {loss:g}," if part["loss_threshold"].notna().all() else ""
        names = ", ".join(net(network).label for network in ordered(part["net"]))
        seeds = part.groupby(["curve", "P"])["seed"].nunique()
        lines.append(
            f"{names}: width {width}, batch {size}, rate {rate:g}{' H' if times_width else ''},"
            f"{stop} at most {steps:,} steps; {several(seeds, 'seed')};"
            f" {several(len(part), 'network')}: {endings(part['status'], ())}"
        )
    return lines


def grammar_text(cells: pd.DataFrame) -> str:
    """The grammar of the cells for a title: all have the same."""
    row = cells.iloc[0]
    return (
        f"$L={row['L']}$, $s={row['s']}$, $s_0={row['s0']}$, $n_c={row['n_c']}$,"
        f" $m={row['m']}$, $v={row['v']}$"
    )
