"""Relative stability to diffeomorphisms (chapter 4 of the thesis)."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.relative_stability.configuration import HERE, RelativeStabilitySection, plan
from srhm.study import Figure, Study

TRAINER = experiments("relative_stability", title="relative stability")


def _figure(name: str, title: str, *uses: str) -> Figure:
    return Figure(
        name=f"stability_{name}",
        title=title,
        function=f"{HERE}.figures.{name}:draw",
        uses=uses,
        settings=("preset",),
    )


def _images(data: str, name: str) -> Figure:
    return Figure(
        name=f"stability_{data}",
        title=f"R_f on {name}, where its files are",
        function=f"{HERE}.figures.images:draw",
        uses=("cells", "stability"),
        settings=("preset",),
        options={"data": data},
    )


STUDY = Study(
    name="relative_stability",
    title="Relative stability to diffeomorphisms",
    config=RelativeStabilitySection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(
        long_tables(
            TRAINER,
            {"stability": f"{HERE}.tables:STABILITY", "noise": f"{HERE}.tables:NOISE"},
        ),
    ),
    figures=(
        _figure("deformations", "maximum-entropy deformations and their formulas", "cells"),
        _figure("training", "R_f before and after training, against P", "cells", "stability"),
        _figure("errors", "test error against R_f, D_f and 1/G_f", "cells", "stability"),
        _figure("depth", "R by depth", "cells", "stability"),
        _images("mnist", "MNIST"),
        _images("cifar10", "CIFAR-10"),
        _figure("models", "R_f of the stripe model and on the SRHM", "cells", "stability"),
        _figure(
            "scans", "R_f against displacement, G_f against noise", "cells", "stability", "noise"
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
