"""Start the workflow: one run at a time in a folder, and a killed run continues.

`python -m srhm.commands.launch --preset quick --cores 2` runs Snakemake on config/quick.yaml. The
run holds an exclusive lock on results/.lock. Snakemake inherits the open lock file, so that the
lock lives as long as Snakemake does, even where this launcher is killed; jobs do not inherit it, so
that a job that outlives its Snakemake blocks nothing. When the lock is free, a lock that Snakemake
left in .snakemake belongs to a run that was killed, and is removed.
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
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

import psutil
import yaml

from srhm.commands.device_options import CHOICES, DeviceError, device_options, why_no_gpu_here
from srhm.commands.presets import Study, study_of
from srhm.commands.watching import LiveView, Watch
from srhm.images import cifar
from srhm.results.outdated import is_outdated
from srhm.results.store import path_of
from srhm.runtime.devices import visible_devices
from srhm.runtime.progress import FAILED
from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.training.checkpoints import checkpoint_of

REPOSITORY = Path(__file__).resolve().parents[3]
PROFILES = REPOSITORY / "profiles"
# Report and scorecard of the paper's figures, and of lazy and feature learning.
PAGES, PLANE_PAGES = ("report.html", "scorecard.md"), ("plane.html", "plane_scorecard.md")
REFUSED = 2  # exit code of a launch that touched nothing


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: Snakemake's own, or 2 for a launch that was refused and touched nothing."""
    options, extra = _parser().parse_known_args(arguments)
    presets = {path.stem: path for path in sorted((REPOSITORY / "config").glob("*.yaml"))}
    config = options.configfile or presets.get(options.preset)
    if config is None or not config.is_file():
        print(f"no preset {config or options.preset!r}; there are: {', '.join(presets)}")
        return REFUSED
    if refusal := _not_yaml(config):
        print(refusal)
        return REFUSED
    profiles = {path.parent.name: path.parent for path in sorted(PROFILES.glob("*/profile.yaml"))}
    profile = profiles.get(options.profile, Path(options.profile).resolve())
    if not (profile / "profile.yaml").is_file():
        print(f"no profile {options.profile!r}; there are: {', '.join(profiles)}")
        return REFUSED
    devices: list[str] = []
    local = _is_local(profile, extra)
    if not options.unlock:
        try:
            devices, extra = device_options(
                extra,
                given=options.device,
                config=config,
                profile=profile,
                local=local,
                visible=visible_devices(),
                unusable=why_no_gpu_here() if local else "",
            )
        except DeviceError as refusal:
            print(f"{refusal}; nothing was started")
            return REFUSED
    folder = options.directory.resolve()
    results = folder / "results"
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock_file = (results / ".lock").open("a+")
    except OSError as error:
        print(f"{results} cannot be written to: {error.strerror}; nothing was started")
        return REFUSED
    with lock_file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            print(f"another run works in {folder}: {lock.read() or 'it is just starting'}")
            return REFUSED
        command = _snakemake(config, folder, profile, devices)
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
        since = time.time()
        _date_now(results)
        study = _study(config, folder, plane=options.plane)
        cores = [] if options.cores is None else ["--cores", str(options.cores)]
        # After two dashes, since an option before it might take it for one of its words.
        target = ["--", "plane"] if options.plane else []
        watch = Watch(study.cells, *study.stores) if study and study.cells else None
        code = _run(
            [*command, *_again(study, folder), *cores, *extra, *target],
            lock,
            config.stem,
            local=local,
            watch=watch,
        )
        seconds = round(time.monotonic() - start)
        lock.truncate(0)
    wall_time = f"{seconds // 60} min {seconds % 60} s"
    if code == 0:
        values = yaml.safe_load(config.read_text())
        made = results / values.get("preset", config.stem)
        _show_results(made, wall_time, names=PLANE_PAGES if options.plane else PAGES)
        images = (values.get("images") or {}).get("folder", cifar.FOLDER)
        if not options.plane and (absent := cifar.notice(folder / images)):
            print(absent)
    else:
        for words in failures(results, since=since):
            print(words)
        print(f"stopped after {wall_time} (exit code {code}){_kept(study, watch)}")
        print("the same command goes on from there, once what is reported above is mended")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m srhm.commands.launch",
        description="Run the workflow for one preset; other arguments are passed on to Snakemake.",
        allow_abbrev=False,
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--preset", help="name of a file of config/, without .yaml")
    which.add_argument("--configfile", type=Path, help="a configuration elsewhere")
    parser.add_argument("--profile", default="default", help="a name of profiles/, or a folder")
    parser.add_argument("--cores", type=int, help="default: as the profile says")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument(
        "--device", choices=CHOICES, help="where networks are trained; default: the configuration's"
    )
    parser.add_argument(
        "--plane", action="store_true", help="lazy and feature learning, not the paper's figures"
    )
    parser.add_argument("--unlock", action="store_true", help="only remove a killed run's lock")
    return parser


