"""A network that is added renames nothing: a copy of the package with two more has all old keys."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from earlier import cell_roots
from stored import HERE, PRESETS, stored_keys

from srhm.store.provenance import PACKAGE
from srhm.store.sources import digest_of

# A network of the family of LCN and CNN, whose second layer alone shares its filter.
ADDED = """
from srhm.networks.geometry import layers_on_patches


def added(parameters, *, width):
    w = parameters.patch_size
    return layers_on_patches(parameters, width=width, slot=lambda k, z: z % w if k == 2 else z)
"""
# A named net without a gradient by hand.
ADDED_NAMED = """
from torch import nn

from srhm.networks.convolutions import average_pool, convolution


def added_named(*, dimensions, in_channels, n_classes, width, form, generator):
    return nn.Sequential(
        convolution(dimensions, in_channels, width, taps=3, bias=True),
        nn.ReLU(),
        average_pool(dimensions),
        nn.Flatten(),
        nn.Linear(width, n_classes),
    )
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the copy says."""
    copy = tmp_path_factory.mktemp("added") / "srhm"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    registry = copy / "networks" / "registry.py"
    text = registry.read_text(encoding="utf-8")
    for name, table, like, source in (
        ("added", "HIERARCHICAL", "cnn", ADDED), ("added_named", "NAMED", "vgg11", ADDED_NAMED),
    ):  # fmt: skip
        before = f"\n{table} = {{\n"
        assert text.count(before) == 1
        line = f'    "{name}": Net("Added", "srhm.networks.{name}", like="{like}"),\n'
        text = text.replace(before, before + line)
        (copy / "networks" / f"{name}.py").write_text(source, encoding="utf-8")
    registry.write_text(text, encoding="utf-8")
    path = os.pathsep.join([str(copy.parent), str(HERE)])
    said = subprocess.run(
        [sys.executable, str(HERE / "added_networks.py")],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    made = json.loads(said.stdout)
    assert made["package"] == str(copy / "__init__.py")
    return made


def test_all_digests_are_what_they_were(found):
    before = {digest_of(*roots) for roots in cell_roots()}
    assert before <= set(found["digests"])


@pytest.mark.parametrize("name", PRESETS)
def test_all_names_of_a_preset_are_what_they_were(found, name):
    assert found["keys"][name] == stored_keys(name).read_text(encoding="utf-8").splitlines()


def test_both_networks_are_trained(found):
    assert found["trained"] == {"added": [5, "capped"], "added_named": [5, "capped"]}
