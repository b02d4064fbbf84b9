"""What is trained while faults happen: small configurations of four trainers."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from srhm.images import cifar
from srhm.studies.registry import STUDIES
from srhm.study import Trainer
from srhm.trainers import FLOW, HIERARCHY, IMAGES

PRESET = "faults"


@dataclass(frozen=True)
class Kind:
    """A configuration, words for the launcher, the tables that are compared, and who trains.

    tables: files; without any the rows of all curves are compared. without: the same with less,
    which is asked for first where a fault finds more to do.
    """

    name: str
    config: dict[str, Any]
    trainer: Trainer
    words: tuple[str, ...]
    tables: tuple[str, ...]
    without: dict[str, Any]


def tables_of(study: str, *names: str) -> tuple[str, ...]:
    """Files of tables of a study."""
    return tuple(f"results/{PRESET}/tables/{study}/{name}.parquet" for name in names)


# Cells of about half a second: all are trained to the cap, so that a fault finds some of them at
# work.
CURVES = {"net": ["lcn", "cnn"], "L": 2, "v": 3, "s0": 1, "P": [60, 120, 240]}
SECTION: dict[str, Any] = {
    **{"seeds": 2, "width": 12, "n_test": 100},
    "training": {"max_steps": 100_000, "loss_threshold": 1e-12},
    "measurement": {"n_points": 50, "n_draws": 1},
    "curves": [CURVES],
}
LESS_SECTION = {**SECTION, "curves": [{**CURVES, "P": [60, 240]}]}
MAIN = Kind(
    name="",
    config={"preset": PRESET, "sparse_hierarchy": SECTION},
    trainer=HIERARCHY,
    words=("--study", "sparse_hierarchy", "--until", "train_hierarchy"),
    tables=(),
    without={"preset": PRESET, "sparse_hierarchy": LESS_SECTION},
)
TABLES = tables_of("sparse_hierarchy", "cells", "sensitivities", "sample_complexity")
# The same with its tables, and what is measured and estimated.
MEASURED = replace(MAIN, name="measured", words=TABLES, tables=TABLES)
# More points than so small a network can fit.
FLOW_CURVES = {
    **{"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": [2, 3], "alpha": 1},
    **{"P": [200, 220, 240, 260, 280, 300], "seeds": 1, "labels": "parity", "measure": []},
    **{"loss": "quadratic_hinge", "optimiser": {"name": "adam", "max_evaluations": 800}},
}
GRADIENT_FLOW = Kind(
    name="gradient flow",
    config={"preset": PRESET, "jamming": {"n_test": 100, "curves": [FLOW_CURVES]}},
    trainer=FLOW,
    words=("--study", "jamming", "--until", "gather_jamming"),
    tables=tables_of("jamming", "cells"),
    without={
        "preset": PRESET,
        "jamming": {"n_test": 100, "curves": [{**FLOW_CURVES, "P": [200, 240, 300]}]},
    },
)
IMAGES_SECTION: dict[str, Any] = {
    **{"folder": "invented", "records_per_file": 20, "nets": ["vgg11_bn", "vgg16_bn"]},
    **{"P": [20, 60, 100], "seeds": 2, "width": 4, "n_test": 20, "stability": {"n_points": 10}},
    "training": {"batch_size": 10, "max_steps": 30},
}
ON_IMAGES = Kind(
    name="images",
    config={"preset": PRESET, "images": IMAGES_SECTION},
    trainer=IMAGES,
    words=("--study", "images", "--until", "train_images"),
    tables=(),
    without={"preset": PRESET, "images": {**IMAGES_SECTION, "P": [20, 100]}},
)
# Chains of ten steps: each cell takes a second or two.
MEMORY = {
    **{"memory": "ram", "size": 4, "start": ["random", "linear", "columns"], "mu": 0.2},
    **{"r": 1.0e-2, "t_end": 1.0e3, "max_evaluations": 1000, "seeds": 4},
}
# One of each, which takes no time: the section needs them.
MEMORY_SECTION: dict[str, Any] = {
    "columns": [{"M": 1, "mu": 0.2, "r": 1.0e-2}],
    "necklaces": [{"m": 2, "mu": 0.2, "exit_inside": 0.1}],
    "best_necklaces": [{"m": 2, "mu": 0.2, "r": 1.0e-2}],
}
EXPERIMENTS = Kind(
    name="experiments",
    config={"preset": PRESET, "memory": {**MEMORY_SECTION, "learning": [MEMORY]}},
    trainer=STUDIES["memory"].trainer,  # type: ignore[arg-type]
    words=("--study", "memory", "--until", "gather_memory"),
    tables=tables_of("memory", "cells", "history"),
    without={"preset": PRESET, "memory": {**MEMORY_SECTION, "learning": [{**MEMORY, "seeds": 2}]}},
)
KINDS = {kind.name: kind for kind in (MAIN, MEASURED, GRADIENT_FLOW, ON_IMAGES, EXPERIMENTS)}


def write_images(folder: Path) -> None:
    """Invented images in the files of CIFAR-10's format, 20 in each, and their sums."""
    folder.mkdir(parents=True)
    generator, sums = np.random.default_rng(0), []
    for name in cifar.FILES:
        records = generator.integers(256, size=(20, cifar.RECORD), dtype=np.uint8)
        records[:, 0] = np.arange(20) % cifar.N_CLASSES
        (folder / name).write_bytes(records.tobytes())
        sums.append(f"{hashlib.md5(records.tobytes()).hexdigest()}  {name}\n")
    (folder / cifar.SUMS_FILE).write_text("".join(sums), encoding="utf-8")
