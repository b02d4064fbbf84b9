# %% [markdown]
# # Add a study
#
# A study is a folder that declares cells, tables, figures and claims. The workflow makes rules from
# the declaration. You will add a study whose cells are values of a function of yours, run the
# study, and look at the verdict. The program works on a copy of the project in a temporary folder.
# Run the program from the folder of the clone, after `make env`; the run takes half a minute. If
# you give the name of a new folder, the copy stays there, and you can look at the page. For a study
# that is to stay, write the same files into your clone.
#
# ```
# .venv/bin/python docs/tutorials/add_a_study.py
# ```
#
# **The question.** A datum shows pairs of features at places. Which part of all pairs does a
# training set of P points show? At level 1 a patch is informative in one of s_0+1 cases. Then
# the patch shows one of v m pairs in one of (s_0+1)^s placements. With m = v^(s-1) all pairs are
# equally frequent, so that the seen part should be 1 - (1 - p)^P, with 1/p = v m (s_0+1)^(s+1).
#
# **Files to write**, in `src/srhm_studies/beyond/seen_pairs/`:
#
# | file | content |
# |---|---|
# | `experiment.py` | a cell: coordinates in, results out |
# | `configuration.py` | keys of the preset, and cells that follow from the keys |
# | `tables.py` | columns of the table |
# | `__init__.py` | all parts together, by name |
# | `figures.py`, `captions/seen_pairs.rst` | a figure of the table, and the caption |
# | `claims.py` | expected values, with tolerances |
# | `README.md` | question and answer; `methods.md` next to it may have definitions |
#
# Outside of this folder you write one line of `families.py` and a section of a preset.

# %%
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

CLONE = Path(__file__).resolve().parents[2]
TEMPORARY = TemporaryDirectory()  # removed when the program ends
PROJECT = Path(sys.argv[1] if len(sys.argv) > 1 else TEMPORARY.name).resolve()
for folder in ("config", "envs", "profiles", "published", "reference", "rules", "scripts", "src"):
    shutil.copytree(CLONE / folder, PROJECT / folder)
(PROJECT / "docs").mkdir()
for file in ("Snakefile", "CITATION.cff", "docs/claims.md"):
    shutil.copy(CLONE / file, PROJECT / file)


def write(file: str, text: str) -> None:
    """Writes a file of the copy."""
    path = PROJECT / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# %% [markdown]
# ## A cell
#
# The function gets the coordinates of one cell, and returns the results. All randomness comes
# from the seed, which is a coordinate. A cell is computed once and kept. A change of coordinates or
# of this module computes the cell again, a change of a comment does not.

# %%
STUDY = "src/srhm_studies/beyond/seen_pairs"
write(
    f"{STUDY}/experiment.py",
    '''"""Which part of all pairs, at all places, a training set shows at level 1."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from srhm.data import random_grammar, symbols, train_and_test
from srhm.experiments.cells import Outcome


def run(cell: Mapping[str, Any]) -> Outcome:
    """Part that is seen, and what is expected: 1 - (1 - p)^P."""
    s0, P, seed = cell["s0"], cell["P"], cell["seed"]
    grammar = random_grammar(depth=2, branching=2, n_features=4, n_empty=s0, seed=seed)
    train, _ = train_and_test(grammar, n_train=P, n_test=1, seed=seed)
    parameters = grammar.parameters
    patches = symbols(train, parameters).reshape(P, -1, parameters.patch_size)
    seen = sum(len(np.unique(patch[patch.any(axis=1)], axis=0)) for patch in patches.swapaxes(0, 1))
    frequency = 1 / (16 * (s0 + 1) ** 3)
    there_are = patches.shape[1] * 16 * (s0 + 1) ** 2
    return Outcome({"seen": seen / there_are, "expected": 1 - (1 - frequency) ** P})
''',
)

# %% [markdown]
# ## The declaration
#
# `configuration.py` says which keys the study has in a preset, and which cells follow from the
# keys. All commands read this module: it must load no large library. A family of cells is one job.

# %%
write(
    f"{STUDY}/configuration.py",
    '''"""Section of the study, and its cells."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from srhm.declare.keys import Counts, Keys, Sizes, combinations
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import CurveCells, planned


class SeenPairsSection(Keys):
    """Pairs that a training set shows."""

    s0: Counts = Field(description="empty places for each informative one")
    P: Sizes = Field(description="sizes of the training set")
    seeds: int = Field(5, ge=1, description="seeds 0, 1, ...: grammars, data")


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core, for `make plan`."""
    return 0.01


def plan(section: SeenPairsSection, directory: Path, *, trainer: Trainer) -> Planned:
    """All cells in one family: each s0 with each P and each seed."""
    run = "srhm_studies.beyond.seen_pairs.experiment:run"
    cells = combinations(section, "s0", "P", "seed")
    return planned(trainer, [CurveCells(name="seen", function=run, cells=cells, long=False)])
''',
)
write(
    f"{STUDY}/tables.py",
    '''"""The table of the study: coordinates and results, with their types."""

from srhm.experiments.cells import schema

CELLS = schema({"s0": int, "P": int, "seed": int, "seen": float, "expected": float})
''',
)
write(
    f"{STUDY}/__init__.py",
    '''"""Pairs that a training set shows."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.beyond.seen_pairs.configuration import SeenPairsSection, plan

STUDY = experiment_study(
    "seen_pairs",
    "Pairs that a training set shows",
    package=__package__,
    computes="pairs that are seen",
    config=SeenPairsSection,
    plan=plan,
    figures=(Figure("seen_pairs", "pairs that are seen", ("cells",)),),
)
''',
)

