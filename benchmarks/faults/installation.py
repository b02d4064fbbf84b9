"""Faults of the installation: interrupted, twice at a time, copied, moved, not ours, unfit paths.

The real script of `make env` is called in a folder of its own, with an invented pip: nothing is
fetched, and a fault finds it at work.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from faults.scene import LONGEST_END, REPOSITORY, Defect, Scene
from faults.surroundings import NO_LOCKS, with_library
from faults.table import NOTHING, Fault, Make

# Installs as pip does: at the end a file leads to the sources. It waits until it may go on.
PIP = """
import os, sys, sysconfig, time
from pathlib import Path
folder = Path(__file__).parents[1]
if sys.argv[-1] == "list":
    print("global.index='an-index'")
    sys.exit()
if (folder / "fails").exists():
    print("ERROR: no such package")
    sys.exit(1)
if (folder / "damaged").exists() and "--no-cache-dir" not in sys.argv:
    sys.exit("ERROR: Wheel 'a' located at /cache/a.whl is invalid.")
if any(name in os.environ for name in ("PIP_USER", "PIP_TARGET", "PIP_NO_BINARY")):
    sys.exit("a variable of pip is passed on")
(folder / "begun").touch()
while not (folder / "go").exists():
    time.sleep(0.02)
if "--editable" in sys.argv:
    root = Path(sys.argv[-1])
    file = Path(sysconfig.get_path("purelib")) / "__editable__.srhm-1.pth"
    file.write_text(f"{root / 'src'}\\n")
"""


class Clone:
    """A folder with the script of an environment and the lists that it installs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pip = folder, folder.parent / "pip_of_faults"
        (folder / "envs").mkdir(parents=True)
        (folder / "src" / "srhm" / "commands").mkdir(parents=True)
        for name in ("envs/install.py", "src/srhm/commands/variables.py"):
            shutil.copy(REPOSITORY / name, folder / name)
        for name in ("pyproject.toml", "envs/requirements.lock"):
            (folder / name).write_text("a==1\n", encoding="utf-8")
        (self.pip / "pip").mkdir(parents=True, exist_ok=True)
        (self.pip / "pip" / "__init__.py").touch()
        (self.pip / "pip" / "__main__.py").write_text(PIP, encoding="utf-8")

    def start(
        self, *before: str, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        """Starts the installation in a process group of its own; before: words before it."""
        return subprocess.Popen(
            [*before, sys.executable, str(self.folder / "envs" / "install.py")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self.pip), **(environment or {})},
            start_new_session=True,
        )

    def wait_for(self, name: str) -> None:
        """Waits until the invented pip has left a file."""
        deadline = time.monotonic() + LONGEST_END
        while not (self.pip / name).exists():
            if time.monotonic() > deadline:
                raise Defect(f"no file {name}")
            time.sleep(0.02)

    def install(self, environment: Mapping[str, str] | None = None) -> str:
        """Installs to the end: what was said.

        Raises:
            Defect: if the environment is not whole then, and of this folder.
        """
        (self.pip / "go").touch()
        process = self.start(environment=environment)
        said, _ = process.communicate(timeout=LONGEST_END)
        sources = [
            file.read_text(encoding="utf-8").strip()
            for file in (self.folder / ".venv").glob("lib/python*/site-packages/__editable__*.pth")
        ]
        if process.returncode or sources != [str(self.folder / "src")]:
            raise Defect(f"no whole environment of {self.folder}: {sources}\n{said}")
        if (self.folder / ".venv" / "unfinished").exists():
            raise Defect(f"unfinished:\n{said}")
        return said


def interrupted(scene: Scene) -> str:
    """SIGKILL while pip installs; then the same call again."""
    clone = Clone(scene.folder / "clone")
    process = clone.start()
    clone.wait_for("begun")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return clone.install()


def two_at_a_time(scene: Scene) -> str:
    """Two calls at a time."""
    clone = Clone(scene.folder / "clone")
    first = clone.start()
    clone.wait_for("begun")
    second = clone.start()
    time.sleep(1)
    (clone.pip / "go").touch()
    said = "".join(one.communicate(timeout=LONGEST_END)[0] for one in (first, second))
    if first.returncode or second.returncode:
        raise Defect(said)
    return said


def copied(scene: Scene) -> str:
    """A clone is copied with its environment, and the copy's is asked for."""
    clone = Clone(scene.folder / "clone")
    clone.install()
    other = Clone(scene.folder / "other")
    shutil.copytree(clone.folder / ".venv", other.folder / ".venv", symlinks=True)
    return other.install()


