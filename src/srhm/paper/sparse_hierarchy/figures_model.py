"""Figures 2, 3 and 5 of the paper: the data model, the networks, the benefit of sparsity.

w = s(s_0+1) is the filter size and stride.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from srhm.figures.drawing import (
    INPUT_COLOURS,
    LATENT_COLOURS,
    OUTLINE,
    PAGE_WIDTH,
    arrow,
    canvas,
    disc,
    frame,
    page,
    row_of_tiles,
    styled,
    tile,
)
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.model import theory
from srhm.model.encoding import symbols
from srhm.model.grammar import Grammar, GrammarParameters, Sparsity, draw_grammar, placement_offsets
from srhm.model.sampling import Derivations, depth_slices, derive, draw_sample
from srhm.model.seeding import generator
from srhm.model.transformations import displace
from srhm.networks.geometry import Geometry, geometry

# Figure 2's caption; m = 3 = v^(s-1), n_c = 2.
PARAMETERS = GrammarParameters(
    depth=2, branching=2, n_features=3, n_synonyms=3, n_classes=2, n_empty=1
)
# Chosen so that the first datum shows tuples of different features; any other does.
SEED = 1
N_SAMPLES = 5
SPARSITIES: tuple[Sparsity, Sparsity] = ("A", "B")
MARGIN, PANEL = 2.6, 16
WIDTH, HEIGHT = 2 * PANEL + 2 * MARGIN + 0.8, 31.4
CHANNELS = 64  # of a hidden layer; every place of it holds all of them
# Slot of a weight -> colour: its hue is the place within the filter, its shade the filter.
HUES = ("#0072B2", "#D55E00", "#009E73", "#AA4499")
SHADES = (0.0, 0.4, -0.45, 0.65)
TITLES = {"lcn": "Locally connected network (LCN)", "cnn": "Convolutional network (CNN)"}
READOUT, TOP, GAP = 4.2, 7.6, 4.4  # height of the readout, of the last layer, between layers
LABELS, BETWEEN = 5.6, 1.4
N_FEATURES, BRANCHING = 10, 5  # v and s of Figure 5, with m = v^(s-1)
N_SYNONYMS = N_FEATURES ** (BRANCHING - 1)
# The ranges of the printed axes are not in the paper's text.
LOG10_DIMENSION = (0.5, 4.5)
LOG10_FRACTION = (-3.0, 0.0)
N_GRID = 150
LEVELS = 10.0 ** np.arange(6, 28, 3)
MOST_EMPTY = 9  # grammars are shown up to this s_0
NO_GRAMMAR = "0.9"


def first_data(grammar: Grammar, seed: int, n: int = 1) -> Derivations:
    """The first training data of a seed."""
    data, _ = draw_sample(grammar, n_train=n, n_test=1,
                           train_generator=generator(seed, role="train"),
                           test_generator=generator(seed, role="test"))  # fmt: skip
    return data


def _words(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"fontsize": 7, "va": "center", **look})


def _title(axes: Axes, x: float, y: float, letter: str, text: str) -> None:
    _words(axes, x, y, rf"$\bf{{{letter}}}$  {text}", fontsize=8)


@styled
def fig02(*, preset: str) -> Figure:
    """Figure 2: a grammar, its placements, and data with sparsity A and with B."""
    grammar = draw_grammar(PARAMETERS, generator=generator(SEED, role="grammar"))
    data = {sparsity: sample(grammar, sparsity, seed=SEED) for sparsity in SPARSITIES}
    figure = page(PAGE_WIDTH * HEIGHT / WIDTH, preset=preset)
    axes = canvas(figure, width=WIDTH, height=HEIGHT)
    right = PANEL + 2 * MARGIN
    _rules(axes, MARGIN, grammar, data["A"])
    _placements(axes, right, grammar, data["A"])
    for letter, x, sparsity in zip("34", (MARGIN, right), SPARSITIES, strict=True):
        _samples(axes, x, letter, with_sparsity(grammar, sparsity), data[sparsity])
    return figure


def with_sparsity(grammar: Grammar, sparsity: Sparsity) -> Grammar:
    """The same rules under another sparsity."""
    return replace(grammar, parameters=replace(grammar.parameters, sparsity=sparsity))


def sample(grammar: Grammar, sparsity: Sparsity, *, seed: int) -> Derivations:
    """Data of the figure: the first of the seed's sample, the same displaced, then the next ones.

    The first has one label and one choice of synonyms for both sparsities.
    """
    grammar = with_sparsity(grammar, sparsity)
    drawn = first_data(grammar, seed, N_SAMPLES)
    # A position of the sample of sparsity A is one of sparsity B: its choices are taken over.
    model = first_data(with_sparsity(grammar, "A"), seed)
    first = derive(grammar, model.labels, model.choices, drawn.placements[:1])
    second = displace(first, grammar, level=grammar.parameters.depth, redraw_all=True,
                      generator=generator(seed, role="drawing"))  # fmt: skip
    parts = (first, second, drawn[1 : N_SAMPLES - 1])
    columns = ("labels", "choices", "placements")
    return derive(
        grammar, *(np.concatenate([getattr(part, column) for part in parts]) for column in columns)
    )


def stages(grammar: Grammar, data: Derivations) -> list[np.ndarray]:
    """Symbols (n, w^t) of the data after t = 1 ... L production rules: 0 is empty, f + 1 a feature.

    Each stage is what the upper t levels of the grammar produce.
    """
    depth = grammar.parameters.depth
    symbols_of = []
    for t in range(1, depth + 1):
        upper = Grammar(replace(grammar.parameters, depth=t), grammar.rules[depth - t :])
        used = slice(0, depth_slices(upper.parameters)[-1].stop)
        part = derive(upper, data.labels, data.choices[:, used], data.placements[:, used])
        symbols_of.append(symbols(part, upper.parameters))
    return symbols_of


def _rules(axes: Axes, left: float, grammar: Grammar, data: Derivations) -> None:
    """Panel 1: all rules, those of the first datum framed."""
    parameters = grammar.parameters
    _title(axes, left, 0.9, "1", "Production rules: $m = 3$ synonyms each")
    latents = stages(grammar, data)[0][0]
    latents = latents[latents > 0] - 1
    choices = data.choices[0]
    used = {
        2: {(int(data.labels[0]), int(choices[0]))},
        1: set(zip(latents.tolist(), choices[1:].tolist(), strict=True)),
    }
    y = 2.5
    for level, title in (
        (2, "class → level-2 features"),
        (1, "level-2 → level-1 features (input)"),
    ):
        _words(axes, left, y, title)
        y += 1.45
        colours = LATENT_COLOURS if level == 2 else INPUT_COLOURS
        for latent, synonyms in enumerate(grammar.rules[level - 1]):
            if level == 2:
                disc(axes, left + 1.0, y, latent)
            else:
                tile(axes, left + 1.0, y, latent, LATENT_COLOURS)
            arrow(axes, (left + 1.9, y), (left + 3.2, y))
            for choice, features in enumerate(synonyms):
                x = left + 3.7 + choice * (parameters.branching + 1.0)
                row_of_tiles(axes, x, y, (features + 1).tolist(), colours)
                if (latent, choice) in used[level]:
                    frame(axes, x, y, width=parameters.branching)
            y += 1.6
        y += 0.15
    _words(axes, left + 12.9, 8.5, "framed:\nused by the\nfirst datum\nof 3 and 4",
           linespacing=1.3)  # fmt: skip


def _placements(axes: Axes, left: float, grammar: Grammar, data: Derivations) -> None:
    """Panel 2: all ways to place the patch that the first datum's class produces."""
    _title(axes, left, 0.9, "2", "Sparsity: all placements in a patch, $s = 2$, $s_0 = 1$")
    features = grammar.rules[-1][data.labels[0], data.choices[0, 0]]
    notes = ("A: one in each\nsub-patch of 2", "B: anywhere,\norder kept")
    for x, sparsity, note in zip((left, left + 5.9), SPARSITIES, notes, strict=True):
        parameters = replace(grammar.parameters, sparsity=sparsity)
        _words(axes, x, 2.7, note, linespacing=1.25)
        for i, offsets in enumerate(placement_offsets(parameters)):
            row = np.zeros(parameters.patch_size, dtype=int)
            row[offsets] = features + 1
            y = 4.5 + 1.35 * i
            row_of_tiles(axes, x, y, row.tolist(), LATENT_COLOURS)
            if sparsity == "A":  # the border of the two sub-patches
                axes.plot([x + 2, x + 2], [y - 0.62, y + 0.62], color="black", linewidth=1.3,
                          zorder=4)  # fmt: skip
    x = left + 11.8
    _words(axes, x, 2.7, "empty positions\nstay empty", linespacing=1.25)
    tile(axes, x + 2, 4.5, None, LATENT_COLOURS)
    arrow(axes, (x + 2, 5.15), (x + 2, 6.5))
    row_of_tiles(axes, x, 7.2, [0] * grammar.parameters.patch_size, INPUT_COLOURS)


