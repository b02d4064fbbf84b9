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
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from srhm.commands import limits, variables
from srhm.commands.limits import OF_A_JOB, OF_SNAKEMAKE, OF_TRAINING
from srhm.commands.live_view import PrintedLines, wall_time
from srhm.commands.presets import (
    DEFAULT,
    QUICK,
    Run,
    n_cores,
    note_preset,
    parser_for,
    preset_with_rows,
    run_of,
)
from srhm.commands.printing import REFUSED, Refused, outlasting
from srhm.commands.running import LOG, locked, run_snakemake, snakemake_by_hand, whose
from srhm.commands.watching import Watch, last_words
from srhm.jobs.devices import VISIBLE, visible_devices
from srhm.jobs.progress import FAILED
from srhm.planning.registry import GROUPS, STUDIES
from srhm.store import places
from srhm.store.paths import stored_paths

REPOSITORY = Path(__file__).resolve().parents[3]
PROFILES = REPOSITORY / "profiles"
# The figure that holds the paper's main result.
FIRST = "fig04"
EARLIER = f"{LOG}.earlier"
# Words that make a run a dry one, and lines of the log that say why no job was begun.
DRY, TAIL = frozenset({"-n", "--dry-run", "--dryrun"}), 20


def main(
    arguments: Sequence[str] | None = None,
    *,
    command: str = "reproduce",
    rows: str | None = None,
) -> int:
    """Exit code: Snakemake's own, or 2 for a launch that was refused and touched nothing.

    command: its name. rows: where the arguments name none.
    """
    parser = launch_parser(command)
    parser.set_defaults(rows=rows)
    options, extra = parser.parse_known_args(arguments)
    with redirect_stdout(outlasting(sys.stdout)):
        for line in variables.named():
            print(line)
        for name in filter(variables.is_reset, list(os.environ)):
            del os.environ[name]
        try:
            return _launch(options, extra)
        except Refused as refusal:
            print(refusal)
        except PermissionError as error:
            print(f"{error}{whose(error)}; nothing was started")
    return REFUSED


def _launch(options: argparse.Namespace, extra: Sequence[str]) -> int:
    """Exit code of a launch with these options; extra: words for Snakemake.

    Raises:
        Refused: if it touched nothing.
    """
    config, (profile, settings) = _configuration(options), profile_named(options.profile)
    folder, dry = options.directory.resolve(), not DRY.isdisjoint(extra)
    local = settings.get("executor") in (None, "local") and not any(
        word.startswith(("-e", "--executor")) for word in extra
    )
    run = run_of(config, folder, options.study or [DEFAULT], rows=options.rows)
    words = [*snakemake_words(options, extra, run, settings, local=local), *extra]
    # After two dashes, since an option before it might take it for one of its words.
    targets = [name if name in GROUPS else f"{name}_study" for name in options.study]
    words += ["--", *targets] if targets else []
    results = folder / "results"
    with locked(folder) as lock:
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
        command += ["--workflow-profile", str(profile), "--configfile", str(config.resolve())]
        command += ["--directory", str(folder)]
        _remove_lock(command, folder)
        for line in run.not_measurable():
            print(line)
        watch, begun = Watch(run), time.time()
        for error in watch.unreadable():
            raise Refused(
                f"a stored network cannot be read: {error}{whose(error)}; nothing was started"
            )
        _date_now(results)
        command += [*_again(run, folder), *words]
        if not dry:
            note_preset(config, results / run.plan.name)
            _remove_empty(results / run.plan.name)
            print(f"what each job says: {results / LOG}")
        lines = PrintedLines(every_line=dry or "--verbose" in extra, milestones=_milestones(run))
        with suppress(FileNotFoundError):
            (results / LOG).replace(results / EARLIER)
        code = run_snakemake(command, lock, config.stem, local=local, watch=watch, lines=lines)
        if not code and not lines.ended.total() and (results / EARLIER).is_file():
            # Nothing was to be done: the log of what was done stays.
            (results / EARLIER).replace(results / LOG)
        lock.truncate(0)
        answer = [] if dry else _answer(run)
    if code:
        _show_failure(results, code, run, watch, begun=begun)
    elif dry:
        print("a dry run: nothing was made")
    else:
        print("\n".join([f"Done in {wall_time(begun)}: preset {run.plan.name}.", *answer]))
    return code


def launch_parser(command: str) -> argparse.ArgumentParser:
    """Parser of a command that launches the workflow."""
    description = (
        "Run the workflow for one preset; other arguments are passed on to Snakemake. Of published"
        " rows alone the default preset is that which has most of them."
    )
    parser = parser_for(command, description, "--device", "--rows", default=DEFAULT)
    parser.set_defaults(preset=None)
    parser.add_argument("--profile", default="default", help="a name of profiles/, or a folder")
    parser.add_argument("--cores", type=n_cores, help="default: as the profile says")
    return parser


