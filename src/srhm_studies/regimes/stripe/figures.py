"""Neurons, their alignment with the informative direction, and errors in the stripe model."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, means
from srhm.figures.looks import GREY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel
from srhm.figures.regimes import expected_slope
from srhm.figures.regimes import tildes as tilde_shades
from srhm.figures.scales import by_name
from srhm.figures.words import described, endings, several
from srhm_studies.regimes.stripe.analysis import alignments, beta, in_regimes

STATES = {"initial": Look("neuron, start", GREY), "end": Look("neuron, end", VERMILION)}
TICKS = {-1000.0: "$-10^3$", -10.0: "$-10$", 0.0: "0", 10.0: "10", 1000.0: "$10^3$"}


def stripe(
    cells: pd.DataFrame, neurons: pd.DataFrame, machines: pd.DataFrame, *, preset: str
) -> Figure:
    """Neurons of one network before and after training; Lambda and the test error against P."""
    networks = cells[cells["n_inputs"] == cells["n_inputs"].min()]
    if networks.empty or neurons.empty:
        return mosaic([], columns=3, preset=preset)
    aligned, d = alignments(networks, neurons), int(networks["n_inputs"].iloc[0])
    tildes = tilde_shades(aligned["alpha_tilde"])
    fitted = in_regimes(aligned).query("status == 'fitted'")
    regimes = {str(name): rows for name, rows in fitted.groupby("regime")}
    feature = regimes.get("feature", aligned[:0])
    # Each neuron's weights times |W2|, of the first network at the largest P.
    last = feature[feature["P"] == feature["P"].max()].sort_values(["seed", "member"]).head(1)
    mine = neurons[neurons["key"].isin(last["key"])]
    grown = mine.assign(**{name: mine[name] * mine["readout"].abs()
                           for name in ("parallel", "second")})  # fmt: skip

    def marks(column: str, slopes: dict[str, float]) -> list[Marks]:
        points = averaged(aligned, column, at="P", by=["alpha_tilde"], logarithmic=True)
        guides = [expected_slope(regimes[name], "P", column, slope, factor=0.8,
                                 label="expected slope, not fitted")
                  for name, slope in slopes.items() if name in regimes]  # fmt: skip
        return [means(points, "P", [tildes], name=column), *guides]

    # Mean error of the support vector machine of each regime, in the colour of its networks.
    own_machines = machines[(machines["n_inputs"] == d) & machines["regime"].isin(list(regimes))]
    errors = own_machines.groupby(["regime", "P"])["kernel_error"].mean().reset_index()
    tilde = {name: rows["alpha_tilde"].iloc[0] for name, rows in regimes.items()}
    curves = Marks(rows=errors.assign(alpha_tilde=errors["regime"].map(tilde)), x="P",
                   y="kernel_error", name="machine", by=[tildes.without()], line=":", marker="",
                   width=1.4, label="support vector machine, tangent kernel")  # fmt: skip
    lowest = 0.8 * errors["kernel_error"].min() if len(errors) else None
    exponents = {name: -beta(d, lazy=name == "lazy") for name in ("feature", "lazy")}
    return mosaic([
        # Neurons grow a thousandfold.
        Panel(title="neurons", x=Axis("$w_\\parallel\\,|W_2|$", ticks=TICKS, linear=1.0),
              y=Axis("$w_\\perp\\,|W_2|$ (one of them)", linear=1.0),
              marks=[Marks(rows=grown, x="parallel", y="second", size=2.6,
                           by=[by_name("when", STATES, STATES, "A")], name="neuron")]),
        Panel(title="alignment", x=POINTS, y=Axis("alignment $\\Lambda$", log=True),
              marks=marks("alignment", {"feature": 0.5})),
        Panel(title=f"learning curves, $d={d}$", x=POINTS,
              y=Axis("test error $\\varepsilon$", log=True, limits=(lowest, None)),
              marks=[*marks("test_error", exponents), curves]),
    ], columns=3, preset=preset, notes=described(
        networks, "FCN of one hidden layer, h = {width}, {activation}, biases: {words},"
        " {optimiser}, at most {budget:,} gradient evaluations; {n} networks of {sets}: {ends}.",
        n=len(networks), sets=several(networks["seed"].nunique(), "data set"),
        words=str(networks["loss"].iloc[0]).replace("_", " "), ends=endings(networks["status"], ()),
    ))  # fmt: skip
