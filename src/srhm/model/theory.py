"""Laws of the paper in closed form, and nowhere else.

The number of distinct data is defined in srhm.model.grammar, on which samples depend, so that a law
added here retrains nothing. The letters are in docs/notation.md.
"""

from math import log, sqrt
from operator import index
from typing import Any

from srhm.model.grammar import n_distinct

__all__ = [
    "log_sample_complexity_lcn",
    "n_distinct",
    "predicted",
    "predicted_sample_complexity",
    "sensitivity_threshold",
]


def predicted_sample_complexity(
    net: str, *, depth: int, branching: int, n_synonyms: int, n_classes: int, n_empty: int
) -> float:
    """Sample complexity P* that the paper predicts, up to a constant of order one.

    LCN: s^(L/2) (s_0+1)^L n_c m^L (Eq. 3 with C_0 = s^(L/2)); CNN: (s_0+1)^2 n_c m^L (Eq. 4 with
    C_1 = 1). For the FCN the paper has no formula; that of the LCN is used to choose P.

    Raises:
        ValueError: if the net is unknown.
    """
    # Python's own integers, whose powers do not overflow.
    numbers = map(index, (depth, branching, n_synonyms, n_classes, n_empty))
    depth, branching, n_synonyms, n_classes, n_empty = numbers
    dense = float(n_classes * n_synonyms**depth)
    if net == "cnn":
        return (n_empty + 1) ** 2 * dense
    if net in ("lcn", "fcn"):
        return sqrt(branching) ** depth * (n_empty + 1) ** depth * dense
    raise ValueError(f"net {net!r} is unknown; nets are lcn, cnn, fcn")


def predicted(row: Any, net: str = "") -> float:
    """`predicted_sample_complexity` of a row or cell with the paper's letters, L, s, m, n_c, s0.

    net: in place of that of the row.
    """
    depth, branching, n_synonyms, n_classes, n_empty = (
        int(row[name]) for name in ("L", "s", "m", "n_c", "s0")
    )
    return predicted_sample_complexity(
        net or row["net"], depth=depth, branching=branching, n_synonyms=n_synonyms,
        n_classes=n_classes, n_empty=n_empty,
    )  # fmt: skip


def log_sample_complexity_lcn(
    log_dimension: Any, log_fraction: Any, *, n_synonyms: int, branching: int
) -> Any:
    """Logarithm of Eq. 5, F^(log m/log s - 1/2) d^(log m/log s + 1/2), from log d and log F.

    Eq. 5 follows from Eq. 3 at fixed m and s; the factor n_c is left out, as in the paper.
    """
    exponent = log(n_synonyms) / log(branching)
    return (exponent - 0.5) * log_fraction + (exponent + 0.5) * log_dimension


def sensitivity_threshold(kind: str, net: str, *, depth: int, branching: int) -> float:
    """Value of S_2 (kind "S") or D_2 ("D") that defines P*_S or P*_D in the paper.

    The paper tuned them on the form of S_2 and D_2 against P: captions of Figures 6 and 11 (LCN),
    14 (CNN) and 16 (FCN).

    Raises:
        ValueError: if the kind or the net is unknown.
    """
    if kind not in ("S", "D") or net not in ("lcn", "cnn", "fcn"):
        raise ValueError(f"no threshold of {kind!r} for the net {net!r}")
    if net == "cnn":
        if kind == "D":
            return 0.2
        return 0.2 if depth > 2 else 0.4 if branching == 2 else 0.5
    if kind == "D":
        return 0.1
    return 0.5 if net == "lcn" and branching > 2 else 0.3
