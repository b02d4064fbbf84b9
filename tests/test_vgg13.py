"""VGG13, a named net beside those of the paper."""

import torch

from srhm.names import resolved
from srhm.networks.registry import function_of


def test_it_has_the_parameters_of_the_published_net():
    with torch.device("meta"):
        network = resolved(function_of("vgg13"))(
            dimensions=2, in_channels=3, n_classes=1000, width=64, form="imagenet",
            generator=torch.Generator(),
        )  # fmt: skip
    # Simonyan & Zisserman, Table 2: 133 million for B, the net of 13 layers.
    assert sum(p.numel() for p in network.parameters()) == 133_047_848
