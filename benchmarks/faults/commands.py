"""Faults of what a user types, and of who else works there."""

import http.server
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from faults.files import lose_a_cell
from faults.kinds import CURVES, MAIN, SECTION
from faults.scene import LONGEST_RUN, REPOSITORY, Defect, Scene
from faults.table import LESS, NOTHING, Fault, Make

REFUSED = 2


def also(*words: str) -> Make:
    """A cell is deleted, and the run that trains it has these words more."""

    def make(scene: Scene) -> str:
        scene.under = {"arguments": (*scene.kind.words, *words)}
        return lose_a_cell(scene)

    return make


def without_next(make: Make) -> Make:
    """The same, but these words are of a run of its own, before the next."""

    def made(scene: Scene) -> str:
        text = make(scene)
        arguments = scene.under.pop("arguments")
        code, said = scene.run(*arguments)
        if code:
            raise Defect(f"it fails:\n{said}")
        return text + said

    return made


def refused(*words: str, code: int = REFUSED) -> Make:
    """A launch that is refused, and leaves all as it was."""

    def make(scene: Scene) -> str:
        before = sorted(scene.folder.rglob("*"))
        found, text = scene.run(*words)
        if found != code or sorted(scene.folder.rglob("*")) != before:
            raise Defect(f"it is not refused (exit code {found}), or touched something:\n{text}")
        return text

    return make


def called(*words: str, code: int = 0, shell: str = "") -> Make:
    """Another command of the package, in the folder of the scene.

    shell: what its output goes through.
    """

    def make(scene: Scene) -> str:
        command = [sys.executable, "-m", *words]
        command = [word.format(file=scene.file, folder=scene.folder) for word in command]
        if shell:
            command = ["bash", "-o", "pipefail", "-c", f'"$@" 2>&1 {shell}', "bash", *command]
        one = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, timeout=LONGEST_RUN
        )
        if one.returncode != code:
            raise Defect(f"exit code {one.returncode}:\n{one.stdout}{one.stderr}")
        return one.stdout + one.stderr

    return make


def more_then_touched(scene: Scene) -> str:
    """More cells are asked for, and Snakemake's --touch is given before anything is trained."""
    _, text = scene.run(*scene.kind.words, "--touch")
    return text


def keep_going(scene: Scene) -> str:
    """A curve that cannot be trained; the other one is all the same."""
    for file in (scene.cell(0), scene.cell(6)):
        file.unlink()
    scene.cell(0).mkdir()
    code, text = scene.run(*scene.kind.words, "--keep-going")
    if not code or not scene.cell(6).is_file():
        raise Defect(f"the other curve is not trained:\n{text}")
    return text


def not_of_this_clone(scene: Scene) -> str:
    """The launcher is called in a copied clone, with the environment of the original."""
    copy = scene.folder.with_name("copied")
    (copy / "src" / "srhm").mkdir(parents=True)
    code, text = scene.run(cwd=copy)
    if code != REFUSED:
        raise Defect(f"it runs the code of another clone:\n{text}")
    return text


def two_of_one_name(scene: Scene) -> str:
    """A file of other numbers with the same preset name, and then the first again."""
    config = {**MAIN.config, "sparse_hierarchy": {**SECTION, "curves": [{**CURVES, "P": [60]}]}}
    file, scene.file = scene.file, scene.file.with_name("other.yaml")
    code, text = scene.run()  # notes whose results these are
    stored = scene.stored
    scene.configure(config)
    code, text = scene.run()
    scene.file = file
    scene.configure(MAIN.config)
    scene.stored = stored
    if code:
        raise Defect(f"it fails:\n{text}")
    return text


