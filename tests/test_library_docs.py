"""The code of docs/library.md runs as it stands, one block after the other, and gives a P*."""

import inspect
import re
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import pytest
import torch
from assertions import assert_label_kept

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "library.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """All that the blocks define, run in a folder that has the published rows."""
    found = {}
    folder = tmp_path_factory.mktemp("library")
    (folder / "published").symlink_to(ROOT / "published")
    with torch.random.fork_rng(), chdir(folder):
        for block in BLOCKS:
            exec(block, found)
    return found


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


def test_the_figure_of_published_rows_has_a_line_for_each_vocabulary(names):
    (axes,) = names["plot"].axes.flat
    drawn = [line for line in axes.lines if len(line.get_xdata()) > 1]
    assert len(drawn) == names["some"]["v"].nunique() > 1


LIBRARY = ("data", "transforms", "torch_data", "tangent_kernel", "learning_curve", "deformations",
           "sensitivity")  # fmt: skip


@pytest.mark.parametrize("name", LIBRARY)
def test_functions_name_their_arguments_and_what_they_return(name):
    module = import_module(f"srhm.{name}")
    for function in vars(module).values():
        if inspect.isfunction(function) and function.__module__ == module.__name__:
            if function.__name__.startswith("_"):
                continue
            words = inspect.getdoc(function)
            assert "Returns:" in words, function.__name__
            for parameter in inspect.signature(function).parameters:
                assert re.search(rf"^    {parameter}: ", words, re.MULTILINE), parameter
