"""Start the workflow: one run at a time in a folder, and a killed run continues.

`srhm reproduce --preset quick --cores 2` runs Snakemake on config/quick.yaml, and
makes what the paper shows; `--study jamming` makes that study. The run holds an exclusive lock on
results/.lock. Snakemake inherits the open lock file, so that the lock lives as
long as Snakemake does, even where this launcher is killed; jobs do not inherit it, so that a job
that outlives its Snakemake blocks nothing. When the lock is free, a lock that Snakemake left in
.snakemake belongs to a run that was killed, and is removed.
"""

import argparse
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

import psutil
import yaml

from srhm.commands import limits, variables
from srhm.commands.device_options import (
    CHOICES,
    DeviceError,
    device_options,
    is_dry,
    why_no_gpu_here,
)
from srhm.commands.index import write_index
from srhm.commands.limits import OF_A_JOB, OF_SNAKEMAKE, OF_TRAINING
from srhm.commands.live_view import LiveView
from srhm.commands.one_run import Refused, locked, snakemake_by_hand, whose
from srhm.commands.preset_file import read_preset
from srhm.commands.presets import (
    DEFAULT,
    QUICK,
    Run,
    StudyError,
    add_source,
    add_study,
    n_cores,
    preset_with_rows,
    run_of,
    studies_of,
)
from srhm.commands.printed_lines import PrintedLines
from srhm.commands.printing import outlasting, printing
from srhm.commands.results_folder import NoResults
from srhm.commands.watching import Watch, last_words
from srhm.results import places
from srhm.results.atomic import write_text
from srhm.results.paths import stored_paths
from srhm.runtime.devices import visible_devices
from srhm.runtime.progress import FAILED
from srhm.runtime.stopping import ECHO
from srhm.studies.registry import GROUPS, STUDIES
from srhm.study import ConfigError

REPOSITORY = Path(__file__).resolve().parents[3]
PROFILES = REPOSITORY / "profiles"
# The figure that holds the paper's main result.
FIRST = "fig04"
# Seconds for which a Snakemake that was asked to end may go on without a job. Its handler of
# SIGTERM waits for a lock that the code which it interrupts may hold.
PATIENCE = 20.0
# The same on a cluster, where it first asks the scheduler to cancel its jobs: a minute at most.
PATIENCE_OF_CLUSTER = 120.0
# Bytes that a cache must take.
PROBE = 1 << 20
# Below results/: all that Snakemake and its jobs print.
LOG = "run.log"
REFUSED = 2  # exit code of a launch that touched nothing


def main(
    arguments: Sequence[str] | None = None,
    *,
    prog: str = "srhm reproduce",
    rows: str | None = None,
) -> int:
    """Exit code: Snakemake's own, or 2 for a launch that was refused and touched nothing.

    prog: name of the command. rows: where the arguments name none.
    """
    parser = _parser(prog)
    parser.set_defaults(rows=rows)
    options, extra = parser.parse_known_args(arguments)
    with redirect_stdout(outlasting(sys.stdout)):
        for line in variables.named():
            print(line, flush=True)
        for name in filter(variables.is_reset, list(os.environ)):
            del os.environ[name]
        try:
            return _launch(options, extra)
        except (Refused, StudyError) as refusal:
            print(refusal)
            return REFUSED
        except PermissionError as error:
            print(f"{error}{whose(error)}; nothing was started")
            return REFUSED


