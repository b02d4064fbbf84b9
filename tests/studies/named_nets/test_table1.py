"""Table 1 from the modules, beside the paper's rounded numbers."""

import pytest
import torch

from srhm.networks.inspection import (
    FAMILIES,
    INPUT,
    PAPER,
    PAPER_MILLIONS,
    structure,
    table1,
)
from srhm.networks.named import named_network

# The networks of Table 1, which are not all named nets.
TABLE_1 = [net for nets in FAMILIES.values() for net in nets]


@pytest.fixture(scope="module")
def rows():
    """Table 1 by name and dimensions."""
    return {(row["net"], row["dimensions"]): row for row in table1()}


def test_numbers_of_parameters_are_those_of_the_networks(rows):
    # counted elsewhere for two dimensions (test_named_networks); here by another route
    for (name, dimensions), row in rows.items():
        network = named_network(
            name, dimensions=dimensions, in_channels=INPUT[dimensions][0], n_classes=10,
            generator=torch.Generator().manual_seed(1),
        )  # fmt: skip
        buffers = {key for key, _ in network.named_buffers()}
        sizes = {k: v.numel() for k, v in network.state_dict().items() if k not in buffers}
        assert row["n_parameters"] == sum(sizes.values())


@pytest.mark.parametrize("name", [n for n in TABLE_1 if not n.startswith("efficientnet")])
def test_vgg_and_resnet_have_the_printed_numbers_of_parameters_in_two_dimensions(rows, name):
    low, high = PAPER_MILLIONS[rows[name, 2]["family"]]
    assert low <= round(rows[name, 2]["n_parameters"] / 1e6) <= high
    assert not rows[name, 2]["note"].count(" M ")


def test_efficientnet_has_the_printed_number_of_parameters_with_a_thousand_classes():
    found = structure("efficientnetb0", dimensions=2, n_classes=1000)
    assert found.n_parameters == 5_288_548  # torchvision 0.28.0, efficientnet_b0()
    assert round(found.n_parameters / 1e6) == 5


def test_structures_are_those_that_the_paper_prints(rows):
    pooling = {"max": "max", "average (last layer only)": "avg. (last layer only)"}
    for (name, _), row in rows.items():
        printed = PAPER[row["family"]]
        assert row["activation"] == printed["activation"]
        assert str(row["n_linear"]) == printed["fc_layers"]
        assert pooling[row["pooling"]] == printed["pooling"]
        assert (row["dropout"] > 0) == ("yes" in printed["dropout"])
        assert (row["drop_connect"] > 0) == ("dropconnect" in printed["dropout"])
        assert (row["n_skips"] > 0) == ("yes" in printed["skip_connections"])
        assert row["batch_norm"] == (printed["batch_norm"] == "yes" or "bn" in name)
