"""Which rows of the tables a figure shows, and where its abscissa is.

Letters of the paper: L depth, s branching, s_0 (s0) empty places for each informative one, v
features, m synonyms, n_c classes, P* sample complexity.
"""

import numpy as np
import pandas as pd

from srhm.model.grammar import NET_AND_DATA

FAST_ENGINE = "sparse"


def text_protocol(table: pd.DataFrame, *, width: int | None) -> pd.DataFrame:
    """Rows of the curves trained as the text says: no whitening, no bias, shuffled batches.

    Of this width H; None: for each net and depth of the width that most of its curves have, the
    wider of equal ones. A curve that both engines trained is shown once, as the fast one found it,
    and one that was trained at several rates once, at the first of the configuration.
    """
    rows = table[trained_as(table, batch="shuffled", corrected=False)]
    rows = of_usual_widths(rows) if width is None else rows[rows["width"] == width]
    fast = rows["engine"] == FAST_ENGINE
    doubled = fast.groupby([rows[name] for name in NET_AND_DATA]).transform("any").astype(bool)
    rows = rows[fast | ~doubled]
    first = rows.groupby([*NET_AND_DATA, "alpha", "width", "engine"], dropna=False)["curve"]
    return rows[rows["curve"] == first.transform("first")]


def trained_as(table: pd.DataFrame, *, batch: str, corrected: bool) -> pd.Series:
    """Mask of the rows with such batches, and with or without both whitening and biases."""
    options = [table[name].astype(bool) == corrected for name in ("whitening", "bias")]
    return options[0] & options[1] & (table["batch"] == batch)


def practice_curves(table: pd.DataFrame, *, branching: int) -> pd.DataFrame:
    """As `text_curves`, of curves with balanced batches, whitening and biases, of usual widths."""
    rows = of_usual_widths(table[trained_as(table, batch="balanced", corrected=True)])
    return on_the_papers_grammars(rows, branching=branching)


def of_usual_widths(rows: pd.DataFrame, *alike: str) -> pd.DataFrame:
    """Rows of the width that most curves of a net and depth have, and that are equal in `alike`.

    Of equal ones the wider.
    """
    on = ["net", "L", *alike]
    n_curves = rows.groupby([*on, "width"])["curve"].nunique().rename("n").reset_index()
    usual = n_curves.sort_values(["n", "width"]).drop_duplicates(on, keep="last")
    return rows[rows["width"] == rows[on].merge(usual, how="left").set_axis(rows.index)["width"]]


def text_curves(
    table: pd.DataFrame, *, width: int | None, branching: int, sparsity: str = "A"
) -> pd.DataFrame:
    """Rows of `text_protocol` with this s and sparsity, n_c = v and m = v^(s-1)."""
    rows = text_protocol(table, width=width)
    return on_the_papers_grammars(rows, branching=branching, sparsity=sparsity)


def on_the_papers_grammars(
    rows: pd.DataFrame, *, branching: int | None = None, sparsity: str = "A"
) -> pd.DataFrame:
    """Rows with this sparsity, n_c = v and m = v^(s-1), of one s if it is given."""
    usual = (rows["n_c"] == rows["v"]) & (rows["m"] == rows["v"] ** (rows["s"] - 1))
    of_s = True if branching is None else rows["s"] == branching
    return rows[usual & of_s & (rows["sparsity"] == sparsity)]


def at_threshold(
    table: pd.DataFrame, threshold: float, *, criterion: str = "test_error"
) -> pd.DataFrame:
    """Sample complexities of one criterion at one threshold."""
    return table[(table["criterion"] == criterion) & np.isclose(table["threshold"], threshold)]
