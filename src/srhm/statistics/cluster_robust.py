"""Standard errors of linear estimates whose points come in clusters that share an error.

The bias-reduced sandwich ("CR2") with Satterthwaite degrees of freedom (Bell and McCaffrey, Survey
Methodology 28, 169, 2002; with group intercepts: Pustejovsky and Tipton, J. Bus. Econ. Stat. 36,
672, 2018). Errors within a cluster may be correlated as they like, those of two clusters are not.
"""

from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Variances below it, of 1, are rounding: a direction that the fit takes up wholly.
ROUNDING = 1e-9


def clustered_error(
    weights: NDArray[np.float64],
    hat: NDArray[np.float64],
    y: NDArray[np.float64],
    clusters: NDArray[Any],
) -> tuple[float, float]:
    """Standard error of the estimate weights @ y, and its degrees of freedom.

    hat: the projection on all that is fitted, shape (n_points, n_points); weights, y, clusters:
    (n_points,). NaN and 0 where the residuals say nothing of any cluster.
    """
    residual = np.eye(len(y)) - hat
    forms = []
    for one in np.unique(clusters):
        own = clusters == one
        # The residuals of a cluster have this covariance where points are independent.
        values, vectors = np.linalg.eigh(residual[np.ix_(own, own)])
        kept = values > ROUNDING
        directions = vectors[:, kept]
        adjusted = directions @ ((directions.T @ weights[own]) / np.sqrt(values[kept]))
        forms.append(residual[:, own] @ adjusted)
    found = np.array(forms)
    products = found @ found.T
    if not np.trace(products) > 0:
        return nan, 0.0
    dof = float(np.trace(products) ** 2 / np.square(products).sum())
    return sqrt(float(np.square(found @ y).sum())), dof
