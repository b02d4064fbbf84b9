"""Faults that strike a run while it trains: signals, lost readers, a second run beside it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import psutil

from faults.kinds import EXPERIMENTS, GRADIENT_FLOW, ON_IMAGES
from faults.scene import LONGEST_END, LONGEST_RUN, REPOSITORY, Defect, Scene, wait_for_group
from faults.table import NOTHING, Fault, Make, for_kinds

Strike = Callable[[Scene, "subprocess.Popen[str]"], None]
STORED = r"(\d+ of \d+ networks are stored.*)"
INTERRUPTED = "an earlier run was interrupted"


def struck(strike: Strike, *, goes_on: bool = False, before: Sequence[str] = ()) -> Make:
    """A run that is struck while it trains, with three cells stored.

    goes_on: whether it is to reach its end all the same. before: see `Scene.start`.
    """

    def make(scene: Scene) -> str:
        process = scene.start(before=before)
        scene.wait_for_cells(3, process)
        scene.stored, scene.at_work = scene.whole(), len(scene.trainers(process))
        strike(scene, process)
        code, text = scene.end(process, within=LONGEST_RUN if goes_on else LONGEST_END)
        if goes_on and code:
            raise Defect(f"the run does not go on:\n{text}")
        time.sleep(0.5)  # files of killed processes are closed
        return text

    return make


def to_group(number: signal.Signals) -> Strike:
    """The signal for launcher, Snakemake and trainers, as a terminal sends it."""
    return lambda scene, process: os.killpg(process.pid, number)


def to_launcher(number: signal.Signals) -> Strike:
    """The signal for the launcher alone."""
    return lambda scene, process: process.send_signal(number)


def to_trainer(number: signal.Signals) -> Strike:
    """The signal for one process that trains."""
    return lambda scene, process: scene.trainers(process)[0].send_signal(number)


def twice(scene: Scene, process: "subprocess.Popen[str]") -> None:
    """Ctrl-C, and again as soon as it is not taken for the same one."""
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1.5)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)


def stopped_and_continued(scene: Scene, process: "subprocess.Popen[str]") -> None:
    """Ctrl-Z or a laptop that sleeps, for three seconds."""
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(3)
    os.killpg(process.pid, signal.SIGCONT)


def without_logs(scene: Scene, process: "subprocess.Popen[str]") -> None:
    """Deletes what the run writes its messages to."""
    (scene.folder / "results" / "run.log").unlink()


def beside_orphans(scene: Scene) -> str:
    """SIGKILL of Snakemake alone: its trainers go on as orphans, and the next run beside them."""
    process = scene.start()
    scene.wait_for_cells(3, process)
    orphans, scene.stored = scene.trainers(process), scene.whole()
    scene.snakemake(process).kill()
    scene.end(process, within=LONGEST_END)
    alive = sum(orphan.is_running() for orphan in orphans)
    if not alive:
        raise Defect("no trainer outlived Snakemake: nothing was tested")
    code, text = scene.run()
    psutil.wait_procs(orphans, timeout=LONGEST_END)
    if code:
        raise Defect(f"the run beside orphans fails:\n{text}")
    now = scene.whole()
    if any(now[key] != scene.stored[key] for key in scene.stored):
        raise Defect(f"a stored cell was trained again:\n{text}")
    return text


def launcher_killed(scene: Scene) -> str:
    """SIGKILL of the launcher alone: Snakemake goes on; until it ends a second run is refused."""
    process = scene.start()
    scene.wait_for_cells(3, process)
    scene.stored = scene.whole()
    snakemake = scene.snakemake(process)
    process.kill()
    process.wait()
    code, text = scene.run()
    if code != 2:
        raise Defect(f"a second run is not refused:\n{text}")
    psutil.wait_procs([snakemake], timeout=LONGEST_RUN)
    return text


def second_commands(scene: Scene, process: "subprocess.Popen[str]") -> None:
    """A second run, `unlock` and `gc CONFIRM=yes` while the first trains; what they say is kept.

    The first stands still meanwhile: it would be over before them.
    """
    launch = scene.command()
    gc = [sys.executable, "-m", "srhm.commands.gc", "--confirm", "yes"]
    gc += ["--directory", str(scene.folder)]
    said = []
    os.killpg(process.pid, signal.SIGSTOP)
    for command in (launch, [*launch, "--unlock"], gc):
        one = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if one.returncode != 2:
            raise Defect(f"{command} is not refused: {one.stdout}{one.stderr}")
        said.append(one.stdout + one.stderr)
    os.killpg(process.pid, signal.SIGCONT)
    scene.folder.with_suffix(".second").write_text("".join(said), encoding="utf-8")


def beside_another(scene: Scene) -> str:
    """A run during which others are refused."""
    text = struck(second_commands, goes_on=True)(scene)
    return text + scene.folder.with_suffix(".second").read_text(encoding="utf-8")


def into(*reader: str) -> Make:
    """A run whose messages go to another program, and Ctrl-C for both."""

    def make(scene: Scene) -> str:
        shell = f'"$@" 2>&1 | {" ".join(reader)}'
        text = struck(to_group(signal.SIGINT), before=["sh", "-c", shell, "sh"])(scene)
        wait_for_group(scene.started[-1])  # the shell ends before the run
        return text

    return make


def left_by(reader: str) -> Make:
    """A run whose reader ends before the run, which goes on."""
    shell = f'"$@" 2>&1 | {reader}'
    return struck(lambda scene, process: None, goes_on=True, before=["sh", "-c", shell, "sh"])


OTHERS = (GRADIENT_FLOW.name, ON_IMAGES.name)
FAULTS = {
    "killed_trainer": for_kinds(
        Fault(
            title="SIGKILL of a trainer (or out of memory)",
            begins=NOTHING,
            make=struck(to_trainer(signal.SIGKILL)),
            says=(
                r"(died with <Signals.SIGKILL: 9>)",
                r"((?:a job was killed|out of memory).*)",
                STORED,
            ),
            lost="at most 1 cell in flight, no finished one",
            tracebacks=True,
        ),
        *(*OTHERS, EXPERIMENTS.name),
    ),
    "killed_run": for_kinds(
        Fault(
            title="SIGKILL of everything (or loss of power)",
            begins=NOTHING,
            make=struck(to_group(signal.SIGKILL)),
            says=(INTERRUPTED,),
            lost="at most {at_work} in flight, no finished one",
        ),
        *(*OTHERS, EXPERIMENTS.name),
    ),
    "killed_snakemake": Fault(
        title="SIGKILL of Snakemake alone, run again beside its orphaned trainers",
        begins=NOTHING,
        make=beside_orphans,
        says=(INTERRUPTED,),
        lost="nothing: the orphans store their cells",
        trains=0,
        mended=", after one in which it and the orphans trained them",
    ),
    "killed_launcher": Fault(
        title="SIGKILL of the launcher alone, run again while its Snakemake works",
        begins=NOTHING,
        make=launcher_killed,
        says=("another run works in",),
        trains=0,
        mended=", once that Snakemake has ended",
    ),
    "terminated_trainer": for_kinds(
        Fault(
            title="SIGTERM to a trainer (preemption)",
            begins=NOTHING,
            make=struck(to_trainer(signal.SIGTERM)),
            says=("SIGTERM", STORED),
            lost="at most 1 cell in flight (checkpointed), no finished one",
            tracebacks=True,
        ),
        *OTHERS,
    ),
    "terminated_run": for_kinds(
        Fault(
            title="SIGTERM to the run (end of a session)",
            begins=NOTHING,
            make=struck(to_launcher(signal.SIGTERM)),
            says=(STORED,),
            lost="at most {at_work} in flight (checkpointed), no finished one",
            tracebacks=True,
        ),
        *(*OTHERS, EXPERIMENTS.name),
    ),
    "interrupted_run": Fault(
        title="Ctrl-C",
        begins=NOTHING,
        make=struck(to_group(signal.SIGINT)),
        says=(STORED,),
        lost="at most {at_work} in flight (checkpointed), no finished one",
        tracebacks=True,
    ),
    "interrupted_twice": Fault(
        title="Ctrl-C twice",
        begins=NOTHING,
        make=struck(twice),
        says=(STORED,),
        lost="at most {at_work} in flight, no finished one",
        tracebacks=True,
    ),
    "hung_up": Fault(
        title="SIGHUP (the terminal is closed)",
        begins=NOTHING,
        make=struck(to_group(signal.SIGHUP)),
        says=(STORED,),
        lost="at most {at_work} in flight (checkpointed), no finished one",
        tracebacks=True,
    ),
    "stopped_and_continued": Fault(
        title="SIGSTOP and, later, SIGCONT (Ctrl-Z, a laptop that sleeps)",
        begins=NOTHING,
        make=struck(stopped_and_continued, goes_on=True),
        trains=0,
        mended=", after a run that went on by itself",
    ),
    "tee_interrupted": Fault(
        title="make reproduce 2>&1 \\| tee log, then Ctrl-C, which ends tee at once",
        begins=NOTHING,
        make=into("tee", "/dev/stdout"),
        says=("goes on from its checkpoint",),
        lost="at most {at_work} in flight (checkpointed), no finished one",
    ),
    "reader_gone": Fault(
        title="make reproduce \\| head -1: the reader is gone after a line",
        begins=NOTHING,
        make=left_by("head -1"),
        trains=0,
        mended=", after a run that went on without a reader",
    ),
    "reader_absent": Fault(
        title="make reproduce \\| true: no line has a reader",
        begins=NOTHING,
        make=left_by("true"),
        trains=0,
        mended=", after a run that went on without a reader",
    ),
    "run_log_deleted": Fault(
        title="results/run.log deleted while a run writes to it",
        begins=NOTHING,
        make=struck(without_logs, goes_on=True),
        trains=0,
        mended=", after a run that went on",
    ),
    "beside_another": Fault(
        title="a second run, unlock, and gc CONFIRM=yes while a run trains",
        begins=NOTHING,
        make=beside_another,
        says=("another run works in", "nothing has been removed"),
        trains=0,
        mended=", after the first run has gone on to its end",
    ),
}
