"""Networks that are equivariant under rotations (thesis, chapter 5)."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.equivariance.configuration import HERE, EquivarianceSection, plan
from srhm.study import Figure, Study

TRAINER = experiments("equivariance", title="networks equivariant under rotations")


def _figure(name: str, title: str, *uses: str) -> Figure:
    return Figure(
        name=f"equivariance_{name}",
        title=title,
        function=f"{HERE}.figures.{name}:draw",
        uses=uses,
        settings=("preset",),
    )


STUDY = Study(
    name="equivariance",
    title="Networks equivariant under rotations",
    config=EquivarianceSection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(long_tables(TRAINER, {"basis": f"{HERE}.tables:BASIS"}),),
    figures=(
        _figure("accuracy", "blocks and digits in rotations never seen", "cells"),
        _figure("error", "equivariance error", "cells"),
        _figure("kernels", "equivariant kernels between vectors", "basis"),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
