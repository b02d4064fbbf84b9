"""Does the law of P* survive the optimiser? SGD with and without momentum, weight decay, Adam."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.learning_curves.learner import COMPLEXITIES
from srhm_studies.learning_curves.optimisers.configuration import OptimisersSection, plan

STUDY = experiment_study(
    "optimisers",
    "Does the law of P* survive the optimiser?",
    package=__package__,
    schemas=".configuration",
    computes="networks that are trained by several optimisers",
    config=OptimisersSection,
    plan=plan,
    tables=(
        COMPLEXITIES,
        Derived("grammars", ".analysis:of_grammars", ".configuration:GRAMMARS",
                ("cells", "sample_complexity"), settings=("threshold",)),
    ),
    figures=(
        Figure("optimisers", "exponents of s_0+1 and sample complexities by optimiser",
               ("sample_complexity", "grammars")),
    ),
)  # fmt: skip
