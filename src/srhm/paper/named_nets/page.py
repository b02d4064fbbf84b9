"""Table of the page: test error and sensitivities of VGG, ResNet and EfficientNet."""

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

import pandas as pd

from srhm.paper.named_nets.error_and_sensitivity import DEPTHS, Place, side_by_side
from srhm.report.page_table import NONE, PageTable, net_order, percent

# Where sensitivities are given, with their headings.
PLACES: dict[str, Place] = {**{percent(depth): depth for depth in DEPTHS}, "output": "output"}
NOTE = (
    "Averages over the seeds of the test error ε and of the sensitivities to synonyms (S) and to"
    " diffeomorphisms (D) of the input's level, l = 1, at layers of relative depth {} and at the"
    " output. Width is that of the stage which has 64 channels in the published network; the rate"
    " is that of SGD."
)
COLUMNS = (
    *("Network", "v", "Width", "Batch", "Rate", "P", "ε"),
    *(f"{kind}, {place}" for kind in "SD" for place in PLACES),
    *("Seeds", "Remarks"),
)
SHOWN = ("net", "v", "width", "batch_size", "learning_rate", "P", "curve")


def tables(tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> list[PageTable]:
    """A row for each network and P: ε, and S and D at each of PLACES, averaged over seeds.

    Cells without an error (diverged) are counted among the remarks.
    """
    cells, sensitivities = tables["cells"], tables["sensitivities"]
    points = {
        place: side_by_side(cells, sensitivities, place).set_index(["curve", "P", "kind"])["value"]
        for place in PLACES.values()
    }
    found = []
    for values, part in cells.groupby(list(SHOWN)):
        net, v, width, batch, rate, P, curve = values
        measured = [points[place].get((curve, P, kind), inf) for kind in "SD" for place in points]
        counts = part["status"].value_counts()
        remarks = [f"{n} of {len(part)} {word}" for word, n in counts.items() if word != "fitted"]
        numbers = [
            f"{value:.3f}" if isfinite(value) else NONE
            for value in (part["test_error"].mean(), *measured)
        ]
        row = [net, v, width, batch, f"{rate:g}", P, *numbers, len(part), ", ".join(remarks)]
        found.append(((net_order(net), v, width, batch, P), row))
    found.sort(key=lambda one: one[0])
    return [
        PageTable(
            title="VGG, ResNet, EfficientNet",
            note=NOTE.format(", ".join(list(PLACES)[:-1])),
            columns=COLUMNS,
            rows=[row for _, row in found],
            words={"Network", "Remarks"},
            main="ε",
        )
    ]
