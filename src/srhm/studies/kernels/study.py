"""Learning curves of kernel methods (chapter 6 of the thesis)."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.kernels.configuration import HERE, KernelsSection, plan
from srhm.study import Derived, Figure, Study

FIGURES = f"{HERE}.figures"
TRAINER = experiments("kernels", title="kernel methods")

STUDY = Study(
    name="kernels",
    title="Learning curves of kernel methods",
    config=KernelsSection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(long_tables(TRAINER, {"spectra": f"{HERE}.tables:SPECTRA"}),),
    tables=(
        Derived(
            name="exponents",
            function=f"{HERE}.exponents:exponents",
            schema=f"{HERE}.exponents:EXPONENTS",
            uses=("cells", "spectra"),
        ),
        Derived(
            name="crossings",
            function=f"{HERE}.exponents:crossings",
            schema=f"{HERE}.exponents:CROSSINGS",
            uses=("cells",),
            settings=("threshold",),
        ),
        Derived(
            name="networks",
            function=f"{HERE}.networks:networks",
            schema=f"{HERE}.networks:NETWORKS",
            settings=("threshold",),
            files={"published": "published/*/sparse_hierarchy/sample_complexity.parquet"},
        ),
    ),
    figures=(
        Figure(
            name="kernel_teachers",
            title="learning curves of Laplace students",
            function=f"{FIGURES}.teachers:draw",
            uses=("cells",),
            settings=("preset",),
        ),
        Figure(
            name="kernel_dimensions",
            title="exponents of learning curves against dimension and smoothness",
            function=f"{FIGURES}.dimensions:draw",
            uses=("exponents",),
            settings=("preset",),
        ),
        Figure(
            name="kernel_students",
            title="learning curves of Gaussian students",
            function=f"{FIGURES}.students:draw",
            uses=("cells",),
            settings=("preset",),
        ),
        Figure(
            name="kernel_digits",
            title="learning curves on digits, regression and support vector machines",
            function=f"{FIGURES}.digits:draw",
            uses=("cells",),
            settings=("preset",),
            options={"experiment": "digits"},
        ),
        Figure(
            name="kernel_mnist",
            title="the same on MNIST, where its files are",
            function=f"{FIGURES}.digits:draw",
            uses=("cells",),
            settings=("preset",),
            options={"experiment": "mnist"},
        ),
        Figure(
            name="kernel_pca",
            title="kernel PCA and Gram spectra",
            function=f"{FIGURES}.pca:draw",
            uses=("cells", "spectra"),
            settings=("preset",),
        ),
        Figure(
            name="kernel_neighbours",
            title="distances to the nearest neighbour",
            function=f"{FIGURES}.neighbours:draw",
            uses=("cells",),
            settings=("preset",),
        ),
        Figure(
            name="kernel_srhm",
            title="kernels on the SRHM",
            function=f"{FIGURES}.hierarchy:draw",
            uses=("cells", "crossings", "networks"),
            settings=("preset", "threshold"),
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
