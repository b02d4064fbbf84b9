"""Figures of the relative stability R_f = D_f/G_f of networks to smooth deformations.

c is the cut-off, T the temperature, Ξ the compression of a deformation, δ its norm.
"""

from collections.abc import Mapping, Sequence
from math import log, pi
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from srhm.figures.averaging import mean_line, spread
from srhm.figures.legends import Entry
from srhm.figures.looks import BLUE, GREEN, ORANGE, REGIMES, VERMILION, Look
from srhm.figures.looks import net as look_of
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, equality, law, level, power_law
from srhm.figures.scales import Scale, by_name, graded, nets, parted, shaped
from srhm.figures.words import several
from srhm.images.deformations import (
    coefficients,
    deform,
    displacements,
    largest_temperature,
    temperature_of,
)
from srhm.model.seeding import generator
from srhm_studies.smoothness.relative_stability.analysis import (
    at_largest,
    by_network,
    is_deep,
    log_correlations,
    measured,
)
from srhm_studies.smoothness.relative_stability.experiment import SIDES, digits

QUANTITIES = {"R": "$R_f$", "D": "$D_f$", "G": "$G_f$"}
SIZE = Axis("training images $P$", log=True)
R_F, ERROR = Axis("$R_f$", log=True), Axis("test error $\\epsilon$", log=True)
ONE = level(1, "$R=1$", name="one")
WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}
CUTOFFS = (3, 5, 7)
TIMES = (0.1, 1.0, 10.0)  # temperatures of the deformed digits over the bound
GAP = 2  # pixels between deformed digits
FEATURE, LAZY = 0.1, 1000.0
REGIME = {FEATURE: REGIMES["feature"], LAZY: REGIMES["lazy"]}
FILL = {FEATURE: Look("$0.1$", filled=True), LAZY: Look("$10^3$", filled=False)}
IMAGES = {
    "digits": Look("8 × 8 digits, at 16 × 16", BLUE, "s"),
    "mnist5k_coarse": Look("MNIST at 8 × 8 and back", ORANGE, "v"),
    "mnist5k": Look("MNIST", VERMILION, "^"),
    "fashion": Look("Fashion-MNIST", GREEN, "o"),
}
KINDS = {"bilinear": Look("bilinear", line="-"), "gaussian": Look("Gaussian", line=":")}
ABSENT = {
    "mnist5k": "Without published rows: make env-images.",
    "fashion": "Without published rows: make fashion.",
    "mnist": "No files of MNIST here: make mnist.",
    "cifar10": "No CIFAR-10 here: make cifar.",
}


def _counts(rows: pd.DataFrame) -> list[str]:
    """How many nets and seeds a figure shows."""
    seeds = rows.groupby("net")["seed"].nunique()
    words = f"{several(len(seeds), 'net')}, {several(seeds, 'seed')}" if len(rows) else ""
    return [f"{words}."]


def _lines(rows: pd.DataFrame, x: str, y: str, *by: Scale, **look: Any) -> Marks:
    """Geometric means over seeds, a line for each family."""
    return mean_line(rows, x, y, *by, geometric=True, **{"low": "", "width": 0.9, **look})


def _against_size(rows: pd.DataFrame, quantity: str, title: str, *others: Marks) -> Panel:
    """A quantity of trained networks against P, and other marks."""
    ended, guides = rows[rows["when"] == "end"], [ONE] if quantity == "R" else []
    return Panel(title=title, x=SIZE, y=Axis(QUANTITIES[quantity], log=True), marks=[
        _lines(ended, "P", quantity, nets(ended["net"]), width=1.0), *guides, *others,
    ])  # fmt: skip


def _before_and_after(rows: pd.DataFrame) -> Panel:
    """R_f of each net and seed at the largest P, before and after training, net by net."""
    title, rows = f"$P={rows['P'].max():.0f}$", at_largest(rows)
    order = nets(rows["net"])
    at = {net: float(i) for i, net in enumerate(order.looks)}
    # Seeds take a part of the width of their net.
    rank, n = rows["seed"].rank(method="dense"), rows["seed"].nunique()
    shift = 0.7 * ((rank - 0.5) / max(n, 1) - 0.5)
    placed = rows.assign(place=rows["net"].map(at).astype(float) + shift)
    begun = placed["when"] == "start"
    words = {i: order.looks[net].label.replace("hidden layers", "") for net, i in at.items()}
    return Panel(title=title, y=R_F,
                 x=Axis(ticks=words, limits=(-0.6, len(at) - 0.4), upright=True), marks=[
        Marks(rows=placed[~begun], x="place", y="R", by=[order], name="end"),
        Marks(rows=placed[begun], x="place", y="R", by=[order.without("marker")], name="start",
              marker="_", size=5, label="before training"), ONE,
    ])  # fmt: skip


