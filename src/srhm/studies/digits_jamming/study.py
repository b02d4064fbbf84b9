"""Chapters 1 and 2 of the thesis on images of digits, beside random data."""

from srhm.flow.measurements import flow_study
from srhm.study import Figure

STUDY = flow_study(
    "digits_jamming",
    "Jamming and double descent on digits",
    figures=(
        Figure("digits_jamming", "jamming on digits and on random data", ("cells",)),
        Figure(
            "digits_descent",
            "test error of digits against size and time: final, early stopped, averaged",
            ("cells", "ensembles", "histories"),
        ),
    ),
)
