"""What the figures of the study share: means over seeds, counts of networks, guides."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from srhm.figures.marks import between, plural
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import nets
from srhm.studies.relative_stability.analysis import by_network

QUANTITIES = {"R": "$R_f$", "D": "$D_f$", "G": "$G_f$"}
SIZE = Axis("training images $P$", log=True)
ERROR = Axis("test error $\\epsilon$", log=True)
ONE = level(1, "$R=1$", name="one")
SPREAD = 0.7  # of the width of a net that its seeds take


def trained_counts(rows: pd.DataFrame) -> str:
    """How many nets and seeds a panel shows."""
    if rows.empty:
        return ""
    seeds = rows.groupby("net")["seed"].nunique()
    n = len(seeds)
    return f"{n} {plural('net', n)}, {between(seeds)} {plural('seed', int(seeds.max()))}"


def geometric(rows: pd.DataFrame, quantity: str, by: Sequence[str]) -> pd.DataFrame:
    """Geometric means of a quantity over seeds, a row for each value of the columns."""
    logs = rows.assign(**{quantity: np.log(rows[quantity].astype(float))})
    means = logs.groupby(list(by))[quantity].mean().reset_index()
    return means.assign(**{quantity: np.exp(means[quantity])})


def against_size(rows: pd.DataFrame, quantity: str, title: str, *others: Marks) -> Panel:
    """A quantity of trained networks against P, geometric means over seeds, and other marks."""
    means = geometric(rows[rows["when"] == "end"], quantity, ["net", "P"])
    guides = [ONE] if quantity == "R" else []
    return Panel(title=title, x=SIZE, y=Axis(QUANTITIES[quantity], log=True), marks=[
        Marks(rows=means, x="P", y=quantity, by=[nets(means["net"])], line="-"), *guides, *others,
    ])  # fmt: skip


def before_and_after(rows: pd.DataFrame, title: str) -> Panel:
    """R_f of each net and seed of one P, before and after training, net by net."""
    order = nets(rows["net"])
    at = {net: float(i) for i, net in enumerate(order.looks)}
    rank, n = rows["seed"].rank(method="dense"), rows["seed"].nunique()
    shift = SPREAD * ((rank - 0.5) / max(n, 1) - 0.5)
    own = rows.assign(place=rows["net"].map(at).astype(float) + shift)
    begun = own["when"] == "start"
    words = {i: order.looks[net].label.replace("hidden layers", "") for net, i in at.items()}
    return Panel(title=title, x=Axis(ticks=words, limits=(-0.6, len(at) - 0.4), upright=True),
                 y=Axis("$R_f$", log=True), marks=[
        Marks(rows=own[~begun], x="place", y="R", by=[order], name="end"),
        Marks(rows=own[begun], x="place", y="R", by=[order.without("marker")], name="start",
              marker="_", size=5, label="before training"), ONE,
    ])  # fmt: skip


def against_error(rows: pd.DataFrame, quantity: str, title: str, *guides: Marks) -> Panel:
    """Test error and a quantity of each net at each P: means over seeds; the largest P full."""
    parts = [by_network(part).assign(P=P) for P, part in rows.groupby("P")]
    points = pd.concat(parts).reset_index() if parts else rows.assign(smaller=False)
    if quantity == "G":
        points = points.assign(G=1 / points["G"])
    points = points.assign(smaller=points["P"] != points["P"].max())
    label = "$1/G_f$" if quantity == "G" else QUANTITIES[quantity]
    return Panel(title=title, x=Axis(label, log=True), y=ERROR, marks=[
        Marks(rows=points, x=quantity, y="test_error", by=[nets(points["net"])], name="point",
              line="-", width=0.6, open="smaller", open_label="smaller $P$", sort=False), *guides,
    ])  # fmt: skip
