"""Faults of what surrounds a run: disks, users, limits, variables of the environment, caches.

Most of them last while a run trains a cell that was deleted before, which must go well.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from faults.files import lose_a_cell, truncated
from faults.scene import REPOSITORY, Defect, Scene
from faults.signals import STORED, struck
from faults.table import LESS, NOTHING, Fault, Make

NOBODY = "65534"


def under(
    *,
    environment: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> Make:
    """A cell is deleted, and the run that trains it has these variables, or this program around."""

    def make(scene: Scene) -> str:
        scene.under = {"environment": dict(environment or {}), "before": list(before)}
        return lose_a_cell(scene)

    return make


def in_shell(words: str) -> list[str]:
    """A shell that does something, and then becomes the command that follows."""
    return ["sh", "-c", f'{words} && exec "$@"', "sh"]


def mount(folder: Path, *, megabytes: int) -> None:
    """Puts a disk of memory in the place of a folder."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    subprocess.run(words, check=True)


def unmount(folder: Path) -> None:
    """Takes it away, with what is on it."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def filled_up(ballast: Path) -> None:
    """Writes a file until the disk is full."""
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def on_own_disk(make: Make) -> Make:
    """The fault, where results lie on a disk of 64 MB; they are taken from it afterwards."""

    def made(scene: Scene) -> str:
        kept = scene.folder.with_name(f"{scene.folder.name}_kept")
        shutil.copytree(scene.folder, kept, symlinks=True)
        mount(scene.folder, megabytes=64)
        try:
            subprocess.run(["cp", "-a", f"{kept}/.", str(scene.folder)], check=True)
            text = make(scene)
            shutil.rmtree(kept)
            subprocess.run(["cp", "-a", str(scene.folder), str(kept)], check=True)
        finally:
            unmount(scene.folder)
        subprocess.run(["cp", "-a", f"{kept}/.", str(scene.folder)], check=True)
        return text

    return made


def full_disk(scene: Scene) -> str:
    """The disk of the results is filled up while cells are trained."""
    ballast = scene.folder / "ballast"
    text = struck(lambda scene, process: filled_up(ballast))(scene)
    ballast.unlink()
    return text


def read_only_disk(scene: Scene) -> str:
    """The disk of the results has become read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(scene.folder)], check=True)
    code, text = scene.run()
    subprocess.run(["mount", "-o", "remount,rw", str(scene.folder)], check=True)
    if code != 2:
        raise Defect(f"a read-only disk was not noticed:\n{text}")
    return text


def foreign_results(scene: Scene) -> str:
    """Results belong to another user.

    Root without its right to write what it does not own is as an ordinary user.
    """
    subprocess.run(["chown", "--recursive", NOBODY, str(scene.folder)], check=True)
    code, text = scene.run(before=["setpriv", "--bounding-set=-dac_override,-dac_read_search"])
    subprocess.run(["chown", "--recursive", "0", str(scene.folder)], check=True)
    if code != 2:
        raise Defect(f"a foreign folder was not noticed:\n{text}")
    return text


@contextmanager
def full_temporary_folder(folder: Path) -> Iterator[None]:
    """A folder for temporary files on a disk that is full."""
    folder.mkdir()
    mount(folder, megabytes=1)
    filled_up(folder / "ballast")
    try:
        yield
    finally:
        unmount(folder)


def temporary_folder_full(scene: Scene) -> str:
    """TMPDIR is full while a cell is trained."""
    folder = scene.folder.with_name("tmp")
    scene.under = {
        "around": full_temporary_folder(folder),
        "environment": {"TMPDIR": str(folder)},
    }
    return lose_a_cell(scene)


def with_compiled_code(damage: Callable[[Path], None]) -> Make:
    """A cell is trained with a folder of compiled code to which something was done."""

    def make(scene: Scene) -> str:
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "srhm"
        user = Path(os.environ.get("NUMBA_CACHE_DIR") or user)
        own = scene.folder.with_name("compiled")
        shutil.copytree(user, own)
        damage(own)
        scene.under = {"environment": {"NUMBA_CACHE_DIR": str(own)}}
        return lose_a_cell(scene)

    return make


def all_truncated(folder: Path) -> None:
    """Cuts all indices of compiled code."""
    for file in folder.rglob("*.nbi"):
        truncated(file)


