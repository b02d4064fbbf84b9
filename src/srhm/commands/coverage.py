"""Write docs/coverage.md: of the paper's figures, how many curves the published rows have.

`make publish` does it last, so that the tables are those of what is published.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from srhm.commands.printing import printing
from srhm.results import places
from srhm.results.atomic import write_text
from srhm.results.published_provenance import PublicationError
from srhm.statistics.publications import Publication, read_publications
from srhm.studies.sparse_hierarchy.coverage import coverage
from srhm.studies.sparse_hierarchy.published_values import published_values
from srhm.training.configuration import HierarchySection

ROOT = places.PUBLISHED.parent
STUDY = "sparse_hierarchy"
FILE = "docs/coverage.md"
HEAD = """# Curves of the paper's figures

The tables count the learning curves of LCN, CNN and FCN that a figure of the paper shows, those of
them that are published here ([published/](../published/README.md)), and say why the others are
missing. A curve has one net, L, s, s₀, v and sparsity. Our curves follow the text's protocol.
Figures share curves. Curves that only our figures show are not counted, nor are Figures 1, 9 and
17, of other networks. `make plan` estimates the times of training, for a quiet machine. Written by
`make publish` from the published tables, not by hand.
"""


def text_of(publications: Sequence[Publication], root: Path) -> str:
    """The document, a table for each published run; root: of the repository."""
    reference = root / "reference" / "published_sample_complexity.csv"
    published = published_values(reference=[str(reference)])
    parts = [HEAD]
    for run in publications:
        config = yaml.safe_load((root / f"config/{run.preset}.yaml").read_text(encoding="utf-8"))
        section = HierarchySection.model_validate(config[STUDY])
        table = coverage(run.sample_complexity, published, section)
        parts.append(f"## {run.preset}: H = {run.widths}, {run.seeds}\n\n{_markdown(table)}")
    return "\n".join(parts)


def _markdown(table: pd.DataFrame) -> str:
    rows = [
        f"| {row['figure']} | {row['ours']} | {row['published']} | {row['missing'] or '–'} |"
        for row in table.to_dict("records")
    ]
    head = ["| figure | ours | in the paper | missing |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]).replace("s_0", "s₀") + "\n"


def main(root: Path = ROOT) -> int:
    """Writes the document of this repository; 1 if a published table cannot be read."""
    files = sorted(root.glob(f"published/*/{STUDY}/*.*"))
    try:
        text = text_of(read_publications(files), root)
    except PublicationError as error:
        print(error, file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"{error.filename} is missing; `git checkout` restores it", file=sys.stderr)
        return 1
    write_text(root / FILE, text)
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
