"""The table of all P*: what a reader looks for stands first."""

import pandas as pd

from srhm.paper.sparse_hierarchy.page import _complexities
from srhm.scorecard.complexity_rows import with_rates
from srhm.statistics.publications import read_publications
from srhm.store.places import PUBLISHED
from srhm.store.published_provenance import PROVENANCE_FILE


def test_of_each_net_the_papers_grammars_at_the_usual_width_and_rate_stand_first():
    (run,) = read_publications([PUBLISHED / "grid" / "sparse_hierarchy" / PROVENANCE_FILE])
    rows = with_rates(run.sample_complexity, run.cells)
    table = _complexities(rows, threshold=0.1, explore="")
    found = pd.DataFrame(table.rows, columns=table.columns)
    for words in ("LCN, L = 2", "LCN, L = 3", "CNN, L = 2", "CNN, L = 3"):
        first = found.iloc[table.jumps[words] :][:10]
        assert set(first["Width"]) == {128}
        assert len(set(first["Rate"])) == 1
        assert (first["n_c"] == first["v"]).all()
        assert (first["m"] == first["v"] ** (first["s"] - 1)).all()