def _launch(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """Exit code of a launch with these options; extra: words for Snakemake.

    Raises:
        Refused, StudyError: if it touched nothing.
    """
    here = Path.cwd().resolve()
    if (here / "src" / "srhm").is_dir() and here != REPOSITORY:
        raise Refused(
            f"this is {here}, but its environment runs the code of {REPOSITORY}: `make env` in this"
            " folder installs its own"
        )
    if (settings := options.directory / ".numba_config.yaml").is_file():
        raise Refused(
            f"{settings} would change how code is compiled, and with it the bits of networks under"
            " the same keys: move it elsewhere; nothing was started"
        )
    config, profile = _configuration(options), _profile(options.profile)
    targets = [name if name in GROUPS else f"{name}_study" for name in options.study]
    folder, local = options.directory.resolve(), _is_local(profile, extra)
    studies_of(options.study)
    if options.rows:
        extra = _with_rows(extra, options.rows)
    if not options.unlock:
        extra = _with_devices(extra, options, config=config, profile=profile, local=local)
    if local:
        extra = _within_limits(extra, options, profile=profile)
    run = _run_of(config, folder, options.study or [DEFAULT], rows=options.rows)
    with locked(folder) as lock:
        command = _snakemake(config, folder, profile)
        if code := _continued(command, folder, asked=options.unlock):
            return code
        if options.unlock:
            return 0
        for line in run.not_measurable() if run else ():
            print(line, flush=True)
        watch = Watch(run.work, *run.stores, searched=run.searched) if run and run.curves else None
        for error in watch.unreadable().values() if watch else ():
            raise Refused(
                f"a stored network cannot be read: {error}{whose(error)}; nothing was started"
            )
        start, since, killed = time.monotonic(), time.time(), limits.killed_for_memory()
        _date_now(folder / "results")
        cores = [] if options.cores is None else ["--cores", str(options.cores)]
        # After two dashes, since an option before it might take it for one of its words.
        words = [*_again(run, folder), *cores, *extra, *(["--", *targets] if targets else [])]
        if run and not is_dry(extra):
            _note(config, folder / "results" / run.plan.name)
            _remove_empty(folder / "results" / run.plan.name)
        lines = PrintedLines(
            every_line=options.every_line or is_dry(extra) or "--verbose" in extra,
            milestones=_milestones(run),
        )
        if not is_dry(extra):
            print(f"what each job says: {folder / 'results' / LOG}", flush=True)
        log, earlier = (folder / "results" / name for name in (LOG, f"{LOG}.earlier"))
        with suppress(FileNotFoundError):
            log.replace(earlier)
        code = _run([*command, *words], lock, config.stem, local=local, watch=watch, lines=lines)
        with suppress(FileNotFoundError):
            if code or lines.ended.total():
                earlier.unlink()
            else:  # nothing was to be done: the log of what was done stays
                earlier.replace(log)
        seconds = round(time.monotonic() - start)
        lock.truncate(0)
        if run and not is_dry(extra):
            with suppress(OSError):  # a full disk is reported where a job meets it
                write_index(run, others=_others(config, run))
    wall_time = f"{seconds // 60} min {seconds % 60} s"
    if code == 0 and is_dry(extra):
        print("a dry run: nothing was made")
    elif code == 0:
        _show_results(run, wall_time)
    else:
        for text in last_words(folder / "results", FAILED, since=since):
            print(text)
        if why := _for_memory(folder / "results" / LOG, code, before=killed):
            print(why)
        print(f"stopped after {wall_time} (exit code {code}){_kept(run, watch)}")
        print("the same command goes on from there, once what is reported above is mended")
    return code


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Run the workflow for one preset; other arguments are passed on to Snakemake.",
        epilog=f"example: {prog} --study jamming --directory elsewhere",
        allow_abbrev=False,
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--preset",
        help=f"name of a file of config/; default: {QUICK}; of published rows what has most",
    )
    which.add_argument("--configfile", type=Path, help="a configuration elsewhere")
    parser.add_argument("--profile", default="default", help="a name of profiles/, or a folder")
    parser.add_argument("--cores", type=n_cores, help="default: as the profile says")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument(
        "--device", choices=CHOICES, help="where networks are trained; default: the configuration's"
    )
    add_source(parser)
    add_study(parser, default=DEFAULT)
    parser.add_argument(
        "--every-line", action="store_true", help="show all that Snakemake and its jobs print"
    )
    parser.add_argument("--unlock", action="store_true", help="only remove a killed run's lock")
    return parser


