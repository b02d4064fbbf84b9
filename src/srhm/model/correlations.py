"""Correlations of features at places with classes: D of appendix C of the paper (Eq. 12).

    D_zc,alpha = mean over the data of (y_alpha - 1/n_c) x_zc

x_zc is 1 where feature c lies at place z of the input. Shapes: Z place, v features, A classes.
"""

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar, GrammarParameters, placement_offsets
from srhm.model.sampling import Derivations


def class_correlations(data: Derivations, parameters: GrammarParameters) -> NDArray[np.float64]:
    """D of these data, (Z, v, A)."""
    shape = (parameters.input_length, parameters.n_features, parameters.n_classes)
    labels = np.broadcast_to(data.labels[:, None], data.positions.shape)
    at = np.ravel_multi_index((data.positions, data.features, labels), shape)
    counts = np.bincount(at.ravel(), minlength=np.prod(shape)).reshape(shape) / len(data)
    return np.asarray(counts - counts.mean(axis=2, keepdims=True))


def expected_class_correlations(grammar: Grammar) -> NDArray[np.float64]:
    """D of all data of the grammar, (Z, v, A), by going through its rules."""
    parameters = grammar.parameters
    # Given the class: probability of each latent at each node, and of each place of that node.
    features = np.eye(parameters.n_classes)[:, None]
    places = np.ones((1, 1))
    # Probability that child j of a node is at an offset of the node's patch.
    at = np.eye(parameters.patch_size)[placement_offsets(parameters)].mean(axis=0)
    for rules in reversed(grammar.rules):
        below = np.eye(parameters.n_features)[rules].mean(axis=1)
        features = np.einsum("anq,qjf->anjf", features, below)
        features = features.reshape(parameters.n_classes, -1, parameters.n_features)
        places = np.einsum("np,jo->njpo", places, at).reshape(features.shape[1], -1)
    joint = np.einsum("anf,nz->zfa", features, places) / parameters.n_classes
    return np.asarray(joint - joint.mean(axis=2, keepdims=True))
