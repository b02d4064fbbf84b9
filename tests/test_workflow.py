"""The workflow as its users run it: on config/test.yaml, twice, and changed.

tests/faults kills such a run and lets it go on.
"""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
import yaml
from copied_project import PARTS, ROOT, Project, table_file

from srhm.store.cells import path_of

STUDY = "sparse_hierarchy"
CELLS = f"{STUDY}/cells"
SCIENCE = [CELLS, *(f"{STUDY}/{name}" for name in ("sensitivities", "sample_complexity", "claims"))]
FIGURES = [f"fig{n:02}" for n in (*range(2, 9), *range(10, 17))] + ["authors_points", "practice"]
NETWORK_FIGURES = ["fig01", "fig09", "fig17", "table1"]

pytestmark = pytest.mark.xdist_group("workflow")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("finished"))
    project.run()
    project.keep()
    return project


def test_one_command_makes_every_figure_and_table(finished: Project) -> None:
    results = finished.folder / "results/test"
    for name in [*FIGURES, *NETWORK_FIGURES]:
        for kind in ("pdf", "png"):
            assert (results / f"figures/{name}.{kind}").stat().st_size > 1000
    assert (results / "report.html").read_text().count("<img ") == len(FIGURES + NETWORK_FIGURES)
    for name in [*SCIENCE, f"{STUDY}/timings", "named_nets/claims"]:
        assert len(finished.table(name)) > 0
    assert "claim" in (results / "scorecard.md").read_text()


def test_every_planned_cell_has_one_row(finished: Project) -> None:
    cells = pd.concat([finished.table(CELLS), finished.table("named_nets/cells")])
    assert set(cells["key"]) == set(finished.cells())
    assert not cells.duplicated("key").any()
    assert cells["test_error"].between(0, 1).all()


def test_a_second_run_has_nothing_to_do(finished: Project) -> None:
    before = finished.cells()
    assert finished.planned() == {}
    finished.run()
    assert finished.cells() == before


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change, and what a run does after it: the rerun truth table, reference/changes.csv.

    trained: cells; curves, measured: jobs that train and measure a curve; drawn: figures of LCN,
    CNN and FCN. "all": as many as a first run.
    """

    make: Callable[[Project], None]
    trained: int | str = 0
    curves: int | str = 0
    measured: int | str = 0
    drawn: frozenset[str] = frozenset()
    only: frozenset[str] | None = None  # all rules that run, where it says so


def change_group(project: Project, **keys: Any) -> None:
    """Changes keys of the first group of curves: an LCN and a CNN, three P, two seeds."""
    config = project.config()
    config[STUDY]["curves"][0].update(keys)
    project.configure(config)


def change_rate_of_the_cnn(project: Project) -> None:
    """Gives the CNN of the first group a learning rate of its own."""
    config = project.config()
    curves = config[STUDY]["curves"]
    group = curves[0]
    curves.append({**group, "net": "cnn", "training": {"learning_rate": 0.02}})
    group["net"] = "lcn"
    project.configure(config)


def delete_a_cell(project: Project) -> None:
    """Deletes the file of one cell of the first group of curves."""
    cells = project.table(CELLS).query("net == 'lcn'")
    path_of(project.folder / "results/cells", cells["key"].iloc[0]).unlink()


def touch_the_sources(project: Project) -> None:
    """All sources are new on disk, as after `git checkout` of another branch and back."""
    for part in PARTS:
        for file in [project.folder / part, *(project.folder / part).rglob("*")]:
            file.touch()


def change_sampling_and_lose_records(project: Project) -> None:
    """Without Snakemake's records only the digests in the names of files tell code apart."""
    project.edit(*SAMPLING)
    shutil.rmtree(project.folder / ".snakemake")


def run_other_sizes_and_return(project: Project) -> None:
    """Makes all tables for fewer P, then takes the configuration back."""
    config = project.config()
    change_group(project, P=[60, 120])
    project.run(table_file(CELLS))
    project.configure(config)


def date_ahead(project: Project) -> None:
    """Dates all results a day ahead, as after work on a machine whose clock was wrong."""
    ahead = time.time() + 86_400
    for file in (project.folder / "results").rglob("*"):
        os.utime(file, (ahead, ahead))


def change_prose(project: Project) -> None:
    """Changes a docstring of training code, a comment in sampling code, and a caption."""
    for edit in (DOCSTRING, COMMENT, CAPTION):
        project.edit(*edit)


