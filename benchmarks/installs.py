"""What the package brings into an empty environment: packages, megabytes, seconds.

    python3 benchmarks/installs.py [--extra none] [--extra torch] [--extra workflow] [--sdist]

Without --extra all of EXTRAS. Each is installed by pip from a wheel of this folder (or from an
sdist, of which pip makes one) into a new environment, without pip's cache, and draws a datum there.
Rows go into docs/install.md. Megabytes are those of the environment, compiled modules included,
less what an empty one has.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from datetime import UTC, datetime
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENT = REPOSITORY / "docs" / "install.md"
BEGIN, END = "<!-- installs: written by benchmarks/installs.py -->", "<!-- end of installs -->"
NONE = "none"
EXTRAS = (NONE, "torch", "workflow")
PIP = ["-m", "pip", "--no-input", "--disable-pip-version-check"]
HEAD = ("| install | packages | MB | seconds | when |", "|---|---|---|---|---|")


def main() -> int:
    """Exit code: 0 where each is installed and draws."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--extra", action="append", choices=[*EXTRAS, "analysis", "images"])
    parser.add_argument("--sdist", action="store_true", help="from an sdist, not from a wheel")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="installs-") as scratch:
        package = packed(Path(scratch, "packed"), sdist=options.sdist)
        for extra in options.extra or EXTRAS:
            note(row(package, extra, Path(scratch, extra)))
    return 0


def packed(folder: Path, *, sdist: bool) -> Path:
    """The package as a file, made of a copy of the last commit."""
    folder.mkdir()
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
    kind = "sdist" if sdist else "wheel"
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run([python, *PIP, "--quiet", "install", "setuptools>=77"], check=True)
    build = f"from setuptools import build_meta; build_meta.build_{kind}({str(folder)!r})"
    subprocess.run([python, "-c", build], cwd=clone, check=True, stdout=subprocess.DEVNULL)
    (made,) = folder.glob("srhm-*.*")
    return made


def row(package: Path, extra: str, environment: Path) -> str:
    """Installs the package with an extra, and says what came.

    Raises:
        subprocess.CalledProcessError: if it fails, or draws nothing.
    """
    venv.create(environment, with_pip=True)
    python, empty = environment / "bin" / "python", megabytes(environment)
    own = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    name = "srhm" if extra == NONE else f"srhm[{extra}]"
    words = [f"{name} @ {package.as_uri()}"]
    begin = time.monotonic()
    install = [python, *PIP, "--quiet", "install", "--no-cache-dir", *words]
    subprocess.run(install, check=True, env=own)
    seconds = time.monotonic() - begin
    draw = [environment / "bin" / "srhm", "sample", "--number", "1"]
    subprocess.run(draw, check=True, env=own, cwd=environment, stdout=subprocess.DEVNULL)
    listed = subprocess.check_output([python, *PIP, "list", "--format=freeze"], text=True, env=own)
    # pip (and, up to Python 3.11, setuptools) are there before.
    there = [
        line for line in listed.splitlines() if line.split("==")[0] not in ("pip", "setuptools")
    ]
    torch = "".join(f" ({line.replace('==', ' ')})" for line in there if line.startswith("torch=="))
    kind = "" if package.suffix == ".whl" else " of an sdist"
    day = f"{datetime.now(UTC):%Y-%m-%d}, Python {sys.version.split()[0]}"
    size = megabytes(environment) - empty
    return (
        f"| `pip install {name}`{kind}{torch} | {len(there)} | {size:.0f} | {seconds:.0f} | {day} |"
    )


def megabytes(folder: Path) -> float:
    """What the files of a folder take of the disk, in MB."""
    said = subprocess.check_output(["du", "-s", "--block-size=1000", str(folder)], text=True)
    return int(said.split()[0]) / 1000


def note(made: str) -> None:
    """Writes a row into the document, in place of an earlier one of its kind."""
    print(made, flush=True)
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    table, after = rest.split(END)
    key = made.split("|")[1].split(" (")[0].strip()
    rows = table.strip().splitlines()[len(HEAD) :]
    kept = [line for line in rows if line.split("|")[1].split(" (")[0].strip() != key]
    text = "\n".join([*HEAD, *kept, made])
    DOCUMENT.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
