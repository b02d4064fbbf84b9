"""The representation cost of deep networks with weight decay, and the bottleneck that it makes."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.representation_cost.configuration import RepresentationCostSection, plan
from srhm.study import Derived, Figure, Study

NAME = "representation_cost"
FIGURES = f"srhm.studies.{NAME}.figures"
TABLES = f"srhm.studies.{NAME}.tables"
TRAINER = experiments(NAME, title="networks with weight decay")
LONG = ("layers", "values", "regions", "components")


def _figure(name: str, title: str, *uses: str) -> Figure:
    return Figure(
        name=f"cost_{name}",
        title=title,
        function=f"{FIGURES}.{name}:draw",
        uses=uses,
        settings=("preset",),
    )


STUDY = Study(
    name=NAME,
    title="The representation cost of deep networks",
    config=RepresentationCostSection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(long_tables(TRAINER, {name: f"{TABLES}:{name.upper()}" for name in LONG}),),
    tables=(
        Derived(
            name="limits",
            function=f"srhm.studies.{NAME}.limits:limit_rows",
            schema=f"srhm.studies.{NAME}.limits:LIMITS",
            uses=("cells",),
        ),
    ),
    figures=(
        _figure("depth", "parameter norm and depth", "cells", "limits"),
        _figure("overfitting", "spurious ranks of few points", "cells"),
        _figure("weights", "structure of the weights", "cells", "layers", "values"),
        _figure("classes", "four classes at two depths", "cells", "layers", "values", "regions"),
        _figure("ball", "a ball under gravity", "cells", "layers", "values"),
        _figure("factorisation", "summary statistics", "cells", "layers", "values", "components"),
        _figure("hierarchy", "ranks by layer on a grammar", "cells", "layers", "values"),
    ),
    claims=f"srhm.studies.{NAME}.claims",
    priority=-10,
)
