"""Cells from the lists of a section, each case counted by hand."""

from typing import Literal

from pydantic import Field

from srhm.declare.keys import Keys, Seeds, Several, Sizes, combinations


class Curves(Keys):
    """A section."""

    net: Several[Literal["cnn", "lcn"]] = Field(["cnn"])
    v: Sizes = Field([3])
    s: Sizes = Field([2])
    m: Sizes | None = None
    M: Sizes = Field([5, 7])
    width: int = 8
    seeds: Seeds = 2


def test_the_last_name_runs_fastest_and_a_number_stands_for_itself():
    cells = list(combinations(Curves(v=[4, 3]), "v", "seed", "width"))
    expected = [(4, 0), (4, 1), (3, 0), (3, 1)]
    assert cells == [{"v": v, "seed": seed, "width": 8} for v, seed in expected]


def test_a_key_that_is_absent_follows_from_the_names_before_it():
    synonyms = [cell["m"] for cell in combinations(Curves(v=[3, 4], s=[2, 3]), "v", "s", "m")]
    assert synonyms == [3, 9, 4, 16]
    assert [cell["m"] for cell in combinations(Curves(m=[1, 2]), "v", "s", "m")] == [1, 2]
    own = {"m": lambda cell: 2 * cell["v"]}
    assert list(combinations(Curves(), "v", "m", absent=own)) == [{"v": 3, "m": 6}]


def test_without_names_all_keys_are_crossed_and_the_seeds_run_fastest():
    cells = list(combinations(Curves(net=["lcn", "cnn"]), m=1))
    assert len(cells) == 2 * 2 * 2
    assert [*cells[0]] == ["net", "v", "s", "m", "M", "width", "seed"]
    assert [cell["seed"] for cell in cells[:4]] == [0, 1, 0, 1]
    assert cells == list(combinations(dict(Curves(net=["lcn", "cnn"])), m=1))
