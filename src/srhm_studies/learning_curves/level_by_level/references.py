"""P* of networks that gradient descent trains on the same grammars, from published rows."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from srhm.learning_curve import sample_complexity
from srhm.model.grammar import GRAMMAR
from srhm.statistics.publications import published_complexities
from srhm_studies.learning_curves.level_by_level.tables import REFERENCES


def references(
    *, end_to_end: Sequence[str], layerwise: Sequence[str], threshold: float
) -> pd.DataFrame:
    """A row (REFERENCES) for each published P* of LCN and CNN at s = 2, sparsity A.

    end_to_end: tables of cells of the study sparse_hierarchy; layerwise: of the study layerwise, at
    the scale 1 of the output. Either may be without files.
    """
    frames = [
        published_complexities(Path(file), threshold=threshold).assign(training="end to end")
        for file in end_to_end
    ]
    frames += [_layerwise(Path(file), threshold) for file in layerwise]
    frames = [one for one in frames if len(one)]
    if not frames:
        return pd.DataFrame(columns=REFERENCES.names)
    return pd.concat(frames, ignore_index=True)[REFERENCES.names]


def _layerwise(file: Path, threshold: float) -> pd.DataFrame:
    cells = pd.read_parquet(file)
    own = cells[(cells["training"] == "layerwise") & (cells["data"] == "srhm")]
    rows = []
    for (net, *grammar), curve in own.groupby(["net", *GRAMMAR]):
        wide = curve.pivot_table(index="P", columns="seed", values="test_error")
        found = sample_complexity(wide.index.to_numpy(), wide.to_numpy(), threshold=threshold)
        rows.append(
            {
                "net": net,
                **dict(zip(GRAMMAR, grammar, strict=True)),
                "P_star": found.P_star,
                "P_star_low": found.low,
                "P_star_high": found.high,
                "status": found.status,
                "n_seeds": found.n_seeds,
                "small_pool": False,
                "origin": f"{file.parts[-3]}/layerwise",
                "training": "layer by layer",
            }
        )
    return pd.DataFrame(rows)
