"""Invented images: smooth random fields, also as files of CIFAR-10's format."""

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from srhm.images.readers import N_CLASSES, SETS, SIZE, SUMS_FILE

# Section `images` of a configuration, for files of 20 records: two cells of a part of a second.
SECTION = {
    "folder": "invented",
    "records_per_file": 20,
    "nets": ["vgg11_bn"],
    "P": [20, 100],
    "seeds": 1,
    "width": 4,
    "n_test": 20,
    "training": {"batch_size": 10, "max_steps": 3},
    "stability": {"n_points": 10},
}
SMOOTHEST = 6  # waves with i^2 + j^2 up to its square


def smooth_fields(count: int, *, generator: np.random.Generator) -> NDArray[np.float32]:
    """Sums of a few plane waves with random phases: (count, 3, 32, 32), mean 0, variance 1."""
    waves = [
        (i, j)
        for i in range(SMOOTHEST)
        for j in range(-SMOOTHEST, SMOOTHEST)
        if 0 < i**2 + j**2 <= SMOOTHEST**2
    ]
    grid = np.arange(SIZE) / SIZE
    phases = 2 * np.pi * np.stack([i * grid[:, None] + j * grid[None, :] for i, j in waves])
    sizes = [1 / np.hypot(i, j) for i, j in waves]
    amplitudes = generator.normal(size=(2, count, 3, len(waves))) * sizes
    x = np.einsum("ncw,wuv->ncuv", amplitudes[0], np.cos(phases))
    x += np.einsum("ncw,wuv->ncuv", amplitudes[1], np.sin(phases))
    return ((x - x.mean()) / x.std()).astype(np.float32)


def write_cifar(
    folder: Path, *, records_per_file: int, generator: np.random.Generator
) -> dict[str, tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Six files and MD5SUMS in a folder; returns what was written: pixels and labels by file.

    An image is the field of its class and one of its own, so that classes can be told apart.
    """
    folder.mkdir(parents=True)
    of_class = smooth_fields(N_CLASSES, generator=generator)
    written, lines = {}, []
    for name in SETS["cifar10"].files:
        labels = generator.permutation(np.arange(records_per_file) % N_CLASSES)
        fields = of_class[labels] + smooth_fields(records_per_file, generator=generator)
        pixels = np.clip(128 + 40 * fields, 0, 255).astype(np.uint8)
        flat = pixels.reshape(records_per_file, -1)
        content = np.concatenate([labels.astype(np.uint8)[:, None], flat], axis=1).tobytes()
        (folder / name).write_bytes(content)
        lines.append(f"{hashlib.md5(content, usedforsecurity=False).hexdigest()}  {name}\n")
        written[name] = pixels, labels
    (folder / SUMS_FILE).write_text("".join(lines))
    return written