def moved(scene: Scene) -> str:
    """The folder with the results is moved to a path that no shell likes."""
    lose_a_cell(scene)
    stored = scene.stored
    scene.folder = scene.folder.rename(scene.folder.with_name("a {curve} 'path' $HOME"))
    scene.stored = stored
    return ""


def linked(scene: Scene) -> str:
    """The folder results is a link to another disk."""
    lose_a_cell(scene)
    elsewhere = scene.folder.with_name("elsewhere")
    shutil.move(scene.folder / "results", elsewhere)
    (scene.folder / "results").symlink_to(elsewhere)
    return ""


READ_ONLY = (
    f"mount --bind {REPOSITORY} {REPOSITORY} && mount -o remount,bind,ro {REPOSITORY}"
    f" && cd {REPOSITORY} && ! touch {REPOSITORY}/a-file 2>&-"
)
FAULTS = {
    "full_disk": Fault(
        title="disk full while training",
        begins=NOTHING,
        make=on_own_disk(full_disk),
        says=("No space left", STORED),
        lost="at most {at_work} in flight, no finished one",
        tracebacks=True,
        root=True,
    ),
    "read_only_disk": Fault(
        title="results on a read-only disk",
        begins=LESS,
        make=on_own_disk(read_only_disk),
        says=("[Rr]ead-only",),
        root=True,
    ),
    "foreign_results": Fault(
        title="results of another user",
        begins=LESS,
        make=foreign_results,
        says=("cannot be written to: Permission denied",),
        root=True,
    ),
    "temporary_folder_full": Fault(
        title="TMPDIR on a full disk, a cell lacking",
        make=temporary_folder_full,
        loses=1,
        root=True,
    ),
    "read_only_clone": Fault(
        title="the clone on a read-only disk, a cell lacking",
        make=under(before=["unshare", "--mount", *in_shell(READ_ONLY)]),
        loses=1,
        root=True,
    ),
    "results_moved": Fault(
        title="results moved to a path with blanks, quotes, braces and a dollar, a cell lacking",
        make=moved,
        says=("not in the store",),
        loses=1,
    ),
    "results_linked": Fault(
        title="the folder results moved to another disk, a link in its place, a cell lacking",
        make=linked,
        says=("not in the store",),
        loses=1,
    ),
    "umask": Fault(
        title="umask 077, a cell lacking", make=under(before=in_shell("umask 077")), loses=1
    ),
    "no_home": Fault(
        title="HOME that cannot be written to, a cell lacking",
        make=under(environment={"HOME": "/proc/no-such-home", "XDG_CACHE_HOME": ""}),
        says=("cannot be written to.*is used",),
        loses=1,
    ),
    "locale": Fault(
        title="a locale without UTF-8 (LC_ALL=C), a cell lacking",
        make=under(
            environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ),
        loses=1,
    ),
    "little_memory": Fault(
        title="ulimit -v 1400000 (1.4 GB of addresses for each process), a cell lacking",
        make=under(before=in_shell("ulimit -v 1400000")),
        loses=1,
    ),
    "few_files": Fault(
        title="ulimit -n 64 (64 open files for each process), a cell lacking",
        make=under(before=in_shell("ulimit -n 64")),
        loses=1,
    ),
    "foreign_profile": Fault(
        title="SNAKEMAKE_PROFILE of the environment, a cell lacking",
        make=under(environment={"SNAKEMAKE_PROFILE": "/no/such/profile"}),
        says=("SNAKEMAKE_PROFILE=.* is ignored",),
        loses=1,
    ),
    "foreign_variables": Fault(
        title="PYTHONPATH, SNAKEMAKE_OUTPUT_CACHE and OMP_NUM_THREADS of the environment, a cell"
        " lacking",
        make=under(
            environment={
                **{"PYTHONPATH": "/no/such/folder", "SNAKEMAKE_OUTPUT_CACHE": "/no/such/folder"},
                **{"OMP_NUM_THREADS": "3", "MPLBACKEND": "tkagg", "PYTHONHASHSEED": "7"},
            }
        ),
        loses=1,
    ),
    "damaged_code": Fault(
        title="all files of compiled code truncated, a cell lacking",
        make=with_compiled_code(all_truncated),
        says=("compiled code in .* cannot be read",),
        loses=1,
    ),
    "no_place_for_code": Fault(
        title="NUMBA_CACHE_DIR that cannot be written to, a cell lacking",
        make=under(environment={"NUMBA_CACHE_DIR": "/proc/no-such-folder"}),
        says=("compiled code cannot be kept",),
        loses=1,
    ),
}
