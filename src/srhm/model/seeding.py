"""Streams of random numbers: one for each role that a seed plays, independent of all others.

A seed s of a learning curve is a new grammar, a new sample, a new initialisation and a new order
of batches. Each role has its own stream, so that drawing more numbers in one (a larger training
set, say) leaves the others as they were.
"""

import numpy as np

# The numbers name the streams for good: a new role takes a new number.
ROLES = {
    "grammar": 0,
    "train": 1,
    "test": 2,
    "initialisation": 3,
    "order": 4,
    "transformation": 5,
    "pairs": 6,
    "drawing": 7,
}


def generator(seed: int, *, role: str, member: int = 0) -> np.random.Generator:
    """Generator of the stream that belongs to a seed, a role and a member of an ensemble.

    Raises:
        ValueError: if the role is unknown, or the seed or member negative.
    """
    if role not in ROLES:
        raise ValueError(f"role {role!r} is unknown; roles are {', '.join(ROLES)}")
    if seed < 0 or member < 0:
        raise ValueError(f"seed and member must be 0 or more, not {seed} and {member}")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(ROLES[role], member)))