def _configuration(options: argparse.Namespace) -> Path:
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
    presets = {path.stem: path for path in sorted((REPOSITORY / "config").glob("*.yaml"))}
    alone = options.rows == "published"
    name = options.preset or (preset_with_rows(options.study) if alone else QUICK)
    config: Path | None = options.configfile or presets.get(name)
    if config is None or not config.is_file():
        raise Refused(f"no preset {config or name!r}; there are: {', '.join(presets)}")
    return config


def profile_named(name: str) -> tuple[Path, dict[str, Any]]:
    """Folder of a profile and what it says; its limits of resources by name."""
    profiles = {path.parent.name: path.parent for path in sorted(PROFILES.glob("*/profile.yaml"))}
    profile = profiles.get(name, Path(name).resolve())
    if not (profile / "profile.yaml").is_file():
        raise Refused(
            f"no profile {name!r}; there are: {', '.join(profiles)}; a folder has a profile.yaml"
        )
    settings = yaml.safe_load((profile / "profile.yaml").read_text(encoding="utf-8")) or {}
    resources = settings.get("resources", {})
    if isinstance(resources, list):
        resources = dict(limit.split("=", 1) for limit in resources)
    return profile, {**settings, "resources": resources}


def why_no_gpu_here() -> str:
    """Why the torch of this environment computes on no GPU, for people; empty if it may.

    Only the version of torch is read: an import would take seconds. A driver that does not suit
    torch is found by the job.
    """
    try:
        torch = version("torch")
    except PackageNotFoundError:
        return "torch is not installed here"
    return f"torch {torch} of this environment is a build without CUDA" * torch.endswith("+cpu")


def jobs_on_gpus(profile: Mapping[str, Any], *, dry: bool) -> int:
    """Jobs that may hold a GPU at a time: of a device as many as any rule of a profile allows.

    Raises:
        Refused: if no GPU is visible, or torch cannot use it; a dry run computes nothing.
    """
    visible = visible_devices()
    none = "" if visible else f"this machine shows no GPU: {VISIBLE} and /dev/nvidia0 name none"
    if cause := none or ("" if dry else why_no_gpu_here()):
        raise Refused(
            f"device: cuda, but {cause}. DEVICE=cpu computes on processors; a profile of a cluster"
            " sends jobs to its GPUs (docs/gpu.md); nothing was started"
        )
    rules = profile.get("set-resources", {}).values()
    return len(visible) * max([1, *(rule.get("jobs_per_device", 1) for rule in rules)])


def snakemake_words(
    options: argparse.Namespace,
    extra: Sequence[str],
    run: Run,
    profile: Mapping[str, Any],
    *,
    local: bool,
) -> list[str]:
    """Options for Snakemake about rows, device, cores and memory; those of the user follow them.

    Of an option that is given twice Snakemake takes the last.
    """
    if any(word.startswith(("--config=", "-C")) or word == "--config" for word in extra):
        raise Refused(
            "--config: `srhm status`, `publish` and `gc` would know nothing of it. Give --device or"
            " --rows, write other keys into a file, and name it by --configfile; nothing was"
            " started"
        )
    resources = dict(profile["resources"])
    settings = {name: word for name in ("rows", "device") if (word := vars(options)[name])}
    if (options.device or run.plan.preset.device) == "cuda" and local:
        resources.setdefault("gpu", jobs_on_gpus(profile, dry=not DRY.isdisjoint(extra)))
    cores, words = options.cores, list[str]()
    if local:
        cores = cores or (limits.cores() if profile.get("cores") == "all" else None)
        if megabytes := limits.memory():
            left = max(megabytes - OF_SNAKEMAKE, OF_A_JOB)
            if left < (cores or limits.cores()) * OF_TRAINING:
                print(
                    f"memory: {megabytes} MB by the limit of this container or job: as many jobs"
                    " at a time as fit"
                )
            resources.setdefault("mem_mb", left)
            if "default-resources" not in profile:
                words += ["--default-resources", f"mem_mb={OF_A_JOB}"]
    words += ["--cores", str(cores)] if cores else []
    for option, named in (("--config", settings), ("--resources", resources)):
        words += [option, *(f"{name}={value}" for name, value in named.items())] if named else []
    # Last one that takes no words: a target of the user would be taken for one.
    return [*words, "--rerun-incomplete"]


def _remove_lock(command: list[str], folder: Path) -> None:
    """Removes the lock that a killed Snakemake left.

    Raises:
        Refused: if a Snakemake that was started by hand holds it.
    """
    if not any((folder / ".snakemake" / "locks").glob("*.lock")):
        return
    if other := snakemake_by_hand(folder):
        raise Refused(
            f"another Snakemake, process {other}, works in {folder}: wait for it or end it"
        )
    # A configuration that cannot be read fails here too; the run then says why.
    subprocess.run([*command, "--unlock"], capture_output=True)
    print("an earlier run was interrupted; continuing from what it finished")


