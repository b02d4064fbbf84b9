"""Does teaching an invariance teach the task, on images? Digits moved and deformed anew."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.taught_digits.configuration import TaughtDigitsSection, plan
from srhm.study import Figure

STUDY = experiment_study(
    "taught_digits",
    "Does teaching an invariance teach digits?",
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
