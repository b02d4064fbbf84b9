"""Does teaching an invariance teach the task? Augmentation along synonyms and displacements."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.learner import COMPLEXITIES
from srhm_studies.learning_curves.teaching.configuration import TeachingSection, plan

STUDY = experiment_study(
    "teaching",
    "Does teaching an invariance teach the task?",
    package=__package__,
    schemas=".configuration",
    computes="networks that are taught invariances",
    config=TeachingSection,
    plan=plan,
    tables=(COMPLEXITIES,),
    figures=(
        Figure("teaching", "sample complexity of networks that are taught invariances",
               ("sample_complexity",)),
        Figure("shortcut",
               "answers of networks to placements of other data, and what shared placements change",
               ("cells",)),
    ),
)  # fmt: skip
