"""Randomness of what PyTorch loads: one generator, and of each worker one of its own."""

import numpy as np
from torch.utils.data import get_worker_info


class Stream:
    """A generator for transforms. A worker of a `DataLoader` has another one in each epoch.

    It begins with a copy of this object, in each epoch with the same one: its own generator is made
    of this one's next number and of the seed that PyTorch gives the worker.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.worker: tuple[int, np.random.Generator] | None = None

    def here(self) -> np.random.Generator:
        """The generator of this process."""
        worker = get_worker_info()
        if worker is None:
            return self.generator
        if self.worker is None or self.worker[0] != worker.seed:
            seeds = [int(self.generator.integers(2**63)), worker.seed]
            self.worker = (worker.seed, np.random.default_rng(seeds))
        return self.worker[1]
