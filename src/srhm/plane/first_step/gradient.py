"""The first step of gradient descent (appendix C): signal and noise of the first layer's update.

From equal hidden weights, a Gaussian readout a and zero output, every channel of the first layer
moves at place z and feature c by the same amount (Eq. 12), up to a constant,

    update_zc = sum_alpha abar_alpha D_zc,alpha
    D_zc,alpha = (1/P) sum_k (y_alpha(x_k) - 1/n_c) x_k,zc

the correlation of a feature at a place with the classes, abar the mean of the readout over
channels. Averaged over abar, the squared update is sum_alpha D^2: no readout need be drawn. In a
CNN the update of a filter's place is the sum over the patches that the filter sees.

Signal is the sum of squares of D for all data of the grammar, noise that of its deviation for P
points. For independent points the noise is V/P and meets the signal at P = V/signal; points drawn
distinct out of N data have less, V/P (N - P)/(N - 1), which is corrected for.

Shapes: Z place of a filter (d for the LCN, s(s_0+1) for the CNN), v features, A classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srhm.model.correlations import class_correlations, expected_class_correlations
from srhm.model.grammar import Grammar, placement_offsets
from srhm.model.sampling import Derivations

NETS = ("lcn", "cnn")


@dataclass(frozen=True)
class FirstStep:
    """Signal and noise of the first update at P points, in units of squared correlations.

    synonym_noise, placement_noise, latent_signal: variances of the responses of the filters to the
    level-1 patches of the grammar, means over filters, summed over classes: between synonyms of one
    latent of level 2, between placements of one tuple, and between the means of these latents.
    Synonyms and displaced copies group together where the last exceeds the first two.
    all_synonym_noise, all_latent_signal: the same of all data. Filters see single features, and
    synonyms of one latent differ in these: they do not group fully whatever P is. Displaced copies
    do with sparsity A, where all placements of a tuple are alike in all data.
    """

    n_train: int
    n_distinct: int
    signal: float
    noise: float
    synonym_noise: float
    placement_noise: float
    latent_signal: float
    all_synonym_noise: float
    all_latent_signal: float

    @property
    def n_equal(self) -> float:
        """Independent points at which the noise equals the signal; NaN if P is all data."""
        left = self.n_distinct - self.n_train
        if left == 0:
            return float("nan")
        return self.n_train * self.noise / self.signal * ((self.n_distinct - 1) / left)


def first_step(grammar: Grammar, data: Derivations, net: str) -> FirstStep:
    """Signal and noise of the first update of an LCN or CNN from these training points.

    Raises:
        ValueError: if the net is neither.
    """
    found = as_seen(grammar, class_correlations(data, grammar.parameters), net)
    expected = as_seen(grammar, expected_class_correlations(grammar), net)
    synonyms, placements, latents = _spread(grammar, found)
    all_synonyms, _, all_latents = _spread(grammar, expected)
    return FirstStep(
        n_train=len(data),
        n_distinct=grammar.parameters.n_distinct,
        signal=float((expected**2).sum()),
        noise=float(((found - expected) ** 2).sum()),
        synonym_noise=synonyms,
        placement_noise=placements,
        latent_signal=latents,
        all_synonym_noise=all_synonyms,
        all_latent_signal=all_latents,
    )


def as_seen(grammar: Grammar, table: NDArray[np.float64], net: str) -> NDArray[np.float64]:
    """Correlations (d, v, A) as an LCN sees them, or (Z, v, A) summed over patches, as a CNN does.

    Raises:
        ValueError: if the net is neither.
    """
    if net not in NETS:
        raise ValueError(f"net = {net!r}: allowed are {', '.join(NETS)}")
    if net == "lcn":
        return table
    return table.reshape(-1, grammar.parameters.patch_size, *table.shape[1:]).sum(axis=0)


def _spread(grammar: Grammar, table: NDArray[np.float64]) -> tuple[float, float, float]:
    """Variances between synonyms, placements and latents, of responses to level-1 patches."""
    parameters = grammar.parameters
    by_patch = table.reshape(-1, parameters.patch_size, *table.shape[1:])
    offsets, rules = placement_offsets(parameters), grammar.rules[0]
    # Filter i, latent q, synonym m, placement p: the sum over the s features of the patch.
    seen = by_patch[:, offsets[None, None], rules[:, :, None]]
    responses = seen.sum(axis=4)
    of_tuples = responses.mean(axis=3)
    of_latents = of_tuples.mean(axis=2)
    parts = (
        of_tuples.var(axis=2).mean(axis=(0, 1)).sum(),
        responses.var(axis=3).mean(axis=(0, 1, 2)).sum(),
        of_latents.var(axis=1).mean(axis=0).sum(),
    )
    return float(parts[0]), float(parts[1]), float(parts[2])
