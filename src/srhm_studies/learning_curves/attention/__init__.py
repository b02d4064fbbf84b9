"""Does attention pay for empty places? A transformer without positions, and one with them."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.attention.configuration import AttentionSection, plan
from srhm_studies.learning_curves.learner import COMPLEXITIES

STUDY = experiment_study(
    "attention",
    "Does attention pay for empty places?",
    package=__package__,
    schemas=".configuration",
    computes="transformers",
    config=AttentionSection,
    plan=plan,
    tables=(COMPLEXITIES,),
    figures=(
        Figure("attention", "sample complexity of transformers and their place in Figure 1",
               ("cells", "sample_complexity")),
    ),
)  # fmt: skip
