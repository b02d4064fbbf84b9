"""The code of docs/library.md runs as it stands, one block after the other, and gives a P*."""

import re
from pathlib import Path

import pytest
import torch
from assertions import assert_label_kept

DOCUMENT = Path(__file__).parents[1] / "docs" / "library.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)


@pytest.fixture(scope="module")
def names():
    """All that the blocks define."""
    found = {}
    with torch.random.fork_rng():
        for block in BLOCKS:
            exec(block, found)
    return found


def test_document_and_code_are_short():
    assert len(DOCUMENT.read_text().splitlines()) <= 60
    assert len(BLOCKS[1].splitlines()) < 30


def test_the_data_are_of_the_grammar_and_keep_their_class(names):
    assert names["latents"].shape == (1000, 2)
    for image in (names["synonymous"], names["moved"]):
        assert_label_kept(names["train"][:50], image[:50], names["grammar"])


def test_the_network_learns_and_has_a_sample_complexity(names):
    found = names["sample_complexity"](names["sizes"], names["errors"], threshold=0.1)
    assert found.status == "reached"
    assert found.n_seeds == 3
    assert found.low < found.P_star < found.high
    assert 64 < found.P_star < 512


def test_the_second_layer_of_a_trained_network_is_blinder_to_level_1_than_the_first(names):
    value = names["table"].set_index(["kind", "l", "layer"])["value"]
    for kind in "SD":
        assert value[kind, 1, "3"] < value[kind, 1, "1"]
