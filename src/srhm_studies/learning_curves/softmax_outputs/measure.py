"""S and D of the logits and of their softmax, by Eq. 13 and 14, of trained networks.

Both are measured with the same points, images and estimator as the layers of `sparse_hierarchy`:
the output is f, the logits, or p = softmax(f), p_c = exp(f_c) / sum_c' exp(f_c').
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import softmax

from srhm.measure.cells import measure_stored
from srhm.measure.representations import probe_of_cell
from srhm.measure.sensitivity import Probe, Representation, one_node
from srhm.model.sampling import Derivations
from srhm.store.published import significant
from srhm.store.tables import SENSITIVITIES

# Significant bits of values and errors: an error is 1 % of its value or more.
VALUE_BITS, ERROR_BITS = 16, 8
LOGITS, SOFTMAX = "logits", "softmax"

OUTPUTS = pa.schema([
    *(SENSITIVITIES.field(name) for name in ("curve", "key", "variant", "kind", "l")),
    (LOGITS, pa.float64()),
    (f"{LOGITS}_error", pa.float64()),
    (SOFTMAX, pa.float64()),
    (f"{SOFTMAX}_error", pa.float64()),
    *(SENSITIVITIES.field(name) for name in ("n", "n_draws")),
])  # fmt: skip


def measure_outputs(entries: Sequence[Mapping[str, Any]], **how: Any) -> list[dict[str, Any]]:
    """Rows of OUTPUTS, without the curve, of all cells of a curve: one for each kind and level.

    Net, grammar, P and seed of a key stand in the table `cells`.
    See `measure_curve` for the rest of the arguments and for cells without values. Errors are those
    of a delete-one jackknife over the points.

    Raises:
        MissingCell: if a cell is not in the store or is damaged.
    """
    rows = measure_stored(entries, probe_of=probe_of_outputs, **how)
    named = {(row["key"], row["variant"], row["kind"], row["l"], row["layer"]): row for row in rows}
    return [
        {name: row[name] for name in OUTPUTS.names if name in row}
        | _values(row)
        | _values(named[row["key"], row["variant"], row["kind"], row["l"], SOFTMAX])
        for row in rows
        if row["layer"] == LOGITS
    ]


def probe_of_outputs(cell: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> Probe:
    """The network of a cell with these weights, of which the logits and their softmax are seen."""
    network = probe_of_cell(cell, weights)

    def represent(data: Derivations) -> list[Representation]:
        logits = network.represent(data)[-1]
        return [logits, one_node(softmax(logits.values[:, 0].astype(np.float64), axis=1))]

    return replace(network, layers=(LOGITS, SOFTMAX), represent=represent)


def _values(row: Mapping[str, Any]) -> dict[str, float]:
    """Value and error of a row of one output, as OUTPUTS has them."""
    parts = (("", "value", VALUE_BITS), ("_error", "standard_error", ERROR_BITS))
    return {
        f"{row['layer']}{end}": float(significant(np.array(row[name]), bits))
        for end, name, bits in parts
    }
