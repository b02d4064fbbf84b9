"""Write what documents say of results: pages of docs, pictures, numbers in sentences of README.md.

All of it comes from the scorecards of the shipped rows, which tests/guard/ keeps, and from the
registry of the studies. In pages of docs only what stands between the markers, and the numbers
of slots, are written.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure as Drawing
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pages import (
    claims_page,
    first_rules,
    headline_picture,
    play,
    positions_picture,
    records,
    thesis,
)
from pages.markdown import between, escaped, line, link_to, table
from pages.practice_fits import practice_fits
from pages.slots import fill_slots
from srhm.commands.printing import printing
from srhm.declare.study import Figure
from srhm.paper.sparse_hierarchy.analysis import practice_points, published_values
from srhm.paper.sparse_hierarchy.headline import HEADLINE, other_run
from srhm.planning.registry import GROUPS, STUDIES, file_of_study
from srhm.report import forest
from srhm.report.prose import COMMENT
from srhm.scorecard.card import SCORECARDS, read_scorecards
from srhm.scorecard.headline import ForestRow, forest_rows
from srhm.scorecard.numbers import value_text
from srhm.statistics.publications import read_publications
from srhm.store import places
from srhm.store.atomic import write_text

ROOT = places.PUBLISHED.parent
RESULTS, DEVIATIONS, LIST = "docs/results.md", "docs/deviations.md", "docs/studies.md"
# The forest plot in columns for a desktop, and in lines that a phone has room for.
DESKTOP, PHONE = "docs/images/forest.png", "docs/images/forest_phone.png"
PAPER = ("sparse_hierarchy", "named_nets")
MAIN, WIDE = "grid", "paper"
# The headline on fresh grammars, by the rules of the commit that froze them (reference/README.md).
FRESH = "reference/fresh_results.csv"
# Of each study the figure that its README shows, of the shipped rows: tests/guard/pictures.py.
PICTURES = "docs/images/studies"


def headline(root: Path) -> list[ForestRow]:
    """Rows of the forest plot of the shipped rows, beside the authors' points and 512 channels."""
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
    """Of the shipped rows.

    fits: those of the headline, in its order.

    Raises:
        ValueError: if no curve of the practice is shipped.
    """
    stated = [claim for one in HEADLINE for claim in one.lines.values()]
    files = (root / "published" / MAIN / "sparse_hierarchy").glob("*.*")
    published = _published(root)
    for run in read_publications(sorted(map(str, files))):
        tables = run.sample_complexity, run.cells, published
        fits = practice_fits(*tables).set_index("claim", drop=False)
        fits = fits.loc[[claim for claim in stated if claim in fits.index]]
        if len(fits):
            return ByPractice(fits, len(practice_points(*tables)), len(published))
    raise ValueError(f"published/{MAIN} has no curves of the practice of the paper's figures")


def _published(root: Path) -> pd.DataFrame:
    return published_values(reference=[str(root / "reference/published_sample_complexity.csv")])


def deviations_text(text: str, rules: first_rules.Rules) -> str:
    """docs/deviations.md with the counts by first and present rules written anew."""
    return between(text, "rules", [*first_rules.in_sum(rules)], of=DEVIATIONS)


