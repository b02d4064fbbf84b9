"""Learning curves of kernel methods (chapter 6 of the thesis)."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.smoothness.kernels.configuration import KernelsSection, plan

STUDY = experiment_study(
    "kernels",
    "Learning curves of kernel methods",
    package=__package__,
    schemas=".analysis",
    computes="kernel methods",
    config=KernelsSection,
    plan=plan,
    long=("spectra",),
    tables=(
        Derived("exponents", ".analysis:exponents", ".analysis:EXPONENTS",
                uses=("cells", "spectra")),
        Derived("crossings", ".analysis:crossings", ".analysis:CROSSINGS", uses=("cells",),
                settings=("threshold",)),
        Derived("networks", ".analysis:networks", ".analysis:NETWORKS", settings=("threshold",),
                files={"published": "published/*/sparse_hierarchy/cells.parquet"}),
    ),
    figures=(
        Figure("kernel_teachers", "learning curves of Laplace students", ("cells",)),
        Figure("kernel_dimensions", "exponents of learning curves against dimension and smoothness",
               ("exponents",)),
        Figure("kernel_students", "learning curves of Gaussian students", ("cells",)),
        Figure("kernel_digits", "learning curves on digits, regression and support vector machines",
               ("cells",), options={"experiment": "digits"}),
        Figure("kernel_mnist5k",
               "learning curves, kernel PCA and neighbours on 5,000 digits of MNIST",
               ("cells", "spectra")),
        Figure("kernel_mnist", "the same on MNIST, where its files are", ("cells",),
               function=".figures:kernel_digits", options={"experiment": "mnist"}),
        Figure("kernel_pca", "kernel PCA and Gram spectra", ("cells", "spectra")),
        Figure("kernel_neighbours", "distances to the nearest neighbour", ("cells",)),
        Figure("kernel_stripe", "support vector machines in the stripe model", ("cells",)),
        Figure("kernel_srhm", "kernels on the SRHM", ("cells", "crossings", "networks"),
               settings=("preset", "threshold")),
    ),
)  # fmt: skip