def _configuration(options: argparse.Namespace) -> Path:
    presets = {path.stem: path for path in sorted((REPOSITORY / "config").glob("*.yaml"))}
    alone = options.rows == "published"
    name = options.preset or (preset_with_rows(options.study) if alone else QUICK)
    config: Path | None = options.configfile or presets.get(name)
    if config is None or not config.is_file():
        raise Refused(f"no preset {config or name!r}; there are: {', '.join(presets)}")
    try:
        read_preset(config)
    except ConfigError as refusal:
        raise Refused(str(refusal)) from refusal
    return config


def _profile(name: str) -> Path:
    profiles = {path.parent.name: path.parent for path in sorted(PROFILES.glob("*/profile.yaml"))}
    profile = profiles.get(name, Path(name).resolve())
    if not (profile / "profile.yaml").is_file():
        raise Refused(f"no profile {name!r}; there are: {', '.join(profiles)}")
    return profile


def _with_rows(extra: Sequence[str], rows: str) -> list[str]:
    """The words for Snakemake with the rows that are asked for."""
    own = [word for word in extra if word == "--config" or word.startswith(("--config=", "-C"))]
    if own:  # of two, Snakemake takes the last alone
        raise Refused(f"give --config rows={rows} with the others; nothing was started")
    # Before an option: it would take a target for one more entry.
    return ["--config", f"rows={rows}", "--rerun-incomplete", *extra]


def _with_devices(
    extra: Sequence[str], options: argparse.Namespace, *, config: Path, profile: Path, local: bool
) -> list[str]:
    """The words for Snakemake with those about devices."""
    try:
        return device_options(
            extra,
            given=options.device,
            config=config,
            profile=profile,
            local=local,
            visible=visible_devices(),
            unusable=why_no_gpu_here() if local else "",
        )
    except DeviceError as refusal:
        raise Refused(f"{refusal}; nothing was started") from refusal


def _within_limits(
    extra: Sequence[str], options: argparse.Namespace, *, profile: Path
) -> list[str]:
    """The words for Snakemake with the cores and the memory of the container or job.

    What the user or the profile says about them counts.
    """
    given = {word.split("=")[0] for word in extra}
    said = yaml.safe_load((profile / "profile.yaml").read_text(encoding="utf-8")) or {}
    cores, words = limits.cores(), list(extra)
    if options.cores is None and said.get("cores") == "all" and not given & {"--cores", "-c"}:
        options.cores = cores
    megabytes = limits.memory()
    if not megabytes or any("mem_mb" in word for word in extra):
        return words
    left = max(megabytes - OF_SNAKEMAKE, OF_A_JOB)
    if left < (options.cores or cores) * OF_TRAINING:
        print(
            f"memory: {megabytes} MB by the limit of this container or job: as many jobs at a time"
            " as fit",
            flush=True,
        )
    # Of an option that is given twice Snakemake takes the last; what follows two dashes is none.
    end = words.index("--") if "--" in words else len(words)
    if "--resources" in words[:end]:
        last = end - 1 - words[:end][::-1].index("--resources")
        words.insert(last + 1, f"mem_mb={left}")
    else:
        words[end:end] = ["--resources", f"mem_mb={left}"]
    if "default-resources" not in said and "--default-resources" not in given:
        words[:0] = ["--default-resources", f"mem_mb={OF_A_JOB}", "--rerun-incomplete"]
    return words


def _run_of(
    config: Path, folder: Path, names: Sequence[str], *, rows: str | None = None
) -> Run | None:
    """The studies that are made; None for a configuration that is refused: Snakemake says why."""
    try:
        return run_of(config, folder, names, rows=rows)
    except ConfigError:
        return None


