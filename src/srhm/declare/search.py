"""Where a seed's test error falls to its threshold: which P is trained next. Values in, values out.

Candidates are sizes of the training set, PER_OCTAVE for each factor of 2, the same for all seeds
of a curve and numbered from 0. A seed takes them one at a time: in steps of sqrt(2) until one
network is above the threshold and a larger one is not, then the one between. So P* is known to
2^(1/4) after three or four trainings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp2, isfinite, log, log2

PER_OCTAVE = 4
COARSE = 2  # candidates in a step of sqrt(2)
# So many dead networks one after the other end the search on their side: P* is censored there.
MOST_DEAD = 3
# As `srhm.statistics.sample_complexity.is_dead` has it: a part of the loss log n_c of a constant
# output at the cap, or of the test points on which outputs tie.
DEAD_LOSS, DEAD_TIES = 0.9, 0.5
# Expected counts: P* lies within so many candidates of where the search starts.
SPREAD = 3


class SearchOutcome(StrEnum):
    """What a trained network says of P*."""

    ABOVE = "above the threshold"
    LEARNT = "at or below the threshold"
    DEAD = "nothing"


@dataclass(frozen=True)
class Search:
    """How the seeds of a curve search.

    start: the first candidate. below, above: how many candidates before and after the bracket
    follow it, in steps of sqrt(2); 0: none. threshold: test error that defines P*.
    """

    start: int
    below: int = 0
    above: int = 0
    threshold: float = 0.1


def lattice(prediction: float, *, low: float, high: float, phase: float) -> list[int]:
    """Sizes P = prediction x 2^((k + phase)/4), k an integer, between these multiples of it.

    phase: in [0, 1). Without one of its own for each curve, what is measured of P* would have the
    power of the prediction wherever the error falls within a step.
    """
    first = ceil(PER_OCTAVE * log2(low) - phase - 1e-9)
    sizes, k = set(), first
    while (factor := exp2((k + phase) / PER_OCTAVE)) <= high * (1 + 1e-9):
        sizes.add(max(1, round(prediction * factor)))
        k += 1
    return sorted(sizes)


def outcome(
    *, test_error: float, status: str, train_loss: float, n_classes: int, threshold: float
) -> SearchOutcome:
    """What a network says: nothing if it diverged, or if nearly all of its ReLUs give zero."""
    constant = status == "capped" and train_loss >= DEAD_LOSS * log(n_classes)
    ties = test_error > 1 - (1 - DEAD_TIES) / n_classes
    if constant or ties or not isfinite(test_error):
        return SearchOutcome.DEAD
    return SearchOutcome.ABOVE if test_error > threshold else SearchOutcome.LEARNT


def next_candidate(search: Search, n: int, tried: Mapping[int, SearchOutcome]) -> int | None:
    """The candidate of 0 ... n - 1 that a seed trains after these; None when its search has ended.

    tried: what the networks of its candidates say. The bracket is the largest candidate that is
    above the threshold, and the smallest beyond it that is not. A dead network is no end of it: the
    search takes the next candidate.
    """
    above = [k for k, said in tried.items() if said == SearchOutcome.ABOVE]
    low = max(above, default=-1)
    high = min(
        (k for k, said in tried.items() if said == SearchOutcome.LEARNT and k > low), default=n
    )
    if not above and high == n:
        outwards = sorted(range(n), key=lambda k: (abs(k - search.start), -k))
        left = [k for k in outwards if k not in tried]
        return left[0] if left and len(tried) < MOST_DEAD else None
    if high == n:
        return _beyond(range(low + 1, n), tried)
    if not above:
        return _beyond(range(high - 1, -1, -1), tried)
    between = [k for k in range(low + 1, high) if k not in tried]
    if between:
        return min(between, key=lambda k: abs(2 * k - low - high))
    following = range(max(low - search.below, 0), min(high + search.above, n - 1) + 1)
    follows = search.below or search.above
    left = [k for k in following if (k - search.start) % COARSE == 0 and k not in tried]
    return left[0] if follows and left else None


def _beyond(side: range, tried: Mapping[int, SearchOutcome]) -> int | None:
    """The next candidate on the side of the bracket that is not known yet, the nearest first."""
    if sum(k in tried for k in side) >= MOST_DEAD:
        return None
    nearest = [*side[COARSE - 1 :], *side[: COARSE - 1]]
    return next((k for k in nearest if k not in tried), None)


def walk(
    search: Search, n: int, outcomes: Mapping[int, SearchOutcome]
) -> tuple[dict[int, SearchOutcome], int | None]:
    """The path of a seed as far as its outcomes are known, and the next candidate, None at its end.

    outcomes may hold others, which change nothing.
    """
    path: dict[int, SearchOutcome] = {}
    while (k := next_candidate(search, n, path)) is not None and k in outcomes:
        path[k] = outcomes[k]
    return path, k


def expected_visits(search: Search, n: int) -> list[float]:
    """For each candidate how probably a seed trains it, P* near the start of its search."""
    ends = range(max(search.start - SPREAD, 0), min(search.start + SPREAD, n - 1) + 2)
    visits = [0.0] * n
    for end in ends:
        said = {k: SearchOutcome.ABOVE if k < end else SearchOutcome.LEARNT for k in range(n)}
        for k in walk(search, n, said)[0]:
            visits[k] += 1 / len(ends)
    return visits
