"""The exact chain of an agent with a policy: its stationary state, q and the gradient of q.

Thesis, chapter 7, sections 2.1 to 2.3 and appendix A: under either hypothesis, H_A or H_B, arm A or
B pays +1 with probability (1 + mu)/2, the other with (1 - mu)/2. With probability r a step is a
reset: the next play is a first one. q is the probability to play the worse arm, averaged over both
hypotheses. The expected reward of a play is mu (1 - 2 q), so the gain is G = mu (1 - 2 q)/r.

A policy has shape (n + 1, n_decisions), a row of probabilities for each observation; the last row
is the first play. Index h: hypothesis.

Memories: what the agent sees, what it can do, where it gets. Arms are 0 (A) and 1 (B), rewards 0
(+1) and 1 (-1). An observation is all that the agent knows after a play. Before its first play
after a reset it knows nothing: this is one more observation, the last one. A decision is the next
arm and, with a memory of its own, its next memory state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
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
    return tuple(
        (arms, rewards)
        for n in range(1, n_plays + 1)
        for arms in product(ARMS, repeat=n)
        for rewards in product(REWARDS, repeat=n)
    )


# By the name of the architecture; the size is M or m.
MEMORIES: dict[str, Callable[[int], Memory]] = {"ram": ram, "memento": memento}


Array = NDArray[np.float64]


def reward_probabilities(mu: float) -> Array:
    """Probability of a reward, shape (2 hypotheses, 2 arms, 2 rewards: +1 and -1), Eq. 4."""
    better, worse = (1 + mu) / 2, (1 - mu) / 2
    plus = np.array([[better, worse], [worse, better]])
    return np.stack([plus, 1 - plus], axis=-1)


def transitions(memory: Memory, policy: Array, mu: float) -> Array:
    """Probability of the next observation, shape (2, n + 1, n); the last row is the first play."""
    n = memory.n_observations
    rewards = reward_probabilities(mu)[:, memory.arm]
    moves = np.zeros((2, n + 1, n))
    # No two pairs of decision and reward lead to one observation.
    rows = np.arange(n + 1)[:, None, None]
    moves[:, rows, memory.following] = policy[None, :, :, None] * rewards[:, None]
    return moves


def stationary(moves: Array, reset: float) -> Array:
    """Stationary state p of r p_0 + (1 - r) T, shape (2, n), from `transitions`.

    p solves (1 - (1 - r)(T^t - p_0 1^t)) p = p_0, which has sum(p) = 1 built in. The matrix is
    singular only where r and all rates between two sets of observations vanish together; where
    these rates are ~ sqrt(r), as for good policies, it is solved to some 1e-16 / sqrt(r). Below
    r = 1e-10, `eliminated` is exact in each entry.
    """
    p = np.linalg.solve(_matrix(moves, reset), moves[:, -1, :, None])
    return np.asarray(p[..., 0], dtype=np.float64)


def eliminated(moves: Array, reset: float) -> Array:
    """The same by the elimination of Grassmann, Taksar and Heyman, shape (2, n).

    It never subtracts, so each entry keeps its digits at any r, at the price of a slow loop.
    """
    n = moves.shape[-1]
    p = np.empty((2, n))
    for h, rows in enumerate(moves):
        left = reset * rows[-1] + (1 - reset) * rows[:-1]
        for k in range(n - 1, 0, -1):
            left[:k, k] /= left[k, :k].sum()
            left[:k, :k] += np.outer(left[:k, k], left[k, :k])
        p[h, 0] = 1.0
        for k in range(1, n):
            p[h, k] = p[h, :k] @ left[:k, k]
        p[h] /= p[h].sum()
    return p


def worse_arm(
    memory: Memory, policy: Array, *, mu: float, reset: float,
    solve: Callable[[Array, float], Array] = stationary,
) -> float:  # fmt: skip
    """q, the probability to play the worse arm."""
    p = solve(transitions(memory, policy, mu), reset)
    return float((p * _worse(memory)).sum())


# q by elimination: for r below 1e-10, and for rates that are as small.
worse_arm_exactly = partial(worse_arm, solve=eliminated)


def with_gradient(memory: Memory, policy: Array, *, mu: float, reset: float) -> tuple[float, Array]:
    """q and dq/dpolicy, of the policy's shape, each entry as if it were free.

    dp solves the equation of `stationary` with r dp_0 + (1 - r) dT^t p on its right side. So
    dq = v (r dp_0 + (1 - r) dT^t p) with one more solve, of the transposed matrix, for v.
    """
    moves, worse = transitions(memory, policy, mu), _worse(memory)
    matrix = _matrix(moves, reset)
    p = np.linalg.solve(matrix, moves[:, -1, :, None])[..., 0]
    v = np.linalg.solve(matrix.transpose(0, 2, 1), worse[..., None])[..., 0]
    visits = np.concatenate([(1 - reset) * p, np.full((2, 1), reset)], axis=1)
    rewards = reward_probabilities(mu)[:, memory.arm]
    slope = np.einsum("ho,hodw,hdw->od", visits, v[:, memory.following], rewards)
    return float((p * worse).sum()), slope


def _matrix(moves: Array, reset: float) -> Array:
    steps, first = moves[:, :-1], moves[:, -1]
    difference = steps.transpose(0, 2, 1) - first[:, :, None]
    return np.eye(moves.shape[-1]) - (1 - reset) * difference


def _worse(memory: Memory) -> Array:
    """1/2 where the last play was of the worse arm, shape (2, n): B under H_A, A under H_B."""
    return np.stack([memory.played == 1, memory.played == 0]) / 2