def _continued(command: list[str], folder: Path, *, asked: bool) -> int:
    """Removes the lock that a killed Snakemake left; exit code, 0 where the run may go on.

    asked: whether nothing else is to be done.

    Raises:
        Refused: if a Snakemake that was started by hand holds it.
    """
    if not any((folder / ".snakemake" / "locks").glob("*.lock")):
        return 0
    if other := snakemake_by_hand(folder):
        raise Refused(
            f"another Snakemake, process {other}, works in {folder}: wait for it or end it"
        )
    # A configuration that cannot be read fails here too; the run then says why.
    unlock = subprocess.run([*command, "--unlock"], capture_output=True, text=True)
    if asked and unlock.returncode:
        print(unlock.stderr)
        return unlock.returncode
    print("an earlier run was interrupted; continuing from what it finished", flush=True)
    return 0


def _snakemake(config: Path, folder: Path, profile: Path) -> list[str]:
    command = [sys.executable, "-m", "snakemake"]
    command += ["--snakefile", str(REPOSITORY / "Snakefile"), "--workflow-profile", str(profile)]
    return [*command, "--configfile", str(config.resolve()), "--directory", str(folder)]


def _note(config: Path, results: Path) -> None:
    """Notes of which file a preset's results are; says so where they were of another one."""
    note, file = results / places.CONFIGURATION, str(config.resolve())
    if note.is_file() and (before := note.read_text(encoding="utf-8")) != file:
        print(
            f"the tables and figures in {results} were made of {before}; those of {file} take their"
            " place. Give it a preset name of its own to keep both",
            flush=True,
        )
    write_text(note, file)


def _remove_empty(results: Path) -> None:
    """Removes figures, tables and pages of no bytes, which Snakemake would take for made."""
    kinds = (".pdf", ".png", ".parquet", ".html", ".md")
    for file in sorted(one for one in results.rglob("*.*") if one.suffix in kinds):
        if file.is_file() and not file.stat().st_size:
            print(f"{file} is empty: it is made again", flush=True)
            file.unlink()


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


def _again(run: Run | None, folder: Path) -> list[str]:
    """Options that make Snakemake gather those curves again whose cells are not to be taken.

    Such cells are not in the store, or were trained on a GPU by other code. Snakemake looks at
    curves only: it would miss a lost cell until its weights are wanted.
    """
    files = []
    for curve in run.curves.values() if run else ():
        assert run is not None
        file = run.rows(curve)
        if not file.is_file():
            continue
        _, asked = stored_paths(curve, run.directory / places.store_of(curve.trainer))
        paths = {key: run.stored(curve, key) for key in asked}
        lost = [key for key, path in paths.items() if not path.is_file()]
        old = [key for key in asked if key not in lost]
        for what, keys in (
            ("not in the store any more", lost),
            ("trained on a GPU by other code than there is now", old),
        ):
            if keys:
                some = ", ".join(keys[:3]) + (", ..." if len(keys) > 3 else "")
                print(f"{what}: {len(keys)} cells of {curve.name} ({some})", flush=True)
        if lost or old:
            files.append(str(file.relative_to(folder)))
    # Another option has to follow: this one takes all words up to it.
    return ["--forcerun", *files, "--rerun-incomplete"] if files else []


