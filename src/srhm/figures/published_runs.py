"""Points of archived runs beside those of another run, of which no fit knows."""

import pandas as pd

from srhm.figures.selection import at_threshold, text_curves
from srhm.statistics.publications import Publication


def points_of(run: Publication, *, net: str, branching: int, threshold: float) -> pd.DataFrame:
    """Rows of a run for a panel: the text's protocol, this net, s and threshold, sparsity A.

    Of the width that most of its curves of a net and depth have, n_c = v and m = v^(s-1).
    """
    table = run.sample_complexity
    table = at_threshold(table[table["net"] == net], threshold)
    return text_curves(table, width=None, branching=branching)
