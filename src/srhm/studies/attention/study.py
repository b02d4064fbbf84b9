"""Does attention pay for empty places? A transformer without positions, and one with them."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.attention.configuration import AttentionSection, plan
from srhm.study import Derived, Figure

STUDY = experiment_study(
    "attention",
    "Does attention pay for empty places?",
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
