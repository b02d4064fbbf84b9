"""What the explorer is called, which tables it reads, and which view shows a figure's rows.

Known to the workflow before anything is computed: loads no slow library.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from srhm.report.page_table import net_name

# Views by the schemas that a figure uses; the first that is found is the figure's view.
VIEWS = {
    "SENSITIVITIES": "sensitivities",
    "SAMPLE_COMPLEXITY": "sample-complexity",
    "CELLS": "learning-curves",
    "FLOW_COMPLEXITY": "output-scale",
    "FLOW_CELLS": "plane",
}
# The values that the paper shows have a schema of their own.
PAPER_VALUES = "srhm.paper.sparse_hierarchy.analysis:PUBLISHED_VALUES"
EXPLORED = (*VIEWS, PAPER_VALUES)
# What the paper's figures show.
AUTHORS = "authors' points"
# What is trained as the text says, and as the published figures are.
TEXT, PRACTICE = "as the text says", "the paper's practice"
# Which curves are shown at first: those of Figure 4, with the paper's grammars alone.
FIRST = {"net": ("LCN", "CNN"), "s": ("2",), "sparsity": ("A",), "protocol": (TEXT,)}
GRAMMARS = "grammars"
# The one v whose learning curves and sensitivities are shown at first, where there is one.
FIRST_V = "4"


def explorer_name(group: str) -> str:
    """Name of the explorer of a group of studies."""
    return "explorer" if group == "paper" else f"{group}_explorer"


def explorer_of(study: str, groups: Mapping[str, Sequence[str]]) -> str:
    """Name of the explorer that shows a study; empty where no group has it."""
    return next((explorer_name(group) for group, studies in groups.items() if study in studies), "")


def view_of(schemas: Sequence[str], shows: Mapping[str, Any]) -> str:
    """The anchor of the view of rows of these schemas, with their choices; "" without one.

    shows: of a figure, columns and their values in all of its rows, as {"net": "lcn", "s": 2}:
    "sensitivities?net=LCN&s=2&sparsity=&protocol=&grammars=all". Several values are a tuple. Other
    curves are shown, too: of the run that is shown at first, where shows names none.
    """
    view = next((view for schema, view in VIEWS.items() if schema in schemas), "")
    chosen: dict[str, Any] = {**dict.fromkeys(FIRST, ""), GRAMMARS: "all", **shows}
    if view in (VIEWS["CELLS"], VIEWS["SENSITIVITIES"]):
        chosen[f"{view}.v"] = ""
    nets = chosen["net"]
    chosen["net"] = [net_name(net) for net in ((nets,) if isinstance(nets, str) else nets)]
    return f"{view}?{urlencode(chosen, doseq=True)}" if view else ""