def claims_of_paper(scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> pd.DataFrame:
    """Claims of the paper on the shipped rows of its preset."""
    return pd.concat([scorecards[MAIN][study] for study in PAPER], ignore_index=True)


def sources_text(
    text: str, scorecards: Mapping[str, Mapping[str, pd.DataFrame]], root: Path
) -> str:
    """docs/thesis.md with the counts of its table written anew."""
    lines = [*thesis.counts_table(thesis.read(root), scorecards)]
    return between(text, "counts", lines, of=thesis.PAGE)


def results_text(
    text: str, rows: Sequence[ForestRow], practice: ByPractice, fresh: Mapping[str, str]
) -> str:
    """docs/results.md with its two tables written anew.

    practice: of `by_practice`. fresh: of `on_fresh_grammars`.
    """
    text = between(text, "headline", [*_measurements(rows, fresh)], of=RESULTS)
    return between(text, "recipes", [*_by_practice(practice, rows)], of=RESULTS)


def studies_text(text: str, root: Path) -> str:
    """docs/studies.md with its lists written anew: what each study asks, and its answer."""
    for group, names in GROUPS.items():
        lines = (f"- {link_to(one)}: {_question_and_answer(root, one)}" for one in names)
        text = between(text, group, lines, of=LIST)
    return text


def shown_figure(study: str) -> Figure:
    """The figure of a study that its README shows: one that answers, or its first."""
    figures = STUDIES[study].figures
    return next((one for one in figures if one.answers or one.first), figures[0])


def main(root: Path = ROOT) -> int:
    """Writes the documents of this repository; 1 if one lacks its markers."""
    rows = headline(root)
    scorecards = all_scorecards(root)
    try:
        practice = by_practice(root)
        rules = first_rules.read_rules(root, scorecards)
        fresh = on_fresh_grammars(root)
        makers = {
            DEVIATIONS: lambda text: deviations_text(text, rules),
            LIST: lambda text: studies_text(text, root),
            RESULTS: lambda text: results_text(text, rows, practice, fresh),
            thesis.PAGE: lambda text: sources_text(text, scorecards, root),
            records.RUNS: lambda text: between(text, "runs", records.runs(root), of=records.RUNS),
        }
        made = {
            root / name: make((root / name).read_text("utf-8")) for name, make in makers.items()
        }
        files = {study: root / file_of_study(study) for study in STUDIES}
        made |= {
            file: fill_slots(
                file.read_text(encoding="utf-8"), scorecards, page=f"README of {study}", study=study
            )
            for study, file in files.items()
        }
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    made[root / records.MANIFEST] = records.manifest(root, MAIN, rows, scorecards[MAIN])
    made[root / play.PAGE] = play.page_of_shipped_rows()
    for file, text in made.items():
        write_text(file, text)
    try:
        _fill_slots(root, scorecards)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    archive = (root / "published" / WIDE / "sparse_hierarchy").glob("*.*")
    other = other_run(sorted(map(str, archive)))[0]
    for name, narrow in ((DESKTOP, False), (PHONE, True)):
        _save(forest.draw(rows, other=other, narrow=narrow), root / name, forest.finding(rows))
    intervals = claims_page.forest_of_examples(claims_of_paper(scorecards))
    drawn = forest.draw(intervals, legend=False)
    _save(drawn, root / claims_page.PICTURE, claims_page.forest_in_words(intervals))
    what = headline_picture.shown(root, scorecards[MAIN]["sparse_hierarchy"])
    for name, shades in headline_picture.SHADES.items():
        _save(headline_picture.draw(what, shades), root / name, what.origin, dpi=120)
    drawn = positions_picture.draw(positions_picture.costs(root))
    _save(drawn, root / positions_picture.PICTURE, positions_picture.origin_of(root), dpi=100)
    return 0


def _fill_slots(root: Path, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> None:
    """The numbers in sentences of README.md, docs and the studies' methods."""
    methods = {root / file_of_study(study, "methods.md"): study for study in STUDIES}
    pages = dict.fromkeys([root / "README.md", *sorted((root / "docs").glob("*.md"))], "")
    pages |= {page: study for page, study in methods.items() if page.is_file()}
    for page, study in pages.items():
        text = page.read_text(encoding="utf-8")
        write_text(page, fill_slots(text, scorecards, page=page.name, study=study))


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
    """Scorecards of all shipped rows, by preset and study."""
    presets = sorted(path.name for path in (root / SCORECARDS).iterdir() if path.is_dir())
    return {preset: read_scorecards(root, preset) for preset in presets}


def on_fresh_grammars(root: Path) -> dict[str, str]:
    """Value, error and verdict of measurements on grammars never used before, by claim."""
    rows = pd.read_csv(root / FRESH).to_dict("records")
    return {row["claim"]: f"{value_text(row)}, {row['verdict']}" for row in rows if row["n"] > 0}


def _measurements(rows: Sequence[ForestRow], fresh: Mapping[str, str]) -> Iterator[str]:
    """The headline's table, a line for each measurement."""
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
    every = {row.claim: row.theirs.partition(" ")[0] for row in rows}
    columns = ("text", "practice", "read")
    yield line(["measured", "the law", "points", "the text's recipe", "trained as for the figures",
                "trained and read so", "authors'", "authors', all points"])  # fmt: skip
    yield line(["---"] * 8)
    for fit in practice.fits.to_dict("records"):
        law = fit["expected"].partition(" ")[0]
        numbers = [fit[name] for name in (*columns, "authors")]
        kept = [escaped(labels[fit["claim"]]), law, str(fit["n"])]
        yield line([*kept, *numbers, every[fit["claim"]]])
    for power, name in (("v", "v"), ("s0", "s₀+1")):
        far = [f"{practice.distance(column, power):.2f}" for column in columns]
        words = f"mean distance of the exponents of {name} from the authors'"
        yield line([words, "", "", *far, "0", ""])
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