def add_a_curve(project: Project) -> None:
    """Adds a curve of a sparser grammar: two P, two seeds."""
    config = project.config()
    config[STUDY]["curves"].append({"net": "lcn", "L": 2, "v": 3, "s0": 2, "P": [60, 120]})
    project.configure(config)


def add_a_study(project: Project) -> None:
    """Adds the section of another study."""
    config = yaml.safe_load((ROOT / "config/test.yaml").read_text())
    project.configure({**project.config(), "memory": config["memory"]})


def rename(project: Project) -> None:
    """Gives the preset another name."""
    project.configure({**project.config(), "preset": "renamed"})


def delete(pattern: str) -> Callable[[Project], None]:
    """What deletes the first file of results/ of a pattern."""
    return lambda project: min((project.folder / "results").glob(pattern)).unlink()


def split_into_jobs(project: Project) -> None:
    """Splits every curve into jobs of one cell."""
    project.configure({**project.config(), "jobs": {"minutes": 1e-6}})


def choose_a_gpu(project: Project) -> None:
    """Asks for a GPU in the configuration, and so for each job that trains."""
    project.configure({**project.config(), "device": "cuda"})


def split_and_add_a_size(project: Project) -> None:
    """Jobs of one cell, of which those for the cells that are there have nothing to train."""
    split_into_jobs(project)
    change_group(project, P=[60, 90, 120, 240])


SAMPLING = ("src/srhm/model/sampling.py", "BLOCK = 4096", "BLOCK = 4095")
SENSITIVITY = ("src/srhm/statistics/jackknife.py", "NEGLIGIBLE = 1e-12", "NEGLIGIBLE = 2e-12")
DOCSTRING = ("src/srhm/training/protocol.py", '"""What all engines', '"""All that all engines')
COMMENT = ("src/srhm/model/sampling.py", "# Up to this many", "# As far as this many")
ENGINE = ("src/srhm/training/sparse.py", "SMALLEST_POWER = 1e-30", "SMALLEST_POWER = 2e-30")
CLAIM = (f"src/srhm/paper/{STUDY}/claims_invariances.py", "NEARLY = 1.5", "NEARLY = 1.6")
EXPLORER = ("src/srhm/report/explorer/explorer.js", "\n", "\n\n")
FIGURE_5 = (
    "src/srhm/paper/sparse_hierarchy/figures_model.py",
    "N_GRID = 150",
    "N_GRID = 149",
)
DRAWING = ("src/srhm/figures/drawing.py", "PAGE_WIDTH = 6.75", "PAGE_WIDTH = 6.7")
CAPTION = ("src/srhm/paper/sparse_hierarchy/captions/fig04.rst", ".", ", as it is.")
# Figures 2, 3 and 5 illustrate definitions and theory; the others show tables.
OF_THEORY = frozenset({"fig02", "fig03", "fig05"})
OF_TABLES = frozenset(FIGURES) - OF_THEORY
EXPLORED = frozenset({"explorer", "paper"})
SCORED = frozenset({f"score_{STUDY}", "page_report", "paper"})
TRAIN = ("train_hierarchy", "train_named")
MEASURE = ("measure_hierarchy_sensitivities", "measure_named_sensitivities")

