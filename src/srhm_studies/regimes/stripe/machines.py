"""Support vector machines on the points of the networks: what these tend to at infinite width.

Rows of the study kernels, from published/: no network and no kernel is computed here.
"""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

# Lazy learning is that of the tangent kernel; features compress the other inputs (chapter 3b).
REGIMES = {"stripe": "lazy", "stripe_compressed": "feature"}
MACHINES = pa.schema(
    [
        ("regime", pa.string()),
        *((name, pa.int64()) for name in ("n_inputs", "P", "seed")),
        ("kernel_error", pa.float64()),
    ]
)


def machines(*, published: Sequence[str]) -> pd.DataFrame:
    """A row of MACHINES for each training set: tangent kernel of one hidden layer, with biases."""
    frames = [pd.read_parquet(file) for file in sorted(published)]
    if not frames:
        return pd.DataFrame(columns=MACHINES.names)
    rows = pd.concat(frames, ignore_index=True)
    rows = rows.query("experiment == 'stripe' and kernel == 'tangent' and status == 'done'")
    own = rows.assign(regime=rows["data"].map(REGIMES), kernel_error=rows["error"])
    own = own.rename(columns={"d": "n_inputs"})[MACHINES.names]
    return own.drop_duplicates(["regime", "n_inputs", "P", "seed"]).astype({"n_inputs": int})
