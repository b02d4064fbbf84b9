"""A newcomer finds each answer within the words of reference/newcomer_questions.csv.

Words are counted from the heading of each page that the place names to the phrase that leads on or
answers. `python tests/test_questions.py` writes them into the list: from the pages' tops, and from
the headings.
"""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILE = ROOT / "reference/newcomer_questions.csv"


def questions():
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def words_until(place, phrase, *, from_top):
    """Words of a page, as rendered, from a heading ("README.md#Cite") to the end of a phrase."""
    name, _, heading = place.partition("#")
    text = re.sub(r"<!--.*?-->", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    if heading:
        begin = re.search(rf"^#+ {re.escape(heading)}$", text, flags=re.MULTILINE)
        assert begin, f"{name} has no heading {heading}"
        text = text if from_top else text[begin.start() :]
    text = re.sub(r"!?\[|\]\([^)]*\)|</?[a-z][^>]*>|`", "", text)
    before, found, _ = " ".join(text.split()).partition(phrase)
    assert found, f"{place} lacks {phrase!r}"
    return len(re.findall(r"\S*\w\S*", before + found))


def words_read(row, *, from_top):
    parts = zip(row["place"].split(" > "), row["phrase"].split(" > "), strict=True)
    return sum(words_until(*one, from_top=from_top) for one in parts)


@pytest.mark.parametrize("row", questions(), ids=lambda row: row["question"])
def test_an_answer_is_found_within_its_words(row):
    assert words_read(row, from_top=False) <= int(row["limit"])


if __name__ == "__main__":
    rows = questions()
    for row in rows:
        tops, headings = (words_read(row, from_top=one) for one in (True, False))
        row["words_now"] = f"{tops}; {headings}"
    with FILE.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
