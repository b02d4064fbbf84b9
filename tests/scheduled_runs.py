"""Runs of the workflow on small grids through a scheduler: started, watched, compared."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]


class Run:
    """The workflow on one configuration in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        config: Path,
        *arguments: str,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """arguments: of every launch in this folder, beside the configuration and the folder."""
        self.folder = folder
        self.printed = folder / "printed"
        self.environment = environment
        self.command = [sys.executable, "-m", "srhm.commands.command", "reproduce"]
        self.command += ["--configfile", str(config)]
        self.command += ["--directory", str(folder), *arguments]
        folder.mkdir(parents=True)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts the launcher in a process group of its own."""
        with self.printed.open("a") as printed:
            return subprocess.Popen(
                [*self.command, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(self, *arguments: str) -> "Run":
        """Runs the workflow to its end, which must be a good one."""
        self.end(self.start(*arguments))
        return self

    def end(self, launcher: subprocess.Popen[bytes], *, within: float = 300) -> None:
        """Waits for the good end of a launch, at most so many seconds."""
        try:
            code = launcher.wait(timeout=within)
        except subprocess.TimeoutExpired:
            kill(launcher)
            code = None
        assert code == 0, self.printed.read_text()

    def stored(self) -> dict[str, int]:
        """Time of writing of each stored cell by key."""
        files = (self.folder / "results/cells").glob("*/*.safetensors")
        return {file.stem: file.stat().st_mtime_ns for file in files}

    def keys(self, curve: str) -> set[str]:
        """Keys of the cells of a finished curve whose name begins so."""
        (file,) = (self.folder / "results/curves").glob(f"{curve}*[0-9a-f].parquet")
        return set(pd.read_parquet(file)["key"])

    def wait_until_stored(self, keys: set[str], number: int, *, within: float = 120) -> None:
        """Waits until so many cells of these keys are stored."""
        wait_for(lambda: len(keys & set(self.stored())) >= number, within=within, say=self.printed)

    def last_log(self, curve: str) -> str:
        """Log of the last training job of the curve whose name begins so."""
        (file,) = (self.folder / "results/grid/logs/train_hierarchy").glob(f"{curve}*.log")
        return file.read_text()

    def messages(self) -> str:
        """What the launches, their Snakemakes and the failed Slurm jobs said."""
        logs = self.folder / ".snakemake"
        files = [self.printed, *sorted(logs.glob("log/*.log")), *logs.glob("slurm_logs/**/*.log")]
        return "\n".join(file.read_text() for file in files)

    def tables(self, preset: str = "grid") -> dict[str, pd.DataFrame]:
        """Tables of a preset by study and name ("jamming/cells"), without the times of training."""
        folder = self.folder / "results" / preset / "tables"
        return {
            str(file.relative_to(folder).with_suffix("")): pd.read_parquet(file)
            for file in folder.glob("*/*.parquet")
            if "timings" not in file.stem
        }


def assert_equal(found: Mapping[str, pd.DataFrame], expected: Mapping[str, pd.DataFrame]) -> None:
    """All tables agree in every bit."""
    assert expected
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        pd.testing.assert_frame_equal(found[name], table, check_exact=True, obj=name)


def kill(launcher: subprocess.Popen[bytes]) -> None:
    """SIGKILL for the launcher and its Snakemake; jobs of a scheduler live on."""
    with suppress(ProcessLookupError):
        os.killpg(launcher.pid, signal.SIGKILL)
    launcher.wait()


def wait_for(condition: Callable[[], object], *, within: float, say: Path | None = None) -> None:
    """Waits for a condition; fails after so many seconds with what the file holds."""
    deadline = time.monotonic() + within
    while not condition():
        text = say.read_text() if say and say.exists() else ""
        assert time.monotonic() < deadline, f"waited in vain for {within} s\n{text}"
        time.sleep(0.2)
