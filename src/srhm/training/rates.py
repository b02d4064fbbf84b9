"""The learning rates of the published figures. Imports no torch."""

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from srhm.networks.registry import NAMED

ANY = range(1, 1_000_000)
MORE_THAN_2 = range(3, 1_000_000)
# The authors' own FCN, which the rows of the FCN are of.
THEIR_FCN = "fcn2"
# Of named nets: the rate itself, 64 times that of appendix B.
RATE_OF_NAMED_NETS = 64e-4


class NoPublishedRate(LookupError):
    """The authors' table has no rate for such a net."""


class RateRow(NamedTuple):
    """Rates over H of a net, and of which L, s and v; one rate for each range of s_0."""

    net: str
    L: Container[int]
    s: Container[int]
    v: Container[int]
    none: float
    below_4: float
    at_4: float
    above_4: float


# Source: the function `choice_lr` of the authors' code (`fun_choices.py`; of s = 3, v = 4 that of
# their scripts on sensitivities). The first row that fits counts. Above 4 the authors have s_0 = 6.
PUBLISHED_RATES = (
    #      net,   L,           s,           v,    s_0: 0,    1-3,   4,     more
    RateRow("cnn", ANY,         {3},         {4},   0.003,  0.003, 0.003, 0.0003),
    RateRow("cnn", ANY,         MORE_THAN_2, ANY,   0.01,   0.01,  0.003, 0.0003),
    RateRow("cnn", {1},         {2},         ANY,   0.1,    0.1,   0.03,  0.03),
    RateRow("cnn", {2},         {2},         ANY,   0.01,   0.1,   0.03,  0.01),
    RateRow("cnn", MORE_THAN_2, {2},         ANY,   0.01,   0.01,  0.003, 0.001),
    RateRow("lcn", ANY,         {2},         ANY,   0.01,   0.01,  0.003, 0.003),
    RateRow("lcn", ANY,         MORE_THAN_2, ANY,   0.003,  0.003, 0.003, 0.003),
    RateRow("fcn", {2},         ANY,         ANY,   0.01,   0.01,  0.003, 0.003),
    RateRow("fcn", ANY,         ANY,         ANY,   0.003,  0.003, 0.001, 0.001),
)  # fmt: skip


def published_rate(cell: Mapping[str, Any]) -> float:
    """Rate divided by H of the published figures, which belongs to balanced batches of 4 n_c.

    cell: net, L, s, s0 and v. The paper's sentence on rates (appendix D) contradicts itself; this
    is what the authors' code does. Of named nets it is the rate itself.

    Raises:
        NoPublishedRate: for a net that the table has no row of.
    """
    if cell["net"] in NAMED:
        return RATE_OF_NAMED_NETS
    net, depth, s, v, s0 = (cell[name] for name in ("net", "L", "s", "v", "s0"))
    known = "fcn" if net == THEIR_FCN else net
    fitting = (one for one in PUBLISHED_RATES if one.net == known)
    fitting = (one for one in fitting if depth in one.L and s in one.s and v in one.v)
    row = next(fitting, None)
    if row is None:
        raise NoPublishedRate(f"the table of rates has none for net = {net}, s = {s}")
    if s0 == 0:
        return row.none
    return row.below_4 if s0 < 4 else row.at_4 if s0 == 4 else row.above_4
