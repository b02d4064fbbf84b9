"""From the section `images` to the cells that are trained, with their keys; loads no torch."""

from pathlib import Path
from typing import Any

from srhm.images import cifar
from srhm.results.provenance import PACKAGE, cells_digest, short_hash
from srhm.studies.images.configuration import Images, ImageStability


def training_digest() -> str:
    """Digest of the sources that decide a trained cell."""
    return cells_digest(PACKAGE / "images" / "training.py")


def image_curves(images: Images, *, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Cells of each net, by a name that holds the hash of their keys; nothing without the data.

    Each cell is {"key", "source", "cell"}. The key covers the coordinates, the sums of the data's
    files and the sources, so that other data or changed code never meet an old result.

    Raises:
        CifarError: if files of another size than CIFAR-10's come without their sums.
    """
    if cifar.notice(folder) is not None:
        return {}
    data = short_hash(cifar.sums(folder, records_per_file=images.records_per_file))
    source = training_digest()
    curves = {}
    for net in dict.fromkeys(images.nets):
        entries = []
        for size in sorted(set(images.P)):
            for seed in range(images.seeds):
                cell = {**images.cell(net=net, P=size, seed=seed), "data": data}
                key = short_hash(["images", cell, source], length=24)
                entries.append({"key": key, "source": source, "cell": cell})
        name = f"{net}_h{images.width}-{short_hash([entry['key'] for entry in entries])}"
        curves[name] = entries
    return curves


def images_to_evaluate(stability: ImageStability) -> int:
    """Images that a network is evaluated on to measure its stability, before and after training.

    Each image, its deformations and its noises.
    """
    return 2 * stability.n_points * (1 + 2 * stability.n_draws)
