"""First-layer weights of networks with one hidden layer, along the stripe and across it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from srhm.flow.networks import Weights
from srhm.measure.trained import WHEN, members_of

NEURONS = pa.schema([
    *((name, pa.string()) for name in ("curve", "key", "when")),
    ("neuron", pa.int64()),
    *((name, pa.float64()) for name in ("parallel", "second", "perpendicular", "readout")),
])  # fmt: skip


def measure_neurons(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of NEURONS without the curve: one for each neuron, before and after training.

    parallel: weight of the first input, which decides the label; second: of the second one;
    perpendicular: root mean square of all but the first; readout: weight in the output. Cells of
    several hidden layers have no rows, nor has the end of one that diverged.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    table = []
    for member in members_of(entries, store=store):
        if member.cell["hidden_layers"] != 1:
            continue
        for when in WHEN:
            if (weights := member.weights[when]) is not None:
                name = {"key": member.key, "when": when}
                table += [{**name, **row} for row in _rows(weights)]
    log.info("%d neurons of %d cells", len(table), len(entries))
    return table


def _rows(weights: Weights) -> list[dict[str, Any]]:
    first_dh, readout_h = weights["layer1"][0, 0], weights["readout"][0, :, 0]
    columns = {
        "parallel": first_dh[0], "second": first_dh[1],
        "perpendicular": first_dh[1:].square().mean(dim=0).sqrt(), "readout": readout_h,
    }  # fmt: skip
    numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [{"neuron": k, **dict(zip(columns, row, strict=True))} for k, row in enumerate(numbers)]
