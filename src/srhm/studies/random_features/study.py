"""Random features: double descent where nothing but a readout is trained (thesis, chapter 8)."""

from functools import partial

from srhm.experiments.declaration import experiments
from srhm.studies.random_features.configuration import RandomFeaturesSection, plan
from srhm.study import Figure, Study

HERE = "srhm.studies.random_features"
TRAINER = experiments("random_features", title="random features without ridge")

STUDY = Study(
    name="random_features",
    title="Random features and their ensembles",
    config=RandomFeaturesSection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    figures=(
        Figure(
            name="random_features",
            title="double descent of random features, and its removal by ensembles",
            function=f"{HERE}.figures.random_features:draw",
            uses=("cells",),
            settings=("preset",),
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
