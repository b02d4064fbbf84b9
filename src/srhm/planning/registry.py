"""The studies by family, in the order in which they are shown: one name each. Imports no torch."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from srhm.declare.study import Study, Trainer
from srhm.training import trainers

# Where families lie that are no part of this package, if it is installed.
FURTHER = "srhm_studies"
# Names for several studies: what `make reproduce STUDY=...` may name.
GROUPS: dict[str, tuple[str, ...]] = {
    "paper": (
        "sparse_hierarchy",
        "named_nets",
        "images",
    ),
    "plane": (
        "complexity",
        "crossover",
        "first_step",
        "layerwise",
        "bottleneck",
        "double_descent",
        "jamming",
        "sparsity_transfer",
    ),
}
_PACKAGES = dict.fromkeys(GROUPS, "srhm")
if find_spec(FURTHER) is not None:
    GROUPS |= import_module(f"{FURTHER}.families").FAMILIES
# No digest of sources goes through this module, so that nothing is made anew for a new study.
STUDIES: dict[str, Study] = {
    name: import_module(f"{_PACKAGES.get(family, FURTHER)}.{family}.{name}").STUDY
    for family, names in GROUPS.items()
    for name in names
}
# Those that several studies share, and those of a study of its own.
TRAINERS: tuple[Trainer, ...] = tuple(
    dict.fromkeys(
        (*trainers.TRAINERS, *(s.trainer for s in STUDIES.values() if s.trainer is not None))
    )
)


def folder_of(study: str) -> Path:
    """Folder of a study: its code, README, methods and captions."""
    return Path(str(import_module(str(STUDIES[study].package)).__file__)).parent


def file_of_study(study: str, name: str = "README.md") -> str:
    """Path of a file of a study from the root of the repository."""
    return f"src/{str(STUDIES[study].package).replace('.', '/')}/{name}"
