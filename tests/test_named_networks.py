"""VGG, ResNet and EfficientNet: sizes of the published nets, one and two dimensions, randomness.

Numbers of parameters are those of torchvision 0.28.0 with `num_classes=10`. With its weights the
"imagenet" forms gave torchvision's logits bit for bit, in eval mode and (without masks) in training
mode. The "small" forms differ by the parts that the tests name.
"""

from math import sqrt

import numpy as np
import pytest
import torch

from srhm.declare.names import resolved
from srhm.networks.convolutions import Dropout
from srhm.networks.named import named_network
from srhm.networks.registry import NAMED, function_of

# VGGs of the "imagenet" form: classes, parameters. The first four are torchvision's; the others by
# Simonyan & Zisserman, Table 2: 133 and 144 million for B and E, two a channel for batch norm.
VGG = {
    "vgg11": (10, 128_807_306), "vgg11_bn": (10, 128_812_810),
    "vgg16": (10, 134_301_514), "vgg16_bn": (10, 134_309_962),
    "vgg13": (1000, 133_047_848), "vgg13_bn": (1000, 133_047_848 + 5_888),
    "vgg19": (1000, 143_667_240), "vgg19_bn": (1000, 143_667_240 + 11_008),
}  # fmt: skip
RESNETS = [name for name in NAMED if name.startswith("resnet")]
EFFICIENTNETS = [name for name in NAMED if name.startswith("efficientnet")]


# First logits of two images by torchvision's modules, filled and fed as `filled_logits` does. For
# the small forms its first convolution or its stride, its pool and its readout were exchanged.
LOGITS = {
    ("vgg11", "small"): [[4.27033775840999, -1.5223671961245393],
        [4.270338014984078, -1.5223674664726818]],
    ("vgg11_bn", "small"): [[10.642387803426448, -9.739317698948113],
        [10.642378957421947, -9.73930524192787]],
    ("vgg16", "small"): [[5.073526172693208, -1.8305474068170247],
        [5.073526172691721, -1.830547406815045]],
    ("vgg16_bn", "small"): [[10.003456851549817, -9.775990818444342],
        [10.003456850264234, -9.775990815211093]],
    ("resnet18", "small"): [[1.0924674022638567, 0.6974899341244487],
        [1.0466832904512322, 0.7740526113655096]],
    ("resnet18", "imagenet"): [[1.4703321775422615, 0.5885221492074701],
        [0.7692333308201055, 0.5458052201702348]],
    ("resnet34", "small"): [[-16.793341171255662, 15.548447301811434],
        [-16.58679520221544, 15.385993483339648]],
    ("resnet34", "imagenet"): [[-17.118959668831643, 15.887230531626004],
        [-18.0748805707754, 16.667935527538887]],
    ("efficientnetb0", "small"): [[6.2481853750732235, 11.628342244953947],
        [6.248183420384222, 11.628337939555232]],
    ("efficientnetb0", "imagenet"): [[6.322580165468111, 11.792095678750604],
        [6.3225803533885205, 11.79209609692713]],
    ("efficientnetb1", "small"): [[1.6866535332061008, 2.6427854632997603],
        [1.6866435607805754, 2.642764058733861]],
    ("efficientnetb1", "imagenet"): [[-0.031353885630650113, -1.0156560136820512],
        [-0.031354546208167466, -1.015657460316037]],
    ("efficientnetb2", "small"): [[-0.09935057978037598, 0.9540421753786299],
        [-0.09934132437927534, 0.9540443973367883]],
    ("efficientnetb2", "imagenet"): [[-0.10272452234841845, 0.9374559443677414],
        [-0.10273831799793032, 0.9374547027710748]],
}  # fmt: skip


def make(name, *, dimensions=1, in_channels=4, n_classes=4, width=8, seed=0, **options):
    """A small network, with a generator of its own."""
    return named_network(
        name,
        dimensions=dimensions,
        in_channels=in_channels,
        n_classes=n_classes,
        width=width,
        generator=torch.Generator().manual_seed(seed),
        **options,
    )


def published(name, form):
    """The net of full size for images with ten classes."""
    return make(name, dimensions=2, in_channels=3, n_classes=10, width=64, form=form)


def filled_logits(network):
    """Logits of two images, with a state made of sines, in the order in which it is registered."""
    network = network.double().eval()
    for i, value in enumerate(network.state_dict().values()):
        if value.is_floating_point():
            wave = torch.sin(1.7 * torch.arange(value.numel(), dtype=torch.float64) + i)
            # filters near the variance of He; norms and running variances around 1
            scale = sqrt(4 / value[0].numel()) if value.ndim > 1 else 0.3
            value.copy_((wave * scale + (value.ndim == 1)).view(value.shape))
    x = torch.sin(0.37 * torch.arange(2 * 3 * 32 * 32, dtype=torch.float64)).view(2, 3, 32, 32)
    with torch.no_grad():
        return network(x)


def gaussian(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", VGG)
def test_a_vgg_of_the_imagenet_form_has_the_parameters_of_the_reference(name):
    n_classes, n_parameters = VGG[name]
    with torch.device("meta"):  # half a gigabyte each otherwise
        network = resolved(function_of(name))(
            dimensions=2, in_channels=3, n_classes=n_classes, width=64, form="imagenet",
            generator=torch.Generator(),
        )  # fmt: skip
    assert sum(p.numel() for p in network.parameters()) == n_parameters


@pytest.mark.parametrize(("name", "form"), LOGITS)
def test_the_same_weights_give_the_logits_of_the_reference(name, form, tolerance):
    found = filled_logits(published(name, form))[:, :2]
    np.testing.assert_allclose(found, LOGITS[name, form], **tolerance(np.float64))


def as_middle_rows(one, two):
    """State of a 1-D network as that of a 2-D one: its filters in the middle row, zeros around."""
    state = {name: value.clone() for name, value in two.state_dict().items()}
    for name, value in one.state_dict().items():
        if state[name].ndim == 4:
            state[name].zero_()
            state[name][:, :, state[name].shape[2] // 2] = value
        else:
            state[name] = value
    return state


@pytest.mark.parametrize(
    ("name", "form"),
    # The imagenet form of a VGG reads 7 places a side, also where there is one.
    [*((name, "small") for name in NAMED), *((n, "imagenet") for n in RESNETS + EFFICIENTNETS)],
)
def test_one_dimension_is_two_dimensions_of_a_single_row(name, form, tolerance):
    one = make(name, dimensions=1, form=form).double()
    two = make(name, dimensions=2, form=form).double()
    two.load_state_dict(as_middle_rows(one, two))
    x = gaussian(6, 4, 36).double()
    for mode in (True, False):  # moments of the batch, then running moments
        for network in (one, two):
            network.train(mode)
        for dropout in (m for net in (one, two) for m in net.modules() if isinstance(m, Dropout)):
            dropout.generator.manual_seed(3)
        with torch.no_grad():
            y1, y2 = one(x), two(x[:, :, None])
        assert y1.std() > 0
        np.testing.assert_allclose(y1, y2, **tolerance(np.float64))
