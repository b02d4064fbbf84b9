"""Two hypotheses, two arms and a finite memory (thesis, chapter 7)."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.beyond.memory.configuration import MemorySection, plan

STUDY = experiment_study(
    "memory",
    "Two hypotheses and a finite memory",
    package=__package__,
    schemas=".configuration",
    computes="two hypotheses and a finite memory",
    config=MemorySection,
    plan=plan,
    long=("history",),
    figures=(
        Figure("memory_columns", "columns of confidence: q against r and M", ("cells",)),
        Figure("memory_exit_rate", "columns of confidence: the best exit rate", ("cells",)),
        Figure("memory_necklaces", "necklace policies and their limit", ("cells",)),
        Figure("memory_starts", "q against time by start", ("cells", "history")),
        Figure("memory_architectures", "RAM against Memento at equal memory", ("cells", "history")),
    ),
)
