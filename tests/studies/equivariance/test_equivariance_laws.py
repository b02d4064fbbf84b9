"""Layers commute with rotations: of the cube exactly, with others within an error of sampling."""

import itertools

import numpy as np
import pytest
import torch

pytest.importorskip("e3nn", reason="needs `make env-equivariance`")

from e3nn import o3

from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance import experiment, sphere, steerable, trained
from srhm_studies.beyond.equivariance.experiment import random_rotations, rotations_of_the_cube

CUBE = [one for one in rotations_of_the_cube()[[3, 9, 10, 17, 22]] if one.trace() < 2.5]
EXACT = 1e-5  # float32
FIELDS = (3, 2, 2, 1)


def draws():
    return torch.Generator().manual_seed(0)


def matrix(fields, rotation):
    """What a rotation does to the components at a voxel."""
    irreps = o3.Irreps([(n, (order, 1)) for order, n in enumerate(fields)])
    return irreps.D_from_matrix(torch.as_tensor(rotation, dtype=torch.float32))


def turned(x, fields, rotation):
    """Fields (B, C, n, n, n) after a rotation of the cube: moved and mixed."""
    n = x.shape[-1]
    line = np.arange(n) - (n - 1) / 2
    places = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
    before = np.round(places @ rotation + (n - 1) / 2).astype(int)
    moved = x[:, :, before[..., 0], before[..., 1], before[..., 2]]
    return torch.einsum("cd,bdxyz->bcxyz", matrix(fields, rotation), moved)


def relative(x, y):
    return float(((x - y).norm() / y.norm()).detach())


@pytest.mark.parametrize(("before", "after"), list(itertools.product(range(3), range(4))))
def test_a_kernel_turns_as_its_equation_says(before, after):
    kernels = steerable.kernel_basis(before, after)
    assert torch.allclose(kernels.flatten(1).norm(dim=1), torch.ones(len(kernels)))
    for rotation in CUBE:
        turn = torch.as_tensor(rotation, dtype=torch.float32)
        left, right = (o3.Irrep(order, 1).D_from_matrix(turn) for order in (after, before))
        columns = kernels.flatten(1, 2)
        moved = turned(columns, (columns.shape[1],), rotation).view(kernels.shape)
        mixed = torch.einsum("jo,boixyz,li->bjlxyz", left, moved, right)
        assert relative(mixed, kernels) < EXACT


@pytest.mark.parametrize("stride", [1, 2])
def test_a_convolution_commutes_with_rotations_of_the_cube(stride):
    layer = steerable.SteerableConvolution(FIELDS, (2, 1, 1), stride=stride, draws=draws())
    x = torch.randn(2, steerable.dimension(FIELDS), 9, 9, 9, generator=draws())
    for rotation in CUBE:
        after = turned(layer(x), (2, 1, 1), rotation)
        assert relative(layer(turned(x, FIELDS, rotation)), after) < EXACT


@pytest.mark.parametrize(
    ("name", "before"), [("gate", (8, 2, 2, 1)), ("norm", FIELDS), ("none", FIELDS)]
)
def test_a_nonlinearity_commutes_with_rotations_of_the_cube(name, before):
    act = steerable.NONLINEARITIES[name]
    assert name != "gate" or tuple(before) == tuple(steerable.with_gates(FIELDS))
    x = torch.randn(2, steerable.dimension(before), 5, 5, 5, generator=draws())
    for rotation in CUBE:
        after = turned(act(FIELDS, x), FIELDS, rotation)
        assert relative(act(FIELDS, turned(x, before, rotation)), after) < EXACT


@pytest.mark.parametrize("act", ["gate", "norm"])
@pytest.mark.parametrize("low_pass", [False, True])
def test_a_network_is_exact_on_the_cube_and_within_the_figure_elsewhere(act, low_pass):
    cell = {"net": "steerable", "act": act, "low_pass": low_pass, "width": 0.1, "depth": 4, "n": 13,
            "rotations": 3, "seed": 0}  # fmt: skip
    assert experiment.of_voxels({**cell, "turns": "cube"}).row["error"] < EXACT
    other = experiment.of_voxels({**cell, "turns": "random"}).row["error"]
    assert EXACT < other < 1


