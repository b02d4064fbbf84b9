"""Does the law of P* survive the optimiser? SGD with and without momentum, weight decay, Adam."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.optimisers.configuration import OptimisersSection, plan
from srhm.study import Derived, Figure

STUDY = experiment_study(
    "optimisers",
    "Does the law of P* survive the optimiser?",
    computes="networks that are trained by several optimisers",
    config=OptimisersSection,
    plan=plan,
    tables=(
        Derived(
            "sample_complexity",
            ".analysis:sample_complexities",
            ".tables:SAMPLE_COMPLEXITY",
            uses=("cells",),
            settings=("threshold",),
        ),
        Derived(
            "grammars",
            ".analysis:of_grammars",
            ".tables:GRAMMARS",
            uses=("cells", "sample_complexity"),
            settings=("threshold",),
        ),
    ),
    figures=(
        Figure(
            "optimisers",
            "exponents of s_0+1 and sample complexities by optimiser",
            ("sample_complexity", "grammars"),
        ),
    ),
)
