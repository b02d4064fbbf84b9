"""Double descent of random features, and what an ensemble makes of it."""

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import mean_line
from srhm.figures.looks import DATA, GREEN, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import by_name
from srhm.figures.words import described

KINDS = {"sphere": Look("linear teacher on a sphere", GREEN, "^"),
         "digits": Look("digits, parity", DATA["digits"].colour, "s"),
         "srhm": DATA["srhm"]}  # fmt: skip
TICKS = {tick: f"{tick:g}" for tick in (0.2, 0.5, 1, 2, 5, 10)}
RATIO = Axis("features over points $N/P$", log=True, ticks=TICKS)


def random_features(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A-C: squared error against N/P by data; D: variance between members; E, F: test error.

    Of a member, of infinitely many (E, F: of all members), and of kernels; laws of the variance go
    through the largest N.
    """
    squared, errors, guides = [], [], []
    for data, look in KINDS.items():
        rows = cells[cells["data"] == data]
        # Close to N = P the correction for the number of members is larger than what is left.
        known = rows[rows["variance"] / rows["members"] < rows["mse_limit"]]
        ridge = rows[rows["N"] < rows["P"]].groupby("N_over_P")["mse_ridge"].mean()
        # The error at N = P has no bound: the rest would be flat.
        lowest = float(min(rows["mse_kernel"].min(), known["mse_limit"].min()))
        squared.append(Panel(
            title=look.label, x=RATIO,
            y=Axis("mean squared error", log=True, limits=(0.6 * lowest, 30)), marks=[
                _points(rows, "mse", "one member", VERMILION, "o"),
                _points(known, "mse_limit", "infinite ensemble (E, F: all members)", PURPLE, "D"),
                _kernel(rows, "mse_kernel"),
                _above(law(ridge.index.to_numpy(), ridge.to_numpy(), "kernel with effective ridge",
                           name="ridge", line=":", colour=GREEN)),
            ] if len(rows) else [],
        ))  # fmt: skip
        if data != "sphere":
            errors.append(Panel(
                title=f"{look.label}: test error", x=RATIO, y=Axis("test error", limits=(0, 0.55)),
                marks=[
                    _points(rows, "error", "one member", VERMILION, "o"),
                    _points(rows, "error_ensemble", "infinite ensemble (E, F: all members)", PURPLE,
                            "D"),
                    _kernel(rows, "error_kernel"),
                ] if len(rows) else [],
            ))  # fmt: skip
        above = rows[rows["N_over_P"] > 1].groupby("N_over_P")["variance"].mean()
        for offset, label, line in ((0, "$1/N$ (D)", "-."), (1, "$1/(N-P)$ (D)", "-")):
            if len(above) > 1:
                x = above.index.to_numpy(dtype=float) - offset
                guides.append(_above(law(above.index.to_numpy(), above.iloc[-1] * x[-1] / x, label,
                                         name=f"law {data} {offset}", line=line)))  # fmt: skip
    apart = mean_line(cells[cells["N"] != cells["P"]], "N_over_P", "variance",
                      by_name("data", KINDS, KINDS, "D"), size=3,
                      bar_label="range of the seeds")  # fmt: skip
    variance = Panel(title="variance between members", x=RATIO, y=Axis("variance", log=True),
                     marks=[apart, *guides])  # fmt: skip
    return mosaic([*squared, variance, *errors], columns=3, preset=preset, notes=described(
        cells, "P = {sizes}, {members} members, {most} seeds; bars: range of the seeds.",
        **{name: ", ".join(map(str, sorted(set(cells[column]))))
           for name, column in (("sizes", "P"), ("members", "members"))},
        most=int(cells.groupby("data")["seed"].nunique().max()) if len(cells) else 0,
    ))  # fmt: skip


def _points(own: pd.DataFrame, column: str, label: str, colour: str, marker: str) -> Marks:
    """Mean over seeds against N/P, of heavy tails the median, and the range of the seeds."""
    middle = "median" if column == "mse" else "mean"
    return mean_line(own, "N_over_P", column, middle=middle, label=label, colour=colour,
                     marker=marker, size=3, bar_label="range of the seeds")  # fmt: skip


def _above(guide: Marks) -> Marks:
    """The guide above the points, which lie on it."""
    return replace(guide, order=4.0)


def _kernel(own: pd.DataFrame, column: str) -> Marks:
    return level(float(own[column].mean()), "kernel without ridge", name=column, line="--")
