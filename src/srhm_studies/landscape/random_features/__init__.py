"""Random features: double descent where nothing but a readout is trained (thesis, chapter 8)."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.landscape.random_features.configuration import RandomFeaturesSection, plan

STUDY = experiment_study(
    "random_features",
    "Random features and their ensembles",
    package=__package__,
    schemas=".experiment",
    computes="random features without ridge",
    config=RandomFeaturesSection,
    plan=plan,
    figures=(
        Figure("random_features", "double descent of random features, and its removal by ensembles",
               ("cells",)),
    ),
)  # fmt: skip
