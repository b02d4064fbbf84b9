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
from faults.scene import LONGEST_RUN, REPOSITORY, Absent, Defect, Scene
from faults.signals import STORED, struck
from faults.table import LESS, NOTHING, Fault, Make

NOBODY = "65534"
UNKNOWN = "12345"  # a user that no table of users has


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


def mount(folder: Path, *, megabytes: int, files: int = 0) -> None:
    """Puts a disk of memory in the place of a folder; files: that it holds at most, 0: any."""
    options = f"size={megabytes}m" + (f",nr_inodes={files}" if files else "")
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
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


def no_more_files(scene: Scene) -> str:
    """The disk of the results takes no more files while cells are trained; then it does."""
    remount = ["mount", "-o", "remount,nr_inodes={}", str(scene.folder)]

    def strike(scene: Scene, process: "subprocess.Popen[str]") -> None:
        now = os.statvfs(scene.folder)
        used = now.f_files - now.f_ffree
        subprocess.run([word.format(used + 1) for word in remount], check=True)

    text = struck(strike)(scene)
    subprocess.run([word.format(100_000) for word in remount], check=True)
    return text


def overlaid(scene: Scene) -> str:
    """The results lie on an overlay, as in a container, and a cell is lacking."""
    lose_a_cell(scene)
    below, above = (scene.folder.with_name(f"{scene.folder.name}_{name}") for name in "ab")
    scene.folder.rename(below)
    for folder in (scene.folder, above):
        folder.mkdir()
    mount(above, megabytes=64)
    for name in ("upper", "work"):
        (above / name).mkdir()
    where = f"lowerdir={below},upperdir={above / 'upper'},workdir={above / 'work'}"
    words = ["mount", "-t", "overlay", "-o", where, "overlay", str(scene.folder)]
    subprocess.run(words, check=True)
    try:
        code, text = scene.run()
        whole = scene.whole()
        kept = scene.folder.with_name(f"{scene.folder.name}_kept")
        subprocess.run(["cp", "-a", str(scene.folder), str(kept)], check=True)
    finally:
        unmount(scene.folder)
        unmount(above)
    scene.folder.rmdir()
    kept.rename(scene.folder)
    shutil.rmtree(below)
    if code or len(whole) != len(scene.keys):
        raise Defect(f"it fails on an overlay:\n{text}")
    return text


@contextmanager
def full_home(folder: Path) -> Iterator[None]:
    """A home on a disk that is full but takes empty files."""
    folder.mkdir()
    mount(folder, megabytes=1)
    (folder / ".cache").mkdir()
    filled_up(folder / "ballast")
    try:
        yield
    finally:
        unmount(folder)


def home_full(scene: Scene) -> str:
    """HOME is full while a cell is trained."""
    folder = scene.folder.with_name("home")
    scene.under = {
        "around": full_home(folder),
        "environment": {"HOME": str(folder), "XDG_CACHE_HOME": ""},
    }
    return lose_a_cell(scene)


def drawn_under(environment: Mapping[str, str]) -> Make:
    """A figure is drawn with these variables, by jobs and without make."""

    def make(scene: Scene) -> str:
        figure = "results/faults/figures/fig04.pdf"
        code, text = scene.run(figure, environment=environment)
        if code or not (scene.folder / figure).stat().st_size:
            raise Defect(f"no figure:\n{text}")
        return text

    return make


@contextmanager
def owned(folder: Path, user: str) -> Iterator[None]:
    """All in a folder belongs to a user while the block runs."""
    subprocess.run(["chown", "--recursive", f"{user}:{user}", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["chown", "--recursive", "0:0", str(folder)], check=True)


def as_unknown(*unset: str, also: Sequence[str] = ()) -> Make:
    """A cell is deleted, and a user without an entry trains it, who may read all.

    unset: variables that are not set. also: words between this and the run.
    """
    rights = "+dac_override,+dac_read_search"
    words = ["setpriv", f"--reuid={UNKNOWN}", f"--regid={UNKNOWN}", "--clear-groups"]
    words += [f"--inh-caps={rights}", f"--ambient-caps={rights}", "env"]
    words += [word for name in unset for word in ("-u", name)]

    def make(scene: Scene) -> str:
        scene.under = {"around": owned(scene.folder, UNKNOWN), "before": [*words, *also]}
        return lose_a_cell(scene)

    return make


def with_library(code: str, make: Callable[[Scene, dict[str, str]], str]) -> Make:
    """A fault made with some functions of the C library in place of its own.

    code: of C. make: gets the variables that load it; a file $FLAG is there while they misbehave.
    """

    def made(scene: Scene) -> str:
        if not shutil.which("cc"):
            raise Absent("no compiler cc")
        source, library = (scene.folder.with_name(f"library.{end}") for end in ("c", "so"))
        source.write_text(code, encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
        flag = str(scene.folder.with_name("flag"))
        return make(scene, {"LD_PRELOAD": str(library), "FLAG": flag})

    return made


NO_LOCKS = """
#include <errno.h>
int flock(int file, int operation) { errno = ENOLCK; return -1; }
"""
# Of the files of cells.
QUOTA = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int file, const void *bytes, size_t number) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  if (strstr(path, "/cells/") && access(getenv("FLAG"), F_OK) == 0) { errno = EDQUOT; return -1; }
  return syscall(SYS_write, file, bytes, number);
}
"""
# A month back.
CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  int code = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME && access(getenv("FLAG"), F_OK) == 0) now->tv_sec -= 30 * 86400;
  return code;
}
"""