def _run(
    command: list[str],
    lock: IO[str],
    preset: str,
    *,
    local: bool,
    watch: Watch | None,
    lines: PrintedLines,
) -> int:
    """Exit code of the command, which holds the lock too; 128 + n where signal n ended it.

    local: the jobs run on this machine. This launcher then passes a signal on to them: they leave
    checkpoints, and Snakemake starts no more; a second signal ends them at once. Ctrl-C must not
    reach Snakemake itself, which would report its own interruption as an error. On a cluster
    Snakemake itself takes Ctrl-C and cancels the jobs that it has sent; SIGTERM is passed on as
    Ctrl-C. A closed terminal (SIGHUP) is as SIGTERM here; on a cluster Snakemake sends no more jobs
    then, and ends with those in flight.
    """
    # Snakemake inherits what is ignored. Under nohup SIGHUP stays so here, too.
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.signal(signal.SIGHUP, signal.SIG_IGN) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    # Elsewhere it must hear Ctrl-C, which a shell has its background jobs ignore.
    signal.signal(signal.SIGINT, signal.SIG_IGN if local else signal.default_int_handler)
    with ExitStack() as stack:
        output = stack.enter_context(Path(lock.name).with_name(LOG).open("wb"))
        printed = stack.enter_context(open(output.name, "rb"))
        process = stack.enter_context(
            subprocess.Popen(
                command,
                pass_fds=[lock.fileno()],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=_environment(Path(lock.name).parent),
            )
        )

        asked, told = list[float](), set[psutil.Process]()  # when signals came, who knows of them

        def stop(number: int, _frame: object) -> None:
            asked.append(time.monotonic())
            if local:
                process.terminate()  # it waits for the jobs in flight
                _end_scripts(
                    process.pid, told=told, at_once=asked[-1] - asked[0] > ECHO[signal.SIGINT]
                )
            elif number == signal.SIGHUP:
                asked.pop()
                process.terminate()
            elif number == signal.SIGTERM or not _in_foreground():
                process.send_signal(signal.SIGINT)

        for number in numbers:
            signal.signal(number, stop)
        lock.truncate(0)
        started = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
        host = socket.gethostname()
        lock.write(f"preset {preset}, process {process.pid} on {host}, started {started}")
        lock.flush()
        with LiveView(watch, sys.stdout, printed=printed, lines=lines):
            busy = 0.0
            while True:
                try:
                    code = process.wait(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    if asked and local:
                        # A job may have been starting when the others were asked.
                        _end_scripts(process.pid, told=told)
                        if _jobs(process.pid):
                            busy = time.monotonic()
                        elif time.monotonic() - max(busy, asked[0]) > PATIENCE:
                            process.kill()
                    elif asked and time.monotonic() - asked[0] > PATIENCE_OF_CLUSTER:
                        process.kill()
                        print(
                            f"Snakemake did not end within {PATIENCE_OF_CLUSTER:.0f} s and was"
                            " killed: its jobs may run on, and fill the store (docs/cluster.md)",
                            flush=True,
                        )
    return code if code >= 0 else 128 - code


def _environment(results: Path) -> dict[str, str]:
    """Variables of Snakemake: UTF-8, memory that is kept, and a cache that can be written to."""
    instead = results / ".cache"
    lacking = variables.of_nobody(instead)
    if lacking:
        set_here = ", ".join(f"{name}={value}" for name, value in lacking.items())
        print(f"this user has no entry in the table of users: {set_here}", flush=True)
    own = {**variables.KEEP_MEMORY, **os.environ, **lacking, "PYTHONUTF8": "1"}
    cache = Path(own.get("XDG_CACHE_HOME") or Path(lacking.get("HOME") or Path.home()) / ".cache")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache) as file:
            file.write(bytes(PROBE))  # a full disk takes an empty file
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        print(f"{cache} cannot be written to ({error.strerror}): {instead} is used", flush=True)
        own |= {"XDG_CACHE_HOME": str(instead), "MPLCONFIGDIR": str(instead / "matplotlib")}
    return own


def _jobs(snakemake: int) -> list[psutil.Process]:
    """All processes that a Snakemake has started, and theirs."""
    with suppress(psutil.NoSuchProcess):
        return list(psutil.Process(snakemake).children(recursive=True))
    return []


def _end_scripts(snakemake: int, *, told: set[psutil.Process], at_once: bool = False) -> None:
    """Sends SIGTERM once to each script of a Snakemake: training leaves checkpoints, the rest ends.

    at_once: kills them.
    """
    for process in _jobs(snakemake):
        with suppress(psutil.NoSuchProcess):
            # Not to the shell around a script, which would leave it behind.
            if any(Path(word).match(".snakemake/scripts/*.py") for word in process.cmdline()[:3]):
                if at_once:
                    process.kill()
                elif process not in told:
                    told.add(process)
                    process.terminate()


