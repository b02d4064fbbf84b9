"""P* of the algorithm, and what claims and figures compute of its tables."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from srhm.learning_curve import sample_complexity
from srhm.model.grammar import GRAMMAR
from srhm.statistics.publications import published_complexities
from srhm_studies.learning_curves.learner import complexities_of, curve_names, laws_of
from srhm_studies.learning_curves.level_by_level.configuration import (
    REFERENCES,
    SAMPLE_COMPLEXITY,
    law,
)

# A grammar counts as weakly identifiable if at each level the responses of any two latents differ
# by a fifth of what two typical ones do. A choice: the article names no number.
LEAST_GAP = 0.2
ALL, IDENTIFIABLE = "test_error", "identifiable"
CURVE = ("net", "draws", *GRAMMAR)


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY): of all its grammars, and of the identifiable ones.

    small_pool says nothing where draws are independent.
    """
    errors = cells["test_error"]
    return complexities_of(
        cells, CURVE, {ALL: errors, IDENTIFIABLE: errors[identifiable(cells)]}, law=law,
        thresholds={ALL: [threshold], IDENTIFIABLE: [threshold]},
        pooled_over=("net", "draws", "L"),
    )[SAMPLE_COMPLEXITY.names]  # fmt: skip


def identifiable(cells: pd.DataFrame) -> pd.Series:
    """Whether the grammar of each cell is weakly identifiable at the places that the net sees."""
    return cells["gap"] >= LEAST_GAP


def curves(complexity: pd.DataFrame, *, net: str) -> pd.DataFrame:
    """Sample complexities of one net from independent data, of identifiable grammars."""
    independent = complexity["draws"] == "independent"
    identifiable = complexity["criterion"] == IDENTIFIABLE
    return complexity[(complexity["net"] == net) & independent & identifiable]


def diagonal(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves of dense grammars with v = m = n_c."""
    return rows[(rows["v"] == rows["m"]) & (rows["v"] == rows["n_c"]) & (rows["s0"] == 0)]


def levels_of(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Rows of levels with the coordinates of their cells, and `law`; gap is that of the level."""
    columns = ["key", *CURVE, "P", "seed", "test_error"]
    level_columns = levels.drop(columns="curve")
    cell_columns = cells[columns].assign(curve=curve_names(cells, CURVE), cell_gap=cells["gap"])
    rows = level_columns.merge(cell_columns, on="key")
    return rows.assign(law=laws_of(rows, CURVE, law))


def powers_of_P(rows: pd.DataFrame) -> pd.DataFrame:
    """-d log(response error)/d log P, `power`, for each curve, seed and level; P at least the law.

    There each content was met some m^(L-1) times, so that noise and not absence is what is seen.
    """
    past_law = rows[(rows["P"] >= rows["law"]) & (rows["response_error"] > 0)]
    powers = []
    by = ["curve", "seed", "level", "L", "s", "v"]
    for at, curve in past_law.groupby(by):
        if curve["P"].nunique() > 1:
            x, y = (np.log(curve[name].to_numpy(float)) for name in ("P", "response_error"))
            powers.append([*at, -np.polyfit(x, y, 1)[0]])
    return pd.DataFrame(powers, columns=[*by, "power"])


def powers_of_m(rows: pd.DataFrame) -> pd.DataFrame:
    """log(e_l/e_(l+1))/log m for l+1 < L, `power`, for each curve and seed; means over l and P.

    e_l: response error of level l with true latents below, at P of the law or more.
    """
    past_law = rows[(rows["level"] < rows["L"]) & (rows["P"] >= rows["law"]) & (rows["L"] > 2)]
    past_law = past_law[(past_law["m"] > 1) & (past_law["response_error"] > 0)]
    kept = ["curve", "seed", "L", "s", "v"]
    powers = [pd.DataFrame(columns=[*kept, "power"])]
    for depth, part in past_law.groupby("L"):
        wide = part.pivot_table(
            index=["curve", "seed", "s", "v", "m", "P"], columns="level", values="response_error"
        )
        drops = -np.diff(np.log(wide.to_numpy()), axis=1).mean(axis=1)
        table = wide.index.to_frame(index=False)
        table = table.assign(L=depth, power=drops / np.log(table["m"]))
        powers.append(table.groupby(kept)["power"].mean().reset_index())
    return pd.concat(powers[1:] or powers, ignore_index=True)


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
    for file in map(Path, layerwise):
        cells, rows = pd.read_parquet(file), []
        cells = cells[(cells["training"] == "layerwise") & (cells["data"] == "srhm")]
        for (net, *grammar), curve in cells.groupby(["net", *GRAMMAR]):
            wide = curve.pivot_table(index="P", columns="seed", values="test_error")
            star = sample_complexity(wide.index.to_numpy(), wide.to_numpy(), threshold=threshold)
            rows.append({
                "net": net, **dict(zip(GRAMMAR, grammar, strict=True)), "P_star": star.P_star,
                "P_star_low": star.low, "P_star_high": star.high, "status": star.status,
                "n_seeds": star.n_seeds, "small_pool": False, "training": "layer by layer",
                "origin": f"{file.parts[-3]}/layerwise",
            })  # fmt: skip
        frames.append(pd.DataFrame(rows))
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame(columns=REFERENCES.names)
    return pd.concat(frames, ignore_index=True)[REFERENCES.names]