def moved(scene: Scene) -> str:
    """A clone is moved with its environment."""
    clone = Clone(scene.folder / "clone")
    clone.install()
    clone.folder = clone.folder.rename(scene.folder / "moved")
    return clone.install()


def listed(folder: Path) -> list[tuple[str, str]]:
    """All that lies in a folder, with the content of files and where links lead."""
    return sorted(
        (
            str(one.relative_to(folder)),
            os.readlink(one) if one.is_symlink() else one.read_text() if one.is_file() else "",
        )
        for one in folder.rglob("*")
    )


def foreign(make: Callable[[Path], None]) -> Make:
    """Something in the place of .venv that make did not put there: it stays as it is."""

    def made(scene: Scene) -> str:
        clone = Clone(scene.folder / "clone")
        make(clone.folder / ".venv")
        (clone.pip / "go").touch()
        before = listed(scene.folder)
        process = clone.start()
        said, _ = process.communicate(timeout=LONGEST_END)
        if process.returncode != 2 or listed(scene.folder) != before:
            raise Defect(f"it is not refused, or touched:\n{said}")
        return said

    return made


def environment(venv: Path) -> None:
    """An environment that somebody made."""
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")


def linked(venv: Path, *, stamped: bool = False) -> None:
    """A link to somebody's environment; stamped: one that make made for another clone."""
    shared = venv.parents[1] / "shared"
    environment(shared)
    if stamped:
        (shared / "package.stamp").touch()
    venv.symlink_to(shared)


def by_hand(venv: Path) -> None:
    """An environment of the user's own with the code of this clone (`pip install -e .`)."""
    environment(venv)
    packages = venv / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.srhm-1.pth").write_text(f"{venv.parent / 'src'}\n")


def notes(venv: Path) -> None:
    """A folder of something else."""
    venv.mkdir()
    (venv / "note").write_text("mine", encoding="utf-8")


def unfit_path(scene: Scene) -> str:
    """A clone in a path with a blank."""
    clone = Clone(scene.folder / "my clone")
    process = clone.start()
    said, _ = process.communicate(timeout=LONGEST_END)
    if process.returncode != 2 or (clone.folder / ".venv").exists():
        raise Defect(f"it is not refused:\n{said}")
    return said


# What may stand where .venv is to be, and the words by which it is refused.
FOREIGN: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "venv_link": ("a link to a shared environment", linked, "is a link to"),
    "venv_link_stamped": (
        "a link to the environment of another clone",
        partial(linked, stamped=True),
        "is a link to",
    ),
    "venv_link_broken": (
        "a link that leads nowhere",
        lambda venv: venv.symlink_to("gone"),
        "is a link to",
    ),
    "venv_file": ("a file", lambda venv: venv.write_text("mine") and None, "is no folder"),
    "venv_pipe": ("a pipe", os.mkfifo, "is no folder"),
    "venv_foreign": ("somebody's environment", environment, "was not made by make"),
    "venv_by_hand": ("an environment with pip install -e .", by_hand, "was not made by make"),
    "venv_notes": ("a folder of something else", notes, "was not made by make"),
}


def with_variables(scene: Scene) -> str:
    """Variables that would have pip install elsewhere, or build all."""
    variables = {"PIP_USER": "1", "PIP_TARGET": "/no/such/folder", "PIP_NO_BINARY": ":all:"}
    return Clone(scene.folder / "clone").install(variables)


def pip_fails(scene: Scene) -> str:
    """pip fails; how it is configured is said. Then it does not."""
    clone = Clone(scene.folder / "clone")
    (clone.pip / "fails").touch()
    said, _ = clone.start().communicate(timeout=LONGEST_END)
    (clone.pip / "fails").unlink()
    return said + clone.install()


def pip_cache(scene: Scene) -> str:
    """pip's cache holds a truncated wheel."""
    clone = Clone(scene.folder / "clone")
    (clone.pip / "damaged").touch()
    return clone.install()


def no_ensurepip(scene: Scene) -> str:
    """A Python whose module venv fails, as Debian's without python3-venv; then it does not."""
    clone = Clone(scene.folder / "clone")
    module = clone.pip / "venv"
    module.mkdir()
    (module / "__init__.py").touch()
    (module / "__main__.py").write_text("raise SystemExit('apt install python3-venv')")
    said, _ = clone.start().communicate(timeout=LONGEST_END)
    shutil.rmtree(module)
    return said + clone.install()


