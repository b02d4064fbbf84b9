"""What a stranger's checks begin with: what was run where, and which file holds each statement."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import yaml

from pages.markdown import table
from srhm.report.page import cited
from srhm.scorecard.card import SCORECARDS
from srhm.scorecard.headline import ForestRow

RUNS, MANIFEST = "docs/run_here.md", "codecheck.yml"
NEVER = "never run"
ABOUT = """\
---
# What a CODECHECK compares, written by `make readme` from the archived scorecards, which have the
# natural logarithms of ratios. `make figures PRESET=grid` computes these from published/, and
# `make reproduce` trains networks of its own. Who checks adds codechecker, certificate, report and
# summary; we do not know the ORCIDs of the authors.
"""


def runs(root: Path) -> Iterator[str]:
    """The table of docs/run_here.md."""
    with (root / "reference/run_here.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [
        [
            row["what"],
            row["where"],
            row["outcome"] or NEVER,
            f"{row['date']} {row['commit']}".strip(),
        ]
        for row in rows
    ]
    yield from table(["what", "where", "outcome", "when"], lines)


def manifest(
    root: Path, preset: str, rows: Sequence[ForestRow], cards: Mapping[str, pd.DataFrame]
) -> str:
    """codecheck.yml: of each measurement of the headline its file, its claim there, and its value.

    cards: scorecards of the preset, by study.
    """
    paper = cited(str(root / "CITATION.cff"))
    study = {claim: name for name, card in cards.items() for claim in card["claim"]}
    content = {
        "version": "https://codecheck.org.uk/spec/config/2.0/",
        "paper": {
            "title": paper["title"],
            "authors": [{"name": name} for name in paper["authors"].split(" and ")],
            "reference": f"https://doi.org/10.48550/arXiv.{paper['arxiv']}",
        },
        "manifest": [
            {
                "file": f"{SCORECARDS}/{preset}/{study[row.claim]}.jsonl",
                "claim": row.claim,
                "comment": f"{row.says}. {row.sentence}",
            }
            for row in rows
        ],
    }
    return ABOUT + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
