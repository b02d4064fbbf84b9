"""Figure 2: production rules, placements and samples of the model, from the real generator.

Letters of the paper: L depth, s branching, s_0 (s0) empty places for each informative one,
v features, m synonyms, n_c classes. Sparsity A: each feature in its own sub-patch of s_0+1 places;
B: the s features anywhere in the patch, order kept (section 3).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
from srhm.model.encoding import symbols
from srhm.model.grammar import Grammar, GrammarParameters, Sparsity, draw_grammar, placement_offsets
from srhm.model.sampling import Derivations, depth_slices, derive, draw_sample
from srhm.model.seeding import generator
from srhm.model.transformations import displace

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


@styled
def draw(*, preset: str, seed: int = SEED) -> Figure:
    """Figure 2: a grammar of this seed, its placements, and data with sparsity A and with B.

    The rules are the same for A and B, as are synonyms and label of the first datum of each; the
    second datum is the first with all its places drawn anew.
    """
    grammar = draw_grammar(PARAMETERS, generator=generator(seed, role="grammar"))
    data = {sparsity: sample(grammar, sparsity, seed=seed) for sparsity in SPARSITIES}
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
    drawn, _ = draw_sample(
        grammar,
        n_train=N_SAMPLES,
        n_test=1,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    # A position of the sample of sparsity A is one of sparsity B: its choices are taken over.
    model, _ = draw_sample(
        with_sparsity(grammar, "A"),
        n_train=1,
        n_test=1,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    first = derive(grammar, model.labels, model.choices, drawn.placements[:1])
    second = displace(
        first,
        grammar,
        level=grammar.parameters.depth,
        generator=generator(seed, role="drawing"),
        redraw_all=True,
    )
    others = drawn[1 : N_SAMPLES - 1]
    return derive(
        grammar,
        np.concatenate([first.labels, second.labels, others.labels]),
        np.concatenate([first.choices, second.choices, others.choices]),
        np.concatenate([first.placements, second.placements, others.placements]),
    )


def stages(grammar: Grammar, data: Derivations) -> list[np.ndarray]:
    """Symbols (n, w^t) of the data after t = 1 ... L production rules: 0 is empty, f + 1 a feature.

    Each stage is what the upper t levels of the grammar produce.
    """
    depth = grammar.parameters.depth
    found = []
    for t in range(1, depth + 1):
        upper = Grammar(replace(grammar.parameters, depth=t), grammar.rules[depth - t :])
        used = slice(0, depth_slices(upper.parameters)[-1].stop)
        part = derive(upper, data.labels, data.choices[:, used], data.placements[:, used])
        found.append(symbols(part, upper.parameters))
    return found


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
        axes.text(left, y, title, fontsize=7, va="center")
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
    axes.text(left + 12.9, 8.5, "framed:\nused by the\nfirst datum\nof 3 and 4", fontsize=7,
              va="center", linespacing=1.3)  # fmt: skip


def _placements(axes: Axes, left: float, grammar: Grammar, data: Derivations) -> None:
    """Panel 2: all ways to place the patch that the first datum's class produces."""
    _title(axes, left, 0.9, "2", "Sparsity: all placements in a patch, $s = 2$, $s_0 = 1$")
    features = grammar.rules[-1][data.labels[0], data.choices[0, 0]]
    notes = ("A: one in each\nsub-patch of 2", "B: anywhere,\norder kept")
    for x, sparsity, note in zip((left, left + 5.9), SPARSITIES, notes, strict=True):
        parameters = replace(grammar.parameters, sparsity=sparsity)
        axes.text(x, 2.7, note, fontsize=7, va="center", linespacing=1.25)
        for i, offsets in enumerate(placement_offsets(parameters)):
            row = np.zeros(parameters.patch_size, dtype=int)
            row[offsets] = features + 1
            y = 4.5 + 1.35 * i
            row_of_tiles(axes, x, y, row.tolist(), LATENT_COLOURS)
            if sparsity == "A":  # the border of the two sub-patches
                axes.plot([x + 2, x + 2], [y - 0.62, y + 0.62], color="black", linewidth=1.3,
                          zorder=4)  # fmt: skip
    x = left + 11.8
    axes.text(x, 2.7, "empty places\nstay empty", fontsize=7, va="center", linespacing=1.25)
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
    axes.text(left, y, "the same with its places drawn anew, and three more data", fontsize=7,
              va="center", color=OUTLINE)  # fmt: skip
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
        axes.text(left - 2.1, y, name, fontsize=7, va="center", color=OUTLINE)


def _title(axes: Axes, x: float, y: float, letter: str, text: str) -> None:
    axes.text(x, y, rf"$\bf{{{letter}}}$  {text}", fontsize=8, va="center")
