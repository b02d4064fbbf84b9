"""What is known of the maps before they are learnt. Imports no torch.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "Infinite Depth
Limit", "First correction" and "Identity cost". The slides name no map.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, nan

# Singular values above it count as near 1, as in the study of the SRHM's layers.
LARGE = 0.5
BEND = 0.5  # slopes 1 - BEND and 1 + BEND on both sides of 0


@dataclass(frozen=True, kw_only=True)
class Map:
    """What is known of a map beforehand.

    jacobian_rank, bottleneck_rank: Rank_J and Rank_BN, between which R^(0) lies. first_correction:
    a lower bound of R^(1), 2 log |Jf|_+ at its largest.
    """

    jacobian_rank: int
    bottleneck_rank: int
    first_correction: float


def _bent(rank: int) -> Map:
    return Map(jacobian_rank=rank, bottleneck_rank=rank, first_correction=2 * rank * log(1 + BEND))


# rank k: x -> B phi(A x), A of k orthonormal rows, B of k orthonormal columns, phi(z) = z + |z|/2
# for each coordinate. It is a bijection after a matrix of rank k after a bijection, for which
# R^(0) = k is proven. circle: the identity on a circle, whose local dimension is 1 and which no
# line holds. square: the identity on a square of positive coordinates, whose R^(1) is 0.
MAPS: Mapping[str, Map] = {
    "rank 1": _bent(1),
    "rank 2": _bent(2),
    "rank 3": _bent(3),
    "circle": Map(jacobian_rank=1, bottleneck_rank=2, first_correction=nan),
    "square": Map(jacobian_rank=2, bottleneck_rank=2, first_correction=0.0),
}


def level_directions(
    level: int, *, depth: int, branching: int, n_features: int, n_classes: int
) -> int:
    """Directions of all latents of a level, centred one-hot: s^(L+1-l) (v - 1), or n_c - 1.

    L, s, v, n_c are those of the grammar. level: 1 is the input, L + 1 the class: `srhm.data`.
    """
    if level == depth + 1:
        return n_classes - 1
    return branching ** (depth + 1 - level) * (n_features - 1)
