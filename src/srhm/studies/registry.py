"""The studies, in the order in which they are shown: one line each. Imports no torch."""

from importlib import import_module

from srhm import trainers
from srhm.study import Study, Trainer

NAMES = (
    "sparse_hierarchy",
    "named_nets",
    "images",
    "complexity",
    "crossover",
    "first_step",
    "layerwise",
    "bottleneck",
    "double_descent",
    "jamming",
    "sparsity_transfer",
    "memory",
    "level_by_level",
    "representation_cost",
    "kernels",
    "lazy_feature",
    "digits_jamming",
    "fluctuations",
    "stripe",
    "phase_diagram",
    "relative_stability",
    "temperature",
    "weight_sharing",
    "depth",
    "random_features",
    "equivariance",
    "gaps",
    "minima",
    "early_dynamics",
    "own_latents",
    "teaching",
    "taught_digits",
    "optimisers",
    "attention",
    "softmax_outputs",
)
# Names for several studies: what `make reproduce` and `make plane` make.
GROUPS: dict[str, tuple[str, ...]] = {
    "paper": ("sparse_hierarchy", "named_nets", "images"),
    "plane": (
        "complexity",
        "crossover",
        "first_step",
        "layerwise",
        "bottleneck",
        "double_descent",
        "jamming",
    ),
    "seeds": ("memory", "level_by_level", "representation_cost", "kernels"),
    "landscape": (
        "lazy_feature",
        "digits_jamming",
        "fluctuations",
        "stripe",
        "phase_diagram",
        "relative_stability",
        "random_features",
        "gaps",
        "early_dynamics",
    ),
}

# No digest of sources goes through this module, so that nothing is made anew for a new study.
STUDIES: dict[str, Study] = {
    name: import_module(f"srhm.studies.{name}.study").STUDY for name in NAMES
}
# Those that several studies share, and those of a study of its own.
TRAINERS: tuple[Trainer, ...] = tuple(
    dict.fromkeys(
        (*trainers.TRAINERS, *(one.trainer for one in STUDIES.values() if one.trainer is not None))
    )
)
