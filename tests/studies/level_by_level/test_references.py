"""The networks of published rows that stand beside the algorithm."""

import pandas as pd
import pytest
from tables import curve, published_cells

from srhm_studies.learning_curves.level_by_level import references


def test_references_are_those_of_published_rows(tmp_path):
    published = tmp_path / "grid" / "sparse_hierarchy" / "cells.parquet"
    trained = tmp_path / "laptop" / "layerwise" / "cells.parquet"
    for file in (published, trained):
        file.parent.mkdir(parents=True)
    grammar = {"L": 2, "s": 2, "s0": 0, "v": 4, "m": 4, "n_c": 4, "sparsity": "A"}
    curves = [curve("cnn", 2, 4, 0), curve("fcn", 2, 4, 0), curve("cnn", 2, 4, 0, sparsity="B")]
    published_cells(curves, P_star=150.0, n_seeds=3).to_parquet(published)
    cells = [
        {"net": "cnn", **grammar, "data": "srhm", "training": training, "P": P, "seed": seed,
         "test_error": error}
        for training in ("layerwise", "end_to_end")
        for P, error in ((100, 0.4), (400, 0.0)) for seed in (0, 1)
    ]  # fmt: skip
    pd.DataFrame(cells).to_parquet(trained)
    found = references.references(
        end_to_end=[str(published)], layerwise=[str(trained)], threshold=0.1
    )
    assert found["training"].tolist() == ["end to end", "layer by layer"]
    assert found["P_star"].tolist() == pytest.approx([150.0, 100 * 4**0.5])
    assert found["origin"].tolist() == ["grid/sparse_hierarchy", "laptop/layerwise"]
    assert references.references(end_to_end=[], layerwise=[], threshold=0.1).empty