def by_hand(scene: Scene) -> str:
    """A run in a folder where a Snakemake that was started by hand works."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["--configfile", str(scene.file), "--directory", str(scene.folder), "--cores", "1"]
    command += ["--until", "train_hierarchy"]
    log = scene.folder.with_name("by_hand.log").open("w", encoding="utf-8")
    with log, subprocess.Popen(command, cwd=scene.folder, stdout=log, stderr=log) as other:
        locks = scene.folder / ".snakemake" / "locks"
        while other.poll() is None and not any(locks.glob("*.lock")):
            time.sleep(0.02)
        other.send_signal(signal.SIGSTOP)
        code, text = scene.run()
        other.send_signal(signal.SIGCONT)
        other.send_signal(signal.SIGTERM)
    if code != REFUSED:
        raise Defect(f"it is not refused:\n{text}")
    return text


class Endless(http.server.BaseHTTPRequestHandler):
    """Gives zeros for as long as anyone reads."""

    def do_GET(self) -> None:
        """Answers without an end."""
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(1 << 20))
        except OSError:
            pass

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Address of a server on this machine whose answer has no end."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/cifar-10-binary.tar.gz"
        server.shutdown()


def download(address: Callable[[Scene], str]) -> Make:
    """`make cifar` of an address; nothing may be left."""

    def make(scene: Scene) -> str:
        folder = scene.folder / "downloaded"
        words = ["srhm.images.download", "--folder", str(folder / "cifar"), "--url"]
        text = called(*words, address(scene), code=1)(scene)
        if any(folder.iterdir()):
            raise Defect(f"something is left: {sorted(folder.iterdir())}\n{text}")
        return text

    return make


def endless(scene: Scene) -> str:
    """`make cifar` of an address that never ends."""
    with served() as address:
        return download(lambda _: address)(scene)


def other_archive(scene: Scene) -> str:
    """Address of a file that is no archive of CIFAR-10."""
    file = scene.folder / "other.tar.gz"
    file.write_bytes(bytes(1000))
    return Path(file).as_uri()


NEVER = "nothing, until it is mended"
FAULTS = {
    "dry_run": Fault(
        title="ARGS=-n, a cell lacking",
        make=without_next(also("-n")),
        says=("a dry run: nothing was made",),
        loses=1,
    ),
    "touch": Fault(
        title="ARGS=--touch, more cells asked for",
        begins=LESS,
        make=more_then_touched,
    ),
    "forceall": Fault(
        title="ARGS=--forceall, a cell lacking",
        make=also("--forceall"),
        loses=1,
    ),
    "keep_going": Fault(
        title="ARGS=--keep-going, one curve cannot be stored",
        make=keep_going,
        says=("a folder is in place of this file: remove it",),
        lost="two cells, which were deleted",
        loses=2,
        mend=lambda scene: scene.cell(0).rmdir(),
        mended=", once the folder is removed",
        tracebacks=True,
    ),
    "no_cores": Fault(
        title="CORES=0",
        make=refused("--cores", "0"),
        says=("0 is not allowed: 1 or more cores are needed",),
        rerun=NEVER,
    ),
    "no_such_preset": Fault(
        title="PRESET= of no preset",
        make=called("srhm.commands.launch", "--preset", "lapto", code=REFUSED),
        says=("no preset 'lapto'; there are",),
        rerun=NEVER,
    ),
    "no_such_study": Fault(
        title="STUDY= of no study",
        make=refused("--study", "jaming"),
        says=("no study 'jaming' .jamming.*; there are",),
        rerun=NEVER,
    ),
    "no_such_profile": Fault(
        title="PROFILE= of no profile",
        make=refused("--profile", "slrm"),
        says=("no profile 'slrm'; there are",),
        rerun=NEVER,
    ),
    "no_gpu": Fault(
        title="DEVICE=cuda without a GPU",
        make=refused("--device", "cuda"),
        says=("nothing was started",),
        rerun=NEVER,
    ),
    "copied_clone": Fault(
        title="a copied clone with the environment of the original",
        make=not_of_this_clone,
        says=("its environment runs the code of",),
        rerun=NEVER,
    ),
    "two_of_one_name": Fault(
        title="two files with one preset name",
        make=two_of_one_name,
        says=("were made of .*take their place",),
        lost="nothing: the tables are made again",
    ),
    "by_hand": Fault(
        title="a Snakemake that was started by hand works in the folder",
        make=by_hand,
        says=("another Snakemake, process",),
        begins=NOTHING,
    ),
    "status_head": Fault(
        title="make status \\| head -1",
        make=called(
            *("srhm.commands.status", "--configfile", "{file}", "--directory", "{folder}"),
            shell="| head -1",
        ),
        says=("study",),
        rerun="nothing to be done",
    ),
    "cifar_address": Fault(
        title="make cifar with an address that is none",
        make=download(lambda _: "htp://cifar"),
        says=("cannot be read.*unpack it by hand, or name a copy",),
        rerun=NEVER,
    ),
    "cifar_refused": Fault(
        title="make cifar without a network",
        make=download(lambda _: "http://127.0.0.1:9/cifar-10-binary.tar.gz"),
        says=("cannot be read.*unpack it by hand, or name a copy",),
        rerun=NEVER,
    ),
    "cifar_endless": Fault(
        title="make cifar with an answer that never ends",
        make=endless,
        says=("gives more than the",),
        rerun=NEVER,
    ),
    "cifar_other": Fault(
        title="make cifar of another file",
        make=download(other_archive),
        says=("is not the archive that was meant",),
        rerun=NEVER,
    ),
}