# %% [markdown]
# One line of its family makes the study known.

# %%
registry = PROJECT / "src/srhm_studies/families.py"
text = registry.read_text(encoding="utf-8")
registry.write_text(text.replace('"beyond": (\n', '"beyond": (\n        "seen_pairs",\n'), "utf-8")

# %% [markdown]
# ## Figure, prose, claim
#
# The figure reads tables and fits nothing. The claim has a number, a tolerance, and a reason of
# the tolerance, all written before any measurement. The measurement is a number with an
# interval: the whole interval decides, not the number.

# %%
write(
    f"{STUDY}/figures.py",
    '''"""Part of the pairs that is seen, against P."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, laws
from srhm.figures.scales import distinct


def seen_pairs(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A line for each s_0: the formula; marks: cells."""
    by = [distinct("s0", cells["s0"], "$s_0$")]
    expected = cells.drop_duplicates(["s0", "P"])
    panel = Panel(
        title="pairs of level 1",
        x=Axis("training points $P$", log=True),
        y=Axis("part of the pairs that is seen"),
        marks=[
            Marks(rows=cells, x="P", y="seen", by=by, alpha=0.4),
            laws(expected, "P", "expected", "$1-(1-p)^P$", by=by),
        ],
    )
    return mosaic([panel], columns=1, preset=preset, notes=[f"{cells['seed'].nunique()} seeds."])
''',
)
write(
    f"{STUDY}/captions/seen_pairs.rst",
    "**Pairs that are seen.** Part of all pairs of level 1, at all places, that P training points"
    " show (L = 2, s = 2, v = m = 4). Marks: cells, one for each seed. Lines: 1 - (1 - p)^P.\n",
)
write(
    f"{STUDY}/README.md",
    "# Pairs that a training set shows\n\nHow many training points show all pairs at all places?\n",
)
write(
    f"{STUDY}/claims.py",
    '''"""What is expected, fixed before measuring."""

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_in

# With the part that is seen over the expected one.
cells = rows_in("cells", what="cells").let(ratio=lambda rows: rows["seen"] / rows["expected"])

sheet = Sheet()
say = sheet.topic("Pairs", "seen_pairs")
say(
    "seen-over-expected",
    "Part of the pairs that is seen, over 1 - (1 - p)^P",
    cells.mean("ratio"),
    Within(1, 0.05),
    "data are drawn without repetition, which the formula neglects",
    place="from the definition of the grammar",
)
CLAIMS = sheet.finished()
''',
)

# %% [markdown]
# ## Run the study
#
# A preset with a section of the study's name asks for the study. In your clone the command is
# `make reproduce PRESET=mine STUDY=seen_pairs`; the copy has no environment, and calls the launcher
# with the sources of the copy.

# %%
write(
    "config/mine.yaml",
    """preset: mine
description: pairs that are seen
seen_pairs:
  s0: [0, 1, 2]
  P: [32, 64, 128]
  seeds: 4
""",
)
command = [sys.executable, "-m", "srhm.commands.command", "reproduce", "--preset", "mine"]
subprocess.run(
    [*command, "--study", "seen_pairs", "--cores", "1"],
    cwd=PROJECT,
    env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
    check=True,
)

# %% [markdown]
# ## A claim
#
# In `results/mine` are the page `seen_pairs.html` (scorecard, figure, caption, README),
# `seen_pairs_scorecard.md`, `figures/seen_pairs.png` and `tables/seen_pairs/`. The verdict is a
# row of one of the tables.

# %%
tables = PROJECT / "results/mine/tables/seen_pairs"
cells = pd.read_parquet(tables / "cells.parquet")
print(cells.groupby(["s0", "P"])[["seen", "expected"]].mean().round(3))
claims = pd.read_parquet(tables / "claims.parquet").set_index("claim")
print(claims[["expected", "tolerance", "value", "low", "high", "verdict"]].T)
assert len(cells) == 36
assert (cells["status"] == "done").all()
assert claims.loc["seen-over-expected", "verdict"] == "reproduced"

# %% [markdown]
# Other commands take the study by name, with `PRESET=mine STUDY=seen_pairs`:
#
# - `make plan` says how many cells the study has, how many are done, and which jobs would run and
#   why. Write 200 behind 128 in the preset: this adds 12 cells, and computes no other cell again.
# - `make status` says how many cells are done and missing.
# - `make publish` keeps the rows in `published/mine/`; `make figures` then makes page and figure
#   of these rows in `results/mine-published/`, and computes no cell.
#
# For a study that is to stay, also write a small section into `config/test.yaml`. Then call
# `make readme`, which writes the new keys into the schema, write tests in
# `tests/studies/seen_pairs/`, and call `make format` and `make test`. More:
# [changing one thing](../extending.md).
