"""Networks that are equivariant under rotations (thesis, chapter 5)."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.beyond.equivariance.configuration import EquivarianceSection, plan

STUDY = experiment_study(
    "equivariance",
    "Networks equivariant under rotations",
    package=__package__,
    schemas=".configuration",
    computes="networks equivariant under rotations",
    config=EquivarianceSection,
    plan=plan,
    long=("basis", "layers", "blocks"),
    figures=(
        Figure("equivariance_accuracy", "blocks and digits in rotations never seen", ("cells",)),
        Figure("equivariance_layers", "where trained networks lose rotations", ("cells", "blocks")),
        Figure("equivariance_error", "equivariance error", ("cells",)),
        Figure("equivariance_kernels", "equivariant kernels between vectors", ("basis",)),
    ),
)
