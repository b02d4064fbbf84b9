"""Error, kernel change and variance of outputs in the plane of width and output scale."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

# Whose cells a figure draws that other studies have, too.
OWN = {"study": "crossover"}
STUDY = Study(
    name="crossover",
    title="The crossover from feature to lazy learning",
    config=FlowSection,
    plan=partial(plan, study="crossover", measured=("kernels",)),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="crossover_error",
            title="test error across the crossover",
            function="srhm.figures.error_by_scale:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
            options=OWN,
        ),
        Figure(
            name="kernel_change",
            title="change of the tangent kernel and of the weights",
            function="srhm.figures.kernel_change:draw",
            uses=("cells",),
            settings=("preset",),
            options=OWN,
        ),
        Figure(
            name="crossover_variance",
            title="variance of outputs across the crossover",
            function="srhm.figures.output_variance:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
            options=OWN,
        ),
        Figure(
            name="crossover_diagram",
            title="the plane of width and output scale",
            function="srhm.studies.crossover.figures.diagram:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
        ),
        Figure(
            name="tangent_kernels",
            title="spectra of the tangent kernel",
            function="srhm.studies.crossover.figures.kernels:draw",
            uses=("cells", "kernels"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.crossover.claims",
    priority=-10,
)
