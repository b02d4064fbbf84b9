"""Memories of an agent that plays one of two arms: what it sees, what it can do, where it gets.

Arms are 0 (A) and 1 (B), rewards 0 (+1) and 1 (-1). An observation is all that the agent knows
after a play. Before its first play after a reset it knows nothing: this is one more observation,
the last one. A decision is the next arm and, with a memory of its own, its next memory state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

ARMS, REWARDS = (0, 1), (0, 1)

Word = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Memory:
    """What decisions do, for n observations after a play and one more before the first play.

    following: shape (n + 1, n_decisions, 2), the observation after a decision and the reward that
    it brings; its last row is the first play. arm: shape (n_decisions,), the arm that a decision
    plays. played: shape (n,), the arm of the last play.
    """

    following: NDArray[np.intp]
    arm: NDArray[np.intp]
    played: NDArray[np.intp]

    @property
    def n_observations(self) -> int:
        """Observations after a play."""
        return len(self.played)

    @property
    def n_decisions(self) -> int:
        """Decisions between which the agent chooses."""
        return len(self.arm)


@cache
def ram(n_states: int) -> Memory:
    """Random access memory of M states (thesis, chapter 7, definition 2.5).

    The observation (state i, arm a, reward) has the index 4 i + 2 a + reward, the decision (next
    state i, next arm a) the index 2 i + a: M_eff = 4 M observations.
    """
    _at_least_one(n_states, "M")
    decisions = np.arange(2 * n_states)
    after = 2 * decisions[:, None] + np.array(REWARDS)
    return Memory(
        following=np.broadcast_to(after, (4 * n_states + 1, *after.shape)),
        arm=decisions % 2,
        played=np.arange(4 * n_states) // 2 % 2,
    )


@cache
def memento(n_plays: int) -> Memory:
    """The last m plays and rewards (thesis, chapter 7, definition 2.6).

    Observations are the words of `words`, M_eff = 4^m of full length and the shorter ones of the
    first plays. The decision is the arm.
    """
    known = words(n_plays)
    index = {word: i for i, word in enumerate(known)}

    def after(word: Word, arm: int, reward: int) -> int:
        arms, rewards = word
        return index[(*arms, arm)[-n_plays:], (*rewards, reward)[-n_plays:]]

    before: tuple[Word, ...] = (*known, ((), ()))
    return Memory(
        following=np.array(
            [[[after(word, arm, reward) for reward in REWARDS] for arm in ARMS] for word in before]
        ),
        arm=np.array(ARMS),
        played=np.array([arms[-1] for arms, _ in known]),
    )


@cache
def words(n_plays: int) -> tuple[Word, ...]:
    """Words of 1 to m plays, each (arms, rewards) with the oldest play first, in a fixed order."""
    _at_least_one(n_plays, "m")
    return tuple(
        (arms, rewards)
        for n in range(1, n_plays + 1)
        for arms in product(ARMS, repeat=n)
        for rewards in product(REWARDS, repeat=n)
    )


# By the name of the architecture; the size is M or m.
MEMORIES: dict[str, Callable[[int], Memory]] = {"ram": ram, "memento": memento}


def _at_least_one(size: int, name: str) -> None:
    if size < 1:
        raise ValueError(f"{name} must be 1 or more, not {size}")
