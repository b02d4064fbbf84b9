"""Chapter 3a of the thesis on images of digits, at several depths."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

# Whose cells a figure draws that other studies have, too.
OWN = {"study": "lazy_feature"}
STUDY = Study(
    name="lazy_feature",
    title="Lazy and feature learning of digits",
    config=FlowSection,
    plan=partial(plan, study="lazy_feature"),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="digits_error",
            title="test error of digits across the crossover",
            function="srhm.figures.error_by_scale:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
            options=OWN,
        ),
        Figure(
            name="digits_collapse",
            title="errors of several widths as one function; change of the weights",
            function="srhm.studies.lazy_feature.figures.collapse:draw",
            uses=("cells",),
            settings=("preset",),
        ),
        Figure(
            name="digits_kernels",
            title="change of the tangent kernel on digits, and half times",
            function="srhm.figures.kernel_change:draw",
            uses=("cells",),
            settings=("preset",),
            options=OWN,
        ),
        Figure(
            name="digits_times",
            title="loss of digits against time",
            function="srhm.studies.lazy_feature.figures.times:draw",
            uses=("cells", "histories"),
            settings=("preset",),
        ),
        Figure(
            name="digits_variance",
            title="variance of outputs on digits",
            function="srhm.figures.output_variance:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
            options=OWN,
        ),
    ),
    claims="srhm.studies.lazy_feature.claims",
    priority=-10,
)
