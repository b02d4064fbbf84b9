"""Sample complexities of networks across lazy and feature learning, and of kernels and ensembles.

A learning curve here is one curve at one alpha_tilde. `sample_complexity` gives its P* for whatever
falls with P: the test error of the network, of the tangent kernel held fixed at
initialisation or at the end, of the ensemble, and the sensitivities S_2, D_2 at the end.
"""

from collections.abc import Sequence

import pandas as pd

from srhm.model.grammar import GRAMMAR, NET_AND_DATA
from srhm.statistics.sample_complexity import in_blocks, sample_complexity
from srhm.store.tables import FLOW_COMPLEXITY

# What a curve has beside net and data. Between two of its values nothing is pooled:
# lazy and feature learning need not have the same spread over seeds.
OWN = ("study", "alpha_tilde", "training", "optimiser", "labels", "loss", "activation",
       "hidden_layers", "width")  # fmt: skip
KERNELS = {"initial": "initial_kernel", "end": "end_kernel"}
SENSITIVITIES = {"S": "S_2", "D": "D_2"}
ERRORS = ("test_error", *KERNELS.values(), "ensemble")
COLUMNS = tuple(FLOW_COMPLEXITY.names)


def flow_complexity(
    cells: pd.DataFrame,
    sensitivities: pd.DataFrame,
    frozen_kernels: pd.DataFrame,
    ensembles: pd.DataFrame,
    *,
    thresholds: Sequence[float],
) -> pd.DataFrame:
    """A row (COLUMNS) for each curve, alpha_tilde, criterion and threshold.

    Tables are FLOW_CELLS, FLOW_SENSITIVITIES, FROZEN_KERNELS, ENSEMBLES; all but the first may be
    empty. Errors have all `thresholds`, S_2 and D_2 those of the paper for the net, L and s.
    Members of a seed count as one: their values are averaged. n_cells, n_capped, n_diverged count
    the runs of the criterion, for a kernel those of learning with it; capped ones enter with the
    value that they have. Intervals and censoring are those of `sample_complexity`, with standard
    deviations pooled over the curves of one net, L and s that agree in OWN.
    """
    cells = cells[cells["data"] == "srhm"]
    if cells.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    # Beside random data, which have none, these are read as numbers that may be missing.
    cells = cells.astype(dict.fromkeys(_NUMBERS, "int64"))
    values = pd.concat(
        [
            cells[_SHARED].assign(
                criterion="test_error",
                value=cells["test_error"],
                capped=cells["status"] == "capped",
            ),
            _kernels(cells, frozen_kernels),
            _ensembles(cells, ensembles),
            _sensitivities(cells, sensitivities),
        ],
        ignore_index=True,
    )
    # The estimator knows a curve by its name: one alpha_tilde.
    names = values["curve"] + " " + values["alpha_tilde"].map(repr)
    values = values.assign(whole=values["curve"], curve=names)
    pooled_over = (*OWN, "net", "L", "s")
    values = in_blocks(in_blocks(values, [*pooled_over, "criterion"]), OWN)
    complexities = sample_complexity(
        values,
        thresholds=dict.fromkeys(ERRORS, thresholds),
        columns=("curve", "whole", *OWN, *NET_AND_DATA),
        pooled_over=pooled_over,
        members=True,
    )
    n_capped = values.groupby(["curve", "criterion"])["capped"].sum().rename("n_capped")
    complexities = complexities.join(n_capped, on=["curve", "criterion"])
    return complexities.assign(curve=complexities["whole"])[list(COLUMNS)]


_NUMBERS = (*GRAMMAR, "hidden_layers")
_SHARED = [*dict.fromkeys(("curve", *OWN, *NET_AND_DATA)), "P", "seed"]


def _kernels(cells: pd.DataFrame, frozen: pd.DataFrame) -> pd.DataFrame:
    if frozen.empty:
        return pd.DataFrame()
    rows = cells[[*_SHARED, "key"]].merge(frozen, on=["curve", "key"])
    return rows[_SHARED].assign(
        criterion=rows["kernel"].map(KERNELS),
        value=rows["test_error"],
        capped=rows["status"] == "capped",
    )


def _ensembles(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """A mean of one member is no ensemble."""
    if ensembles.empty:
        return pd.DataFrame()
    several = ensembles[ensembles["n_members"] > 1]
    columns = ["curve", "P", "alpha_tilde", "seed"]
    rows = several[[*columns, "ensemble_error", "n_capped"]].merge(
        cells[_SHARED].drop_duplicates(columns), on=columns
    )
    return rows[_SHARED].assign(
        criterion="ensemble", value=rows["ensemble_error"], capped=rows["n_capped"]
    )


def _sensitivities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """S_2, D_2 of the second hidden layer at the end; no rows where nothing can be changed."""
    if sensitivities.empty:
        return pd.DataFrame()
    chosen = (
        (sensitivities["when"] == "end")
        & sensitivities["kind"].isin(list(SENSITIVITIES))
        & (sensitivities["layer"] == "2")
        & (sensitivities["l"] == 1)
        & (sensitivities["n"] > 0)
    )
    columns = [*_SHARED, "key", "status"]
    rows = cells[columns].merge(sensitivities[chosen], on=["curve", "key"])
    return rows[_SHARED].assign(
        criterion=rows["kind"].map(SENSITIVITIES),
        value=rows["value"],
        capped=rows["status"] == "capped",
    )