def _is_local(profile: Path, extra: Sequence[str]) -> bool:
    executor = (yaml.safe_load((profile / "profile.yaml").read_text(encoding="utf-8")) or {}).get(
        "executor"
    )
    return executor in (None, "local") and not {"-e", "--executor"} & {
        w.split("=")[0] for w in extra
    }


def _milestones(run: Run | None) -> dict[str, str]:
    """What is said when Figure 4 of the paper is there, or the first figure of other studies."""
    if run is None:
        return {}
    figures = [figure.name for study in run.plan.studies for figure in STUDIES[study].figures]
    return {
        name: f"{_for_people(name)}: "
        f"{run.directory / places.figure_files(run.plan.name, name)['png']}"
        for name in ([FIRST] if FIRST in figures else figures[:1])
    }


def _for_people(figure: str) -> str:
    """Figure 4, say; a figure of another name by that name."""
    number = figure.removeprefix("fig").lstrip("0")
    return f"Figure {number}" if number.isdigit() else figure


def _others(config: Path, run: Run) -> list[str]:
    """Studies of a configuration that a run does not make."""
    asked = read_preset(config)
    return [one for one in STUDIES if one in asked and one not in run.plan.studies]


def _kept(run: Run | None, watch: Watch | None) -> str:
    """What there is of the networks, for people."""
    if run is None or watch is None:
        return ""
    done = watch.arrivals()
    begun = {
        entry["key"]
        for curve in run.curves.values()
        for entry in curve.entries
        if run.checkpoint(curve, entry["key"]).is_file()
    }
    unfinished = len(begun - done.keys())
    n_cells = watch.progress(now=time.time()).cells
    return f"; {len(done)} of {n_cells} networks are stored, {unfinished} are checkpointed"


def _for_memory(log: Path, code: int, *, before: int | None) -> str:
    """That a job was killed for want of memory, or perhaps, and what to do; empty if none was.

    code: of Snakemake. before: how often the system had done so before the run. At its limit of
    processor time (`ulimit -t`) a process is killed, too.
    """
    with suppress(OSError):
        seconds = resource.getrlimit(resource.RLIMIT_CPU)[0]
        killed = "SIGKILL: 9" in log.read_text(encoding="utf-8", errors="replace")
        if not killed and code != 128 + signal.SIGKILL:
            return ""
        megabytes, now = limits.memory(), limits.killed_for_memory()
        limit = f" (its limit here: {megabytes} MB)" if megabytes else ""
        cure = "CORES=1 has one job at a time; what is stored is kept"
        if now is not None and before is not None and now > before:
            return f"out of memory{limit}: the system killed {now - before} processes. {cure}"
        if seconds != resource.RLIM_INFINITY:
            return (
                f"a job was killed (SIGKILL), as the system does after {seconds} s of processor"
                " time, the limit here (ulimit -t): raise it, or run on a node without one"
            )
        return f"a job was killed (SIGKILL), as the system does for want of memory{limit}. {cure}"
    return ""


def _in_foreground() -> bool:
    """Whether Ctrl-C reaches Snakemake by itself: the terminal signals all processes of a group."""
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def _show_results(run: Run | None, wall_time: str) -> None:
    """The last screen: what the claims say, where the rest is, what is missing."""
    if run is None:
        print(f"done in {wall_time}")
        return
    # It reads tables: pandas is loaded when the run has ended, not before it starts.
    from srhm.commands.claims import screen, shorten_line

    print(f"Done in {wall_time}: preset {run.plan.name}.")
    with suppress(NoResults):
        print("\n".join(screen(run.directory / "results" / run.plan.name, run.plan.studies)))
    if why := [one.partition("\n")[0] for one in run.absent.values()]:
        print(shorten_line(f"Missing: {'; '.join(why)}"))


if __name__ == "__main__":
    sys.exit(printing(main))
