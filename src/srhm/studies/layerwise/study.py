"""P* layer by layer, end to end and with one hidden layer; singular values of weights."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS, SAMPLE_COMPLEXITY
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="layerwise",
    title="Layer by layer against end to end",
    config=FlowSection,
    plan=partial(plan, study="layerwise", measured=()),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    tables=(SAMPLE_COMPLEXITY,),
    figures=(
        Figure(
            name="layerwise",
            title="layerwise against end-to-end training",
            function="srhm.studies.layerwise.figures.sample_complexity:draw",
            uses=("cells", "sample_complexity"),
            settings=("preset", "threshold"),
        ),
        Figure(
            name="singular_values",
            title="singular values of weights and representations",
            function="srhm.studies.layerwise.figures.singular_values:draw",
            uses=(
                ("cells", "complexity/cells"),
                ("singular_values", "complexity/singular_values"),
                ("singular_summaries", "complexity/singular_summaries"),
            ),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.layerwise.claims",
    page_tables="srhm.report.complexities:complexity_tables",
    claim_uses={
        "all_cells": ("cells", "complexity/cells"),
        "all_singular_summaries": ("singular_summaries", "complexity/singular_summaries"),
    },
    priority=-10,
)
