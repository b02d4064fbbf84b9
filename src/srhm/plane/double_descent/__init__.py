"""Test error, error of ensembles and norm of F against the number of weights."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "double_descent",
    "Double descent",
    package=__package__,
    figures=(Figure("double_descent", "double descent", ("cells", "ensembles")),),
)
