"""What is measured of kernels: against closed forms, plain gradients and explicit features."""

import logging

import numpy as np
import pytest
import torch
from flow_kinds import KINDS, entries_of
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.svm import SVC
from train_curves import train_flow

from srhm.flow.cell import data_of, initial_weights_of, network_of
from srhm.flow.networks import outputs
from srhm.measure.trained import members_of
from srhm.store.records import write_table
from srhm_studies.regimes.phase_diagram import measure

LOG = logging.getLogger("srhm.tests")
STRIPE = {**KINDS["stripe"], "hidden_layers": 1, "width": 8, "P": 20, "activation": "softplus"}
STRIPE |= {"alpha": None, "alpha_tilde": [0.1, 1000], "optimiser": {"max_evaluations": 300}}


def gradients(cell, weights, x):
    """df/dw of one member at each point, (n, parameters): one backward pass a point."""
    leaves = {name: array.detach().requires_grad_() for name, array in weights.items()}
    f = outputs(network_of(cell), leaves, x)[0, :, 0]
    rows = [torch.autograd.grad(one, list(leaves.values()), retain_graph=True) for one in f]
    return torch.stack([torch.cat([part.flatten() for part in row]) for row in rows]).numpy()


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.5])
def test_the_information_of_shifted_gaussians_is_their_closed_form(shift):
    random = np.random.default_rng(0)
    labels = np.where(random.random(4000) < 0.5, 1.0, -1.0)
    values = random.standard_normal(4000) + shift * labels

    def entropy(z):
        density = (norm.pdf(z - shift) + norm.pdf(z + shift)) / 2
        return -density * np.log(density)

    exact = quad(entropy, -9, 9)[0] - (0.5 + 0.5 * np.log(2 * np.pi))
    found = measure.information(np.stack([values, -5 * values + 2], axis=1), labels)
    np.testing.assert_allclose(found, exact, atol=0.03)


def test_eigenvectors_are_those_of_the_gradients_gram_matrix(tmp_path):
    entries = entries_of(STRIPE)
    train_flow(entries, store=tmp_path / "cells")
    table = measure.measure_alignment(entries, store=tmp_path / "cells", log=LOG)
    write_table([{"curve": "c", **row} for row in table], tmp_path / "t.parquet", measure.ALIGNMENT)
    for member in members_of(entries, store=tmp_path / "cells"):
        x, y = member.data.x_test[:300], member.data.y_test[:300].numpy()
        for when in ("initial", "end"):
            J = gradients(member.cell, member.weights[when], x)
            values, vectors = np.linalg.eigh(J @ J.T)
            rows = [r for r in table if r["key"] == member.key and r["when"] == when]
            assert [row["rank"] for row in rows] == list(range(1, 11))
            eigenvalues = [row["eigenvalue"] for row in rows]
            np.testing.assert_allclose(eigenvalues, values[::-1][:10], rtol=1e-8)
            omega = (y @ vectors) ** 2 / (y @ y)
            np.testing.assert_allclose([r["omega"] for r in rows], omega[::-1][:10], atol=1e-8)
            known = measure.information(vectors[:, ::-1][:, :1], y)
            assert rows[0]["information"] == pytest.approx(known[0], abs=0.02)


def test_lambda_weighs_neurons_by_their_readout_and_divides_all_inputs_but_the_first():
    cell = entries_of(STRIPE)[0]["cell"]
    weights = initial_weights_of([{**cell, "width": 2}])
    weights["layer1"] = torch.zeros(1, 1, cell["d"], 2, dtype=torch.float64)
    weights["layer1"][0, 0, 0] = torch.tensor([1.0, 2.0])
    weights["layer1"][0, 0, 1:] = torch.tensor([3.0, 0.5])
    weights["readout"] = torch.tensor([[[-0.1], [0.4]]], dtype=torch.float64)
    expected = (0.1 * 1 + 0.4 * 4) / (0.1 * 9 + 0.4 * 0.25)
    assert measure.compression(weights) == pytest.approx(expected**0.5)
    x = torch.tensor([[[3.0, 4.0, -8.0]]], dtype=torch.float64)
    assert measure.compressed(x, 4.0).tolist() == [[[3.0, 1.0, -2.0]]]


def test_the_widest_margin_is_that_of_explicit_gradients():
    cell = {**entries_of(STRIPE)[0]["cell"], "P": 60, "n_test": 200}
    data, weights = data_of(cell), initial_weights_of([cell])
    J, T = (gradients(cell, weights, x) for x in (data.x_train, data.x_test))
    unit = np.sqrt((J**2).sum(axis=1).mean())
    machine = SVC(C=measure.SVM_C, kernel="linear").fit(J / unit, data.y_train.numpy())
    expected = np.mean(machine.predict(T / unit) != data.y_test.numpy())
    train, test = (data.x_train, data.y_train), (data.x_test, data.y_test)
    found = measure.svm_error(network_of(cell), weights, train, test)
    assert found == pytest.approx(expected, abs=0.011)
    assert 0 < found < 0.5
