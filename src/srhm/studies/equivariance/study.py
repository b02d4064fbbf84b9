"""Networks that are equivariant under rotations (thesis, chapter 5)."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.equivariance.configuration import EquivarianceSection, plan
from srhm.study import Figure

STUDY = experiment_study(
    "equivariance",
    "Networks equivariant under rotations",
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