def test_the_network_of_the_thesis_has_its_parameters():
    hidden = steerable.layers("steerable", width=1, filtered=True, draws=draws())
    assert steerable.n_parameters(hidden) == pytest.approx(41_000, rel=0.1)
    plain = steerable.layers("plain", width=1, filtered=True, draws=draws())
    assert steerable.n_parameters(plain) == pytest.approx(6e6, rel=0.1)


BAND = 4
SIZE = sum((2 * order + 1) ** 2 for order in range(BAND))


def turns(n):
    return torch.as_tensor(
        random_rotations(n, generator(0, role="transformation")), dtype=torch.float32
    )


def test_a_rotated_signal_has_the_values_of_the_signal_at_rotated_points():
    x = torch.randn(SIZE, generator=draws())
    turn, point = turns(2)

    def value(signal, at):
        found = [
            (2 * order + 1) ** 0.5 * (part * o3.Irrep(order, 1).D_from_matrix(at)).sum()
            for order, part in enumerate(sphere.blocks(signal, BAND))
        ]
        return float(sum(found))

    expected = value(x, point @ turn)
    assert value(sphere.rotated(x, turn, BAND), point) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("act", "resolution", "low", "high"),
    [
        (None, BAND, 0, EXACT), (torch.relu, BAND, 0.02, 1), (torch.relu, 2 * BAND, 1e-4, 0.1),
        (torch.square, BAND, 0.02, 1), (torch.square, 3 * BAND // 2, 0, 1e-4),
    ],
)  # fmt: skip
def test_correlations_commute_and_functions_of_values_do_up_to_the_grid(act, resolution, low, high):
    layer = sphere.RotationConvolution(3, 3, band=BAND, draws=draws())

    def mapped(x):
        x = layer(x)
        if act is None:
            return x
        return sphere.pointwise(x, act, band=BAND, after=BAND, resolution=resolution)

    x = torch.randn(2, 3, SIZE, generator=draws())
    with torch.no_grad():
        for turn in turns(3):
            after = sphere.rotated(mapped(x), turn, BAND)
            assert low <= relative(mapped(sphere.rotated(x, turn, BAND)), after) < high


def test_cells_are_computed_with_their_results():
    found = experiment.tetris({"net": "plain", "low_pass": True, "width": 0.05, "n": 9, "steps": 2,
                        "learning_rate": 0.01, "rotations": 2, "seed": 0}).row  # fmt: skip
    assert 0 <= found["accuracy"] <= 1
    found = experiment.digits({"net": "spherical", "band": 8, "train": "R", "epochs": 1,
                        "batch": 16, "learning_rate": 0.01, "n_test": 1700,
                        "seed": 0}).row  # fmt: skip
    assert abs(found["accuracy_R"] - found["accuracy_NR"]) < 0.2
    error = experiment.of_sphere({"band": 3, "depth": 2, "act": "none", "oversampling": 1.0,
                              "rotations": 2, "seed": 0}).row["error"]  # fmt: skip
    assert 0 < error < EXACT


NETWORK = {"net": "steerable", "low_pass": True, "width": 0.1, "n": 9, "steps": 2,
           "learning_rate": 0.01, "rotations": 2, "seed": 0}  # fmt: skip
BLOCK = {**NETWORK, "blur": 2.0, "place": "before", "padding": 2, "first": 0.1, "bias": False,
         "train": "NR"}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{}, {"blur": 0.87}, {"place": "behind"}, {"padding": 4}, {"first": 0.5}, {"low_pass": False},
     {"place": "behind", "padding": 4, "bias": True}],
)  # fmt: skip
def test_invariants_of_every_layer_are_exact_on_the_cube(change):
    hidden = trained.hidden_layers({**BLOCK, **change}, draws())
    straight = experiment.inputs(np.eye(3)[None], 9)
    steerable.normalised(hidden, straight)
    network = torch.nn.Sequential(hidden, steerable.MeanOfVoxels(), torch.nn.Identity())
    with torch.no_grad():
        for block in hidden:
            block.bias.normal_(generator=draws())
        before = trained.invariants(network, straight)
        for rotation in CUBE[:2]:
            after = trained.invariants(network, experiment.inputs(rotation[None], 9))
            assert max(map(relative, after, before)) < EXACT
