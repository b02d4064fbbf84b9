"""Own latents: how many points the synonyms of each level need without labels, and with them."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.own_latents.configuration import OwnLatentsSection, plan

STUDY = experiment_study(
    "own_latents",
    "Own latents: synonyms from their contexts, without labels",
    package=__package__,
    schemas=".configuration",
    computes="counts beside tuples",
    config=OwnLatentsSection,
    plan=plan,
    tables=(
        Derived("sample_complexity", ".analysis:sample_complexities",
                ".configuration:SAMPLE_COMPLEXITY", ("cells",)),
    ),
    figures=(
        Figure("own_latents", "points that cousins, parents and labels need",
               ("sample_complexity",)),
    ),
)  # fmt: skip
