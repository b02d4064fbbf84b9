"""Mean distance of a point to its nearest neighbour (section 7 of the paper)."""

from collections.abc import Mapping
from typing import Any

from sklearn.neighbors import NearestNeighbors

from srhm.experiments.cells import DONE, Outcome
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.data import draw_points, shuffled_digits


def run(cell: Mapping[str, Any]) -> Outcome:
    """distance: mean over P points on a sphere of radius 1, or over P digits.

    The unit of length for digits is the mean distance between two of them.
    """
    stream = generator(cell["seed"], role="train")
    if cell["data"] == "digits":
        points = shuffled_digits(generator=stream)[0][: cell["P"]]
    else:
        points = draw_points(cell["data"], cell["d"], cell["P"], generator=stream)
    # The nearest of all is the point itself.
    distances, _ = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points)
    return Outcome({"status": DONE, "distance": float(distances[:, 1].mean())})
