"""VGG13 and VGG19, named nets beside those of the paper."""

import pytest
import torch

from srhm.declare.names import resolved
from srhm.networks.registry import function_of


@pytest.mark.parametrize(
    ("net", "n_parameters"),
    [
        # Simonyan & Zisserman, Table 2: 133 and 144 million for B and E; batch norm has two
        # parameters a channel, 2 x (64 + 64 + 128 + 128 + 2 x 256 + 4 x 512) of B.
        ("vgg13", 133_047_848),
        ("vgg13_bn", 133_047_848 + 5_888),
        ("vgg19", 143_667_240),
        ("vgg19_bn", 143_667_240 + 11_008),
    ],
)
def test_they_have_the_parameters_of_the_published_nets(net, n_parameters):
    with torch.device("meta"):
        network = resolved(function_of(net))(
            dimensions=2, in_channels=3, n_classes=1000, width=64, form="imagenet",
            generator=torch.Generator(),
        )  # fmt: skip
    assert sum(p.numel() for p in network.parameters()) == n_parameters
