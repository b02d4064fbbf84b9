"""The workflow as its users run it: on config/test.yaml, twice, changed, and killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PARTS = ["Snakefile", "rules", "scripts", "src", "config", "envs", "profiles", "docs", "reference"]
PARTS += ["CITATION.cff"]
SCIENCE = ["cells", "sensitivities", "sample_complexity", "scorecard"]
FIGURES = [f"fig{n:02}" for n in (*range(2, 9), *range(10, 16))] + ["practice"]

pytestmark = pytest.mark.xdist_group("workflow")


class Project:
    """A copy of the project that a test may change, with results of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                skipped = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(source, folder / part, ignore=skipped)
            elif source.exists():
                shutil.copy(source, folder / part)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts the launcher of the copy in a process group of its own."""
        # A full log goes to a file: a test that waits must not fill a pipe.
        self.log = self.folder / "run.log"
        with self.log.open("w") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "srhm.launch", "--preset", "test", *arguments],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(self.folder / "src")},
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def run(self, *arguments: str) -> str:
        """Runs the workflow to its end; what it printed."""
        code = self.start("--cores", "2", *arguments).wait(timeout=600)
        text = self.log.read_text()
        assert code == 0, text
        return text

    def planned(self) -> str:
        """What a run would do: the table of jobs and their reasons."""
        return self.run("--dry-run")

    def config(self) -> dict:
        """The configuration of the copy."""
        return yaml.safe_load((self.folder / "config/test.yaml").read_text())

    def configure(self, config: dict) -> None:
        """Replaces the configuration of the copy."""
        (self.folder / "config/test.yaml").write_text(yaml.safe_dump(config))

    def edit(self, file: str, old: str, new: str) -> None:
        """Replaces a text that must stand in a file of the copy."""
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    def cells(self) -> dict[str, int]:
        """Stored cells by key, with the time at which each was written."""
        files = (self.folder / "results/cells").glob("*/*.safetensors")
        return {file.stem: file.stat().st_mtime_ns for file in files}

    def table(self, name: str) -> pd.DataFrame:
        """A table of results."""
        return pd.read_parquet(self.folder / f"results/test/tables/{name}.parquet")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("finished"))
    project.run()
    return project


@pytest.fixture
def project(finished: Project, tmp_path: Path) -> Project:
    """A finished run of its own for a test that changes something."""
    copy = Project.__new__(Project)
    copy.folder = tmp_path / "project"
    shutil.copytree(finished.folder, copy.folder, symlinks=True)
    return copy


@pytest.fixture
def borrowed(finished: Project) -> Iterator[Project]:
    """The finished run itself, for a test that edits sources and only plans: put right again.

    A copy would have other absolute paths, which Snakemake takes for other inputs.
    """
    kept = {part: finished.folder / part for part in ("src", "docs", "scripts")}
    for part, folder in kept.items():
        shutil.copytree(folder, finished.folder / f"kept-{part}")
    yield finished
    for part, folder in kept.items():
        shutil.rmtree(folder)
        (finished.folder / f"kept-{part}").rename(folder)


def test_one_command_makes_every_figure_and_table(finished: Project) -> None:
    results = finished.folder / "results/test"
    for name in FIGURES:
        for kind in ("pdf", "png"):
            assert (results / f"figures/{name}.{kind}").stat().st_size > 1000
    assert (results / "report.html").read_text().count("<img ") == len(FIGURES)
    for name in [*SCIENCE, "timings"]:
        assert len(finished.table(name)) > 0
    assert "claim" in (results / "scorecard.md").read_text()


def test_every_planned_cell_has_one_row(finished: Project) -> None:
    cells = finished.table("cells")
    assert set(cells["key"]) == set(finished.cells())
    assert not cells.duplicated("key").any()
    assert cells["test_error"].between(0, 1).all()


def test_a_second_run_has_nothing_to_do(finished: Project) -> None:
    before = finished.cells()
    assert "Nothing to be done" in finished.run()
    assert finished.cells() == before


def test_one_more_size_trains_one_cell_for_each_seed_of_its_curves(project: Project) -> None:
    before = project.cells()
    config = project.config()
    config["curves"][0]["P"] = [60, 90, 120, 240]
    config["curves"][0]["net"] = "lcn"  # the CNN's curve is given up: its cells stay in the store
    project.configure(config)
    project.run()
    after = project.cells()
    assert {key: after[key] for key in before} == before
    assert len(after) - len(before) == config["seeds"]
    assert sorted(project.table("cells").query("net == 'lcn'")["P"].unique()) == [60, 90, 120, 240]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/srhm/training/protocol.py", '"""What all engines', '"""All that all engines'),
        ("src/srhm/sampling.py", "# Up to this many", "# As far as this many"),
    ],
    ids=["docstring of training code", "comment in sampling code"],
)
def test_prose_does_nothing(borrowed: Project, file: str, old: str, new: str) -> None:
    borrowed.edit(file, old, new)
    assert "Nothing to be done" in borrowed.planned()


def test_a_changed_caption_renews_the_report_alone(borrowed: Project) -> None:
    caption = borrowed.folder / "docs/captions/fig04.rst"
    caption.write_text(caption.read_text() + "\nOne more sentence.\n")
    planned = borrowed.planned()
    assert "write_report" in planned
    for rule in ("train_curve", "measure_sensitivities", "gather_cells", "rule fig"):
        assert rule not in planned


def test_a_changed_definition_of_a_sensitivity_retrains_nothing(project: Project) -> None:
    before = project.cells()
    project.edit("src/srhm/sensitivity.py", "NEGLIGIBLE = 1e-12", "NEGLIGIBLE = 2e-12")
    project.run("--until", "measure_sensitivities")
    assert project.cells() == before
    measured = [file.parent.name for file in project.folder.glob("results/sensitivities/*/*")]
    assert len(set(measured)) == 2  # of the old definition, and of the new one


def test_lost_records_of_snakemake_train_nothing(project: Project) -> None:
    shutil.rmtree(project.folder / ".snakemake")
    assert "Nothing to be done" in project.planned()


def test_changed_plotting_code_draws_one_figure(borrowed: Project) -> None:
    borrowed.edit("scripts/plot_grammar.py", "from srhm", "import math as _  # noqa\nfrom srhm")
    planned = borrowed.planned()
    assert "fig02" in planned
    assert "train_curve" not in planned
    assert "Drawing Figure 4" not in planned


def test_changed_sampling_code_retrains_all(project: Project) -> None:
    before = project.cells()
    project.edit("src/srhm/sampling.py", "BLOCK = 4096", "BLOCK = 4095")
    shutil.rmtree(project.folder / ".snakemake")  # even then: the digest is in the files' names
    project.run("--until", "train_curve")
    after = project.cells()
    assert not before.keys() & (after.keys() - before.keys())
    assert len(after) == 2 * len(before)


def test_a_killed_run_continues_and_loses_only_cells_in_flight(
    finished: Project, tmp_path: Path
) -> None:
    project = Project(tmp_path / "killed")
    process = project.start("--cores", "2")
    deadline = time.monotonic() + 300
    while len(project.cells()) < 2:
        assert process.poll() is None, project.log.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.5)  # files of killed processes are closed
    before = project.cells()
    assert 2 <= len(before) < len(finished.cells())
    assert "interrupted" in project.run()
    after = project.cells()
    assert {key: after[key] for key in before} == before
    for name in SCIENCE:
        pd.testing.assert_frame_equal(project.table(name), finished.table(name), check_exact=True)


def test_a_refused_configuration_names_key_value_and_range(project: Project) -> None:
    config = project.config()
    config["curves"][0]["m"] = 4
    project.configure(config)
    assert project.start("--dry-run").wait(timeout=120) != 0
    text = project.log.read_text()
    assert "m = 4" in text
    assert "allowed are m from 1 to 3" in text
