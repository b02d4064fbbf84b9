"""Sensitivities of the softmax of the output beside those of the logits."""

from srhm.declare.study import CellMeasurement, Figure
from srhm.training.plan import SENSITIVITIES
from srhm.training.trainers import HIERARCHY
from srhm_studies.learning_curves.learner import hierarchy_study

STUDY = hierarchy_study(
    "softmax_outputs",
    "Sensitivities of the softmax and of the logits",
    package=__package__,
    measurements=(
        CellMeasurement("outputs", HIERARCHY, ".measure:measure_outputs",
                        {"outputs": ".measure:OUTPUTS"}, options=SENSITIVITIES),
    ),
    complexities=False,
    figures=(
        Figure("softmax_outputs", "sensitivity to synonyms of the softmax and of the logits",
               ("outputs", "cells")),
    ),
)  # fmt: skip
