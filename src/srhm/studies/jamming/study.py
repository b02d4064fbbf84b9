"""Unsatisfied points, N*(P), and the spectra of the Hessian of jammed networks."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="jamming",
    title="Jamming of random and of hierarchical labels",
    config=FlowSection,
    plan=partial(plan, study="jamming", measured=("hessians",)),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="jamming",
            title="jamming and the spectra of the Hessian",
            function="srhm.studies.jamming.figures.spectra:draw",
            uses=(("cells", "double_descent/cells"), "hessians", "hessian_summaries"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.jamming.claims",
    # N*(P) is read off the widths of double descent, too.
    claim_uses={"all_cells": ("cells", "double_descent/cells")},
    priority=-10,
)
