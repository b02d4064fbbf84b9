"""Faults of what surrounds a run: disks, users, limits, variables of the environment.

Most last while a run trains a cell that was deleted before. Disks are mounted, which needs root.
"""

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from disturbed import REPOSITORY, Undisturbed, assert_said

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting and other users need root")
NOBODY, UNKNOWN = "65534", "12345"  # a user, and one that no table of users has
STORED = r"\d+ of \d+ networks are stored"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return Undisturbed(tmp_path_factory.mktemp("surroundings"))


def in_shell(words):
    """A shell that does something, and then becomes the command that follows."""
    return ["sh", "-c", f'{words} && exec "$@"', "sh"]


# A variable that a run names, since it is ignored.
IGNORED = {
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "PYTHONVERBOSE": "1",
    "PYTHONDEVMODE": "1",
    "PYTHONSTARTUP": "/no/such/file",
    "NUMBA_DISABLE_JIT": "1",
    "GOMP_CPU_AFFINITY": "0",
    "OMP_PROC_BIND": "true",
    "OMP_PLACES": "{0}",
    "SETUPTOOLS_USE_DISTUTILS": "stdlib",
    "SNAKEMAKE_PROFILE": "/no/such/profile",
    "MATPLOTLIBRC": "/no/such/matplotlibrc",
}
# Those with which a run goes on as it does without.
HARMLESS = {
    "http_proxy": "gar:bage://",
    "https_proxy": "gar:bage://",
    "LD_PRELOAD": "/no/such/library.so",
    "TMPDIR": "/no/such/folder",
    **{"TERM": "dumb", "COLUMNS": "1", "LINES": "1"},
    **{"BASH_ENV": "/no/such", "ENV": "/no/such", "CDPATH": "/", "IFS": "e"},
    "POSIXLY_CORRECT": "1",
    "SOURCE_DATE_EPOCH": "yesterday",
    "TZ": "Pacific/Kiritimati",
    **{"PYTHONHASHSEED": "7", "PYTHONPATH": "/no/such", "OMP_NUM_THREADS": "3"},
    "SNAKEMAKE_OUTPUT_CACHE": "/no/such/folder",
    **{"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Haswell"},
    "MKL_CBWR": "COMPATIBLE",
}
NO_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NO_HOME = {"HOME": "/proc/no-such-home", "XDG_CACHE_HOME": ""}
IN_A_JOB = {"SLURM_JOB_ID": "1", "SLURM_MEM_PER_NODE": "1500"}
READ_ONLY = (
    f"mount --bind {REPOSITORY} {REPOSITORY} && mount -o remount,bind,ro {REPOSITORY}"
    f" && cd {REPOSITORY} && ! touch {REPOSITORY}/a-file 2>&-"
)
# A control group with little memory.
LIMITED = (
    'd=$(mktemp -d) && mount --bind "$d" "$d" && echo 1200000000 > "$d/memory.max"'
    ' && mount --bind "$d" /sys/fs/cgroup'
)


@pytest.mark.parametrize(
    ("variables", "before", "says"),
    [
        (IGNORED, [], [f"{name}=.* of the environment is ignored" for name in IGNORED]),
        (HARMLESS, [], []),
        (NO_UTF_8, [], []),
        (NO_HOME, [], ["cannot be written to.*is used"]),
        ({"NUMBA_CACHE_DIR": "/proc/no-such-folder"}, [], ["compiled code of .* cannot be kept"]),
        (IN_A_JOB, [], ["memory: 1500 MB by the limit of this container or job"]),
        ({}, in_shell("umask 077"), []),
        ({}, in_shell("ulimit -v 1400000"), []),
        ({}, in_shell("ulimit -n 64"), []),
        pytest.param({}, ["unshare", "--net"], [], marks=as_root),
        pytest.param({}, ["unshare", "--mount", *in_shell(READ_ONLY)], [], marks=as_root),
        pytest.param(
            {}, ["unshare", "--mount", *in_shell(LIMITED)],
            ["memory: 1200 MB by the limit of this container"], marks=as_root,
        ),
    ],
    ids=["ignored variables", "harmless variables", "no UTF-8", "no home", "no place for code",
         "memory of a job", "umask", "little memory", "few files", "no network",
         "read-only clone", "memory of a container"],
)  # fmt: skip
def test_a_lacking_cell_is_trained_under(undisturbed, variables, before, says):
    with undisturbed.scene() as scene:
        scene.cell(0).unlink()
        undisturbed.is_finished_by(scene, trains=1, says=says, environment=variables, before=before)


def test_results_may_be_moved_to_a_path_that_no_shell_likes(undisturbed, tmp_path):
    with undisturbed.scene(also=tmp_path / "a {curve} 'path' $HOME") as scene:
        scene.cell(0).unlink()
        undisturbed.is_finished_by(scene, trains=1, says=["not in the store"])


def test_results_may_be_a_link_to_another_disk(undisturbed, tmp_path):
    with undisturbed.scene() as scene:
        scene.cell(0).unlink()
        shutil.move(scene.folder / "results", tmp_path / "elsewhere")
        (scene.folder / "results").symlink_to(tmp_path / "elsewhere")
        undisturbed.is_finished_by(scene, trains=1, says=["not in the store"])


