"""The README's counts of verdicts are those of the shipped rows that it names."""

import re
from pathlib import Path

import pandas as pd
import pytest

from srhm.scorecard.card import claims_in, scorecard
from srhm.scorecard.text import verdict_counts
from srhm.studies.registry import STUDIES
from srhm.studies.sparse_hierarchy.published_values import published_values

ROOT = Path(__file__).parents[1]
GRID = ROOT / "published" / "grid"
PAPER = ("sparse_hierarchy", "named_nets")
POINTS = ROOT / "reference" / "published_sample_complexity.csv"


def tables_of(study):
    """Shipped tables of a study by name, and the paper's own values."""
    files = (GRID / study).glob("*.parquet")
    return {file.stem: pd.read_parquet(file) for file in files}


@pytest.fixture(scope="module")
def verdicts():
    """Verdicts of all claims of the paper on the shipped rows."""
    own = {study: tables_of(study) for study in PAPER}
    own["sparse_hierarchy"]["published_values"] = published_values(reference=[str(POINTS)])
    found = []
    for study in PAPER:
        uses = {
            name: own[other][table]
            for name, path in STUDIES[study].claim_uses.items()
            for other, table in [path.split("/")]
            if table in own.get(other, {})
        }
        found.append(scorecard(own[study] | uses, claims_in(str(STUDIES[study].claims))))
    return pd.concat(found, ignore_index=True)


def test_the_counts_of_the_readme_are_those_of_the_shipped_rows(verdicts):
    """After `make publish PRESET=grid` the row of the README's table is written anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| shipped rows of `grid`.*$", text, re.MULTILINE)
    counts = [int(number) for number in re.findall(r"\| *(\d+) *(?=\|)", row)]
    assert counts == [len(verdicts), *verdict_counts(verdicts).values()]
