"""A figure of some of the curves of a study, before its tables are there."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.names import resolved
from srhm.results.gathering import gather
from srhm.results.tables import schema_of


def first_look(spec: Mapping[str, Any], files: Sequence[str]) -> Any:
    """The figure that a declaration's function draws of the rows in these files.

    spec: what `srhm.rules.first_looks.look_spec` says: planned (curves with the keys of their
    cells), schemas by table, derived tables, the figure's function, what it uses, and what it gets
    by name, and the stamp in its corner. Nothing is measured yet: the other tables have no rows.

    Raises:
        TableError: if a file is damaged or of other cells, naming it.
    """
    tables = {
        name: schema_of(schema).empty_table().to_pandas()
        for name, schema in spec["schemas"].items()
    }
    schema = schema_of(spec["schemas"]["cells"])
    tables["cells"] = gather([Path(file) for file in files], dict(spec["planned"]), schema)
    for derived in spec["derived"]:
        used = [tables[name] for name in derived["uses"]]
        made = resolved(derived["function"])(*used, **derived["named"])
        rows = made if isinstance(made, pd.DataFrame) else pd.DataFrame(list(made))
        tables[derived["name"]] = rows
    figure = resolved(spec["function"])(*(tables[name] for name in spec["uses"]), **spec["named"])
    figure.text(0.995, 0.995, spec["stamp"], ha="right", va="top", fontweight="bold")
    return figure
