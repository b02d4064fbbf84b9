"""The algorithm of the article's proof on the hierarchy model: error by level, P*, conditions."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.learner import COMPLEXITIES
from srhm_studies.learning_curves.level_by_level.configuration import LevelByLevelSection, plan

STUDY = experiment_study(
    "level_by_level",
    "Level by level: the algorithm of a proof",
    package=__package__,
    schemas=".configuration",
    computes="learning level by level",
    config=LevelByLevelSection,
    plan=plan,
    long=("levels", "sensitivities"),
    tables=(
        COMPLEXITIES,
        Derived("references", schema=".configuration:REFERENCES", settings=("threshold",), files={
            "end_to_end": "published/*/sparse_hierarchy/cells.parquet",
            "layerwise": "published/*/layerwise/cells.parquet",
        }),
    ),
    figures=(
        Figure("level_by_level_complexity", "sample complexity of the algorithm level by level",
               ("cells", "sample_complexity", "references"), settings=("preset", "threshold")),
        Figure("level_by_level_errors", "error of each level", ("cells", "levels")),
        Figure("level_by_level_conditions", "clean signal and weak identifiability",
               ("cells", "levels", "sample_complexity")),
        Figure("level_by_level_sparsity", "what empty places cost the algorithm",
               ("sample_complexity", "references")),
        Figure("level_by_level_stages", "sensitivities to synonyms after each stage",
               ("cells", "sensitivities")),
    ),
)  # fmt: skip
