"""Deformations, networks and cells: laws that must hold, and small cells end to end."""

from functools import partial
from math import pi

import numpy as np
import pytest
import torch
from torch import nn

from srhm.images import deformations as d
from srhm.images.stability import probe, sensitivities, stabilities
from srhm.images.trainer import OUTPUT, responses
from srhm.model.seeding import generator
from srhm.networks.named import image_network
from srhm.networks.registry import PRIMITIVE
from srhm_studies.smoothness.relative_stability import experiment, flows

SIZE, CUTOFF = 16, 3
TRAINING = {
    "batch_size": 16, "learning_rate": 0.01, "schedule": "cosine", "momentum": 0.9,
    "weight_decay": 5e-4, "augmentation": False, "loss_threshold": None, "max_steps": 20,
}  # fmt: skip


def drawn(n, *, seed=0, temperature=0.007):
    stream = generator(seed, role="transformation")
    amplitudes = d.coefficients(n, cutoff=CUTOFF, temperature=temperature, generator=stream)
    return amplitudes, d.displacements(amplitudes, size=SIZE, cutoff=CUTOFF)


def pictures(n, channels=1, seed=0):
    return generator(seed, role="test").normal(size=(n, channels, SIZE, SIZE))


def transposed(moved):
    return moved[:, ::-1].swapaxes(2, 3)


def mirrored(moved):
    return moved[..., ::-1] * np.array([1, -1])[:, None, None]


@pytest.mark.parametrize("interpolation", ["bilinear", "gaussian"])
@pytest.mark.parametrize(
    ("of_images", "of_fields"),
    [(lambda x: x.swapaxes(2, 3), transposed), (lambda x: x[..., ::-1], mirrored)],
)
def test_deforming_commutes_with_symmetries_of_the_grid(of_images, of_fields, interpolation):
    images, (_, moved) = pictures(3, 2), drawn(3)
    one = d.deform(of_images(images), of_fields(moved), interpolation=interpolation)
    other = of_images(d.deform(images, moved, interpolation=interpolation))
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert not np.allclose(one, d.deform(of_images(images), moved, interpolation=interpolation))


def test_gaussian_interpolation_is_a_mean_of_four_pixels_in_the_middle_between_them():
    # Participation ratio 4 (Eq. 17), which is what its width is chosen for.
    shift = np.zeros((1, 2, SIZE, SIZE))
    shift[:] = 0.5
    weights = np.array([
        d.deform(np.eye(SIZE**2)[k].reshape(1, 1, SIZE, SIZE), shift,
                 interpolation="gaussian")[0, 0, 8, 8]
        for k in range(SIZE**2)
    ])  # fmt: skip
    assert weights.sum() == pytest.approx(1)
    assert (weights**2).sum() ** 2 / (weights**4).sum() == pytest.approx(4, abs=0.01)


def test_largest_compression_is_that_of_a_field_worked_out_by_hand():
    # tau_v = a sin(pi u) sin(2 pi v): on the line u = 1/2, Xi = |t| - t over 2 with t = its slope.
    a, amplitudes = 0.05, np.zeros((1, 2, len(d.modes(CUTOFF))))
    amplitudes[0, 1, d.modes(CUTOFF).tolist().index([1, 2])] = a
    found = d.largest_compression(amplitudes, size=201, cutoff=CUTOFF)[0]
    assert found == pytest.approx(2 * pi * a, rel=1e-3)


