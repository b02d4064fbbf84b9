"""Figures 2 and 3 draw a grammar and weights as they are; a saved figure is the same twice."""

from pathlib import Path

import numpy as np
import pytest

from srhm.figures.drawing import save
from srhm.model.encoding import symbols
from srhm.model.grammar import draw_grammar
from srhm.model.parsing import parse
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm.paper.sparse_hierarchy import figures_model


def test_drawing_writes_nothing_and_saving_writes_the_same_bytes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    figures = [figures_model.fig05(preset="invented") for _ in range(2)]
    assert not list(tmp_path.iterdir())
    for i, figure in enumerate(figures):
        files = {"pdf": tmp_path / f"{i}.pdf", "png": tmp_path / f"{i}.png"}
        save(figure, **files, command="make figures", commit="abc")
    for suffix in ("pdf", "png"):
        first, second = ((tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2))
        assert first == second


@pytest.mark.parametrize("sparsity", ["A", "B"])
def test_the_drawn_data_belong_to_their_grammar(sparsity: str) -> None:
    grammar = draw_grammar(figures_model.PARAMETERS, generator=generator(4, role="grammar"))
    data = figures_model.sample(grammar, sparsity, seed=4)  # type: ignore[arg-type]
    grammar = figures_model.with_sparsity(grammar, sparsity)  # type: ignore[arg-type]
    rows = symbols(data, grammar.parameters)
    assert [parse(row, grammar).label for row in rows] == data.labels.tolist()
    np.testing.assert_array_equal(figures_model.stages(grammar, data)[-1], rows)
    np.testing.assert_array_equal(data.choices[0], data.choices[1])


def test_connections_of_one_colour_share_a_weight() -> None:
    for net, n_weights in (("lcn", 16), ("cnn", 4)):
        network = geometry(net, figures_model.PARAMETERS, width=2)
        first, second = figures_model.connections(network)
        assert (first.size, second.size) == (16, 4)
        colours = {figures_model.slot_colour(int(slot), filter_size=4) for slot in first}
        assert len(colours) == n_weights == len(set(first.tolist()))
        np.testing.assert_array_equal(second, np.arange(4))
