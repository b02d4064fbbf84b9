"""A fresh Debian, made of its packages, and commands in it without a network.

    python3 benchmarks/fresh_root.py [--debian 12] [--whole] [--read-only] [--folder FOLDER]
                                     [--command "make claims"]

As root, with mmdebstrap. The last commit is cloned into a new root, the steps of envs/fresh.sh are
taken there with a network, and then commands run as an ordinary user, where no network
interface but the loopback is: as in a container, without a program for containers. By default they
are small ones; --whole runs `make reproduce` and `make test`. With --read-only they find the clone
read-only, as within an Apptainer image, and results go elsewhere. Variables of pip are
passed on, and the files that they name are there as here; HASHES, too (docs/install.md). The last
line printed has the times, the size of the installed root and what pytest counted, unless --command
names others: reference/run_here.csv keeps what ran. A root in a FOLDER is kept, and used again.
"""

import argparse
import ctypes
import errno
import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
NAMES = {"12": "bookworm", "13": "trixie"}
# In the new root.
CLONE, ELSEWHERE = "srhm", "elsewhere"
STEPS = ("system", "environment")
SMALL = (
    "make figures PRESET=laptop STUDY=memory",
    ".venv/bin/python -m pytest -q -n 0 tests/test_sampling.py",
)
WHOLE = ("make reproduce", "make test")
# `make test` writes into the clone.
READ_ONLY = {
    SMALL: (f'{SMALL[0]} ARGS="--directory /{ELSEWHERE}"', f"{SMALL[1]} -p no:cacheprovider"),
    WHOLE: (f'make reproduce ARGS="--directory /{ELSEWHERE}"',),
}
USER = 1000
# Of Linux: flag of unshare; request that sets the flags of an interface, and the flag "up".
NEW_NETWORK, SET_FLAGS, UP = 0x40000000, 0x8914, 0x1
# The last line of pytest: "12 passed, 3 skipped in 4.56s", bare or between signs of equality.
COUNTS = re.compile(r"((?:\d+ [a-z]+, )*\d+ [a-z]+) in [\d.]+s\b")
# Gigabytes of a root with an environment whose PyTorch is the build without CUDA.
NEEDED = 4


def main() -> int:
    """Exit code: 0 where all steps and commands succeed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--debian", choices=NAMES, default="12")
    parser.add_argument("--whole", action="store_true", help="make reproduce and make test")
    parser.add_argument("--read-only", action="store_true", help="the clone, when commands run")
    parser.add_argument("--folder", type=Path, help="where the root is to be, or is")
    parser.add_argument("--command", action="append", help="run this, in place of the small ones")
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.root:
        return within(options.root, options)
    lacking = why_not()
    if lacking:
        print(lacking, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        root = (options.folder or Path(folder) / "root").resolve()
        if root.exists() and not stamp_of(root).exists():
            print(f"{root} is no whole root: remove it, or name another --folder", file=sys.stderr)
            return 2
        if root.exists():
            clone = ["git", "-C", str(root / CLONE)]
            subprocess.run([*clone, "fetch", "--quiet", str(REPOSITORY), "HEAD"], check=True)
            # Else it would write, with a new date, every file whose rights were changed.
            subprocess.run([*clone, "update-index", "-q", "--refresh"], check=True)
            subprocess.run([*clone, "reset", "--quiet", "--hard", "FETCH_HEAD"], check=True)
        else:
            debootstrapped(root, NAMES[options.debian])
        # The first process there takes in what others leave behind: a shell that waits does.
        first = ["sh", "-c", '"$@"; exit $?', "first"]
        own = [*first, sys.executable, __file__, *sys.argv[1:], "--root", str(root)]
        # What is mounted, and every process, ends with it.
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return subprocess.run([*apart, *own]).returncode


def why_not() -> str:
    """What this machine lacks for a new root; empty where it lacks nothing."""
    if not sys.platform.startswith("linux"):
        return "this needs Linux"
    if os.geteuid():
        return "this needs root: it makes a root of Debian's packages and mounts in it"
    for program in ("mmdebstrap", "unshare", "git"):
        if not shutil.which(program):
            return f"this needs {program} (a package of Debian has this name or util-linux)"
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e9
    return f"{NEEDED} GB are needed, {free:.1f} are free (TMPDIR)" if free < NEEDED else ""


def stamp_of(root: Path) -> Path:
    """What a root has once its steps are taken."""
    return root / CLONE / ".venv" / "package.stamp"


def debootstrapped(root: Path, name: str) -> None:
    """Makes the smallest root of a Debian, with a clone of the last commit.

    Raises:
        subprocess.CalledProcessError: if a program fails, which has said why.
    """
    root.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", name, str(root)], check=True)
    clone = ["git", "clone", "--quiet", "--no-hardlinks", str(REPOSITORY), str(root / CLONE)]
    subprocess.run(clone, check=True)
    (root / ELSEWHERE).mkdir()
    (root / ELSEWHERE).chmod(0o777)
    with (root / "etc" / "passwd").open("a", encoding="utf-8") as users:
        users.write(f"reader:x:{USER}:{USER}::/{ELSEWHERE}:/bin/sh\n")


def within(root: Path, options: argparse.Namespace) -> int:
    """Steps and commands, in namespaces of their own: the same exit code."""
    for kind, place in (("proc", "proc"), ("sysfs", "sys")):
        subprocess.run(["mount", "-t", kind, kind, str(root / place)], check=True)
    subprocess.run(["mount", "--rbind", "/dev", str(root / "dev")], check=True)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    hashes = {"HASHES": os.environ["HASHES"]} if os.environ.get("HASHES") else {}
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **pip, **hashes}
    seconds: dict[str, float] = {}
    counted: dict[str, str] = {}
    new = not stamp_of(root).exists()
    for step in STEPS if new else STEPS[1:]:
        if step == "environment":  # not before: packages of the system move files that pip names
            for path in files_named_by(pip.values()):
                mount_same(path, root)
        words = ["sh", f"/{CLONE}/envs/fresh.sh", step]
        taken, _ = timed(words, enter(root), {**variables, "HOME": "/root"})
        seconds |= {step: taken} if new else {}
    size = gigabytes(root)
    if options.read_only:
        clone = str(root / CLONE)
        subprocess.run(["mount", "--bind", clone, clone], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", clone], check=True)
    commands = WHOLE if options.whole else SMALL
    commands = READ_ONLY[commands] if options.read_only else commands
    for command in options.command or commands:
        alone = {**variables, "HOME": f"/{ELSEWHERE}"}
        taken, counts = timed(["sh", "-c", command], enter(root, alone=True), alone)
        seconds[command] = taken
        counted |= {command: counts} if counts else {}
    if options.command:
        return 0
    ask = "import sys, torch; print(sys.version.split()[0], torch.__version__)"
    words = [f"/{CLONE}/.venv/bin/python", "-c", ask]
    python, torch = subprocess.check_output(words, text=True, preexec_fn=enter(root)).split()
    print(summary(options, seconds, f"Python {python}, torch {torch}, {size:.1f} GB", counted))
    return 0


def gigabytes(root: Path) -> float:
    """What a root takes of the disk, without what is mounted in it, in GB."""
    said = subprocess.check_output(["du", "-sx", "--block-size=1000000", str(root)], text=True)
    return int(said.split()[0]) / 1000


def files_named_by(values: Sequence[str]) -> list[Path]:
    """Files and folders that pip's variables name."""
    words = [word.removeprefix("file://") for value in values for word in value.split()]
    return [Path(word) for word in dict.fromkeys(words) if word[:1] == "/" and Path(word).exists()]


