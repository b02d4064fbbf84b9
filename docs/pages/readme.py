"""Write what documents say of results: pages of docs, pictures, numbers in sentences of README.md.

All of it comes from the scorecards of the archived results, which tests/guard/ keeps, and from the
registry of the studies. In pages of docs only what stands between the markers, and the numbers
of slots, are written.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pages import first_rules, headline_picture, positions_picture, records, thesis
from pages.markdown import between, escaped, link_to, table
from pages.practice_fits import practice_fits
from pages.slots import fill_slots
from srhm.commands.printing import printing
from srhm.declare.study import Figure
from srhm.paper.sparse_hierarchy.analysis import practice_points, published_values
from srhm.paper.sparse_hierarchy.headline import HEADLINE, other_run
from srhm.planning.registry import GROUPS, STUDIES, file_of_study
from srhm.report import forest
from srhm.report.play import page as play
from srhm.report.prose import COMMENT
from srhm.scorecard.card import SCORECARDS, read_scorecards
from srhm.scorecard.expectations import VERDICTS
from srhm.scorecard.headline import ForestRow, Statement, forest_rows
from srhm.scorecard.numbers import value_text
from srhm.statistics.publications import read_publications
from srhm.store import places
from srhm.store.atomic import write_text

ROOT = places.PUBLISHED.parent
RESULTS, DEVIATIONS, LIST = "docs/results.md", "docs/deviations.md", "docs/studies.md"
# The forest plot in columns for a desktop, and in lines that a phone has room for.
DESKTOP, PHONE = "docs/images/forest.png", "docs/images/forest_phone.png"
# An example of each verdict, in docs/claims.md.
VERDICTS_PICTURE = "docs/images/verdicts.png"
PAPER = ("sparse_hierarchy", "named_nets")
MAIN, WIDE = "grid", "paper"
# The headline on fresh grammars, by the rules of the commit that froze them (reference/README.md).
FRESH = "reference/fresh_results.csv"
# Of each study the figure that its README shows, of the archived results: tests/guard/pictures.py.
PICTURES = "docs/images/studies"


def headline(root: Path) -> list[ForestRow]:
    """Rows of the forest plot: archived results, the authors' points and 512 channels."""
    ours, wide = (read_scorecards(root, preset) for preset in (MAIN, WIDE))
    return forest_rows(
        HEADLINE,
        pd.concat([ours[study] for study in PAPER if study in ours], ignore_index=True),
        other=pd.concat([wide[study] for study in PAPER if study in wide], ignore_index=True),
    )


@dataclass(frozen=True)
class ByPractice:
    """The paper's laws in our shipped curves of its practice (`practice_fits`).

    n_points: the paper's points; n_ours: those of them whose grammars ours have.
    """

    fits: pd.DataFrame
    n_ours: int
    n_points: int

    def distance(self, column: str, power: str) -> float:
        """Mean distance of the exponents of v or s0 in a column of `fits` from the authors'."""
        fits = self.fits[self.fits["claim"].str.startswith(f"{power}-exponent")]
        return float((fits[f"{column}_value"] - fits["authors_value"]).abs().mean())


def by_practice(root: Path) -> ByPractice:
    """Of the archived results.

    fits: those of the headline, in its order.

    Raises:
        ValueError: if no curve by the recipe of the figures is archived.
    """
    stated = [claim for one in HEADLINE for claim in one.lines.values()]
    files = (root / "published" / MAIN / "sparse_hierarchy").glob("*.*")
    published = published_values(
        reference=[str(root / "reference/published_sample_complexity.csv")]
    )
    for run in read_publications(sorted(map(str, files))):
        tables = run.sample_complexity, run.cells, published
        fits = practice_fits(*tables).set_index("claim", drop=False)
        fits = fits.loc[[claim for claim in stated if claim in fits.index]]
        if len(fits):
            return ByPractice(fits, len(practice_points(*tables)), len(published))
    raise ValueError(f"published/{MAIN} has no curves by the recipe of the paper's figures")


def shown_figure(study: str) -> Figure:
    """The figure of a study that its README shows: one that answers, or its first."""
    figures = STUDIES[study].figures
    return next((one for one in figures if one.answers or one.first), figures[0])


def documents(root: Path) -> dict[Path, str]:
    """All that is written as text, by file.

    Raises:
        ValueError: if a page lacks its markers, or a slot or a sentence is wrong.
    """
    rows, scorecards = headline(root), all_scorecards(root)
    parts: dict[str, Mapping[str, Iterable[str]]] = {
        DEVIATIONS: {"rules": first_rules.in_sum(first_rules.read_rules(root, scorecards))},
        LIST: {
            group: [f"- {link_to(study)}: {_question_and_answer(root, study)}" for study in studies]
            for group, studies in GROUPS.items()
        },
        RESULTS: {
            "headline": _measurements(root, rows),
            "recipes": _by_practice(by_practice(root), rows),
        },
        thesis.PAGE: {"counts": thesis.counts_table(thesis.read(root), scorecards)},
        records.RUNS: {"runs": records.runs(root)},
    }
    pages = dict.fromkeys([root / "README.md", *sorted((root / "docs").glob("*.md"))], "")
    for name in ("README.md", "methods.md"):
        pages |= {root / file_of_study(study, name): study for study in STUDIES}
    made = {}
    for page, study in pages.items():
        if page.is_file():
            name, text = page.relative_to(root).as_posix(), page.read_text(encoding="utf-8")
            for part, lines in parts.get(name, {}).items():
                text = between(text, part, lines, of=name)
            made[page] = fill_slots(text, scorecards, page=name, study=study)
    made[root / records.MANIFEST] = records.manifest(root, MAIN, rows, scorecards[MAIN])
    made[root / play.PAGE] = play.page_of_shipped_rows()
    return made


