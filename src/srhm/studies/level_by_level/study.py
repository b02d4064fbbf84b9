"""The algorithm of the article's proof on the hierarchy model: error by level, P*, conditions."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.level_by_level.configuration import LevelByLevelSection, plan
from srhm.study import Derived, Figure, Study

HERE = "srhm.studies.level_by_level"
TABLES = f"{HERE}.tables"
FIGURES = f"{HERE}.figures"

TRAINER = experiments("level_by_level", title="learning level by level")

STUDY = Study(
    name="level_by_level",
    title="Level by level: the algorithm of a proof",
    config=LevelByLevelSection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(
        long_tables(
            TRAINER,
            {"levels": f"{TABLES}:LEVELS", "sensitivities": f"{TABLES}:SENSITIVITIES"},
        ),
    ),
    tables=(
        Derived(
            name="sample_complexity",
            function=f"{HERE}.analysis:sample_complexities",
            schema=f"{TABLES}:SAMPLE_COMPLEXITY",
            uses=("cells",),
            settings=("threshold",),
        ),
        Derived(
            name="references",
            function=f"{HERE}.references:references",
            schema=f"{TABLES}:REFERENCES",
            settings=("threshold",),
            files={
                "end_to_end": "published/*/sparse_hierarchy/sample_complexity.parquet",
                "layerwise": "published/*/layerwise/cells.parquet",
            },
        ),
    ),
    figures=(
        Figure(
            name="level_by_level_complexity",
            title="sample complexity of the algorithm level by level",
            function=f"{FIGURES}.complexity:draw",
            uses=("cells", "sample_complexity", "references"),
            settings=("preset", "threshold"),
        ),
        Figure(
            name="level_by_level_errors",
            title="error of each level",
            function=f"{FIGURES}.levels:draw",
            uses=("cells", "levels"),
            settings=("preset",),
        ),
        Figure(
            name="level_by_level_conditions",
            title="clean signal and weak identifiability",
            function=f"{FIGURES}.conditions:draw",
            uses=("cells", "levels", "sample_complexity"),
            settings=("preset",),
        ),
        Figure(
            name="level_by_level_sparsity",
            title="what empty places cost the algorithm",
            function=f"{FIGURES}.sparsity:draw",
            uses=("sample_complexity", "references"),
            settings=("preset",),
        ),
        Figure(
            name="level_by_level_stages",
            title="sensitivities to synonyms after each stage",
            function=f"{FIGURES}.stages:draw",
            uses=("cells", "sensitivities"),
            settings=("preset",),
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
