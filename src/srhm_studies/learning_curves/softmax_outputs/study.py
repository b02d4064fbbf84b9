"""Sensitivities of the softmax of the output beside those of the logits."""

from functools import partial

from srhm.declare.study import CellMeasurement, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import SENSITIVITIES, plan
from srhm.training.trainers import HIERARCHY

STUDY = Study(
    package=__package__,
    name="softmax_outputs",
    title="Sensitivities of the softmax and of the logits",
    config=HierarchySection,
    plan=partial(plan, measured=("outputs",)),
    trainer=HIERARCHY,
    measurements=(
        CellMeasurement(
            "outputs",
            HIERARCHY,
            ".measure:measure_outputs",
            {"outputs": ".measure:OUTPUTS"},
            options=SENSITIVITIES,
        ),
    ),
    figures=(
        Figure(
            "softmax_outputs",
            "sensitivity to synonyms of the softmax and of the logits",
            ("outputs", "cells"),
        ),
    ),
    claims=".claims",
    priority=-10,
)
