"""From a section to cells on the SRHM: windows, coordinates, keys, and what leaves these alone."""

from itertools import pairwise, product
from math import log2
from pathlib import Path

import pytest

from srhm.declare.study import ConfigError
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan

GROUP = {"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": [100, 200]}
SECTION = {"seeds": 2, "width": 8, "n_test": 100, "curves": [GROUP]}
# v = m = n_c = 4, L = s = 2, s_0 = 1: 4 * 16^3 distinct data; Eq. 3 gives 512, Eq. 4 gives 256.
N_DISTINCT = 4 * (4 * 4) ** 3


def planned(*groups, **changes):
    """The plan of the section with these groups, or its own, and some keys changed."""
    made = {**SECTION, **changes, **({"curves": list(groups)} if groups else {})}
    return plan(HierarchySection.model_validate(made), Path())


def group(**changes):
    return {**GROUP, **changes}


def cells_of(found):
    """Cell by key, of all curves of a plan."""
    entries = [entry for curve in found.curves.values() for entry in curve.entries]
    return {entry["key"]: entry["cell"] for entry in entries}


def cells(*groups, **changes):
    return cells_of(planned(*groups, **changes))


def values(found, *names):
    """The values that cells have of some coordinates."""
    return {tuple(cell.get(name) for name in names) for cell in found.values()}


@pytest.mark.parametrize(
    ("net", "window", "expected"),
    [
        ("lcn", {"low": 0.5, "high": 2, "per_octave": 1}, [256, 512, 1024]),
        ("cnn", {"low": 0.5, "high": 2, "per_octave": 1}, [128, 256, 512]),
        ("lcn", {"low": 1, "high": 2, "per_octave": 2}, [512, 724, 1024]),
        ("lcn", {"low": 1, "high": 1.99, "per_octave": 2}, [512, 724]),
        ("lcn", {"low": 1, "high": 1, "per_octave": 2}, [512]),
        ("lcn", {"low": 1, "high": 4, "per_octave": 0.5}, [512, 2048]),
        ("fcn", {"low": 1, "high": 1, "per_octave": 1}, [512]),
        # below one point, all sizes round to 1
        ("cnn", {"low": 0.001, "high": 0.004, "per_octave": 1}, [1]),
        # 16384 data, 50 kept: 8192 is the last
        ("lcn", {"low": 8, "high": 100, "per_octave": 1}, [4096, 8192]),
    ],
)
def test_a_window_gives_sizes_around_the_predicted_sample_complexity(net, window, expected):
    found = cells(group(net=net, P=window))
    assert sorted({cell["P"] for cell in found.values()}) == expected


def test_the_largest_size_leaves_50_test_points():
    assert values(cells(group(P=[N_DISTINCT - 50])), "n_test") == {(50,)}


SEARCH = {"low": 0.5, "high": 8, "search": "error"}


def test_candidates_of_a_search_are_a_lattice_that_net_and_grammar_shift():
    (curve,) = planned(group(P=SEARCH)).curves.values()
    sizes = sorted({cell["P"] for cell in curve.cells})
    assert [b / a for a, b in pairwise(sizes)] == pytest.approx([2**0.25] * 15, rel=0.01)
    assert 256 <= sizes[0] < 512 * 2**-0.75 < 512 * 2**2.75 < sizes[-1] <= 4096
    assert {(cell["P"], cell["seed"]) for cell in curve.cells} == set(product(sizes, (0, 1)))
    assert curve.search is not None
    assert sizes[curve.search.start] == pytest.approx(1024, rel=0.1)
    # Channels and rates leave P as they are, another grammar does not.
    wide, other = (
        sorted({cell["P"] for cell in cells(group(P=SEARCH, **change)).values()})
        for change in ({"width": 9}, {"s0": 2})
    )
    assert wide == sizes
    shifts = [4 * log2(one[0] / law) % 1 for one, law in ((sizes, 512), (other, 1152))]
    assert abs(shifts[0] - shifts[1]) > 0.02


def test_a_search_that_starts_or_goes_on_otherwise_has_the_same_keys_and_another_name():
    searches = [
        SEARCH, {**SEARCH, "start": 1}, {**SEARCH, "search": "sensitivities"},
        {**SEARCH, "search": "sensitivities", "beyond": 2},
    ]  # fmt: skip
    plans = [planned(group(P=one)) for one in searches]
    assert len({frozenset(cells_of(one)) for one in plans}) == 1
    assert len({name for one in plans for name in one.curves}) == len(searches)
    (starts, follows, near) = [next(iter(one.curves.values())).search for one in plans[1:]]
    assert starts.start < follows.start
    assert [(one.below, one.above) for one in (starts, follows, near)] == [(0, 0), (4, 6), (4, 4)]


def test_one_feature_cannot_be_whitened():
    training = {"whitening": True, "engine": "dense"}
    with pytest.raises(ConfigError, match=r"\.v = 1: with training.whitening allowed are 2"):
        planned(group(v=1, m=1, n_c=1, P=[10], training=training))
