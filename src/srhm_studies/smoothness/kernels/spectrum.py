"""Gram spectrum of a kernel on a data set, and the target's power beyond each rank (kernel PCA).

Section 6 and appendix J of the paper. The Gram matrix is not centred.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from srhm.experiments.cells import DONE, Outcome
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.covariance import gram
from srhm_studies.smoothness.kernels.data import draw_points, shuffled_digits
from srhm_studies.smoothness.kernels.regression import draw_fields

# Ranks that are kept: so many in all, evenly in the logarithm, and each tenth of the first hundred.
N_RANKS = 60


def run(cell: Mapping[str, Any]) -> Outcome:
    """Eigenvalues and tails of P points, at some of the ranks; see `kernel_pca`.

    data: "digits", whose target is parity, or "sphere", whose target is drawn from the teacher.
    """
    seed, n_points = cell["seed"], cell["P"]
    stream = generator(seed, role="train")
    if cell["data"] == "digits":
        points, target = (part[:n_points] for part in shuffled_digits(generator=stream))
    else:
        points = draw_points(cell["data"], cell["d"], n_points, generator=stream)
        covariance = gram(points, kernel=cell["teacher"], sigma=cell["sigma"])
        target = draw_fields(covariance, 1, generator=generator(seed, role="drawing"))[:, 0]
    matrix = gram(points, kernel=cell["kernel"], sigma=cell["sigma"])
    eigenvalues, tails = kernel_pca(matrix, target)
    ranks = kept_ranks(n_points)
    table = {"rank": ranks, "eigenvalue": eigenvalues[ranks - 1], "tail": tails[ranks - 1]}
    return Outcome({"status": DONE}, {"spectra": table})


def kernel_pca(
    matrix: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues of the Gram matrix (n, n) over n, largest first, and tails, both (n,).

    The tail at rank rho is the sum of (Z . phi)^2 over ranks rho and above (Eq. 14), over n: the
    part of the mean square of the target Z that lies there.
    """
    values, vectors = eigh(matrix)
    power = (vectors[:, ::-1].T @ target) ** 2 / len(target)
    return values[::-1] / len(target), np.cumsum(power[::-1])[::-1]


def kept_ranks(n_points: int) -> NDArray[np.int64]:
    """Ranks 1 ... n_points whose values are kept."""
    even = np.geomspace(1, n_points, N_RANKS).round().astype(np.int64)
    tenths = np.arange(10, min(n_points, 100) + 1, 10)
    return np.union1d(even, tenths)