def mount_same(path: Path, root: Path) -> None:
    """Has a file or folder of this machine in the root, at the same place."""
    there = root / path.relative_to("/")
    (there if path.is_dir() else there.parent).mkdir(parents=True, exist_ok=True)
    if path.is_file():
        there.touch()
    subprocess.run(["mount", "--bind", str(path), str(there)], check=True)


def enter(root: Path, *, alone: bool = False) -> Callable[[], None]:
    """What a new process does first: goes into the root; alone: without network, and as a user."""
    library = ctypes.CDLL(None, use_errno=True)

    def go() -> None:
        if alone:
            if library.unshare(NEW_NETWORK):
                raise OSError(ctypes.get_errno(), "no network of its own")
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
                fcntl.ioctl(asked, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))
                if asked.connect_ex(("192.0.2.1", 9)) != errno.ENETUNREACH:
                    raise OSError("there is a way out to a network")
        os.chroot(root)
        os.chdir(f"/{CLONE}")
        if alone:
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)

    return go


def timed(
    words: Sequence[str], first: Callable[[], None], variables: dict[str, str]
) -> tuple[float, str]:
    """Seconds of a command, and what pytest counted in it (empty where no pytest ran).

    Raises:
        SystemExit: if it fails.
    """
    print("+", *words, flush=True)
    begin, counts = time.monotonic(), ""
    shown = {"stdout": subprocess.PIPE, "text": True, "encoding": "utf-8", "errors": "replace"}
    with subprocess.Popen(words, preexec_fn=first, env=variables, **shown) as started:
        for line in started.stdout:
            print(line, end="", flush=True)
            counts = counted_in(line) or counts
    if started.returncode:
        said = f" ({counts})" if counts else ""
        sys.exit(f"{' '.join(words)}: exit code {started.returncode}{said}")
    return time.monotonic() - begin, counts


def counted_in(line: str) -> str:
    """Of the last line of pytest what it counted: "3 passed, 1 skipped"; of another, nothing."""
    found = COUNTS.match(line.strip("= \n"))
    return found[1] if found else ""


def summary(
    options: argparse.Namespace,
    seconds: dict[str, float],
    versions: str,
    counted: dict[str, str],
) -> str:
    """What ran, where and how long, in a line."""
    form = ", ".join(["read-only"] * options.read_only + ["whole"] * options.whole) or "small"
    form += ", by hashes" * bool(os.environ.get("HASHES"))
    times = [
        f"{name if name in STEPS else f'`{name}`'} {one:.0f} s"
        + (f" ({counted[name]})" if name in counted else "")
        for name, one in seconds.items()
    ]
    day = f"{datetime.now(UTC):%Y-%m-%d}, {len(os.sched_getaffinity(0))} cores"
    return f"Debian {options.debian}, {form} | {versions} | {'; '.join(times)} | {day}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"exit code {error.returncode} of {' '.join(map(str, error.cmd))}")
