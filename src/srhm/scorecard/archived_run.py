"""Whether a run finds what the archive of its preset has: P* of the same grammars, statements.

Training is nearly deterministic given the grammar: between 64 and 128 channels log P* of a seed
differs by 0.04 to 0.08 (one sd), between two processors by less. So each P* is compared with that
of its own grammar; where seeds are others, statements alone are, with the archive's intervals.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.model.grammar import NET_AND_DATA
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.store.published import check_digests, read_published_table
from srhm.store.published_provenance import PROVENANCE_FILE, read_provenance_file
from srhm.store.records import read_table
from srhm.store.tables import CELLS, SENSITIVITIES

# Part by which a P* may differ from that of its grammar in the archive.
ALLOWED = 0.10
# Seeds whose P* are the same number on every processor: net, grammar, channels, protocol, seed.
GRAMMAR = [*NET_AND_DATA, "width", "learning_rate", "batch", "whitening", "bias", "engine", "seed"]
CRITERIA = {"test_error": "P*", "S_2": "P*_S", "D_2": "P*_D"}
SHOWN = 5  # that are named


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How many P* and statements of a run are those of the archive, and which are not.

    stars, near: P* of the archive whose grammars were trained here, and those within ALLOWED. far:
    the others, for people, nan where the run does not reach the threshold.
    statements, inside: that both measure, and those whose value lies within the archive's
    interval. outside: the others.
    """

    stars: int
    near: int
    far: Sequence[str]
    statements: int
    inside: int
    outside: Sequence[str]

    def sentence(self) -> str:
        """One line: 231 of 238 P* within 10 % of the archive; 34 of 35 statements within ..."""
        parts = []
        if self.stars:
            parts.append(
                f"{self.near} of {self.stars} P* within {100 * ALLOWED:.0f} % of the archive"
            )
        if self.statements:
            parts.append(f"{self.inside} of {self.statements} statements within its intervals")
        return "; ".join(parts) or "no P* and no statement of the archive was measured"

    def lines(self) -> list[str]:
        """The sentence, and what differs."""
        lines = [self.sentence()]
        for what, names in (("other P*", self.far), ("outside", self.outside)):
            if names:
                more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
                lines.append(f"{what}: {', '.join(names[:SHOWN])}{more}")
        return lines


def seed_stars(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, threshold: float = 0.1
) -> pd.DataFrame:
    """P* of each seed of each curve: GRAMMAR, curve, criterion, P_star; NaN where it is censored.

    criterion: test_error, S_2 and D_2. cells, sensitivities: tables.CELLS, SENSITIVITIES.
    """
    name = {table: rows["curve"] + "|" + rows["seed"].astype(str)
            for table, rows in (("cells", cells), ("sensitivities", sensitivities))}  # fmt: skip
    of_seeds = cells.assign(curve=name["cells"])
    table = all_sample_complexities(
        of_seeds, sensitivities.assign(curve=name["sensitivities"]), thresholds=[threshold]
    )
    stars = table.loc[table["criterion"].isin(CRITERIA), ["curve", "criterion", "P_star"]]
    seeds = stars.merge(of_seeds[["curve", *GRAMMAR]].drop_duplicates("curve"), on="curve")
    return seeds.assign(curve=seeds["curve"].str.rpartition("|")[0])


def compared(
    ours: pd.DataFrame,
    archived: pd.DataFrame,
    *,
    scores: pd.DataFrame | None = None,
    archived_scores: pd.DataFrame | None = None,
    claims: Sequence[str] = (),
) -> Comparison:
    """The comparison of two runs.

    ours, archived: `seed_stars`. scores, archived_scores: scorecards (SCORECARD_COLUMNS); claims:
    identifiers of the statements that are compared.
    """
    by = [*GRAMMAR, "criterion"]
    known = archived.dropna(subset="P_star").drop_duplicates(by)
    pairs = ours.merge(known, on=by, suffixes=("", "_archived"))
    ratios = pairs["P_star"] / pairs["P_star_archived"]
    off = ratios[~(ratios.map(log).abs() <= log(1 + ALLOWED))]
    far = [
        f"{_named(pairs.loc[place])} {pairs['P_star'][place]:.0f}, archive"
        f" {pairs['P_star_archived'][place]:.0f}".replace(" nan", " not reached")
        for place in off.index
    ]
    outside, n = [], 0
    if scores is not None and archived_scores is not None:
        here, theirs = (
            card.set_index("claim").to_dict("index") for card in (scores, archived_scores)
        )
        for claim in claims:
            value = here.get(claim, {}).get("value", float("nan"))
            low, high = (theirs.get(claim, {}).get(end, float("nan")) for end in ("low", "high"))
            if isfinite(value) and low <= high:
                n += 1
                if not low <= value <= high:
                    outside.append(f"{claim} {value:.3g}, archive {low:.3g} to {high:.3g}")
    return Comparison(
        stars=len(pairs),
        near=len(pairs) - len(far),
        far=far,
        statements=n,
        inside=n - len(outside),
        outside=outside,
    )


def _named(row: Mapping[str, Any] | pd.Series) -> str:
    """A grammar for people: LCN L2 v4 s0 1, seed 3, P*_S."""
    kind = "" if row["sparsity"] == "A" else " B"
    s = "" if row["s"] == 2 else f" s = {row['s']}"
    return (
        f"{row['net'].upper()}{s} L = {row['L']} v = {row['v']} s_0 = {row['s0']}{kind} seed"
        f" {row['seed']} {CRITERIA[row['criterion']]}"
    )


def tables_of_run(folder: Path) -> list[pd.DataFrame]:
    """Cells and sensitivities of a run, of the folder of a study's tables.

    Raises:
        TableError: if a table is missing or damaged.
    """
    schemas = {"cells": CELLS, "sensitivities": SENSITIVITIES}
    return [read_table(folder / f"{name}.parquet", schema) for name, schema in schemas.items()]


def compare_tables(
    tables: Path, published: Path, *, claims: Sequence[str] = (), **scores: pd.DataFrame
) -> Comparison | None:
    """The comparison of a run with the published rows of its preset; None where there are none.

    tables: folder of the tables cells and sensitivities of the run. published: that of the
    published rows of the same study. scores: `scores` and `archived_scores` of `compared`.

    Raises:
        PublicationError: if a published table is damaged.
        TableError: if a table of the run is damaged.
    """
    if not (published / PROVENANCE_FILE).is_file():
        return None
    check_digests(published, read_provenance_file(published / PROVENANCE_FILE))
    theirs = [
        read_published_table(published / f"{name}.parquet", schema)
        for name, schema in (("cells", CELLS), ("sensitivities", SENSITIVITIES))
    ]
    ours = seed_stars(*tables_of_run(tables))
    return compared(ours, seed_stars(*theirs), claims=claims, **scores)


if __name__ == "__main__":  # FOLDER of tables: P* of each seed, as reference/ keeps them
    stars = seed_stars(*tables_of_run(Path(sys.argv[1]))).dropna(subset="P_star")
    stars = stars.sort_values(["curve", "criterion", "seed"])
    print(
        stars[["curve", "seed", "criterion", "P_star"]].to_csv(
            index=False, float_format="%.6g", lineterminator="\n"
        ),
        end="",
    )
