"""The representation cost of deep networks with weight decay, and the bottleneck that it makes."""

from srhm.declare.study import Derived, Figure
from srhm.experiments.study import experiment_study
from srhm_studies.beyond.representation_cost.configuration import RepresentationCostSection, plan

STUDY = experiment_study(
    "representation_cost",
    "The representation cost of deep networks",
    package=__package__,
    schemas=".configuration",
    computes="networks with weight decay",
    config=RepresentationCostSection,
    plan=plan,
    long=("layers", "values", "regions", "components"),
    tables=(Derived("limits", ".analysis:limit_rows", ".analysis:LIMITS", uses=("cells",)),),
    figures=(
        Figure("cost_depth", "parameter norm and depth", ("cells", "limits")),
        Figure("cost_overfitting", "spurious ranks of few points", ("cells",)),
        Figure("cost_weights", "structure of the weights", ("cells", "layers", "values")),
        Figure("cost_classes", "four classes at two depths",
               ("cells", "layers", "values", "regions")),
        Figure("cost_half", "fewer outputs than the symmetry leaves", ("cells", "layers")),
        Figure("cost_ball", "a ball under gravity", ("cells", "layers", "values")),
        Figure("cost_factorisation", "summary statistics",
               ("cells", "layers", "values", "components")),
        Figure("cost_hierarchy", "ranks by layer on a grammar", ("cells", "layers", "values")),
    ),
)  # fmt: skip