def _snakemake(config: Path, folder: Path, profile: Path, devices: Sequence[str]) -> list[str]:
    # Options about devices take all words up to the next one.
    command = [sys.executable, "-m", "snakemake", *devices]
    command += ["--snakefile", str(REPOSITORY / "Snakefile"), "--workflow-profile", str(profile)]
    return [*command, "--configfile", str(config.resolve()), "--directory", str(folder)]


def _not_yaml(config: Path) -> str:
    """Why a file cannot be read as YAML, with the place; empty if it can. Snakemake says less."""
    try:
        yaml.safe_load(config.read_text())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        return f"{config} is not YAML: {place}: {error.problem or error.context}"
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return f"{config} is not YAML: {error}"
    return ""


def _study(config: Path, folder: Path, *, plane: bool) -> Study | None:
    """The networks of a configuration; None for one that is refused: Snakemake says why."""
    try:
        study = study_of(yaml.safe_load(config.read_text()), folder)
        return study.of_the_plane if plane else study
    except (experiments.ConfigError, cifar.CifarError, yaml.YAMLError, TypeError, ValueError):
        return None


def _date_now(results: Path) -> None:
    """Dates files of the future now: until then Snakemake would fail every job that reads one."""
    now, dated = time.time(), []
    for folder in results.iterdir():
        # os.walk reads no folder that is not there any more.
        for place, folders, names in os.walk(folder):
            if Path(place).name in ("cells", "checkpoints"):
                folders.clear()
                continue  # of no job's inputs, and many
            for file in (Path(place, name) for name in names):
                with suppress(OSError):  # an orphan of an earlier run may remove its partial files
                    if file.stat().st_mtime > now + 1:
                        os.utime(file, (now, now))
                        dated.append(file)
    if dated:
        print(
            f"{len(dated)} files were dated in the future, {dated[0]} say; they are dated now."
            " Look at the clock of the machine that wrote them",
            flush=True,
        )


def _again(study: Study | None, folder: Path) -> list[str]:
    """Options that make Snakemake gather those curves again whose cells are not to be taken.

    Such cells are not in the store, or were trained on a GPU by other code. Snakemake looks at
    curves only: it would miss a lost cell until its weights are wanted.
    """
    files = []
    for networks in study.networks if study else ():
        for name, entries in networks.curves.items():
            file = networks.rows / f"{name}.parquet"
            if not file.is_file():
                continue
            paths = {entry["key"]: path_of(networks.store, entry["key"]) for entry in entries}
            lost = [key for key, path in paths.items() if not path.is_file()]
            old = [key for key, path in paths.items() if is_outdated(path)]
            for what, keys in (
                ("not in the store any more", lost),
                ("trained on a GPU by other code than there is now", old),
            ):
                if keys:
                    some = ", ".join(keys[:3]) + (", ..." if len(keys) > 3 else "")
                    print(f"{what}: {len(keys)} cells of {name} ({some})", flush=True)
            if lost or old:
                files.append(str(file.relative_to(folder)))
    # Another option has to follow: this one takes all words up to it.
    return ["--forcerun", *files, "--rerun-incomplete"] if files else []


def _snakemake_without_launcher(folder: Path) -> int | None:
    """Process id of a Snakemake on this host that was started in the folder by hand, if any.

    Those that wrap a job (`--mode`) may outlive the run that sent the job, and do no harm.
    """
    for process in psutil.process_iter(["cmdline", "cwd"]):
        line = process.info["cmdline"] or []
        words = [Path(word).name for word in line[:3]]
        wraps_a_job = "--mode" in line
        if "snakemake" in words and not wraps_a_job and process.info["cwd"] == str(folder):
            return process.pid
    return None


