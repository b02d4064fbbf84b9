"""Lines and tokens of each folder, and words for people, are at most those of tests/budgets.toml.

The numbers of a table together only fall. Who makes a folder smaller lowers its number in the same
commit: `python tests/test_budgets.py` writes what there is now, and refuses where all folders
together have more, so that one folder takes only what others have given up. A number that has to
rise is changed by hand, and the commit says what the lines are for.
"""

import io
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_name("budgets.toml")
# What programs write into documents, templates and scripts of a page is code as well.
CODE = ("src", "tests", "benchmarks", "docs/pages")
KINDS = {".py", ".js", ".html", ".css", ".mplstyle"}
# Each release adds to the changelog.
PROSE = ("*.md", "[a-z]*/**/*.md", "docs/**/*.yaml")
NO_PROSE = {ROOT / "CHANGELOG.md"}
MADE = {"__pycache__", "results", "wheelhouse", "build", "dist", "data"}
LONGEST = 100
NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
           tokenize.ENCODING, tokenize.ENDMARKER}  # fmt: skip

Sizes = dict[str, dict[str, int]]


def folder_of(path: Path) -> str:
    """A folder of tests and benchmarks; of src that below the package: "src/srhm/flow"."""
    parts = path.relative_to(ROOT).parts[:-1]
    return "/".join(parts[: 3 if parts[0] == "src" else 2])


def code() -> Iterator[Path]:
    for root in CODE:
        for path in sorted((ROOT / root).rglob("*")):
            if path.suffix in KINDS and not any(".egg" in one or one == "__pycache__"
                                                for one in path.parts):  # fmt: skip
                yield path


def sizes() -> Sizes:
    """Lines of code, those of more than 100 columns as several; Python tokens; words."""
    lines, tokens, words = Counter[str](), Counter[str](), Counter[str]()
    for path in code():
        text = path.read_text(encoding="utf-8")
        folder = folder_of(path)
        lines[folder] += sum(1 + max(len(one) - 1, 0) // LONGEST for one in text.splitlines())
        if path.suffix == ".py":
            found = tokenize.generate_tokens(io.StringIO(text).readline)
            tokens[folder] += sum(one.type not in NOTHING for one in found)
    for path in {path for pattern in PROSE for path in ROOT.glob(pattern)} - NO_PROSE:
        place = path.relative_to(ROOT).parts
        if place[0] not in MADE:
            words["/".join(place[:-1][:1]) or "."] += len(path.read_text(encoding="utf-8").split())
    return {"lines": dict(lines), "tokens": dict(tokens), "words": dict(words)}


def test_no_folder_is_larger_than_its_budget() -> None:
    allowed = tomllib.loads(FILE.read_text(encoding="utf-8"))
    larger = [
        f"{folder}: {number} {kind}, allowed are {allowed[kind].get(folder, 0)}"
        for kind, of in sizes().items()
        for folder, number in of.items()
        if number > allowed[kind].get(folder, 0)
    ]
    assert larger == [], "make it smaller elsewhere in the folder; see tests/test_budgets.py"


def lowered(known: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    """The numbers that hold from now on: together no more than before."""
    if known and sum(now.values()) > sum(known.values()):
        sys.exit("all folders together have more than they may: nothing is written")
    return now


if __name__ == "__main__":
    known = tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    text = "# `python tests/test_budgets.py` writes it where no table has more than before.\n"
    for kind, now in sizes().items():
        left = sorted(lowered(known.get(kind, {}), now).items())
        text += "\n".join([f"\n[{kind}]", *(f'"{name}" = {number}' for name, number in left), ""])
    FILE.write_text(text, encoding="utf-8")