def flagged(*, ends: bool) -> Callable[[Scene, dict[str, str]], str]:
    """A run during which the functions misbehave from a moment on; ends: whether it may fail."""

    def make(scene: Scene, variables: dict[str, str]) -> str:
        process = scene.start(environment=variables)
        scene.wait_for_cells(3, process)
        scene.stored, scene.at_work = scene.whole(), len(scene.trainers(process))
        Path(variables["FLAG"]).touch()
        code, text = scene.end(process, within=LONGEST_RUN)
        if bool(code) is not ends:
            raise Defect(f"exit code {code}:\n{text}")
        return text

    return make


def refused_with(scene: Scene, variables: dict[str, str]) -> str:
    """A launch with these variables that is refused."""
    code, text = scene.run(environment=variables)
    if code != 2:
        raise Defect(f"it is not refused:\n{text}")
    return text


def in_group(**files: str) -> list[str]:
    """Words that run a command in a control group of these files (cpu_max: of cpu.max)."""
    words = 'd=$(mktemp -d) && mount --bind "$d" "$d"'
    for name, text in files.items():
        words += f' && echo "{text}" > "$d/{name.replace("_", ".", 1)}"'
    return ["unshare", "--mount", *in_shell(f'{words} && mount --bind "$d" /sys/fs/cgroup')]


