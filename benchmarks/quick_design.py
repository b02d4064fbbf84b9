"""What the quick preset decides, before it is run: the verdicts of simulated runs.

`.venv/bin/python benchmarks/quick_design.py config/quick.yaml > reference/quick_design.csv` (some
seconds). The archived seeds of `grid` (128 channels) give the mean log P* of each curve, and
standard deviations by v: of a grammar's effect, which all nets, depths and s_0 share, and of the
rest. A simulated run draws the effect of each grammar (s, v, seed) of the preset, the rest of each
seed of a curve, and an error that the seeds of a curve share; then it fits each exponent with its
95 % interval (CR2 over grammars, the shared error in quadrature). Reproduced: the interval lies
within the tolerance. Differs: it excludes the expected number, and the value lies beyond the
tolerance. Ratios of sensitivities and networks are not among the statements.
"""

import csv
import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from srhm.commands.presets import run_of
from srhm.model import theory
from srhm.statistics.regression import clustered_error
from srhm.statistics.sample_complexity import seed_complexities
from srhm.store.places import PUBLISHED

RUNS, CONFIDENCE = 200, 0.975
SHARED = 0.03  # of log P*, of all seeds of a curve
CURVE = ["net", "L", "s", "v", "s0", "sparsity"]
A2 = "s == 2 and sparsity == 'A'"
# Name, rows, on what log P* is regressed, within groups of what, expected, tolerance, fewest
# grammars and vocabularies.
MEAN, SLOPE = (5, 2), (6, 3)
STATEMENTS = [
    ("law, Eq. 3 and 4", f"{A2} and net != 'fcn'", "law", ["net"], 1, 0.15, SLOPE),
    *[
        (f"s0+1, {net}, L = {L}", f"{A2} and net == '{net}' and L == {L}", "places",
         ["v", "seed"], power, 0.35, MEAN)
        for net, L, power in (("lcn", 2, 2), ("lcn", 3, 3), ("cnn", 2, 2), ("cnn", 3, 2))
    ],
    *[
        (f"v, {net}, L = {L}", f"{A2} and net == '{net}' and L == {L}", "features", ["s0"], L + 1,
         0.35, SLOPE)
        for net in ("lcn", "cnn") for L in (2, 3)
    ],
    *[
        (f"s0+1, LCN over CNN, L = {L}", f"{A2} and net != 'fcn' and L == {L}", "both",
         ["v", "seed", "net"], L - 2, 0.35, MEAN)
        for L in (2, 3)
    ],
    *[
        (f"law, sparsity B, {net}", f"s == 2 and sparsity == 'B' and net == '{net}'", "law", ["L"],
         1, 0.15, SLOPE)
        for net in ("lcn", "cnn")
    ],
]  # fmt: skip


def archived() -> pd.DataFrame:
    """log P* of each seed of the archived main curves that reached it, with the coordinates."""
    cells = pd.read_parquet(PUBLISHED / "grid/sparse_hierarchy/cells.parquet")
    main = (cells["batch"] == "shuffled") & ~cells["whitening"] & ~cells["bias"]
    main &= (cells["n_c"] == cells["v"]) & (cells["width"] == 128)
    cells = cells[main & (cells["m"] == cells["v"] ** (cells["s"] - 1))]
    stars = seed_complexities(cells, threshold=0.1).stack().dropna().rename("log_P")
    stars.index.names = ["curve", "seed"]
    curves = cells.drop_duplicates("curve").set_index("curve")[CURVE]
    return stars.reset_index().join(curves, on="curve")


def deviations(stars: pd.DataFrame) -> pd.DataFrame:
    """By s and v: standard deviations of a grammar's effect and of the rest."""
    rest = stars.assign(rest=stars["log_P"] - stars.groupby("curve")["log_P"].transform("mean"))
    effect = rest.groupby(["s", "v", "seed"])["rest"].transform("mean")
    parts = rest.assign(grammar=effect, rest=rest["rest"] - effect)
    grammars = parts.drop_duplicates(["s", "v", "seed"])
    return pd.DataFrame(
        {
            "grammar": grammars.groupby(["s", "v"])["grammar"].std(),
            "rest": parts.groupby(["s", "v"])["rest"].std(),
        }
    )


