"""Claims on the ranks of layers under weight decay.

Source: the talk "Bottleneck structure in large depth networks" (A. Jacot, 2023) by the titles of
its slides.
"""

from functools import partial
from math import isfinite, nan

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import no_points, of_points
from srhm.statistics.regression import mean
from srhm.studies.bottleneck.analysis import first_lasting, in_deep_half, last_rank


def deep_rank(tables: Tables, *, decayed: bool) -> Measurement:
    """Mean over cells of the number of large singular values in the deep half, minus n_c - 1.

    Large is above half of the layer's largest; at the end of training.
    """
    rows = _weights_at_end(tables, decayed=decayed)
    if rows.empty:
        return NOT_MEASURED
    deep = rows[in_deep_half(rows)]
    excess = deep["n_above_half"] - (deep["n_c"] - 1)
    by_cell = excess.groupby(deep["key"]).mean().to_numpy(dtype=float)
    shallow = rows[rows["k"] <= 2]
    note = f"layers 1, 2: {shallow['n_above_half'].mean():.1f} above half of the largest"
    return of_points(mean(by_cell, []), "cells", note)


def layers_apart(tables: Tables, *, kind: str) -> Measurement:
    """Mean over cells of the layer where a sensitivity dies minus that where the rank is n_c - 1.

    A sensitivity dies from the layer on from which it stays below half of its value in layer 1 at
    the start of training; ranks as in `deep_rank`, in hidden layers. Cells with weight decay.
    """
    rows = _weights_at_end(tables, decayed=True)
    felt = tables.get("sensitivities", pd.DataFrame())
    if rows.empty or felt.empty:
        return NOT_MEASURED
    felt = felt[(felt["kind"] == kind) & (felt["l"] == 1) & (felt["n"] > 0)]
    apart, never = [], 0
    for key, own in rows[rows["k"] <= rows["hidden_layers"]].groupby("key"):
        values = felt[felt["key"] == key]
        start = values[(values["when"] == "initial") & (values["k"] == values["k"].min())]["value"]
        end = values[values["when"] == "end"].set_index("k")["value"]
        end = end[end.index <= own["hidden_layers"].iloc[0]]
        if end.empty or start.empty:
            continue
        dies = first_lasting(end, float(start.iloc[0]) / 2)
        rank = own.set_index("k")["n_above_half"]
        narrows = first_lasting(rank, last_rank(int(own["n_c"].iloc[0])))
        if isfinite(dies) and isfinite(narrows):
            apart.append(dies - narrows)
        else:
            never += 1
    note = f"{never} cells in which one of the two does not happen" if never else ""
    if not apart:
        return no_points(note or "no cell has both")
    return of_points(mean(np.array(apart), []), "cells", note)


def _weights_at_end(tables: Tables, *, decayed: bool) -> pd.DataFrame:
    """Summaries of the weights after training, of cells with or without weight decay."""
    cells, summaries = (
        tables.get(name, pd.DataFrame()) for name in ("cells", "singular_summaries")
    )
    if cells.empty or summaries.empty:
        return pd.DataFrame()
    own = cells[(cells["weight_decay"] > 0) == decayed]
    rows = summaries[(summaries["when"] == "end") & (summaries["kind"] == "weights")]
    return rows.merge(own[["curve", "key", "n_c", "hidden_layers", "P"]], on=["curve", "key"])


# Reasons of the tolerances, fixed before anything was measured.
RANK_REASON = "1, ours: a network trained before had 2 to 3 where n_c - 1 = 3"
NO_REASON = "no source has a number"

TOPIC = "Bottleneck and singular values"
FIGURE = "bottleneck"
WEIGHTS_SLIDE = "talk, slide 'Bottleneck Structure on the Weights'"
REPRESENTATIONS_SLIDE = "talk, slide 'Convergence of the representations'"

CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            identifier=f"bottleneck-rank-{'decay' if decayed else 'no-decay'}",
            topic=TOPIC,
            figure=FIGURE,
            statement=f"{'with' if decayed else 'no'} weight decay: large singular values of deep"
            " layers, minus n_c - 1",
            place=WEIGHTS_SLIDE,
            expected=0 if decayed else nan,
            tolerance=1 if decayed else nan,
            tolerance_reason=RANK_REASON if decayed else NO_REASON,
            measure=partial(deep_rank, decayed=decayed),
        )
        for decayed in (True, False)
    ),
    *(
        Claim(
            identifier=f"bottleneck-{kind.lower()}-layers-after-rank",
            topic=TOPIC,
            figure=FIGURE,
            statement=f"layers from where the rank is n_c - 1 to where {kind}_k dies",
            place=REPRESENTATIONS_SLIDE,
            expected=nan,
            tolerance=nan,
            tolerance_reason=NO_REASON,
            measure=partial(layers_apart, kind=kind),
        )
        for kind in "SD"
    ),
)