def cores_are(number: int, **files: str) -> Make:
    """The number of cores that make takes in a control group."""

    def make(scene: Scene) -> str:
        command = [*in_group(**files), "make", "--no-print-directory", "help"]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if f"CORES is {number} here" not in done.stdout:
            raise Defect(f"not {number} cores:\n{done.stdout}{done.stderr}")
        return done.stdout

    return make


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
        says=("compiled code of .* cannot be kept",),
        loses=1,
    ),
}
# Variables of which a run names each: a name, what they are to people, and their values.
NAMED: dict[str, tuple[str, dict[str, str]]] = {
    "python_warnings": ("PYTHONWARNINGS=error", {"PYTHONWARNINGS": "error"}),
    "python_optimize": ("PYTHONOPTIMIZE=2", {"PYTHONOPTIMIZE": "2"}),
    "python_verbose": (
        "PYTHONVERBOSE, PYTHONDEVMODE",
        {"PYTHONVERBOSE": "1", "PYTHONDEVMODE": "1"},
    ),
    "python_startup": ("PYTHONSTARTUP", {"PYTHONSTARTUP": "/no/such/file"}),
    "numba_interpreted": ("NUMBA_DISABLE_JIT", {"NUMBA_DISABLE_JIT": "1"}),
    "one_core_for_all": (
        "GOMP_CPU_AFFINITY, OMP_PROC_BIND, OMP_PLACES",
        {"GOMP_CPU_AFFINITY": "0", "OMP_PROC_BIND": "true", "OMP_PLACES": "{0}"},
    ),
    "setuptools": ("SETUPTOOLS_USE_DISTUTILS", {"SETUPTOOLS_USE_DISTUTILS": "stdlib"}),
}
# Those with which a run goes on as it does without.
HARMLESS: dict[str, tuple[str, dict[str, str]]] = {
    "garbage_proxy": (
        "http_proxy and https_proxy of garbage",
        {"http_proxy": "gar:bage://", "https_proxy": "gar:bage://"},
    ),
    "preloaded_nothing": ("LD_PRELOAD of no file", {"LD_PRELOAD": "/no/such/library.so"}),
    "no_temporary_folder": ("TMPDIR that is not there", {"TMPDIR": "/no/such/folder"}),
    "tiny_terminal": ("TERM=dumb, COLUMNS=1", {"TERM": "dumb", "COLUMNS": "1", "LINES": "1"}),
    "shell_variables": (
        "BASH_ENV, ENV, CDPATH, IFS, POSIXLY_CORRECT",
        {
            **{"BASH_ENV": "/no/such", "ENV": "/no/such", "CDPATH": "/", "IFS": "e"},
            "POSIXLY_CORRECT": "1",
        },
    ),
    "source_date": ("SOURCE_DATE_EPOCH of garbage", {"SOURCE_DATE_EPOCH": "yesterday"}),
    "other_zone": ("TZ of another day", {"TZ": "Pacific/Kiritimati"}),
    "hash_seed": ("PYTHONHASHSEED=7", {"PYTHONHASHSEED": "7"}),
    "other_processor": (
        "ATEN_CPU_CAPABILITY=default, OPENBLAS_CORETYPE=Haswell, MKL_CBWR=COMPATIBLE",
        {
            "ATEN_CPU_CAPABILITY": "default",
            "OPENBLAS_CORETYPE": "Haswell",
            "MKL_CBWR": "COMPATIBLE",
        },
    ),
}
FAULTS |= {
    name: Fault(
        title=f"{title} of the environment, a cell lacking",
        make=under(environment=variables),
        says=tuple(f"{one}=.* of the environment is ignored" for one in variables),
        loses=1,
    )
    for name, (title, variables) in NAMED.items()
}
FAULTS |= {
    name: Fault(title=f"{title}, a cell lacking", make=under(environment=variables), loses=1)
    for name, (title, variables) in HARMLESS.items()
}
FAULTS |= {
    "notebook": Fault(
        title="MPLBACKEND of a notebook, a figure drawn",
        make=drawn_under({"MPLBACKEND": "module://matplotlib_inline.backend_inline"}),
        says=("MPLBACKEND=.* of the environment is ignored",),
        trains=0,
    ),
    "matplotlibrc": Fault(
        title="MATPLOTLIBRC of no file, a figure drawn",
        make=drawn_under({"MATPLOTLIBRC": "/no/such/matplotlibrc"}),
        says=("MATPLOTLIBRC=.* of the environment is ignored",),
        trains=0,
    ),
    "unknown_user": Fault(
        title="a user without an entry (docker run --user), a cell lacking",
        make=as_unknown("USER", "LOGNAME"),
        says=("has no entry in the table of users",),
        loses=1,
        root=True,
    ),
    "unknown_user_no_home": Fault(
        title="a user without an entry and without HOME, a cell lacking",
        make=as_unknown("USER", "LOGNAME", "HOME", "XDG_CACHE_HOME"),
        says=("has no entry in the table of users",),
        loses=1,
        root=True,
    ),
    "home_full": Fault(
        title="HOME on a full disk, a cell lacking",
        make=home_full,
        says=("cannot be written to.*No space left.*is used",),
        loses=1,
        root=True,
    ),
    "no_more_files": Fault(
        title="no inodes left while training",
        begins=NOTHING,
        make=on_own_disk(no_more_files),
        says=("No space left", STORED),
        lost="at most {at_work} in flight, no finished one",
        tracebacks=True,
        root=True,
    ),
    "overlay": Fault(
        title="results on an overlay (a container), a cell lacking",
        make=overlaid,
        loses=1,
        trains=0,
        mended=", after a run on the overlay",
        root=True,
    ),
    "no_network": Fault(
        title="no network, a cell lacking",
        make=under(before=["unshare", "--net"]),
        loses=1,
        root=True,
    ),
    "no_locks": Fault(
        title="results on a file system without locks",
        make=with_library(NO_LOCKS, refused_with),
        says=("cannot be locked .No locks available.*--directory",),
    ),
    "disk_quota": Fault(
        title="the disk quota is used up while training (EDQUOT)",
        begins=NOTHING,
        make=with_library(QUOTA, flagged(ends=True)),
        says=("[Qq]uota exceeded", STORED),
        lost="at most {at_work} in flight, no finished one",
        tracebacks=True,
    ),
    "clock_jumps": Fault(
        title="the clock jumps a month back while training",
        begins=NOTHING,
        make=with_library(CLOCK, flagged(ends=False)),
        trains=0,
        mended=", after a run that went on",
    ),
    "few_processes": Fault(
        title="ulimit -u 64 (64 processes and threads) for a user, a cell lacking",
        make=as_unknown(
            "USER", "LOGNAME", also=["bash", "-c", 'ulimit -u 64 && exec "$@"', "bash"]
        ),
        loses=1,
        root=True,
    ),
    "quota": Fault(
        title="a quota of half a processor (cgroup v2)",
        make=cores_are(1, cpu_max="50000 100000"),
        says=("(CORES is 1 here)",),
        rerun="as many jobs at a time",
        root=True,
    ),
    "memory_of_container": Fault(
        title="a memory limit of 1.2 GB (cgroup v2), a cell lacking",
        make=under(before=in_group(memory_max="1200000000")),
        says=("memory: 1200 MB by the limit of this container",),
        loses=1,
        root=True,
    ),
    "memory_of_job": Fault(
        title="within a Slurm job of 1.5 GB, a cell lacking",
        make=under(environment={"SLURM_JOB_ID": "1", "SLURM_MEM_PER_NODE": "1500"}),
        says=("memory: 1500 MB by the limit of this container or job",),
        loses=1,
    ),
}
