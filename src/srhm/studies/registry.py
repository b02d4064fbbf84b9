"""The studies, in the order in which they are shown: one line each. Imports no torch."""

from srhm.studies.bottleneck.study import STUDY as BOTTLENECK
from srhm.studies.complexity.study import STUDY as COMPLEXITY
from srhm.studies.crossover.study import STUDY as CROSSOVER
from srhm.studies.double_descent.study import STUDY as DOUBLE_DESCENT
from srhm.studies.first_step.study import STUDY as FIRST_STEP
from srhm.studies.images.study import STUDY as IMAGES
from srhm.studies.jamming.study import STUDY as JAMMING
from srhm.studies.layerwise.study import STUDY as LAYERWISE
from srhm.studies.named_nets.study import STUDY as NAMED_NETS
from srhm.studies.sparse_hierarchy.study import STUDY as SPARSE_HIERARCHY
from srhm.studies.sparsity_transfer.study import STUDY as SPARSITY_TRANSFER
from srhm.study import Study

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        SPARSE_HIERARCHY,
        NAMED_NETS,
        IMAGES,
        COMPLEXITY,
        CROSSOVER,
        FIRST_STEP,
        LAYERWISE,
        BOTTLENECK,
        DOUBLE_DESCENT,
        JAMMING,
        SPARSITY_TRANSFER,
    )
}
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
}