def _samples(axes: Axes, left: float, letter: str, grammar: Grammar, data: Derivations) -> None:
    """Derivation tree of the first datum, then the inputs of all."""
    top = 14.1
    _title(axes, left, top, letter, f"Data with sparsity {grammar.parameters.sparsity}")
    heights = (top + 1.9, top + 4.6, top + 7.6)
    draw_tree(axes, left, heights, grammar, data)
    y = heights[-1] + 1.7
    _words(axes, left, y, "the same, positions drawn anew; three more data",
           color=OUTLINE)  # fmt: skip
    inputs = stages(grammar, data)[-1]
    for label, row in zip(data.labels[1:].tolist(), inputs[1:].tolist(), strict=True):
        y += 1.5
        disc(axes, left - 0.9, y, label, radius=0.5)
        row_of_tiles(axes, left, y, row, INPUT_COLOURS)


def draw_tree(
    axes: Axes, left: float, heights: Sequence[float], grammar: Grammar, data: Derivations
) -> None:
    """Derivation of the first datum, L = 2: class, level 2 and input at these heights."""
    parameters = grammar.parameters
    w = parameters.patch_size
    rows = [[1 + int(data.labels[0])], *(stage[0].tolist() for stage in stages(grammar, data))]
    for t, row in enumerate(rows):
        leaves = parameters.input_length // len(row)
        for place, symbol in enumerate(row):
            x = left + (place + 0.5) * leaves
            if t == 0:
                disc(axes, x, heights[t], symbol - 1)
            else:
                colours = (LATENT_COLOURS, INPUT_COLOURS)[t - 1]
                tile(axes, x, heights[t], None if symbol == 0 else symbol - 1, colours)
                above = left + (place // w + 0.5) * leaves * w
                gap = 0.6 if t == 1 else 0.5
                axes.plot([above, x], [heights[t - 1] + gap, heights[t] - 0.5],
                          color="black" if symbol else "0.8", linewidth=1.1 if symbol else 0.5,
                          zorder=2 if symbol else 1)  # fmt: skip
    for name, y in zip(("class", "level 2", "input"), heights, strict=True):
        _words(axes, left - 2.1, y, name, color=OUTLINE)


@styled
def fig03(*, preset: str) -> Figure:
    """Figure 3: two networks of Eq. 9, 10 on one datum; equal colour means one and same weight."""
    grammar = draw_grammar(PARAMETERS, generator=generator(SEED, role="grammar"))
    datum = first_data(grammar, SEED)
    height, width = 17.4, LABELS + 2 * PANEL + 2 * BETWEEN
    figure = page(PAGE_WIDTH * height / width, preset=preset)
    axes = canvas(figure, width=width, height=height)
    for i, (letter, net) in enumerate(zip("ab", TITLES, strict=True)):
        left = LABELS + i * (PANEL + BETWEEN)
        _title(axes, left, 0.9, letter, TITLES[net])
        _network(axes, left, geometry(net, PARAMETERS, width=CHANNELS), datum)
    depth = PARAMETERS.depth
    _words(axes, 0.5, READOUT, "readout,\n$n_c$ classes", linespacing=1.3)
    for k in range(1, depth + 1):
        _words(axes, 0.5, TOP + GAP * (depth - k), f"hidden layer {k}", linespacing=1.3)
    _words(axes, 0.5, TOP + GAP * depth, f"input,\n$d = {PARAMETERS.input_length}$ positions",
           linespacing=1.3)  # fmt: skip
    return figure


def slot_colour(slot: int, *, filter_size: int) -> tuple[float, ...]:
    """Colour of a weight slot, one for each slot of a layer of Figure 3."""
    base = np.array(to_rgb(HUES[slot % filter_size]))
    shade = SHADES[slot // filter_size]
    mixed = base + shade * (1 - base) if shade >= 0 else base * (1 + shade)
    return tuple(mixed.tolist())


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
    active = [set((datum.positions[0] // w**k).tolist()) for k in range(depth + 1)]
    for k, slots in enumerate(connections(network)):
        for place, slot in enumerate(slots.tolist()):
            axes.plot(
                [_x(left, place, w**k), _x(left, place // w, w ** (k + 1))],
                [levels[k] - 0.5, levels[k + 1] + 0.5], color=slot_colour(slot, filter_size=w),
                linewidth=2.8 if place in active[k] else 0.8, zorder=2 if place in active[k] else 1,
                solid_capstyle="round", gid=f"{network.net} layer {k + 1} slot {slot}",
            )  # fmt: skip
    for k in range(1, depth + 1):
        for place in range(network.layers[k - 1].n_places):
            for shift in (0.3, 0.15, 0.0):  # a pile of channels, dark where the datum is not zero
                axes.add_patch(Rectangle(
                    (_x(left, place, w**k) - 0.6 + shift, levels[k] - 0.4 - shift), 1.2, 0.8,
                    edgecolor=OUTLINE, facecolor="0.35" if place in active[k] else "white",
                    linewidth=0.5, zorder=3,
                ))  # fmt: skip
    middle = _x(left, 0, w**depth)
    for label in range(network.n_classes):
        x = middle + 1.7 * (label - (network.n_classes - 1) / 2)
        axes.plot([middle, x], [levels[depth] - 0.5, READOUT + 0.5], color=OUTLINE,
                  linewidth=0.9, zorder=1)  # fmt: skip
        disc(axes, x, READOUT, label)
    counts = ", ".join(f"{layer.n_slots} in layer {k}" for k, layer in enumerate(network.layers, 1))
    _words(axes, left, 2.2, f"separate weights: {counts}", color=OUTLINE)
    row_of_tiles(axes, left, levels[0], symbols(datum, parameters)[0].tolist(), INPUT_COLOURS)


def _x(left: float, place: int, leaves: int) -> float:
    """Middle of the input places below a place that stands above so many."""
    return left + (place + 0.5) * leaves


def fig05(*, preset: str) -> Figure:
    """Figure 5: Eq. 5 in colour, on a logarithmic scale; dots are grammars with whole L and s_0."""
    power = "\\log m/\\log s"
    (left, right), (bottom, top) = (
        (10.0**low, 10.0**high) for low, high in (LOG10_DIMENSION, LOG10_FRACTION)
    )
    panel = Panel(
        title=f"LCN: $P^* \\sim F^{{\\,{power}\\,-\\,1/2}}\\; d^{{\\,{power}\\,+\\,1/2}}$  (Eq. 5)",
        x=Axis("input dimension $d$ (positions)", log=True, limits=(left, right)),
        y=Axis("informative fraction $F = (s_0+1)^{-L}$", log=True, limits=(bottom, 1.7 * top)),
        marks=[Marks(rows=_grammars(), x="d", y="F", name="grammar", colour=BLACK, filled=False,
                     size=3.4, label=f"a grammar, $L = 1, 2 …$, $s_0 = 0 … {MOST_EMPTY}$")],
        extra=_map,
    )  # fmt: skip
    note = (
        f"v = {N_FEATURES}, s = {BRANCHING}, m = v^(s-1) = {N_SYNONYMS:,}. Lines: equal P*, a"
        " factor 1000 apart."
    )
    return mosaic([panel], columns=1, preset=preset, height=2.9, notes=[note])


def _map(axes: Axes) -> Sequence[Entry]:
    """Colours and lines of equal P*, the area without any grammar, L above its densest one."""
    dimensions = np.logspace(*LOG10_DIMENSION, N_GRID)
    fractions = np.logspace(*LOG10_FRACTION, N_GRID)
    P_star = np.exp(theory.log_sample_complexity_lcn(
        np.log(dimensions), np.log(fractions)[:, None], n_synonyms=N_SYNONYMS, branching=BRANCHING
    ))  # fmt: skip
    # d F = s^L: below s there is no hierarchy at all.
    possible = P_star[np.multiply.outer(fractions, dimensions) >= BRANCHING]
    norm = LogNorm(possible.min(), possible.max())
    mesh = axes.pcolormesh(dimensions, fractions, P_star, cmap="cividis", norm=norm,
                           shading="gouraud", rasterized=True)  # fmt: skip
    axes.contour(dimensions, fractions, P_star, levels=LEVELS, colors="white",
                 linewidths=0.5)  # fmt: skip
    border = np.minimum(BRANCHING / dimensions, fractions[-1])
    axes.fill_between(dimensions, border, color=NO_GRAMMAR, linewidth=0, zorder=2.5)
    for depth, d in _grammars().groupby("L")["d"].min().items():
        axes.text(d, 1.22, f"$L={depth}$", fontsize=7, ha="center", va="bottom")
    bar = axes.figure.colorbar(mesh, ax=axes)
    bar.set_label("sample complexity $P^*$ (training points)")
    bar.set_ticks(list(LEVELS))
    bar.ax.minorticks_off()
    none = Patch(facecolor=NO_GRAMMAR, edgecolor="0.6", linewidth=0.5)
    return [Entry("", "no grammar: $d\\,F = s^L < s$", none)]


def _grammars() -> pd.DataFrame:
    """L, d and F of each grammar inside the panel with s_0 up to MOST_EMPTY."""
    largest, smallest = 10 ** LOG10_DIMENSION[1], 10 ** LOG10_FRACTION[0]
    deepest = int(LOG10_DIMENSION[1] / np.log10(BRANCHING))
    grammars = pd.DataFrame([
        {"L": depth, "d": (BRANCHING * width) ** depth, "F": width**-depth}
        for depth in range(1, deepest + 1) for width in range(1, MOST_EMPTY + 2)
    ])  # fmt: skip
    return grammars[(grammars["d"] <= largest) & (0.999 * smallest <= grammars["F"])]
