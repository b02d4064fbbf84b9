"""Jobs of a useful length: how a curve is split."""

import re

import pytest

from srhm.planning.lengths import split as parts
from srhm.training.cost import Cost


def made(*minutes):
    return [Cost(steps=1, seconds=60 * m, memory=1e8, stored=1e7) for m in minutes]


EXPECTED = made(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


@pytest.mark.parametrize("minutes", [20, 54, 0.001])
def test_each_cell_is_in_one_part(minutes):
    split = parts(EXPECTED, minutes=minutes)
    assert sorted(place for places in split.values() for place in places) == list(range(10))
    assert all(re.fullmatch(rf"\d+-of-{len(split)}", name) for name in split)
    assert all(split.values())


def of_groups(sizes):
    """Places of groups of these sizes, one after the other."""
    places = iter(range(sum(sizes)))
    return [[next(places) for _ in range(size)] for size in sizes]


@pytest.mark.parametrize("minutes", [20, 0.1])
@pytest.mark.parametrize("sizes", [[3, 3, 4], [1, 8, 1], [2] * 5, [10]])
def test_a_group_is_never_split(sizes, minutes):
    own = of_groups(sizes)
    split = parts(EXPECTED, groups=own, minutes=minutes)
    if len(own) == 1:
        assert split == {}
        return
    assert sorted(place for places in split.values() for place in places) == list(range(10))
    assert all(split.values())
    for group in own:
        assert any(set(group) <= set(places) for places in split.values())
