"""Policies of the thesis, chapter 7, and the weights from which learning starts.

A policy has shape (n + 1, n_decisions): see `srhm_studies.beyond.memory.chain`. Its weights are
logarithms of probabilities, up to a constant in each row (softmax).

Binary necklaces are in Gray order (definition 4.1). A necklace is a word of the arms A (0) and B
(1) up to rotation, named by its smallest rotation.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from srhm_studies.beyond.memory.chain import Memory, memento, ram, words

Arms = tuple[int, ...]


def rotations(word: Arms) -> list[Arms]:
    """All rotations of a word, itself first."""
    return [word[i:] + word[:i] for i in range(len(word))]


def necklace_of(word: Arms) -> Arms:
    """Name of the necklace of a word."""
    return min(rotations(word))


@cache
def necklaces(n_plays: int) -> tuple[Arms, ...]:
    """All necklaces of m beads, by enumeration."""
    return tuple(sorted({necklace_of(word) for word in product((0, 1), repeat=n_plays)}))


@cache
def gray_order(n_plays: int) -> tuple[Arms, ...]:
    """A longest chain of necklaces from A...A to B...B, neighbours differing in one letter.

    Found by trying all chains: instant up to m = 7. A prime m has a chain of all necklaces
    (Degni and Drisko's conjecture, checked by them up to m = 37); the search then ends at it.
    """
    everything = len(necklaces(n_plays))
    longest: tuple[Arms, ...] = ()
    for chain in _chains(((0,) * n_plays,)):
        if chain[-1] == (1,) * n_plays and len(chain) > len(longest):
            longest = chain
            if len(longest) == everything:
                break
    return longest


def exit_word(here: Arms, there: Arms) -> Arms:
    """The word of a necklace in which playing the other than the oldest arm leads to the next one.

    Of several such words the smallest: one for each neighbour, so that both ways are equally wide.
    """
    exits = [
        word
        for word in rotations(here)
        if necklace_of((*word[1:], 1 - word[0])) == necklace_of(there)
    ]
    return min(exits)


def _chains(chain: tuple[Arms, ...]) -> Iterator[tuple[Arms, ...]]:
    yield chain
    here = chain[-1]
    for there in sorted({necklace_of((*word[1:], 1 - word[0])) for word in rotations(here)}):
        if there not in chain:
            yield from _chains((*chain, there))


Array = NDArray[np.float64]
Weights = Callable[[int, np.random.Generator], Array]

# Added to all probabilities of a start, so that none has weight minus infinity (Figs. 2 and 4).
FLOOR = 1e-4


def probabilities(weights: Array) -> Array:
    """Softmax of each row."""
    raised = np.exp(weights - weights.max(axis=1, keepdims=True))
    policy: Array = raised / raised.sum(axis=1, keepdims=True)
    return policy


def weights_near(policy: Array) -> Array:
    """Weights of a policy to which FLOOR is added."""
    weights: Array = np.log(policy + FLOOR)
    return weights


def column_of_confidence(n_states: int, exit_rate: float) -> Array:
    """The column of confidence policy of M states (definition 3.1, Fig. 1 C).

    The arm is kept; a +1 steps up, a -1 down. In the lowest state a -1 switches the arm; the
    highest is left after a -1 with probability `exit_rate`. The first play is A or B in the lowest
    state. With M = 1, where both are one, a -1 switches the arm with probability `exit_rate`.
    """
    top = n_states - 1
    policy = np.zeros((4 * n_states + 1, 2 * n_states))
    for state in range(n_states):
        for arm in (0, 1):
            plus = 4 * state + 2 * arm
            policy[plus, 2 * min(state + 1, top) + arm] = 1.0
            down = 2 * (state - 1) + arm if state else 1 - arm
            rate = exit_rate if state == top else 1.0
            policy[plus + 1, 2 * state + arm] += 1 - rate
            policy[plus + 1, down] += rate
    policy[-1, :2] = 0.5
    return policy


def necklace_policy(n_plays: int, *, exit_ends: float, exit_inside: float) -> Array:
    """The necklace policy of m plays (definition 4.1, Fig. 3).

    exit_ends: epsilon_0, of A...A and B...B; exit_inside: epsilon_1, of the necklaces between. As
    long as less than m plays are known, either arm is played.
    """
    exits = necklace_exits(n_plays)
    policy = np.full((len(words(n_plays)) + 1, 2), 0.5)
    for i, (arms, rewards) in enumerate(words(n_plays)):
        if len(arms) < n_plays:
            continue
        leave = exit_ends if len(set(arms)) == 1 else exit_inside
        policy[i, 1 - arms[0]] = leave if (arms, rewards) in exits else 0.0
        policy[i, arms[0]] = 1 - policy[i, 1 - arms[0]]
    return policy


def necklace_exits(n_plays: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The words (arms, rewards) in which a necklace may be left, for its neighbours in Gray order.

    All rewards speak for the hypothesis to which the neighbour is closer: for H_A these are +1 of
    arm A and -1 of arm B. (So A...A is left where all are -1.)
    """
    chain = gray_order(n_plays)
    exits = set()
    for here, there, better in (
        *((a, b, 1) for a, b in pairwise(chain)),
        *((b, a, 0) for a, b in pairwise(chain)),
    ):
        arms = exit_word(here, there)
        exits.add((arms, tuple(0 if arm == better else 1 for arm in arms)))
    return exits


def random_start(
    size: int, generator: np.random.Generator, *, of: Callable[[int], Memory]
) -> Array:
    """Normal weights, of a RAM of M states or a Memento of m plays."""
    memory = of(size)
    return generator.standard_normal((memory.n_observations + 1, memory.n_decisions))


def linear_ram(n_states: int, generator: np.random.Generator, *, keep_arm: bool = False) -> Array:
    """Random probabilities, but the state changes by one at most.

    keep_arm: the columns: the arm changes in the lowest state only.
    """
    policy = probabilities(random_start(n_states, generator, of=ram))
    rows, columns = np.arange(4 * n_states), np.arange(2 * n_states)
    state, arm = rows[:, None] // 4, rows[:, None] // 2 % 2
    allowed = abs(state - columns // 2) <= 1
    if keep_arm:
        allowed &= (arm == columns % 2) | (state == 0)
    policy[:-1] *= allowed
    return weights_near(policy / policy.sum(axis=1, keepdims=True))


def cyclic_memento(
    n_plays: int, generator: np.random.Generator, *, in_gray_order: bool = False
) -> Array:
    """The oldest arm again, but random probabilities where all rewards speak for one hypothesis.

    in_gray_order: the necklace start: random only at the exits of the necklace policy, so that
    the path is given and epsilon_0, epsilon_1 are learnt.
    """
    policy = probabilities(random_start(n_plays, generator, of=memento))
    exits = necklace_exits(n_plays) if in_gray_order else set()
    for i, (arms, rewards) in enumerate(words(n_plays)):
        informative = len({arm ^ reward for arm, reward in zip(arms, rewards, strict=True)}) == 1
        free = (arms, rewards) in exits if in_gray_order else informative
        if len(arms) == n_plays and not free:
            policy[i] = 0.0
            policy[i, arms[0]] = 1.0
    return weights_near(policy)


# By architecture and name; "ccp" needs the exit rate too (the module `learning`).
STARTS: dict[str, dict[str, Weights]] = {
    "ram": {
        "random": partial(random_start, of=ram),
        "linear": linear_ram,
        "columns": partial(linear_ram, keep_arm=True),
    },
    "memento": {
        "random": partial(random_start, of=memento),
        "cycles": cyclic_memento,
        "necklace": partial(cyclic_memento, in_gray_order=True),
    },
}
