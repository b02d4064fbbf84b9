"""Random features: double descent where nothing but a readout is trained (thesis, chapter 8)."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.random_features.configuration import RandomFeaturesSection, plan
from srhm.study import Figure

STUDY = experiment_study(
    "random_features",
    "Random features and their ensembles",
    computes="random features without ridge",
    config=RandomFeaturesSection,
    plan=plan,
    figures=(
        Figure(
            "random_features",
            "double descent of random features, and its removal by ensembles",
            ("cells",),
        ),
    ),
)
