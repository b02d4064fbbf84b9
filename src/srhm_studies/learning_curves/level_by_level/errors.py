"""How far learnt tokens and responses are from the latents of the grammar."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from srhm_studies.learning_curves.level_by_level.learner import Stage
from srhm_studies.learning_curves.level_by_level.patches import Patches
from srhm_studies.learning_curves.level_by_level.population import Population


def token_error(
    tokens: NDArray[np.integer], latents: NDArray[np.integer], groups: NDArray[np.integer]
) -> float:
    """Share of patches whose token disagrees with the latent, all arrays (n, k).

    Tokens have no names of their own: in each group they are matched with the latents as well as
    can be, one to one.
    """
    n_groups, size = int(groups.max()) + 1, int(max(tokens.max(), latents.max())) + 1
    numbers = (groups.astype(np.int64) * size + tokens) * size + latents
    tables = np.bincount(numbers.ravel(), minlength=n_groups * size**2)
    agreeing = 0
    for table in tables.reshape(n_groups, size, size):
        agreeing += int(table[linear_sum_assignment(table, maximize=True)].sum())
    return 1 - agreeing / tokens.size


@dataclass(frozen=True)
class ResponseErrors:
    """Learnt responses against exact ones; squares of norms, over the square of the signal.

    error: root of the mean square of learnt - exact. within: mean square about the mean of their
    latent, of the synonyms (and placements) of one latent: 0 for a clean signal. between: mean
    square of the latents' means, corrected for nothing.
    """

    error: float
    within: float
    between: float


def response_errors(
    stage: Stage, patches: Patches, latents: NDArray[np.integer], exact: Population
) -> ResponseErrors:
    """Of a level that was learnt from true latents below; means over training patches.

    patches, latents (n, k): of the training points, with the latent that made each patch. Averages
    over groups of their squares, each over its own signal; groups without signal are left out.
    """
    of_content = np.zeros(stage.counts.shape, dtype=np.int64)
    of_content[stage.group_of[patches.places], patches.contents] = latents
    found = []
    for group, signal in enumerate(exact.signal()):
        weights = stage.counts[group].astype(float)
        if signal**2 < 1e-12 or not weights.any():
            continue
        weights /= weights.sum()
        learnt, own = stage.responses[group], of_content[group]
        n = exact.responses.shape[1]
        mass = np.bincount(own, weights, minlength=n)
        sums = np.zeros((n, learnt.shape[1]))
        np.add.at(sums, own, weights[:, None] * learnt)
        centres = sums / np.where(mass > 0, mass, 1.0)[:, None]
        squares = [
            weights @ ((learnt - exact.responses[group][own]) ** 2).sum(axis=1),
            weights @ ((learnt - centres[own]) ** 2).sum(axis=1),
            mass @ (centres**2).sum(axis=1),
        ]
        found.append(np.array(squares) / signal**2)
    if not found:
        return ResponseErrors(np.nan, np.nan, np.nan)
    error, within, between = np.mean(found, axis=0)
    return ResponseErrors(float(np.sqrt(error)), float(within), float(between))