def read_only(scene: Scene) -> str:
    """A clone on a read-only disk that has no environment yet."""
    clone = Clone(scene.folder / "clone")
    words = f"mount --bind {clone.folder} {clone.folder} && mount -o remount,bind,ro {clone.folder}"
    process = clone.start("unshare", "--mount", "sh", "-c", f'{words} && exec "$@"', "sh")
    said, _ = process.communicate(timeout=LONGEST_END)
    if process.returncode != 2:
        raise Defect(f"it is not refused:\n{said}")
    return said


def no_locks(scene: Scene, variables: dict[str, str]) -> str:
    """The clone's file system has no locks: it is installed all the same."""
    return Clone(scene.folder / "clone").install(variables)


def variables_first(scene: Scene) -> str:
    """`make -e clean-env`, which takes VENV of the environment for the Makefile's."""
    mine = scene.folder / "mine"
    notes(mine)
    command = ["make", "--environment-overrides", "clean-env"]
    shutil.copy(REPOSITORY / "Makefile", scene.folder)
    done = subprocess.run(
        command,
        cwd=scene.folder,
        capture_output=True,
        text=True,
        env={**os.environ, "VENV": str(mine), "BIN": str(mine)},
    )
    if done.returncode or not (mine / "note").exists():
        raise Defect(f"it fails, or removed what VENV names:\n{done.stdout}{done.stderr}")
    return done.stdout


NEW = "an environment that is whole and of this folder"
FAULTS = {
    "installation_interrupted": Fault(
        title="SIGKILL of the installation, then make again",
        begins=NOTHING,
        make=interrupted,
        says=("Installing",),
        lost="the unfinished environment",
        rerun=NEW,
    ),
    "two_installations": Fault(
        title="two first calls of make at a time",
        begins=NOTHING,
        make=two_at_a_time,
        says=("another make installs into .venv: waiting",),
        rerun=NEW,
    ),
    "clone_copied": Fault(
        title="a clone copied with its environment, then make in the copy",
        begins=NOTHING,
        make=copied,
        says=("Installing",),
        rerun=NEW,
    ),
    "clone_moved": Fault(
        title="a clone moved with its environment, then make",
        begins=NOTHING,
        make=moved,
        says=("Installing",),
        rerun=NEW,
    ),
    "unfit_path": Fault(
        title="a clone in a path with a blank",
        begins=NOTHING,
        make=unfit_path,
        says=("jobs would fail in a shell. Move it",),
        rerun="nothing, until it is moved",
    ),
} | {
    name: Fault(
        title=f"in the place of .venv: {title}",
        begins=NOTHING,
        make=foreign(make),
        says=(says,),
        rerun="nothing, until it is moved away",
    )
    for name, (title, make, says) in FOREIGN.items()
}
FAULTS |= {
    "pip_variables": Fault(
        title="PIP_USER, PIP_TARGET and PIP_NO_BINARY of the environment, then make",
        begins=NOTHING,
        make=with_variables,
        says=tuple(f"{name}=.* is ignored" for name in ("PIP_USER", "PIP_TARGET", "PIP_NO_BINARY")),
        rerun=NEW,
    ),
    "pip_fails": Fault(
        title="pip fails, then make again",
        begins=NOTHING,
        make=pip_fails,
        says=("ERROR: no such package", "pip is configured here: "),
        lost="the unfinished environment",
        rerun=NEW,
    ),
    "pip_cache": Fault(
        title="a damaged package in pip's cache",
        begins=NOTHING,
        make=pip_cache,
        says=("pip's cache holds a damaged package: again without that cache",),
        rerun=NEW,
    ),
    "no_ensurepip": Fault(
        title="a Python that makes no environments, then make with one that does",
        begins=NOTHING,
        make=no_ensurepip,
        says=("apt install python3-venv", "cannot make an environment"),
        rerun=NEW,
    ),
    "clone_read_only": Fault(
        title="make in a clone on a read-only disk",
        begins=NOTHING,
        make=read_only,
        says=("Read-only file system; no environment is installed",),
        rerun="nothing, until it can be written to",
        root=True,
    ),
    "clone_no_locks": Fault(
        title="make in a clone on a file system without locks",
        begins=NOTHING,
        make=with_library(NO_LOCKS, no_locks),
        says=("cannot be locked .No locks available",),
        rerun=NEW,
    ),
    "environment_first": Fault(
        title="make -e clean-env with VENV of the environment",
        begins=NOTHING,
        make=variables_first,
        rerun="nothing to be done",
    ),
}
