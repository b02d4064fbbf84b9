"""Learning a grammar level by level: random features of patches, ridge regression, clusters.

At each level the label is regressed on random features of the patches (Rahimi and Recht 2007). The
learnt response of a content is an estimate of P(label | content) - P(label). Contents of like
response are synonyms: k-means makes them one token. Tokens replace patches, and the next level
begins. At the last level the response says the class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge

from srhm_studies.learning_curves.tokens import (
    Alphabet,
    Floats,
    Ints,
    Patches,
    Tokens,
    clusters_of,
)

# Of the Gaussian kernel exp(-GAMMA |x - x'|^2) that the random features approximate. Contents that
# share one of two tokens are at |x - x'|^2 = 2, where the kernel is 0.14: nearly a look-up table.
GAMMA = 1.0
# Strength of the ridge in training points: what is seen n times is shrunk by n/(n + RIDGE).
RIDGE = 1.0


@dataclass(frozen=True)
class Stage:
    """What is learnt of one level.

    responses (groups, contents, n_c): learnt response to each content, of each place or of all
    together. tokens (groups, contents): the token that replaces a content; at the last level its
    class. counts (groups, contents): training patches. group_of: the group of each place.
    """

    responses: Floats
    tokens: Ints
    counts: Ints
    group_of: Ints

    def apply(self, patches: Patches) -> Tokens:
        """The tokens that replace patches."""
        group = self.group_of[patches.places]
        return Tokens(self.tokens[group, patches.contents], patches.places)


def learn_level(
    patches: Patches, labels: NDArray[np.integer], *, alphabet: Alphabet, n_classes: int,
    group_of: Ints, n_clusters: Sequence[int] | None, n_random: int, generator: np.random.Generator,
) -> Stage:  # fmt: skip
    """Responses and tokens of one level, from the patches (n, k) of n training points.

    n_clusters: tokens of each group; None: the last level, where the class of the largest response
    is taken. n_random: random features.
    """
    seed = int(generator.integers(2**31))
    sampler = RBFSampler(gamma=GAMMA, n_components=n_random, random_state=seed)
    features = sampler.fit_transform(alphabet.one_hot())
    counts, means = label_means(patches, labels, alphabet, n_classes, group_of)
    responses = np.stack([ridge(features, *both) for both in zip(counts, means, strict=True)])
    if n_clusters is None:
        tokens = responses.argmax(axis=2)
    else:
        tokens = np.stack(
            [clusters(responses[g], counts[g], n, seed=seed + g) for g, n in enumerate(n_clusters)]
        )
    return Stage(responses, tokens, counts, group_of)


def label_means(
    patches: Patches, labels: NDArray[np.integer], alphabet: Alphabet, n_classes: int,
    group_of: Ints,
) -> tuple[Ints, Floats]:  # fmt: skip
    """How often each content was met, and the mean of its labels less that of all.

    Shapes (groups, contents) and (groups, contents, n_c); 0 for what was never met. A label is a
    vector with one 1.
    """
    n_groups = int(group_of.max()) + 1
    cells = group_of[patches.places] * alphabet.size + patches.contents
    numbers = cells * n_classes + labels.astype(np.int64)[:, None]
    table = np.bincount(numbers.ravel(), minlength=n_groups * alphabet.size * n_classes)
    table = table.reshape(n_groups, alphabet.size, n_classes)
    counts = table.sum(axis=2)
    average = np.bincount(labels, minlength=n_classes) / len(labels)
    means = table / np.maximum(counts, 1)[:, :, None] - average
    return counts, np.where(counts[:, :, None] > 0, means, 0.0)


def ridge(features: Floats, counts: Ints, means: Floats) -> Floats:
    """Response to every content (contents, n_c), fitted to the contents that were met.

    The regression on all training patches is the one on their distinct contents, each with its mean
    label and weighted by its count.
    """
    met = counts > 0
    if not met.any():
        return np.zeros_like(means)
    model = Ridge(alpha=RIDGE, fit_intercept=False)
    model.fit(features[met], means[met], sample_weight=counts[met])
    return np.asarray(model.predict(features)).reshape(means.shape)


def clusters(responses: Floats, counts: Ints, n_clusters: int, *, seed: int) -> Ints:
    """A token for every content: k-means of the responses of what was met, weighted by counts.

    What was never met gets the token of the nearest centre.
    """
    n = min(n_clusters, len(np.unique(responses[counts > 0].round(12), axis=0)))
    return clusters_of(responses, counts, n, seed=seed)


def predict(stages: Sequence[Stage], tokens: Tokens, alphabet: Alphabet) -> list[Tokens]:
    """The tokens after each stage, the last being the predicted class (n, 1)."""
    layers = []
    for stage in stages:
        tokens = stage.apply(alphabet.patches(tokens))
        layers.append(tokens)
    return layers
