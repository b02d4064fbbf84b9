"""A copy of the project with results of its own, for tests that change code or configuration."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[1]
PARTS = ["Snakefile", "rules", "scripts", "src", "config", "envs", "profiles", "docs", "reference"]
PARTS += ["CITATION.cff"]


class Project:
    """A copy of the project that a test may change, with results of its own.

    studies: what is made and counted; none: the paper. store: folder of their cells.
    """

    def __init__(self, folder: Path, *studies: str, store: str = "results/cells") -> None:
        self.folder = folder
        self.store = store
        self.studies = [word for study in studies for word in ("--study", study)]
        folder.mkdir(exist_ok=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                skipped = shutil.ignore_patterns("*.egg-info")
                shutil.copytree(source, folder / part, ignore=skipped)
            elif source.exists():
                shutil.copy(source, folder / part)

    def _called(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """What a command says that imports the copy's own sources."""
        # A device that no job here uses, so that `device: cuda` can be planned.
        own = {"PYTHONPATH": str(self.folder / "src"), "CUDA_VISIBLE_DEVICES": "0"}
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> str:
        """Runs the workflow to its end; what it printed."""
        done = self._called([*self._command("reproduce"), "--cores", "2", *arguments])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def planned(self) -> dict[str, int]:
        """What a run would do: the number of jobs by rule, as Snakemake's table says."""
        return planned_jobs(self.run("--dry-run"))

    def to_train(self) -> int:
        """Cells that the configuration asks for and the store lacks, as `make plan` counts them."""
        cells, trained = self.cells_and_trained()
        return cells - trained

    def cells_and_trained(self) -> tuple[int, int]:
        """Cells that the configuration is expected to train, and those in the store."""
        said = self._called(self._command("plan", otherwise=["--study", "paper"]))
        assert said.returncode == 0, said.stderr
        found = re.search(r"(\d+) cells, (\d+) of them trained already", said.stdout)
        assert found, said.stdout
        return int(found[1]), int(found[2])

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
        files = (self.folder / self.store).glob("*/*.safetensors")
        return {file.stem: file.stat().st_mtime_ns for file in files}

    def table(self, name: str) -> pd.DataFrame:
        """A table of a study, "sparse_hierarchy/cells" say."""
        return pd.read_parquet(self.folder / table_file(name))

    def keep(self) -> None:
        """Copies the project as it is now, for `put_back`."""
        shutil.copytree(self.folder, self._copy, symlinks=True)

    def put_back(self) -> None:
        """Puts right what has changed since `keep`, in the place where it lies.

        Another place would have other absolute paths, which Snakemake takes for other inputs. Times
        of modification are put right, too, since Snakemake compares them. Most tests change a few
        files: to copy all back would take longer than what is tested.
        """
        now, before = _stamps(self.folder), _stamps(self._copy)
        for place in sorted(now.keys() - before.keys(), reverse=True):
            (self.folder / place).rmdir() if now[place] is None else (self.folder / place).unlink()
        for place in sorted(place for place in before if now.get(place, 0) != before[place]):
            if before[place] is None:
                (self.folder / place).mkdir()
            else:
                shutil.copy2(self._copy / place, self.folder / place, follow_symlinks=False)

    @property
    def _copy(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}_kept")

    def _command(self, name: str, *, otherwise: Sequence[str] = ()) -> list[str]:
        """A command about the studies; otherwise: words where none are named."""
        command = [sys.executable, "-m", "srhm.commands.command", name, "--preset", "test"]
        return [*command, *(self.studies or otherwise)]


def _stamps(folder: Path) -> dict[str, tuple[int, int] | None]:
    """Time of modification and size of each file by its place in the folder; None: a folder."""
    found: dict[str, tuple[int, int] | None] = {}
    for file in folder.rglob("*"):
        is_folder = file.is_dir() and not file.is_symlink()
        stat = file.lstat()
        stamp = None if is_folder else (stat.st_mtime_ns, stat.st_size)
        found[str(file.relative_to(folder))] = stamp
    return found


def table_file(name: str) -> str:
    """File of a table in the folder of a project."""
    return f"results/test/tables/{name}.parquet"


def planned_jobs(said: str) -> dict[str, int]:
    """The number of jobs by rule, of what a dry run of Snakemake said."""
    lines = said.splitlines()
    head = [place for place, line in enumerate(lines) if line.split() == ["job", "count"]]
    if not head:
        assert any("Nothing to be done" in line for line in lines)
        return {}
    # The table ends with its total; a run prints it before and after its jobs.
    table = takewhile(lambda words: words[:1] != ["total"], map(str.split, lines[head[0] + 2 :]))
    return {rule: int(count) for rule, count in table}