CHANGES = {
    "P added": Change(
        make=lambda project: change_group(project, P=[60, 90, 120, 240]),
        **{"trained": 4, "curves": 2, "measured": 2, "drawn": OF_TABLES},
    ),
    "P above all others added": Change(
        make=lambda project: change_group(project, P=[60, 120, 240, 300]),
        **{"trained": 4, "curves": 2, "measured": 2, "drawn": OF_TABLES},
    ),
    "seed added": Change(
        make=lambda project: change_group(project, seeds=3),
        **{"trained": 6, "curves": 2, "measured": 2, "drawn": OF_TABLES},
    ),
    "P removed": Change(
        make=lambda project: change_group(project, P=[60, 240]),
        **{"trained": 0, "curves": 2, "measured": 2, "drawn": OF_TABLES},
    ),
    "learning rate of one net": Change(
        make=change_rate_of_the_cnn,
        **{"trained": 6, "curves": 1, "measured": 1, "drawn": OF_TABLES},
    ),
    "sampling code": Change(
        make=lambda project: project.edit(*SAMPLING),
        **{"trained": "all", "curves": "all", "measured": "all"},
        drawn=OF_TABLES | OF_THEORY - {"fig05"},  # which shows no data
    ),
    "sampling code, and .snakemake deleted": Change(
        make=change_sampling_and_lose_records,
        **{"trained": "all", "curves": "all", "measured": "all", "drawn": OF_TABLES},
    ),
    "the engine of sparse sums, which also computes what is measured": Change(
        make=lambda project: project.edit(*ENGINE),
        **{"trained": 23, "curves": 4, "measured": 5, "drawn": OF_TABLES},
    ),
    "curve added": Change(
        make=add_a_curve, **{"trained": 4, "curves": 1, "measured": 1, "drawn": OF_TABLES}
    ),
    "rows of a curve deleted": Change(
        make=delete("curves/lcn_*[!s].parquet"), **{"curves": 1, "measured": 1, "drawn": OF_TABLES}
    ),
    "preset renamed": Change(make=rename, drawn=OF_TABLES | OF_THEORY),
    "study added": Change(make=add_a_study),
    "a claim": Change(make=lambda project: project.edit(*CLAIM), only=SCORED),
    "claims deleted": Change(make=delete(f"test/tables/{STUDY}/claims.parquet"), only=SCORED),
    "rows of a figure as CSV deleted": Change(make=delete("test/figures/fig04.csv"), only=EXPLORED),
    "what an explorer does in a browser": Change(
        make=lambda project: project.edit(*EXPLORER), only=EXPLORED
    ),
    "definition of a sensitivity": Change(
        make=lambda project: project.edit(*SENSITIVITY), measured="all", drawn=OF_TABLES - {"fig04"}
    ),
    "docstring of training code, comment in sampling code, caption": Change(
        make=change_prose, drawn=frozenset({"fig04"})
    ),
    "code of one figure": Change(
        make=lambda project: project.edit(*FIGURE_5), drawn=frozenset({"fig05"})
    ),
    "code of all figures": Change(
        make=lambda project: project.edit(*DRAWING), drawn=OF_TABLES | OF_THEORY
    ),
    "one cell deleted": Change(
        make=delete_a_cell, **{"trained": 1, "curves": 1, "measured": 1, "drawn": OF_TABLES}
    ),
    ".snakemake deleted": Change(make=lambda project: shutil.rmtree(project.folder / ".snakemake")),
    "results dated in the future": Change(make=date_ahead),
    "branch switched and back": Change(make=touch_the_sources),
    "split into jobs otherwise": Change(make=split_into_jobs),
    "split into jobs otherwise, and a P added": Change(
        make=split_and_add_a_size,
        **{"trained": 4, "curves": 2, "measured": 2, "drawn": OF_TABLES},
    ),
    "trained on a GPU from now on": Change(make=choose_a_gpu),
    # Figure 4 has tables of its own, which were not made for the other sizes.
    "preset changed and back": Change(make=run_other_sizes_and_return, drawn=OF_TABLES - {"fig04"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_done_again_after(change: Change, project: Project) -> None:
    if change.only is None:  # without other sections, which pages name, and which take their time
        config = project.config()
        project.configure({name: config[name] for name in ("preset", STUDY, "named_nets")})
    n_curves = len(list(project.folder.glob("results/curves/*.timings.parquet")))
    change.make(project)
    planned = project.planned()
    if change.trained == "all":
        assert project.cells_and_trained()[1] == 0
    elif change.curves:  # else no job trains, as is seen below
        assert project.to_train() == change.trained
    for rules, expected in ((TRAIN, change.curves), (MEASURE, change.measured)):
        count = n_curves if expected == "all" else expected
        assert sum(planned.get(rule, 0) for rule in rules) == count, planned
    # Rules of other tables and their figures may come beside these; none of these may be missing.
    assert planned.keys() & (OF_TABLES | OF_THEORY) == change.drawn
    assert change.only in (None, planned.keys() - change.drawn), planned


@pytest.mark.slow
def test_a_size_more_and_a_lost_cell_are_trained_and_nothing_else(project: Project) -> None:
    before, rows = project.cells(), project.table(CELLS)
    delete_a_cell(project)
    change_group(project, P=[60, 90, 120, 240], net="lcn")
    planned = project.to_train()
    project.run(table_file(CELLS))
    after = project.cells()
    # The CNN's curve is given up: its cells stay in the store.
    assert before.keys() <= after.keys()
    assert len(after) - len(before) == project.config()[STUDY]["seeds"]
    assert sum(after[key] != before.get(key) for key in after) == planned == 3
    found = project.table(CELLS).set_index("key").drop(columns="curve")
    assert sorted(found.query("net == 'lcn'")["P"].unique()) == [60, 90, 120, 240]
    expected = rows.set_index("key").drop(columns="curve").query("net == 'lcn'")
    pd.testing.assert_frame_equal(found.loc[expected.index], expected, check_exact=True)
