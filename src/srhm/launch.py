"""Start the workflow: one run at a time in a folder, and a killed run continues.

`python -m srhm.launch --preset quick --cores 2` runs Snakemake on config/quick.yaml. The run holds
an exclusive lock on results/.lock. Snakemake inherits the open lock file, so that the lock lives as
long as Snakemake does, even where this launcher is killed; jobs do not inherit it, so that a job
that outlives its Snakemake blocks nothing. When the lock is free, a lock that Snakemake left in
.snakemake belongs to a run that was killed, and is removed.
"""

import argparse
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

import psutil
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
REFUSED = 2  # exit code of a launch that touched nothing


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: Snakemake's own, or 2 for a launch that was refused and touched nothing."""
    options, extra = _parser().parse_known_args(arguments)
    presets = {path.stem: path for path in sorted((REPOSITORY / "config").glob("*.yaml"))}
    config = options.configfile or presets.get(options.preset)
    if config is None or not config.is_file():
        print(f"no preset {config or options.preset!r}; there are: {', '.join(presets)}")
        return REFUSED
    folder = options.directory.resolve()
    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    with (results / ".lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            print(f"another run works in {folder}: {lock.read() or 'it is just starting'}")
            return REFUSED
        command = _snakemake(config, folder)
        left_over = any((folder / ".snakemake" / "locks").glob("*.lock"))
        if left_over and (other := _snakemake_without_launcher(folder)):
            print(f"another Snakemake, process {other}, works in {folder}: wait for it or end it")
            return REFUSED
        if left_over:
            # A configuration that cannot be read fails here too; the run below then says why.
            unlock = subprocess.run([*command, "--unlock"], capture_output=True, text=True)
            if options.unlock and unlock.returncode:
                print(unlock.stderr)
                return unlock.returncode
            print("an earlier run was interrupted; continuing from what it finished", flush=True)
        if options.unlock:
            return 0
        start = time.monotonic()
        code = _run([*command, "--cores", str(options.cores), *extra], lock, config.stem)
        seconds = round(time.monotonic() - start)
        lock.truncate(0)
    wall_time = f"{seconds // 60} min {seconds % 60} s"
    if code == 0:
        preset = yaml.safe_load(config.read_text()).get("preset", config.stem)
        _show_results(results / preset, wall_time)
    else:
        print(
            f"stopped after {wall_time} (exit code {code}); finished networks are kept: the same "
            "command goes on from there, once what is reported above is mended"
        )
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m srhm.launch",
        description="Run the workflow for one preset; other arguments are passed on to Snakemake.",
        allow_abbrev=False,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--preset", help="name of a file of config/, without .yaml")
    which.add_argument("--configfile", type=Path, help="a configuration elsewhere")
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser.add_argument("--cores", type=int, default=allowed, help="default: all that it may use")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument("--unlock", action="store_true", help="only remove a killed run's lock")
    return parser


def _snakemake(config: Path, folder: Path) -> list[str]:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["--workflow-profile", str(REPOSITORY / "profiles" / "default")]
    return [*command, "--configfile", str(config.resolve()), "--directory", str(folder)]


def _snakemake_without_launcher(folder: Path) -> int | None:
    """Process id of a Snakemake on this host that was started in the folder by hand, if any."""
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = [Path(word).name for word in (process.info["cmdline"] or [])[:3]]
        if "snakemake" in words and process.info["cwd"] == str(folder):
            return process.pid
    return None


def _run(command: list[str], lock: IO[str], preset: str) -> int:
    """Exit code of the command, which holds the lock too; 128 + n where signal n ended it."""
    with subprocess.Popen(command, pass_fds=[lock.fileno()]) as process:

        def forward(number: int, _frame: object) -> None:
            if number == signal.SIGTERM or not _in_foreground():
                process.send_signal(number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, forward)
        lock.truncate(0)
        started = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
        host = socket.gethostname()
        lock.write(f"preset {preset}, process {process.pid} on {host}, started {started}")
        lock.flush()
        code = process.wait()
    return code if code >= 0 else 128 - code


def _in_foreground() -> bool:
    """Whether Ctrl-C reaches Snakemake by itself: the terminal signals all processes of a group."""
    try:
        with open("/dev/tty") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def _show_results(results: Path, wall_time: str) -> None:
    for name in ("figures", "tables"):
        if files := sorted((results / name).glob("*")):
            print(f"{name}: {results / name} ({len(files)} files)")
    if (report := results / "report.html").is_file():
        print(f"report: {report}, one page with all of it")
    scorecard = results / "scorecard.md"
    if scorecard.is_file():
        print(f"scorecard: {scorecard}\n\n{scorecard.read_text()}")
    print(f"done in {wall_time}")


if __name__ == "__main__":
    sys.exit(main())