def _remove_empty(results: Path) -> None:
    """Removes figures, tables and pages of no bytes, which Snakemake would take for made."""
    for file in sorted(results.rglob("*.*")):
        made = file.suffix in (".pdf", ".png", ".parquet", ".html", ".md")
        if made and file.is_file() and not file.stat().st_size:
            print(f"{file} is empty: it is made again")
            file.unlink()


def _date_now(results: Path) -> None:
    """Dates files of the future now: until then Snakemake would fail every job that reads one."""
    now, dated = time.time(), 0
    for place, folders, names in os.walk(results):
        # Of no job's inputs, and many.
        folders[:] = [name for name in folders if name not in ("cells", "checkpoints")]
        for name in names:
            with suppress(OSError):  # an orphan of an earlier run may remove its partial files
                if Path(place, name).stat().st_mtime > now + 1:
                    os.utime(Path(place, name), (now, now))
                    dated += 1
    if dated:
        print(
            f"{dated} files were dated in the future; they are dated now. Look at the clock of the"
            " machine that wrote them"
        )


def _again(run: Run, folder: Path) -> list[str]:
    """Options that make Snakemake gather those curves again whose cells are not to be taken.

    Such cells are not in the store, or were trained on a GPU by other code. Snakemake looks at
    curves only: it would miss a lost cell until its weights are wanted.
    """
    files = []
    for curve in run.curves.values():
        file = run.rows(curve)
        if not file.is_file():
            continue
        _, asked = stored_paths(curve, run.directory / places.store_of(curve.trainer))
        lost = [key for key in asked if not run.stored(curve, key).is_file()]
        old = [key for key in asked if key not in lost]
        for what, keys in (
            ("not in the store any more", lost),
            ("trained on a GPU by other code than there is now", old),
        ):
            if keys:
                some = ", ".join(keys[:3]) + (", ..." if len(keys) > 3 else "")
                print(f"{what}: {len(keys)} networks of {curve.name} ({some})")
        if asked:
            files.append(str(file.relative_to(folder)))
    # Another option has to follow: this one takes all words up to it.
    return ["--forcerun", *files, "--rerun-incomplete"] if files else []


def _milestones(run: Run) -> dict[str, str]:
    """What is said when Figure 4 of the paper is there, or the first figure of other studies."""
    figures = [figure.name for study in run.plan.studies for figure in STUDIES[study].figures]
    return {
        name: f"Figure {name.removeprefix('fig').lstrip('0')}: "
        f"{run.directory / places.figure_files(run.plan.name, name)['png']}"
        for name in ([FIRST] if FIRST in figures else figures[:1])
    }


def _show_failure(results: Path, code: int, run: Run, watch: Watch, *, begun: float) -> None:
    """What ended a run, and what there is of its networks."""
    log, failed = results / LOG, last_words(results, FAILED, since=begun)
    said = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    print("\n".join(failed or said.splitlines()[-TAIL:]))
    if "SIGKILL: 9" in said or code == 128 + signal.SIGKILL:
        print(why_killed())
    done, n_cells = watch.arrived(), watch.progress().cells
    begun_keys = {
        entry["key"]
        for curve in run.curves.values()
        for entry in curve.entries
        if run.checkpoint(curve, entry["key"]).is_file()
    }
    unfinished = len(begun_keys - done.keys())
    kept = f"{len(done)} of {n_cells} networks are stored, {unfinished} are checkpointed"
    print(f"stopped after {wall_time(begun)} (exit code {code}); {kept}")
    print("the same command goes on from there, once what is reported above is mended")


def why_killed() -> str:
    """Why the system may have killed a job, and what to do."""
    seconds = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if seconds != resource.RLIM_INFINITY:
        return (
            f"a job was killed (SIGKILL), as the system does after {seconds} s of processor time,"
            " the limit here (ulimit -t): raise it, or run on a node without one"
        )
    limit = f" (its limit here: {limits.memory()} MB)" if limits.memory() else ""
    return (
        f"a job was killed (SIGKILL), as the system does for want of memory{limit}. CORES=1 has one"
        " job at a time; what is stored is kept"
    )


def _answer(run: Run) -> list[str]:
    """What the claims of a run say, for the last screen. Writes its index, which says it, too."""
    # These read tables: pandas is loaded when the run has ended, not before it starts.
    from srhm.commands.claims import NoResults, answer_in, shorten_line
    from srhm.commands.index import write_index

    folder, answer = run.directory / "results" / run.plan.name, None
    with suppress(NoResults):
        answer = answer_in(folder, run.plan.studies)
    with suppress(OSError):  # a full disk is reported where a job meets it
        write_index(run, answer)
    missing = "; ".join(why.partition("\n")[0] for why in run.absent.values())
    return [
        *(answer.screen(folder) if answer else []),
        *([shorten_line(f"Missing: {missing}")] if missing else []),
    ]
