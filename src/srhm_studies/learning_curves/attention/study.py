"""Does attention pay for empty places? A transformer without positions, and one with them."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.attention.configuration import AttentionSection, plan

STUDY = experiment_study(
    "attention",
    "Does attention pay for empty places?",
    package=__package__,
    computes="transformers",
    config=AttentionSection,
    plan=plan,
    tables=(
        Derived(
            "sample_complexity",
            ".analysis:sample_complexities",
            ".tables:SAMPLE_COMPLEXITY",
            uses=("cells",),
            settings=("threshold",),
        ),
    ),
    figures=(
        Figure(
            "attention",
            "sample complexity of transformers and their place in Figure 1",
            ("cells", "sample_complexity"),
        ),
    ),
)