def _run(
    command: list[str], lock: IO[str], preset: str, *, local: bool, watch: Watch | None
) -> int:
    """Exit code of the command, which holds the lock too; 128 + n where signal n ended it.

    local: the jobs run on this machine. This launcher then passes a signal on to them: they leave
    checkpoints, and Snakemake starts no more. Ctrl-C must not reach Snakemake itself, which
    would report its own interruption as an error. On a cluster Snakemake itself takes Ctrl-C and
    cancels the jobs that it has sent.
    """
    on_terminal = sys.stdout.isatty()
    printed = Path(lock.name).with_name("run.log") if on_terminal else None
    if local:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited by Snakemake
    with ExitStack() as stack:
        output = stack.enter_context(printed.open("w")) if printed else None
        process = stack.enter_context(
            subprocess.Popen(
                command,
                pass_fds=[lock.fileno()],
                stdout=output,
                stderr=output and subprocess.STDOUT,
            )
        )

        stopping: list[int] = []

        def stop(number: int, _frame: object) -> None:
            if local:
                stopping.append(number)
                process.terminate()  # it waits for the jobs in flight
                _end_jobs(process.pid)
            elif number == signal.SIGTERM or not _in_foreground():
                process.send_signal(number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        lock.truncate(0)
        started = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
        host = socket.gethostname()
        lock.write(f"preset {preset}, process {process.pid} on {host}, started {started}")
        lock.flush()
        with LiveView(watch, sys.stdout, printed=printed):
            while True:
                try:
                    code = process.wait(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    if stopping:  # a job may have been starting when the others were asked
                        _end_jobs(process.pid)
    return code if code >= 0 else 128 - code


def _end_jobs(snakemake: int) -> None:
    """Sends SIGTERM to the scripts of a Snakemake: training leaves checkpoints, the rest ends."""
    processes: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        processes = psutil.Process(snakemake).children(recursive=True)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            # Not to the shell around a script, which would leave it behind.
            if any(Path(word).match(".snakemake/scripts/*.py") for word in process.cmdline()[:3]):
                process.terminate()


def _is_local(profile: Path, extra: Sequence[str]) -> bool:
    executor = (yaml.safe_load((profile / "profile.yaml").read_text()) or {}).get("executor")
    return executor in (None, "local") and not {"-e", "--executor"} & {
        w.split("=")[0] for w in extra
    }


def _kept(study: Study | None, watch: Watch | None) -> str:
    """What there is of the networks, for people."""
    if study is None or watch is None:
        return ""
    done = watch.arrivals()
    begun = {
        entry["key"]
        for networks in study.networks
        for entry in networks.entries
        if checkpoint_of(networks.checkpoints, entry["key"]).is_file()
    }
    unfinished = len(begun - done.keys())
    return f"; {len(done)} of {len(watch.cells)} networks are stored, {unfinished} are checkpointed"


def failures(logs: Path, *, since: float) -> list[str]:
    """Last words of the jobs that failed since then, each with the path of its log."""
    found = []
    for log in sorted(logs.rglob("*.log")):
        if log.stat().st_mtime >= since:
            last = log.read_text(errors="replace").rstrip().rpartition("\n")[2]
            if FAILED in last:
                found.append(last)
    return found


def _in_foreground() -> bool:
    """Whether Ctrl-C reaches Snakemake by itself: the terminal signals all processes of a group."""
    try:
        with open("/dev/tty") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def _show_results(results: Path, wall_time: str, *, names: tuple[str, str]) -> None:
    for name in ("figures", "tables"):
        if files := sorted((results / name).glob("*")):
            print(f"{name}: {results / name} ({len(files)} files)")
    page, claims = names
    if (report := results / page).is_file():
        print(f"report: {report}, one page with all of it")
    scorecard = results / claims
    if scorecard.is_file():
        print(f"scorecard: {scorecard}\n\n{scorecard.read_text()}")
    print(f"done in {wall_time}")


if __name__ == "__main__":
    sys.exit(main())
