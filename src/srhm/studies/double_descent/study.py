"""Test error, error of ensembles and norm of F against the number of weights."""

from srhm.flow.measurements import flow_study
from srhm.study import Figure

STUDY = flow_study(
    "double_descent",
    "Double descent",
    figures=(Figure("double_descent", "double descent", ("cells", "ensembles")),),
)