def main(root: Path = ROOT) -> int:
    """Writes the documents of this repository; 1 if one lacks its markers."""
    try:
        made = documents(root)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for file, text in made.items():
        write_text(file, text)
    rows, scorecards = headline(root), read_scorecards(root, MAIN)
    archive = (root / "published" / WIDE / "sparse_hierarchy").glob("*.*")
    other = other_run(sorted(map(str, archive)))[0]
    for name, narrow in ((DESKTOP, False), (PHONE, True)):
        _save(forest.draw(rows, other=other, narrow=narrow), root / name, forest.finding(rows))
    intervals = forest_of_examples(scorecards)
    _save(forest.draw(intervals, legend=False), root / VERDICTS_PICTURE, in_words(intervals))
    what = headline_picture.shown(root, scorecards["sparse_hierarchy"])
    for name, shades in headline_picture.SHADES.items():
        _save(headline_picture.draw(what, shades), root / name, what.origin, dpi=120)
    drawn = positions_picture.draw(positions_picture.costs(root))
    _save(drawn, root / positions_picture.PICTURE, positions_picture.origin_of(root), dpi=100)
    return 0


def forest_of_examples(scorecards: Mapping[str, pd.DataFrame]) -> list[ForestRow]:
    """Of each verdict the first claim that is a number with a tolerance: nobody chooses it.

    scorecards: by study.

    Raises:
        ValueError: if no claim has a verdict.
    """
    claims = pd.concat([scorecards[study] for study in PAPER], ignore_index=True)
    tested = claims[np.isfinite(claims["tolerance"]) & np.isfinite(claims["value"])]
    first = tested.drop_duplicates("verdict").set_index("verdict")["claim"]
    if lacking := sorted(set(VERDICTS) - set(first.index)):
        raise ValueError(f"docs/claims.md: no claim has the verdict {lacking[0]!r}")
    lines = {str(word): str(first[word]) for word in VERDICTS}
    examples = Statement(heading="", says="", short=(), quote="", place="", lines=lines)
    return forest_rows([examples], claims)


def in_words(rows: Sequence[ForestRow]) -> str:
    """A picture in words, for a test that it is of these numbers."""
    return "; ".join(row.sentence for row in rows)


def _save(figure: Drawing, path: Path, description: str, *, dpi: int = 80) -> None:
    """A small PNG: of 256 colours, which are more than the picture has but for its edges."""
    with BytesIO() as whole:
        figure.savefig(whole, dpi=dpi)
        image = Image.open(whole).convert("RGB")
        image = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    text = PngInfo()
    text.add_text("Description", description)  # for a test that the picture is of these verdicts
    image.save(path, pnginfo=text, optimize=True)


def all_scorecards(root: Path) -> dict[str, dict[str, pd.DataFrame]]:
    """Scorecards of all archived results, by preset and study."""
    presets = sorted(path.name for path in (root / SCORECARDS).iterdir() if path.is_dir())
    return {preset: read_scorecards(root, preset) for preset in presets}


def _measurements(root: Path, rows: Sequence[ForestRow]) -> Iterator[str]:
    """The headline's table, a line for each measurement."""
    # Value, error and verdict on grammars never used before, by claim.
    fresh = {
        row["claim"]: f"{value_text(row)}, {row['verdict']}"
        for row in pd.read_csv(root / FRESH).to_dict("records")
        if row["n"] > 0
    }
    heads = ["measured", "value ± error", "expected", "authors' points", "verdict",
             "on fresh grammars"]  # fmt: skip
    cells = (
        [
            escaped(row.label),
            row.value,
            row.expected,
            row.theirs.partition(" ")[0] or "–",
            row.word,
            fresh.get(row.claim, "–"),
        ]
        for row in rows
    )
    yield from table(heads, cells)


def _by_practice(practice: ByPractice, rows: Sequence[ForestRow]) -> Iterator[str]:
    """The same fits of curves that are trained and read as those of the paper's figures."""
    labels = {row.claim: row.label for row in rows}
    columns = ("text", "practice", "read")
    heads = ["measured", "points", "the text's recipe", "trained as for the figures",
             "trained and read so", "authors'"]  # fmt: skip
    cells = [
        [escaped(labels[fit["claim"]]), str(fit["n"]), *(fit[one] for one in (*columns, "authors"))]
        for fit in practice.fits.to_dict("records")
    ]
    for power, name in (("v", "v"), ("s0", "s₀+1")):
        far = [f"{practice.distance(column, power):.2f}" for column in columns]
        words = f"mean distance of the exponents of {name} from the authors'"
        cells.append([words, "", *far, "0"])
    yield from table(heads, cells)
    yield ""
    yield f"We have {practice.n_ours} of the authors' {practice.n_points} points by this recipe."


def _question_and_answer(root: Path, study: str) -> str:
    """The title of a study's README, and its answer without links."""
    text = (root / file_of_study(study)).read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    found = re.search(r"^\*\*Answer\.\*\* (.*?)\n\n", text, re.DOTALL | re.MULTILINE)
    words = COMMENT.sub("", " ".join(found[1].split())) if found else ""
    return f"*{title}* " + re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)


if __name__ == "__main__":
    sys.exit(printing(main))
