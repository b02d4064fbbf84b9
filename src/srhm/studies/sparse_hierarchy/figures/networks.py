"""Figure 3: the LCN and the CNN, drawn from their geometry, with a datum in their input.

Letters of the paper: L depth, s branching, s_0 (s0) empty places for each informative one,
w = s(s_0+1) filter size and stride, H channels, v features, n_c classes.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from srhm.figures.drawing import (
    INPUT_COLOURS,
    OUTLINE,
    PAGE_WIDTH,
    canvas,
    disc,
    page,
    row_of_tiles,
    styled,
)
from srhm.model.encoding import symbols
from srhm.model.grammar import draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry

# L, s, s_0 are those of Figure 3 too
from srhm.studies.sparse_hierarchy.figures.data_model import (
    PARAMETERS,
    SEED,
)

WIDTH = 64  # channels of a hidden layer; every place of it holds all of them
# Slot of a weight -> colour: its hue is the place within the filter, its shade the filter.
HUES = ("#0072B2", "#D55E00", "#009E73", "#AA4499")
SHADES = (0.0, 0.4, -0.45, 0.65)
TITLES = {"lcn": "Locally connected network (LCN)", "cnn": "Convolutional network (CNN)"}
READOUT, TOP, GAP = 4.2, 7.6, 4.4  # height of the readout, of the last layer, between layers
LABELS, MARGIN, PANEL = 5.6, 1.4, 16


@styled
def draw(*, preset: str, seed: int = SEED) -> Figure:
    """Figure 3: two networks of Eq. 9, 10 on one datum; equal colour means one and the same weight.

    The connections, and which of them share a weight, are those of `architectures.geometry`.
    """
    grammar = draw_grammar(PARAMETERS, generator=generator(seed, role="grammar"))
    datum, _ = draw_sample(
        grammar,
        n_train=1,
        n_test=1,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    height = 17.4
    width = LABELS + 2 * PANEL + 2 * MARGIN
    figure = page(PAGE_WIDTH * height / width, preset=preset)
    axes = canvas(figure, width=width, height=height)
    for i, (letter, net) in enumerate((("a", "lcn"), ("b", "cnn"))):
        left = LABELS + i * (PANEL + MARGIN)
        axes.text(left, 0.9, rf"$\bf{{{letter}}}$  {TITLES[net]}", fontsize=8, va="center")
        _network(axes, left, geometry(net, PARAMETERS, width=WIDTH), datum)
    _row_labels(axes)
    return figure


def slot_colour(slot: int, *, filter_size: int) -> tuple[float, float, float]:
    """Colour of a weight slot, one for each slot of a layer of Figure 3."""
    base = np.array(to_rgb(HUES[slot % filter_size]))
    shade = SHADES[slot // filter_size]
    mixed = base + shade * (1 - base) if shade >= 0 else base * (1 + shade)
    red, green, blue = (float(part) for part in mixed)
    return red, green, blue


def connections(network: Geometry) -> list[NDArray[np.int32]]:
    """Weight slot of every place of every layer's input, empty places included.

    One array for each layer, of w^(L-k+1) slots for layer k.
    """
    w, d = network.parameters.patch_size, network.parameters.input_length
    by_leaf = network.slots(np.arange(d)[:, None])
    # Place z of layer k stands above the input places z w^(k-1) and the next w^(k-1) - 1.
    return [slots[:: w**k, 0] for k, slots in enumerate(by_leaf)]


def _network(axes: Axes, left: float, network: Geometry, datum: Derivations) -> None:
    parameters = network.parameters
    w, depth = parameters.patch_size, parameters.depth
    levels = [TOP + GAP * (depth - k) for k in range(depth + 1)]  # y of layer k, 0 is the input
    active = [np.unique(datum.positions[0] // w**k) for k in range(depth + 1)]
    for k, slots in enumerate(connections(network)):
        lit = set(active[k].tolist())
        for place, slot in enumerate(slots.tolist()):
            axes.plot(
                [_x(left, place, w**k), _x(left, place // w, w ** (k + 1))],
                [levels[k] - 0.5, levels[k + 1] + 0.5],
                color=slot_colour(slot, filter_size=w),
                linewidth=2.8 if place in lit else 0.8,
                zorder=2 if place in lit else 1,
                solid_capstyle="round",
                gid=f"{network.net} layer {k + 1} slot {slot}",
            )
    for k in range(1, depth + 1):
        lit = set(active[k].tolist())
        for place in range(network.layers[k - 1].n_places):
            _unit(axes, _x(left, place, w**k), levels[k], lit=place in lit)
    middle = _x(left, 0, w**depth)
    for label in range(network.n_classes):
        x = middle + 1.7 * (label - (network.n_classes - 1) / 2)
        axes.plot([middle, x], [levels[depth] - 0.5, READOUT + 0.5], color=OUTLINE,
                  linewidth=0.9, zorder=1)  # fmt: skip
        disc(axes, x, READOUT, label)
    counts = ", ".join(f"{layer.n_slots} in layer {k}" for k, layer in enumerate(network.layers, 1))
    axes.text(left, 2.2, f"separate weights: {counts}", fontsize=7, va="center", color=OUTLINE)
    row_of_tiles(axes, left, levels[0], symbols(datum, parameters)[0].tolist(), INPUT_COLOURS)


def _row_labels(axes: Axes) -> None:
    """Names of the layers, at the left of both networks."""
    depth, d = PARAMETERS.depth, PARAMETERS.input_length
    names = {READOUT: "readout,\n$n_c$ classes"}
    names |= {TOP + GAP * (depth - k): f"hidden layer {k}" for k in range(1, depth + 1)}
    names[TOP + GAP * depth] = f"input,\n$d = {d}$ places"
    for y, name in names.items():
        axes.text(0.5, y, name, fontsize=7, va="center", linespacing=1.3)


def _x(left: float, place: int, leaves: int) -> float:
    """Middle of the input places below a place that stands above so many."""
    return left + (place + 0.5) * leaves


def _unit(axes: Axes, x: float, y: float, *, lit: bool) -> None:
    """A place of a hidden layer: a pile of channels, dark where the datum makes it nonzero."""
    for shift in (0.3, 0.15, 0.0):
        axes.add_patch(
            Rectangle((x - 0.6 + shift, y - 0.4 - shift), 1.2, 0.8, edgecolor=OUTLINE,
                      facecolor="0.35" if lit else "white", linewidth=0.5, zorder=3)
        )  # fmt: skip
