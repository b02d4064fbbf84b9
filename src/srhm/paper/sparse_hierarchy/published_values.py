"""The sample complexities that the paper shows, as a table beside ours (reference/)."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from srhm.model.grammar import GRAMMAR
from srhm.store.tables import SAMPLE_COMPLEXITY

# reading: how the number was obtained.
SCHEMA = pa.schema(
    [
        ("figure", pa.string()),
        ("panel", pa.string()),
        *(SAMPLE_COMPLEXITY.field(name) for name in ("net", *GRAMMAR, "P_star")),
        ("reading", pa.string()),
    ]
)


def published_values(*, reference: Sequence[str]) -> pd.DataFrame:
    """A row (SCHEMA) for each point of Figures 4, 10 and 13; reference: the file that has them."""
    (file,) = reference
    table = pd.read_csv(file, dtype={"figure": str, "panel": str}, keep_default_na=False)
    table = table.rename(columns={"sample_complexity": "P_star"})
    return table.assign(P_star=table["P_star"].astype(float))[SCHEMA.names]