@contextmanager
def on_disk(folder, *, megabytes=64, files=100_000):
    """A disk of memory in place of a folder, with what the folder holds, which is put back."""
    folder.mkdir(exist_ok=True)
    kept = folder.with_name(f"{folder.name}_kept")
    shutil.copytree(folder, kept, symlinks=True)
    options = f"size={megabytes}m,nr_inodes={files}"
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    subprocess.run(words, check=True)
    try:
        subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
        yield
        shutil.rmtree(kept)
        subprocess.run(["cp", "-a", str(folder), str(kept)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
    subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
    shutil.rmtree(kept)


def filled_up(folder):
    """Writes a file until the disk is full; returns the file."""
    with (folder / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return folder / "ballast"


def remounted(folder, option):
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)


@as_root
@pytest.mark.parametrize("of", ["bytes", "files"])
def test_a_disk_that_fills_up_costs_the_cells_in_training(undisturbed, of):
    with undisturbed.scene(of="none") as scene:
        with on_disk(scene.folder):
            process = scene.start()
            scene.wait_for_cells(3, process)
            stored = scene.whole()
            if of == "bytes":
                filled_up(scene.folder)
            else:
                now = os.statvfs(scene.folder)
                remounted(scene.folder, f"nr_inodes={now.f_files - now.f_ffree + 1}")
            code, text = scene.end(process)
            assert code != 0
            assert_said(text, "No space left", STORED, traceback=True)
            assert stored.items() <= scene.whole().items()
            (scene.folder / "ballast").unlink(missing_ok=True)
            remounted(scene.folder, "nr_inodes=100000")
        undisturbed.is_finished_by(scene)


@as_root
def test_results_on_a_read_only_disk_are_refused(undisturbed):
    with undisturbed.scene(of="fewer") as scene:
        with on_disk(scene.folder):
            remounted(scene.folder, "ro")
            code, text = scene.run()
            remounted(scene.folder, "rw")
        assert code == 2
        assert_said(text, "[Rr]ead-only")
        undisturbed.is_finished_by(scene)


@as_root
def test_results_of_another_user_are_refused(undisturbed):
    """Root without its right to write what it does not own is as an ordinary user."""
    with undisturbed.scene(of="fewer") as scene:
        subprocess.run(["chown", "--recursive", NOBODY, str(scene.folder)], check=True)
        rights = "--bounding-set=-dac_override,-dac_read_search"
        code, text = scene.run(before=["setpriv", rights])
        subprocess.run(["chown", "--recursive", "0", str(scene.folder)], check=True)
        assert code == 2
        assert_said(text, "cannot be written to: Permission denied")
        undisturbed.is_finished_by(scene)


@as_root
@pytest.mark.parametrize("variable", ["TMPDIR", "HOME"])
def test_a_full_disk_of_home_or_temporary_files_is_no_fault(undisturbed, tmp_path, variable):
    folder = tmp_path / "full"
    with undisturbed.scene() as scene, on_disk(folder, megabytes=1):
        (folder / ".cache").mkdir()
        filled_up(folder)
        scene.cell(0).unlink()
        variables = {variable: str(folder), "XDG_CACHE_HOME": ""}
        undisturbed.is_finished_by(scene, trains=1, environment=variables)
        filled_up(folder).unlink()


@as_root
@pytest.mark.parametrize("also", [["-u", "HOME"], ["bash", "-c", 'ulimit -u 64 && exec "$@"', "b"]])
def test_a_user_without_an_entry_trains(undisturbed, also):
    """As of `docker run --user`; one that may read all."""
    rights = "+dac_override,+dac_read_search"
    words = ["setpriv", f"--reuid={UNKNOWN}", f"--regid={UNKNOWN}", "--clear-groups"]
    words += [f"--inh-caps={rights}", f"--ambient-caps={rights}", "env", "-u", "USER"]
    words += ["-u", "LOGNAME", "-u", "XDG_CACHE_HOME", *also]
    with undisturbed.scene() as scene:
        scene.cell(0).unlink()
        for user in (UNKNOWN, "0"):
            owned = ["chown", "--recursive", f"{user}:{user}", str(scene.folder)]
            subprocess.run(owned, check=True)
            if user == UNKNOWN:
                undisturbed.is_finished_by(scene, trains=1, before=words)


# Functions of the C library that misbehave: always, and where a file $FLAG is there.
NO_LOCKS = """
#include <errno.h>
int flock(int file, int operation) { errno = ENOLCK; return -1; }
"""
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
A_MONTH_BACK = """
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


@pytest.fixture
def loaded(tmp_path):
    """Variables that load a library of this code into each process."""
    if shutil.which("cc") is None:
        pytest.skip("no compiler cc")

    def variables(code):
        source, library = tmp_path / "library.c", tmp_path / "library.so"
        source.write_text(code, encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        return {"LD_PRELOAD": str(library), "FLAG": str(tmp_path / "flag")}

    return variables


def test_a_file_system_without_locks_is_refused(undisturbed, loaded):
    with undisturbed.scene(of="fewer") as scene:
        code, text = scene.run(environment=loaded(NO_LOCKS))
        assert code == 2
        assert_said(text, "cannot be locked .No locks available.*--directory")


@pytest.mark.parametrize(
    ("library", "ends", "says"),
    [(QUOTA, True, ["[Qq]uota exceeded", STORED]), (A_MONTH_BACK, False, [])],
    ids=["quota", "clock"],
)
def test_a_quota_that_is_used_up_or_a_clock_that_jumps_loses_nothing(
    undisturbed, loaded, library, ends, says
):
    variables = loaded(library)
    with undisturbed.scene(of="none") as scene:
        process = scene.start(environment=variables)
        scene.wait_for_cells(3, process)
        stored = scene.whole()
        Path(variables["FLAG"]).touch()
        code, text = scene.end(process)
        assert bool(code) is ends, text
        assert_said(text, *says, traceback=True)
        assert stored.items() <= scene.whole().items()
        undisturbed.is_finished_by(scene)
