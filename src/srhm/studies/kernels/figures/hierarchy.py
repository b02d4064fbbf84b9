"""Kernel regression on the SRHM: error against P, and the P of a small error beside the laws."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.complexity_marks import empty_places
from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import nets
from srhm.model.theory import predicted_sample_complexity
from srhm.studies.kernels.figures.curves import SIZE, drawn, kernels, runs
from srhm.studies.kernels.networks import of_grammars

LAWS = {"lcn": ("Eq. 3, LCN", "-"), "cnn": ("Eq. 4, CNN", ":")}
# Beside s_0 + 1, so that nothing covers another.
SHIFTS = {"laplace": -0.06, "gauss": 0.06, "lcn": -0.12, "cnn": 0.12}


@styled
def draw(
    cells: pd.DataFrame,
    crossings: pd.DataFrame,
    networks: pd.DataFrame,
    *,
    preset: str,
    threshold: float,
) -> Figure:
    """A: test error, B: squared error, against P, largest v; C: P of the threshold against s_0.

    In A the measured P* of the CNN on the same grammars, at the threshold. In C a marker for each
    grammar whose kernel falls below the threshold, an arrow from the largest P for the others,
    measured P* of networks with their intervals, and their laws (constants 1).
    """
    rows = cells[cells["experiment"] == "srhm"]
    rows = rows[rows["v"] == rows["v"].max()]
    crossings = crossings[crossings["v"] == crossings["v"].max()]
    measured = of_grammars(networks, rows)
    measured = measured.assign(threshold=threshold, place=_places(measured, "net"))
    found = crossings.assign(beyond=(crossings["status"] != "reached").astype(int))
    found = found.assign(y=found["P_star"].where(found["beyond"] == 0, found["bound_low"]),
                         place=_places(found, "kernel"))  # fmt: skip
    size = f", $v={int(rows['v'].iloc[0])}$" if len(rows) else ""
    by = [kernels(rows), empty_places(rows["s0"].dropna())]
    of_networks = [nets(measured["net"], title="Network"), by[1]]
    shown = {"filled": False, "marker": "o"}
    return mosaic([
        Panel(title=f"SRHM{size}{runs(rows)}", x=SIZE,
              y=Axis("test error (fraction wrong)", limits=(0, None)), marks=[
                  drawn(rows, "error", by, **shown), level(threshold, f"error {threshold:g} (A)",
                                                           name="threshold", line="--"),
                  Marks(rows=measured[measured["net"] == "cnn"], x="P_star", y="threshold",
                        by=of_networks, name="P*", order=5, guide=True),
              ]),
        Panel(title=f"SRHM{size}{runs(rows)}", x=SIZE,
              y=Axis("squared error / that of 0", limits=(0, None)),
              marks=[drawn(rows, "mse", by, **shown)]),
        Panel(title=f"$P$ of test error {threshold:g}", y=Axis("training points $P$", log=True),
              x=Axis("$s_0+1$", ticks=[s0 + 1 for s0 in by[1].looks]), marks=[
                  Marks(rows=found, x="place", y="y", by=[by[0], by[1]], filled=False,
                        beyond="beyond", arrow_label="not reached, $P$ is", name="kernel"),
                  Marks(rows=measured, x="place", y="P_star", low="P_star_low", high="P_star_high",
                        by=of_networks, name="measured"),
                  *(_law(found, net, sorted(by[1].looks)) for net in LAWS if len(found)),
              ] if len(rows) else []),
    ], columns=3, preset=preset)  # fmt: skip


def _places(rows: pd.DataFrame, column: str) -> pd.Series:
    return rows["s0"] + 1 + rows[column].map(SHIFTS).astype(float)


def _law(crossings: pd.DataFrame, net: str, places: list[int]) -> Marks:
    first = crossings.iloc[0]
    words, line = LAWS[net]
    values = [
        predicted_sample_complexity(
            net, depth=int(first["L"]), branching=int(first["s"]), n_synonyms=int(first["m"]),
            n_classes=int(first["n_c"]), n_empty=s0,
        )
        for s0 in places
    ]  # fmt: skip
    return law([s0 + 1 for s0 in places], values, words, name=f"law {net}", line=line,
               colour=looks.net(net).colour)  # fmt: skip