def design(configfile: Path, means: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """A row for each seed of a curve of the preset that was archived; how many curves were not."""
    curves = run_of(configfile, Path("nowhere"), ["sparse_hierarchy"], rows="trained").curves
    rows = [
        {"curve": curve.name, **{name: cell[name] for name in [*CURVE, "seed"]}}
        for curve in curves.values()
        for cell in {cell["seed"]: cell for cell in curve.cells}.values()
        if cell["n_c"] == cell["v"]
        and cell["m"] == cell["v"] ** (cell["s"] - 1)
    ]  # fmt: skip
    table = pd.DataFrame(rows).merge(means, on=CURVE, how="left")
    lost = table[table["mean"].isna()]["curve"].nunique()
    return table.dropna(subset="mean").reset_index(drop=True), lost


def regressors(table: pd.DataFrame) -> pd.DataFrame:
    """With what log P* is regressed on: ln(s_0 + 1), ln v, and the logarithm of Eq. 3 or 4."""
    predicted = [
        theory.predicted_sample_complexity(
            net, depth=L, branching=s, n_synonyms=v ** (s - 1), n_classes=v, n_empty=s0
        )
        for net, L, s, v, s0 in table[CURVE[:-1]].itertuples(index=False)
    ]
    places = np.log(table["s0"] + 1)
    return table.assign(
        places=places,
        features=np.log(table["v"]),
        law=np.log(predicted),
        both=places.where(table["net"] == "lcn", 0.0),
    )


def matrices(rows: pd.DataFrame, on: str, within: list[str]):
    """Weights and projection of the slope, for rows of groups in which the regressor varies."""
    own = [on, "places"] if on == "both" else [on]
    group = rows.groupby(within).ngroup()
    varies = rows[own[-1]].groupby(group).transform(lambda one: one.max() - one.min()) > 0
    rows, group = rows[varies], group[varies].to_numpy()
    same = (group[:, None] == group) / np.bincount(group)[group]
    x = rows[own].to_numpy(float)
    x = x - same @ x
    return rows, np.linalg.pinv(x)[0], same + x @ np.linalg.pinv(x)


def main(configfile: Path) -> None:
    """Writes the probability of each verdict, with half-widths, as CSV."""
    stars = archived()
    spread = deviations(stars)
    means = stars.groupby(CURVE, as_index=False).agg(mean=("log_P", "mean"))
    table, lost = design(configfile, means)
    table = regressors(table)
    print(f"{lost} curves were not archived: left out", file=sys.stderr)
    sd = spread.reindex(pd.MultiIndex.from_frame(table[["s", "v"]])).to_numpy()
    random = np.random.default_rng(0)
    grammar = table.groupby(["s", "v", "seed"]).ngroup().to_numpy()
    curve = table.groupby("curve").ngroup().to_numpy()
    noise = (
        random.standard_normal((RUNS, grammar.max() + 1))[:, grammar] * sd[:, 0]
        + random.standard_normal((RUNS, len(table))) * sd[:, 1]
        + random.standard_normal((RUNS, curve.max() + 1))[:, curve] * SHARED
    )
    runs = table["mean"].to_numpy() + noise
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(
        ["statement", "expected", "tolerance", "archived", "grammars", "vocabularies",
         "half_width", "reproduced", "differs"]
    )  # fmt: skip
    for name, where, on, within, expected, tolerance, fewest in STATEMENTS:
        rows, weights, hat = matrices(table.query(where), on, within)
        clusters = grammar[rows.index]
        n_grammars, n_v = len(set(clusters)), rows["v"].nunique()
        shared = pd.Series(weights).groupby(curve[rows.index]).sum()
        halves, words = [], {"reproduced": 0, "differs": 0}
        for y in runs[:, rows.index]:
            error, dof = clustered_error(weights, hat, y, clusters)
            variance = error**2 + SHARED**2 * np.square(shared).sum()
            half = special.stdtrit(variance**2 / (error**4 / dof), CONFIDENCE) * sqrt(variance)
            distance = abs(float(weights @ y) - expected)
            halves.append(half)
            if n_grammars >= fewest[0] and n_v >= fewest[1]:
                words["reproduced"] += distance + half <= tolerance
                words["differs"] += distance > max(half, tolerance)
        value = float(weights @ rows["mean"].to_numpy())
        told = [f"{one / RUNS:.2f}" for one in words.values()]
        numbers = [f"{value:.2f}", n_grammars, n_v, f"{np.median(halves):.2f}"]
        writer.writerow([name, expected, tolerance, *numbers, *told])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
