"""Does teaching an invariance teach the task, on images? Digits moved and deformed anew."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.smoothness.taught_digits.configuration import TaughtDigitsSection, plan

STUDY = experiment_study(
    "taught_digits",
    "Does teaching an invariance teach digits?",
    package=__package__,
    schemas=".analysis",
    computes="networks on digits that are taught invariances",
    config=TaughtDigitsSection,
    plan=plan,
    figures=(
        Figure(
            "taught_digits",
            "test error and relative stability of networks that are taught invariances of digits",
            ("cells",),
        ),
    ),
)
