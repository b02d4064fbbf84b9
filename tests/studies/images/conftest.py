"""Small files in the format of CIFAR-10, which several tests read and none changes."""

import pytest
from images_data import N
from invented_images import write_cifar

from srhm.images.readers import load_cifar
from srhm.model.seeding import generator


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where they lie."""
    where = tmp_path_factory.mktemp("data") / "images"
    write_cifar(where, records_per_file=N, generator=generator(0, role="train"))
    return where


@pytest.fixture(scope="session")
def data(folder):
    """Their training and test images."""
    return load_cifar(folder, records_per_file=N)
