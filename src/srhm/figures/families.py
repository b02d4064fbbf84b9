"""What figures of lazy and feature learning share: looks of h and alpha_tilde, titles, notes.

A family (`srhm.statistics.output_scale.Family`) is a net with its activation at one P; each has
a row of panels, or a panel, of its own.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from srhm.figures.looks import Look, data, net
from srhm.figures.marks import between, plural, power
from srhm.figures.scales import Scale, graded
from srhm.statistics.output_scale import LEVELS, Family

ALPHA_TILDE = "$\\tilde\\alpha = \\sqrt{h}\\,\\alpha$"


def widths_of(families: Sequence[Family]) -> Scale:
    """A shade for each width that a figure has."""
    return graded("width", [h for one in families for h in one.widths], "Width $h$")


def tildes_of(families: Sequence[Family]) -> Scale:
    """A shade for each alpha_tilde that a figure has."""
    return graded("alpha_tilde", [a for one in families for a in one.tildes], "$\\tilde\\alpha$",
                  label=lambda a: f"${power(a)}$", palette="flare")  # fmt: skip


def levels_of(title: str) -> Scale:
    """Levels of the kernel change, `LEVELS`: that of 1 is a full line."""
    styles = dict(zip(LEVELS, ("--", "-", ":"), strict=True))
    known = {at: Look(f"{at:g}", line=style) for at, style in styles.items()}
    return Scale(column="level", looks=known, title=title)


def title(family: Family) -> str:
    """ "CNN, softplus, L = 2, P = 256"; on other data than the SRHM's these data in front."""
    name = f"{net(family.net).label}, {family.activation}"
    if family.data != "srhm":
        kind = data(family.data).label
        name = kind if family.net == "fcn" else f"{kind}, {name}"
    return f"{name}, $L={family.hidden_layers}$, $P={family.P}$"


def protocol(family: Family) -> str:
    """How the members of a family were trained, and how that ended."""
    first, status = family.cells.iloc[0], family.cells["status"]
    per_point = family.cells.groupby(["width", "alpha_tilde"]).size()
    counts = status.value_counts()
    ends = [f"{counts[word]} {word}" for word in ("fitted", "capped", "diverged") if word in counts]
    loss = str(first["loss"]).replace("_", " ")
    way = {"flow": "gradient flow", "adam": "Adam", "sgd": "SGD"}[str(first["optimiser"])]
    return (
        f"{on(family)}{net(family.net).label}, {family.activation}, L = {family.hidden_layers},"
        f" P = {family.P}: {first['labels']}, {loss},"
        f" {way}, at most {first['budget']:,} gradient evaluations; {between(per_point)}"
        f" {plural('network', int(per_point.max()))} at each point, {len(status)} together:"
        f" {', '.join(ends)}"
    )


def on(family: Family) -> str:
    """The data of a family and a colon; nothing for the SRHM."""
    return "" if family.data == "srhm" else f"{data(family.data).label}: "


def interval_text(value: float, low: float, high: float) -> str:
    """ "−1.02 [−1.05, −0.99]", without brackets where the interval is not known."""
    text = f"{value:.2f}"
    if isfinite(low) and isfinite(high):
        text += f" [{low:.2f}, {high:.2f}]"
    return text.replace("-", "\u2212")


def edges(values: Sequence[float]) -> NDArray[np.float64]:
    """Ends of the fields around positive values: their geometric means, and as far beyond."""
    x = np.log(np.asarray(sorted(values), dtype=float))
    if len(x) == 1:
        return np.exp(np.array([x[0] - 0.5, x[0] + 0.5]))
    middle = (x[1:] + x[:-1]) / 2
    return np.exp(np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]]))
