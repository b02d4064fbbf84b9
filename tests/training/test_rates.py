"""The table of rates against the authors' function, entry by entry, and what has no rate."""

import pytest

from srhm.training.configuration import NoPublishedRate, published_rate


def rate(net, L, s, s0, v=8):
    return published_rate({"net": net, "L": L, "s": s, "s0": s0, "v": v})


# For s_0 = 0, 1, 2, 3, 4, 6: as the authors' `choice_lr` and its like in their scripts give them.
@pytest.mark.parametrize(
    ("net", "L", "s", "v", "rates"),
    [
        ("cnn", 1, 2, 8, (0.1, 0.1, 0.1, 0.1, 0.03, 0.03)),
        ("cnn", 2, 2, 8, (0.01, 0.1, 0.1, 0.1, 0.03, 0.01)),
        ("cnn", 2, 2, 4, (0.01, 0.1, 0.1, 0.1, 0.03, 0.01)),
        ("cnn", 3, 2, 8, (0.01, 0.01, 0.01, 0.01, 0.003, 0.001)),
        ("cnn", 4, 2, 8, (0.01, 0.01, 0.01, 0.01, 0.003, 0.001)),
        *(("cnn", L, 3, 6, (0.01, 0.01, 0.01, 0.01, 0.003, 0.0003)) for L in (1, 2, 3)),
        *(("cnn", L, 3, 4, (0.003, 0.003, 0.003, 0.003, 0.003, 0.0003)) for L in (1, 2, 3)),
        ("cnn", 2, 4, 4, (0.01, 0.01, 0.01, 0.01, 0.003, 0.0003)),
        *(("lcn", L, 2, 8, (0.01, 0.01, 0.01, 0.01, 0.003, 0.003)) for L in (1, 2, 3)),
        *(("lcn", L, s, v, (0.003,) * 6) for L in (1, 2, 3) for s in (3, 4) for v in (4, 6)),
        *(("fcn", 2, s, 8, (0.01, 0.01, 0.01, 0.01, 0.003, 0.003)) for s in (2, 3)),
        ("fcn2", 2, 2, 6, (0.01, 0.01, 0.01, 0.01, 0.003, 0.003)),
        ("fcn2", 3, 2, 6, (0.003, 0.003, 0.003, 0.003, 0.001, 0.001)),
        *(("fcn", 3, s, 8, (0.003, 0.003, 0.003, 0.003, 0.001, 0.001)) for s in (2, 3)),
    ],
)
def test_every_entry_is_the_authors(net, L, s, v, rates):
    assert tuple(rate(net, L, s, s0, v) for s0 in (0, 1, 2, 3, 4, 6)) == rates


def test_a_net_that_the_table_lacks_is_named():
    with pytest.raises(NoPublishedRate, match="net = another, s = 2"):
        rate("another", 2, 2, 1)
