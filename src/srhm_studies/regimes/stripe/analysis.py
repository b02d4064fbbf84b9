"""Alignment Lambda and errors of the stripe model (thesis, chapter 3b, Fig. 9).

Letters of the thesis: d inputs, P training points, Lambda = W_par/W_perp, W_par and W_perp the
sizes of first-layer weights along the informative direction and across it. Support vector machines
on the points of the networks, what these tend to at infinite width, are rows of the study kernels,
from published/: no network and no kernel is computed here.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from srhm.statistics.regimes import FEATURE, LAZY, at_least, at_most

# Lazy learning is that of the tangent kernel; features compress the other inputs (chapter 3b).
REGIMES = {"stripe": "lazy", "stripe_compressed": "feature"}
MACHINES = pa.schema([
    ("regime", pa.string()),
    *((name, pa.int64()) for name in ("n_inputs", "P", "seed")),
    ("kernel_error", pa.float64()),
])  # fmt: skip


def machines(*, published: Sequence[str]) -> pd.DataFrame:
    """A row of MACHINES for each training set: tangent kernel of one hidden layer, with biases."""
    frames = [pd.read_parquet(file) for file in sorted(published)]
    if not frames:
        return pd.DataFrame(columns=MACHINES.names)
    rows = pd.concat(frames, ignore_index=True)
    rows = rows.query("experiment == 'stripe' and kernel == 'tangent' and status == 'done'")
    table = rows.assign(regime=rows["data"].map(REGIMES), kernel_error=rows["error"])
    table = table.rename(columns={"d": "n_inputs"})[MACHINES.names]
    return table.drop_duplicates(["regime", "n_inputs", "P", "seed"]).astype({"n_inputs": int})


def alignments(cells: pd.DataFrame, neurons: pd.DataFrame) -> pd.DataFrame:
    """Rows of the cells with `alignment`, Lambda at the end of training, and `initial`.

    Lambda^2 = sum |W2| w_par^2 / sum |W2| w_perp^2 over neurons, W2 their readout: about 1 before
    training. Cells without neurons are left out.
    """
    weight = neurons["readout"].abs()
    sums = neurons.assign(
        along=weight * neurons["parallel"] ** 2, across=weight * neurons["perpendicular"] ** 2
    )
    totals = sums.groupby(["key", "when"])[["along", "across"]].sum()
    ratio = (totals["along"] / totals["across"]).pow(0.5).unstack("when")
    ratio = ratio.reindex(columns=["initial", "end"]).rename(columns={"end": "alignment"})
    return cells.merge(ratio.reset_index(), on="key").dropna(subset=["alignment"])


def in_regimes(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells at the largest alpha_tilde (lazy, LAZY or more) and at the smallest (FEATURE or less).

    Of those at which a network fitted, of each d; with `regime`: lazy or feature.
    """
    parts = [cells[:0].assign(regime="")]
    for _, networks in cells.groupby("n_inputs"):
        tildes = networks.loc[networks["status"] == "fitted", "alpha_tilde"]
        ends = {
            "lazy": tildes[at_least(tildes, LAZY)].max(),
            "feature": tildes[at_most(tildes, FEATURE)].min(),
        }
        parts += [networks[np.isclose(networks["alpha_tilde"], end, rtol=1e-6)].assign(regime=name)
                  for name, end in ends.items()]  # fmt: skip
    return pd.concat([part for part in parts if len(part)] or parts[:1])


def beta(d: int, *, lazy: bool) -> float:
    """Exponent of the error against P: d/(3d-2), or (d + (d-1)/2)/(3d-2) with features."""
    return (d if lazy else d + (d - 1) / 2) / (3 * d - 2)
