"""D_f, G_f and R_f: against loops, of functions whose answer is known, and of fresh networks."""

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from invented_images import smooth_fields

from srhm.images.deformations import temperature_of
from srhm.images.stability import probe, stability
from srhm.images.trainer import initial_outputs_of
from srhm.images.training import initial_network, outputs_of
from srhm.model.seeding import generator
from srhm.networks.inspection import FAMILIES

CUTOFF = 3


def make_probe(*, n=40, n_draws=2, displacement=1.0, seed=0):
    return probe(
        smooth_fields(n, generator=generator(seed, role="test")), cutoff=CUTOFF,
        temperature=temperature_of(displacement, size=32, cutoff=CUTOFF), n_draws=n_draws,
        deformation_generator=generator(seed, role="transformation"),
        noise_generator=generator(seed, role="transformation", member=1),
    )  # fmt: skip


def flat(x):
    return x.reshape(len(x), -1)


def test_noise_has_the_mean_norm_of_the_displacements_of_the_images():
    asked = make_probe()
    pairs = list(product(range(2), range(40)))
    moved = [np.linalg.norm(asked.deformed[k, n] - asked.images[n]) for k, n in pairs]
    noises = [np.linalg.norm(asked.noisy[k, n] - asked.images[n]) for k, n in pairs]
    assert asked.noise_norm == pytest.approx(np.mean(moved), rel=1e-5)
    np.testing.assert_allclose(noises, asked.noise_norm, rtol=1e-4)


@pytest.mark.parametrize("average", ["median", "mean"])
def test_sensitivities_are_their_definitions_term_by_term(average):
    asked = make_probe(n=6)

    def f(x):
        return np.stack([flat(x)[:, :900].sum(axis=1), flat(x)[:, 5] ** 2], axis=1)

    mean = {"median": np.median, "mean": np.mean}[average]
    y = f(asked.images)
    spread = mean([((y[a] - y[b]) ** 2).sum() for a, b in combinations(range(6), 2)])
    expected = {}
    for name in ("deformed", "noisy"):
        versions = getattr(asked, name)
        distances = [
            ((f(versions[k])[n] - y[n]) ** 2).sum() for k, n in product(range(2), range(6))
        ]
        expected[name] = mean(distances) / spread
    found = stability(f, asked, average=average)
    assert pytest.approx(expected["deformed"], rel=1e-6) == found.D
    assert pytest.approx(expected["noisy"], rel=1e-6) == found.G
    assert pytest.approx(found.D / found.G) == found.R


@pytest.mark.parametrize("net", [net for nets in FAMILIES.values() for net in nets])
def test_relative_sensitivity_is_of_order_one_at_initialisation(net):
    # Thesis, chapter 4, figure 3: of order one before training; the tolerance is ours.
    values = []
    for seed in range(2):
        network = initial_network({"net": net, "width": 16, "seed": seed})
        asked = make_probe(n=24, n_draws=1, seed=seed)
        values.append(stability(partial(initial_outputs_of, network), asked).R)
    assert 0.3 < np.exp(np.mean(np.log(values))) < 3, values


def test_fresh_networks_are_measured_with_the_batchs_own_moments_and_without_dropout():
    x = smooth_fields(16, generator=generator(0, role="test"))
    network = initial_network({"net": "efficientnetb0", "width": 8, "seed": 0})
    one, same = (initial_outputs_of(network, x) for _ in range(2))
    np.testing.assert_array_equal(one, same)  # dropout would differ
    # the scale of the images is normalised away by the first batch norm
    np.testing.assert_allclose(initial_outputs_of(network, 3 * x), one, rtol=0.05, atol=1e-3)
    assert not any(module.training for module in network.modules())
    assert not np.allclose(outputs_of(network, x), one)
