"""Chapters 1 and 2 of the thesis on images of digits, beside random data."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "digits_jamming",
    "Jamming and double descent on digits",
    package=__package__,
    figures=(
        Figure("digits_jamming", "jamming on digits and on random data", ("cells",)),
        Figure("digits_descent",
               "test error of digits against size and time: final, early stopped, averaged",
               ("cells", "ensembles", "histories")),
    ),
)  # fmt: skip