def test_a_network_that_sees_no_translation_has_no_response_to_a_constant_shift():
    stream = torch.Generator().manual_seed(0)
    layer = nn.Conv2d(1, 5, 3, padding=1, padding_mode="circular")
    layer.weight.data.normal_(generator=stream)
    network = nn.Sequential(layer, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    images = np.zeros((20, 1, SIZE, SIZE), dtype=np.float32)
    images[:, :, 4:12, 4:12] = pictures(20)[:, :, 4:12, 4:12]
    shifted = d.deform(images, np.full((20, 2, SIZE, SIZE), 2.0))
    noisy = images + d.noise(images.shape, norm=1.0, generator=generator(0, role="pairs"))
    D, G = sensitivities(
        partial(responses, network), images, [shifted[None], noisy.astype(np.float32)[None]],
        averages=["median", "mean"],
    )  # fmt: skip
    for average in ("median", "mean"):
        assert D[OUTPUT, average] < 1e-10
        assert G[OUTPUT, average] > 1e-3


@pytest.mark.parametrize("net", [*PRIMITIVE, "vgg11_bn"])
@pytest.mark.parametrize("size", [8, 16, 28])
def test_networks_take_images_of_any_of_the_sizes(net, size):
    before = torch.get_rng_state()
    made = [
        image_network(net, in_channels=1, size=size, n_classes=10, width=8,
                      generator=torch.Generator().manual_seed(3)).eval()
        for _ in range(2)
    ]  # fmt: skip
    x = torch.ones(4, 1, size, size)
    assert made[0](x).shape == (4, 10)
    torch.testing.assert_close(made[0](x), made[1](x))
    assert torch.equal(before, torch.get_rng_state())


def test_layers_are_probed_with_the_output_and_a_wrapped_function_agrees():
    network = image_network("lenet", in_channels=1, size=SIZE, n_classes=10, width=1,
                            generator=torch.Generator().manual_seed(0))  # fmt: skip
    asked = probe(
        pictures(12).astype(np.float32), cutoff=CUTOFF, temperature=0.007, n_draws=1,
        deformation_generator=generator(0, role="transformation"),
        noise_generator=generator(0, role="pairs"), interpolation="gaussian",
    )  # fmt: skip
    found = stabilities(partial(responses, network, layers=["1"]), asked, averages=["median"])
    alone = stabilities(partial(responses, network), asked, averages=["median"])
    assert set(found) == {("1", "median"), (OUTPUT, "median")}
    assert found[OUTPUT, "median"] == alone[OUTPUT, "median"]
    # Gaussian interpolation smooths, and the smoothed images are what is compared with.
    assert np.abs(asked.images - pictures(12)).max() > 0.1


def test_a_cell_of_a_network_is_trained_and_measured_in_all_parts():
    cell = {"experiment": "networks", "data": "digits", "net": "fc2", "width": 16, "P": 64,
            "seed": 0, "n_test": 100, "n_points": 40, "n_draws": 1, "cutoff": 3,
            "displacement": 1.0, "scans": True, **TRAINING}  # fmt: skip
    outcome = experiment.stability_on_small_images(cell)
    assert 0 < outcome.row["test_error"] < 0.95
    assert outcome.row["n_parameters"] == 257 * 16 + 17 * 16 + 17 * 10
    table = outcome.tables["stability"]
    assert set(table["part"]) == {"output", "layers", "displacements"}
    assert set(table["when"]) == {"start", "end"}
    assert max(table["layer"]) == 3
    assert np.isfinite(table["R"]).all()
    assert len(outcome.tables["noise"]["G"]) == 2 * len(experiment.NOISES)
    again = experiment.stability_on_small_images({**cell, "scans": False})
    assert again.row == outcome.row
    assert set(again.tables["stability"]["part"]) == {"output"}


@pytest.mark.parametrize("kind", ["stripe", "hierarchy"])
def test_a_cell_of_a_flow_has_rows_of_each_layer(kind):
    own = {"d": 5} if kind == "stripe" else {"net": "cnn", "L": 2, "v": 3, "s0": 1}
    cell = {"experiment": kind, "width": 8, "P": 24, "alpha_tilde": 0.1, "seed": 0, "n_test": 60,
            "n_points": 30, "n_draws": 2, "max_evaluations": 200, **own}  # fmt: skip
    outcome = flows.stability_of_flow(cell)
    table = outcome.tables["stability"]
    n = 2 if kind == "stripe" else 3
    assert set(table["layer"]) == set(range(1, n + 1)) == set(range(1, max(table["n_layers"]) + 1))
    assert all((part == "output") == (layer == n)
               for part, layer in zip(table["part"], table["layer"], strict=True))  # fmt: skip
    assert np.isfinite(table["R"]).all()
    if kind == "stripe":
        assert outcome.row["noise_norm"] == pytest.approx(flows.STRIPE_NORM)
