"""Two hypotheses, two arms and a finite memory (thesis, chapter 7)."""

from functools import partial

from srhm.experiments.declaration import experiments, long_tables
from srhm.studies.memory.configuration import MemorySection, plan
from srhm.study import Figure, Study

MEMORY = "srhm.studies.memory"
TRAINER = experiments("memory", title="two hypotheses and a finite memory")


def _figure(name: str, title: str, *uses: str) -> Figure:
    return Figure(
        name=f"memory_{name}",
        title=title,
        function=f"{MEMORY}.figures.{name}:draw",
        uses=uses,
        settings=("preset",),
    )


STUDY = Study(
    name="memory",
    title="Two hypotheses and a finite memory",
    config=MemorySection,
    plan=partial(plan, trainer=TRAINER),
    trainer=TRAINER,
    measurements=(long_tables(TRAINER, {"history": f"{MEMORY}.tables:HISTORY"}),),
    figures=(
        _figure("columns", "columns of confidence: q against r and M", "cells"),
        _figure("exit_rate", "columns of confidence: the best exit rate", "cells"),
        _figure("necklaces", "necklace policies and their limit", "cells"),
        _figure("starts", "q against time by start", "cells", "history"),
        _figure("architectures", "RAM against Memento at equal memory", "cells", "history"),
    ),
    claims=f"{MEMORY}.claims",
    priority=-10,
)
