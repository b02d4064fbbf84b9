"""Figure 6 A, B: how p_1 and tau_1 act on a real datum.

Letters of the paper: p_l exchange of synonyms and tau_l diffeomorphism at level l, f_2 second
hidden layer, S_2 and D_2 its sensitivities at l = 1 (Eq. 6, 7).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from srhm.figures.drawing import INPUT_COLOURS, OUTLINE, frame, row_of_tiles
from srhm.figures.legends import Entry
from srhm.figures.panels import Panel
from srhm.model.encoding import symbols
from srhm.model.grammar import Grammar, draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.model.transformations import displace, exchange_synonyms
from srhm.studies.sparse_hierarchy.figures.data_model import PARAMETERS, draw_tree

WORDS = {"S": ("synonyms exchanged, places kept", "p_1"),
         "D": ("features kept, places drawn anew", "\\tau_1")}  # fmt: skip
# Chosen so that both transformations change every patch of the datum; any other does.
SEED = 14
MARGIN, PANEL = 2.6, PARAMETERS.input_length
TOP, HEIGHT = 1.4, 14.6  # tiles
TREE = (2.6, 4.9, 7.5)  # heights of class, level 2, input
TRANSFORMED, FORMULA = 11.3, 13.7


@dataclass(frozen=True)
class Example:
    """A datum and its images under p_1 and tau_1, each as data of one row."""

    grammar: Grammar
    datum: Derivations
    exchanged: Derivations
    displaced: Derivations


def example(*, seed: int = SEED) -> Example:
    """The first training datum of this seed for the grammar of Figure 2, and its images."""
    grammar = draw_grammar(PARAMETERS, generator=generator(seed, role="grammar"))
    datum, _ = draw_sample(
        grammar,
        n_train=1,
        n_test=1,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    random = generator(seed, role="drawing")
    return Example(
        grammar,
        datum,
        exchange_synonyms(datum, grammar, level=1, generator=random),
        displace(datum, grammar, level=1, generator=random),
    )


def draw_transformation(kind: str, *, seed: int = SEED) -> Panel:
    """Panel A (S) or B (D): a datum, its tree, and what p_1 or tau_1 makes of it.

    Arrows join each feature to its image; frames mark the places whose content changed.
    """
    title, operator = WORDS[kind]
    formula = (
        f"${kind}_2 = \\langle\\Vert f_2(x) - f_2({operator}\\,x)\\Vert^2\\rangle\\;/\\;"
        "\\langle\\Vert f_2(x_1) - f_2(x_2)\\Vert^2\\rangle$"
    )

    def drawing(axes: Axes) -> Sequence[Entry]:
        drawn = example(seed=seed)
        image = drawn.exchanged if kind == "S" else drawn.displaced
        axes.set_axis_off()
        axes.set(xlim=(0, MARGIN + PANEL + 0.4), ylim=(HEIGHT, TOP), aspect="equal")
        draw_tree(axes, MARGIN, TREE, drawn.grammar, drawn.datum)
        _image(axes, MARGIN, drawn.datum, image, operator)
        axes.text(MARGIN + PANEL / 2, FORMULA, formula, fontsize=7.5, ha="center", va="center")
        return []

    return Panel(title=title, extra=drawing, has_extra=True)


def _image(axes: Axes, left: float, datum: Derivations, image: Derivations, operator: str) -> None:
    """The row of the image below that of the datum."""
    before, after = (symbols(one, PARAMETERS)[0] for one in (datum, image))
    row_of_tiles(axes, left, TRANSFORMED, after.tolist(), INPUT_COLOURS)
    for first, last in runs(before != after):
        frame(axes, left + first, TRANSFORMED, width=last - first, pad=0.08)
    old, new = datum.features[0], image.features[0]
    for start, end, same in zip(
        datum.positions[0].tolist(), image.positions[0].tolist(), (old == new).tolist(), strict=True
    ):
        changed = start != end or not same
        axes.annotate(
            "", xy=(left + end + 0.5, TRANSFORMED - 0.8),
            xytext=(left + start + 0.5, TREE[-1] + 0.6), gid="changed" if changed else "kept",
            arrowprops={"arrowstyle": "-|>", "linewidth": 0.9 if changed else 0.6, "shrinkA": 0,
                        "shrinkB": 0, "mutation_scale": 6, "color": "black" if changed else "0.6"},
        )  # fmt: skip
    axes.text(left - 2.1, (TREE[-1] + TRANSFORMED) / 2, f"${operator}$", fontsize=9, va="center")
    axes.text(left - 2.1, TRANSFORMED, f"${operator}\\,x$", fontsize=7, va="center", color=OUTLINE)


def runs(changed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First place, and the one after the last, of each unbroken run of changed places."""
    edges = np.flatnonzero(np.diff(changed.astype(int), prepend=0, append=0))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
