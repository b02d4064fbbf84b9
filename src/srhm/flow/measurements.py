"""What a study of networks of any output scale declares. Imports no torch."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from srhm.declare.study import CellMeasurement, CurveMeasurement, Derived, Study
from srhm.flow.configuration import FlowSection
from srhm.flow.plan import plan
from srhm.training.trainers import FLOW


def _measurement(name: str, function: str, **tables: str) -> CellMeasurement:
    return CellMeasurement(name, FLOW, f"srhm.measure.{function}", tables, share=1.0)


MEASUREMENTS = (
    _measurement("kernels", "kernels:measure_kernels", kernels="KERNELS"),
    _measurement("hessians", "hessians:measure_hessians", hessians="HESSIANS",
                 hessian_summaries="HESSIAN_SUMMARIES"),
    _measurement("singular_values", "singular_values:measure_singular_values",
                 singular_values="SINGULAR_VALUES", singular_summaries="SINGULAR_SUMMARIES"),
    _measurement("sensitivities", "flow_sensitivities:measure_sensitivities",
                 sensitivities="FLOW_SENSITIVITIES"),
    _measurement("frozen_kernels", "kernels:measure_frozen_kernels",
                 frozen_kernels="FROZEN_KERNELS"),
    CurveMeasurement("ensembles", FLOW, "srhm.measure.ensembles:average_ensembles",
                     {"ensembles": "ENSEMBLES"}, share=1.0),
    _measurement("histories", "ensembles:read_histories", histories="HISTORIES"),
)  # fmt: skip
# P* of networks, frozen kernels, ensembles, and of sensitivities.
SAMPLE_COMPLEXITY = Derived(
    "sample_complexity", "srhm.statistics.flow_complexity:flow_complexity", "FLOW_COMPLEXITY",
    ("cells", "sensitivities", "frozen_kernels", "ensembles"), settings=("thresholds",),
)  # fmt: skip


def flow_study(
    name: str,
    title: str,
    *,
    package: str | None = "",
    measured: Sequence[str] = (),
    measurements: Sequence[CurveMeasurement] = (),
    **more: Any,
) -> Study:
    """A study whose section is a `FlowSection`.

    measured: what is measured of its curves unless a group says otherwise. measurements: of its
    own, besides MEASUREMENTS. more: as in `Study`.
    """
    return Study(
        name=name,
        title=title,
        package=package,
        config=FlowSection,
        plan=partial(plan, study=name, measured=measured),
        trainer=FLOW,
        measurements=(*MEASUREMENTS, *measurements),
        claims=".claims",
        priority=-10,
        **more,
    )