def _against_error(rows: pd.DataFrame, quantity: str, title: str, *guides: Marks) -> Panel:
    """Test error and a quantity of each net at each P: means over seeds; the largest P full."""
    parts = [by_network(part).assign(P=P) for P, part in rows.groupby("P")]
    points = pd.concat(parts).reset_index() if parts else rows
    label = "$1/G_f$" if quantity == "G" else QUANTITIES[quantity]
    points = points.assign(
        smaller=points["P"] != points["P"].max(),
        **({"G": 1 / points["G"]} if quantity == "G" else {}),
    )
    return Panel(title=title, x=Axis(label, log=True), y=ERROR, marks=[
        Marks(rows=points, x=quantity, y="test_error", by=[nets(points["net"])], name="point",
              line="-", width=0.6, open="smaller", open_label="smaller $P$", sort=False), *guides,
    ])  # fmt: skip


def _by_depth(rows: pd.DataFrame, title: str, by: Sequence[Scale]) -> Panel:
    """R of each layer against relative depth."""
    return Panel(title=title, x=Axis("relative depth", limits=(-0.03, 1.03)),
                 y=Axis("$R$ of the layer", log=True),
                 marks=[_lines(rows, "depth", "R", *by, size=2.5), ONE])  # fmt: skip


def stability_deformations(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: one digit deformed; B: region of c and T; C: δ against its sum; D: max Ξ and Eq. 13."""
    rows = cells[cells["experiment"] == "fields"]
    rows = rows.assign(
        drawn=np.sqrt(rows["squared_displacement"]),
        exact=np.sqrt(rows["exact_squared_displacement"]),
        law=rows["cutoff"] / 2 * np.sqrt(pi**3 * rows["temperature"] * np.log(rows["cutoff"])),
    )
    by = [graded("cutoff", rows["cutoff"], "$c$ (C, D)"),
          shaped("size", rows["size"], "Pixels a side (C, D)")]  # fmt: skip
    n = f"{int(rows['n_fields'].max())} fields each" if len(rows) else ""
    panels = []
    for name, x, y, x_label, y_label in (
        ("C", "exact", "drawn", "$\\delta$, exact sum (pixels)", "$\\delta$ of drawn fields"),
        ("D", "law", "compression", "$\\frac{c}{2}(\\pi^3T\\ln c)^{1/2}$", "median of max $\\Xi$"),
    ):
        panels.append(Panel(title=n, x=Axis(x_label, log=True), y=Axis(y_label, log=True), marks=[
            Marks(rows=rows, x=x, y=y, by=by, name=name, filled=False, size=3.5),
            equality(rows[x], rows[y], label="equal (C, D)", name=f"{name} equal"),
        ]))  # fmt: skip
    return mosaic([
        Panel(title="one digit, deformed", extra=_samples, has_extra=True),
        _region(SIDES["digits"]), *panels,
    ], columns=2, preset=preset)  # fmt: skip


def _samples(axes: Axes) -> Sequence[Entry]:
    """A digit and its deformations, the cut-off to the right, the temperature upwards."""
    image = digits(SIDES["digits"]).pixels[:1].astype(float)
    size = image.shape[-1]
    step = size + GAP
    for row, times in enumerate(TIMES):
        for column, cutoff in enumerate(CUTOFFS):
            amplitudes = coefficients(
                1, cutoff=cutoff, temperature=times * largest_temperature(cutoff),
                generator=generator(0, role="drawing"),
            )  # fmt: skip
            fields = displacements(amplitudes, size=size, cutoff=cutoff)
            x, y = column * step, row * step
            axes.imshow(deform(image, fields)[0, 0], cmap="gray_r", gid=f"digit {cutoff} {times}",
                        extent=(x, x + size, y, y + size))  # fmt: skip
    middles = [i * step + size / 2 for i in range(len(CUTOFFS))]
    axes.set(xlim=(0, 3 * step - GAP), ylim=(0, 3 * step - GAP))
    axes.set_xticks(middles, labels=[f"$c={cutoff}$" for cutoff in CUTOFFS])
    axes.set_yticks(middles, labels=[f"$T={times:g}\\,T_{{max}}$" for times in TIMES])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return []


def _region(size: int) -> Panel:
    """Temperatures between δ = 1/2 and Eq. 14, by exact sums and by the law of large c."""
    cutoffs = np.arange(2, 16)
    bound = np.array([largest_temperature(int(c)) for c in cutoffs])
    half, one = (np.array([temperature_of(d, size=size, cutoff=int(c)) for c in cutoffs])
                 for d in (0.5, 1.0))  # fmt: skip
    large = np.array([1 / (pi * size**2 * log(c)) for c in cutoffs])

    def allowed(axes: Axes) -> Sequence[Entry]:
        axes.fill_between(cutoffs, half, np.maximum(bound, half), where=list(bound >= half),
                          color=GREEN, alpha=0.25, linewidth=0, gid="allowed")  # fmt: skip
        return [Entry("", "allowed (B)", Patch(color=GREEN, alpha=0.25))]

    return Panel(title=f"{size} × {size} pixels", x=Axis("cut-off $c$", limits=(2, 15)),
                 y=Axis("temperature $T$", log=True), extra=allowed, has_extra=True, marks=[
                     law(cutoffs, values, label, line=line)
                     for values, label, line in ((bound, "Eq. 14", "-"), (one, "$\\delta=1$", "--"),
                                                 (half, "$\\delta=1/2$", ":"),
                                                 (large, "Eq. 8", "-."))
                 ])  # fmt: skip


def stability_training(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: R_f of each seed before and after training at the largest P; B to D: against P."""
    rows = measured({"cells": cells, "stability": stability})
    return mosaic([
        _before_and_after(rows),
        *(_against_size(rows, key, f"{name} after training") for key, name in QUANTITIES.items()),
    ], columns=2, preset=preset, notes=_counts(rows))  # fmt: skip


def stability_errors(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: test error against R_f; B: D_f; C: 1/G_f, at all P; the largest P filled."""
    rows = measured({"cells": cells, "stability": stability})
    R = np.geomspace(0.9 * rows["R"].min(), 1.1 * rows["R"].max(), 20) if len(rows) else np.ones(0)
    thesis = law(R, 0.24 * np.sqrt(R), "$0.24\\,R_f^{1/2}$ (A; thesis, CIFAR-10)", name="thesis")
    # Of the logarithms of error and quantity, over networks at the largest P.
    networks = by_network(at_largest(rows)) if len(rows) else rows
    titles = dict.fromkeys(QUANTITIES, "")
    if len(networks) >= 4:
        networks = networks.assign(G=1 / networks["G"])
        values, _ = log_correlations(networks, list(titles), generator=np.random.default_rng(0))
        titles = {name: f"correlation {r:.2f}" for name, r in zip(titles, values, strict=True)}
    return mosaic([
        _against_error(rows, quantity, title, *([thesis] if quantity == "R" else []))
        for quantity, title in titles.items()
    ], columns=3, preset=preset, notes=_counts(rows))  # fmt: skip


def stability_depth(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: fully connected networks and LeNet; B: VGG, ResNet, EfficientNet."""
    rows = measured({"cells": cells, "stability": stability}, part="layers")
    by = [nets(rows["net"]), by_name("when", rows["when"], WHEN, "Line")]
    panels = [_by_depth(rows[is_deep(rows["net"]) == deep], title, by) for title, deep in (
        ("fully connected, LeNet", False), ("VGG, ResNet, EfficientNet", True)
    )]  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, share="y", notes=_counts(rows))


def stability_pixels(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: R_f of ResNet18 and of VGG11 before and after training, by kind of images."""
    tables = {"cells": cells, "stability": stability}
    rows = pd.concat([measured(tables, data=data).assign(data=data) for data in IMAGES])
    rows = rows[rows["net"].isin(["resnet18", "vgg11_bn"])]
    by = [by_name("data", rows["data"], IMAGES), by_name("when", rows["when"], WHEN, "Line")]
    return mosaic([
        Panel(title=look_of(str(net)).label, x=SIZE, y=R_F,
              marks=[_lines(of_net, "P", "R", *by, size=3.5), ONE])
        for net, of_net in rows.groupby("net")
    ], columns=2, preset=preset, share="y", notes=_counts(rows))  # fmt: skip


def stability_images(
    cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str, data: str
) -> Figure:
    """A: R_f before and after training; B, C: R_f and G_f against P; D: test error; E: by depth."""
    tables = {"cells": cells, "stability": stability}
    rows, layers = measured(tables, data=data), measured(tables, data=data, part="layers")
    layers = layers[is_deep(layers["net"])]
    crops = measured(tables, data=data, augmented=True, when="end")
    crop = _lines(crops, "P", "R", nets(crops["net"]).without("marker"), name="augmented",
                  marker="*", size=8, line="", label="with crops and mirrors (B)")  # fmt: skip
    by = [nets(layers["net"]), by_name("when", layers["when"], WHEN, "E")]
    return mosaic([
        _before_and_after(rows),
        _against_size(rows, "R", "after training", crop),
        _against_size(rows, "G", "after training"),
        _against_error(rows, "R", "all $P$"),
        *([_by_depth(layers, "VGG, ResNet, EfficientNet", by)] if len(layers) else []),
    ], columns=3, preset=preset, absent=ABSENT[data], notes=_counts(rows))  # fmt: skip


def stability_models(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: stripe model; B: R_k of a CNN on the SRHM; C: test error against R_f there."""
    tables = {"cells": cells, "stability": stability}
    stripe, srhm = measured(tables, data="stripe"), measured(tables, data="srhm")
    layers = pd.concat([measured(tables, data="srhm", part="layers"), srhm])
    tildes = by_name("alpha_tilde", stripe["alpha_tilde"], REGIME)
    in_time = _lines(stripe, "P", "R", tildes, by_name("when", stripe["when"], WHEN, "Line"),
                     size=3.5, name="stripe")  # fmt: skip
    ended = in_time.rows.query(f"alpha_tilde == {FEATURE} and when == 'end'")
    slope = [power_law(list(ended["P"]), -1, through=(P, R), label="slope $-1$ (A)")
             for P, R in ended[["P", "R"]].head(1).to_numpy(dtype=float).tolist()]  # fmt: skip
    cnn = layers[(layers["net"] == "cnn") & (layers["alpha_tilde"] == FEATURE)]
    parts = [by_network(part).assign(P=P, alpha_tilde=scale)
             for (P, scale), part in parted(srhm, "P", "alpha_tilde")]  # fmt: skip
    points = pd.concat(parts).reset_index() if parts else srhm
    by_point = {letters: rows.groupby(["net", "alpha_tilde", "P"])["seed"].nunique()
                for letters, rows in (("A", stripe), ("B, C", srhm)) if len(rows)}  # fmt: skip
    return mosaic([
        Panel(title="stripe", x=POINTS, y=R_F, marks=[in_time, *slope]),
        Panel(title="SRHM, CNN", x=POINTS, y=Axis("$R_k$", log=True), marks=[
            _lines(cnn, "P", "R", graded("layer", cnn["layer"], "Layer $k$ (B)"),
                   by_name("when", cnn["when"], WHEN, "Line"), size=3.5, name="layer")]),
        Panel(title="SRHM", x=R_F, y=ERROR, marks=[
            Marks(rows=points, x="R", y="test_error", line="-", width=0.6, size=3.5, sort=False,
                  name="errors", by=[nets(points["net"]), by_name(
                      "alpha_tilde", points["alpha_tilde"], FILL, "$\\tilde\\alpha$ (C)")])]),
    ], columns=3, preset=preset, notes=[
        f"{letters}: {several(counts, 'seed')}." for letters, counts in by_point.items()
    ])  # fmt: skip


def stability_scans(
    cells: pd.DataFrame, stability: pd.DataFrame, noise: pd.DataFrame, *, preset: str,
    data: str = "digits",
) -> Figure:  # fmt: skip
    """A, B: R_f against δ before and after training; C: G_f against the norm of the noise."""
    tables: Mapping[str, Any] = {"cells": cells, "stability": stability, "noise": noise}
    rows = measured(tables, part="displacements", data=data)
    noises = measured(tables, table="noise", data=data)
    if rows.empty or noises.empty:
        return mosaic([], columns=1, preset=preset)
    ended = noises[noises["when"] == "end"]
    norms = ended.groupby(["net", "times"])["noise_norm"].mean().reset_index()
    at_noise = spread(ended, "G", ["net", "times"], geometric=True).merge(norms)
    kinds = by_name("interpolation", rows["interpolation"], KINDS, "Interpolation (A, B)")
    by = [nets(rows["net"]), kinds]
    least, first = ended["noise_norm"].min(), ended.groupby("times")["G"].mean().iloc[0]
    slope = power_law([least, 1.0], 2, through=(least, 3 * first), label="slope 2 (C)")
    return mosaic([
        *(Panel(title=f"{word} training", x=Axis("displacement $\\delta$ (pixels)", log=True),
                y=R_F, marks=[_lines(rows[rows["when"] == when], "displacement", "R", *by,
                                     size=2.5, name=when)])
          for when, word in (("start", "before"), ("end", "after"))),
        Panel(title="after training", x=Axis("norm of the noise $\\|\\eta\\|$", log=True),
              y=Axis("$G_f$", log=True), marks=[
                  Marks(rows=at_noise, x="noise_norm", y="G", by=[nets(at_noise["net"])], line="-",
                        size=2.5, width=0.9, name="noise"), slope]),
    ], columns=3, preset=preset, notes=_counts(rows))  # fmt: skip
