"""Whether a run finds what the archive of its preset has: P* of the same grammars, statements.

Training is nearly deterministic given the grammar: between 64 and 128 channels log P* of a seed
differs by 0.04 to 0.08 (one sd), between two processors by less. So each P* is compared with that
of its own grammar; where seeds are others, statements alone are, with the archive's intervals.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.grammar import NET_AND_DATA
from srhm.scorecard.text import shortened
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

    stars: P* of the archive whose grammars were trained here. far: those that are not within
    ALLOWED, for people. statements: that both measure. outside: those whose value does not lie
    within the archive's interval.
    """

    stars: int
    far: Sequence[str]
    statements: int = 0
    outside: Sequence[str] = ()

    def sentence(self) -> str:
        """One line: 231 of 238 P* within 10 % of the archive; 34 of 35 statements within ..."""
        parts = []
        if self.stars:
            near = self.stars - len(self.far)
            parts.append(f"{near} of {self.stars} P* within {100 * ALLOWED:.0f} % of the archive")
        if self.statements:
            inside = self.statements - len(self.outside)
            parts.append(f"{inside} of {self.statements} statements within its intervals")
        return "; ".join(parts) or "no P* and no statement of the archive was measured"

    def lines(self) -> list[str]:
        """The sentence, and what differs."""
        lines = [self.sentence()]
        for what, names in (("other P*", self.far), ("outside", self.outside)):
            if names:
                lines.append(f"{what}: {', '.join(shortened(names, SHOWN))}")
        return lines


def seed_stars(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """P* of each seed of each curve: GRAMMAR, curve, criterion, P_star; NaN where it is censored.

    criterion: test_error, S_2 and D_2. cells, sensitivities: tables.CELLS, SENSITIVITIES.
    """
    cells, sensitivities = (
        rows.assign(curve=rows["curve"] + "|" + rows["seed"].astype(str))
        for rows in (cells, sensitivities)
    )
    table = all_sample_complexities(cells, sensitivities, thresholds=[0.1])
    stars = table.loc[table["criterion"].isin(CRITERIA), ["curve", "criterion", "P_star"]]
    seeds = stars.merge(cells[["curve", *GRAMMAR]].drop_duplicates("curve"), on="curve")
    return seeds.assign(curve=seeds["curve"].str.rpartition("|")[0])


def stars_in(folder: Path, read: Callable[..., pd.DataFrame] = read_table) -> pd.DataFrame:
    """`seed_stars` of a folder of a study's tables.

    Raises:
        TableError, PublicationError: if a table is missing or damaged.
    """
    schemas = {"cells": CELLS, "sensitivities": SENSITIVITIES}
    return seed_stars(*(read(folder / f"{name}.parquet", one) for name, one in schemas.items()))


def compared(ours: pd.DataFrame, archived: pd.DataFrame) -> Comparison:
    """The comparison of P* of two runs, which are `seed_stars`."""
    by = [*GRAMMAR, "criterion"]
    known = archived.dropna(subset="P_star").drop_duplicates(by)
    pairs = ours.merge(known, on=by, suffixes=("", "_archived"))
    ratios = (pairs["P_star"] / pairs["P_star_archived"]).map(log)
    off = pairs[~(ratios.abs() <= log(1 + ALLOWED))]
    far = [
        f"{_named(row)} {row['P_star']:.0f}, archive {row['P_star_archived']:.0f}".replace(
            " nan", " not reached"
        )
        for row in off.to_dict("records")
    ]
    return Comparison(stars=len(pairs), far=far)


def _named(row: Mapping[Any, Any]) -> str:
    """A grammar for people: LCN L2 v4 s0 1, seed 3, P*_S."""
    kind = "" if row["sparsity"] == "A" else " B"
    s = "" if row["s"] == 2 else f" s = {row['s']}"
    return (
        f"{row['net'].upper()}{s} L = {row['L']} v = {row['v']} s_0 = {row['s0']}{kind} seed"
        f" {row['seed']} {CRITERIA[row['criterion']]}"
    )


def compare_tables(
    tables: Path,
    published: Path,
    *,
    claims: Sequence[str],
    scores: pd.DataFrame,
    archived_scores: pd.DataFrame,
) -> Comparison | None:
    """The comparison of a run with the published rows of its preset; None where there are none.

    tables: folder of the tables cells and sensitivities of the run. published: that of the
    published rows of the same study. scores, archived_scores: scorecards (SCORECARD_COLUMNS);
    claims: identifiers of the statements that are compared.

    Raises:
        PublicationError: if a published table is damaged.
        TableError: if a table of the run is damaged.
    """
    if not (published / PROVENANCE_FILE).is_file():
        return None
    check_digests(published, read_provenance_file(published / PROVENANCE_FILE))
    found = compared(stars_in(tables), stars_in(published, read_published_table))
    both = pd.DataFrame({"claim": claims}).merge(scores[["claim", "value"]])
    both = both.merge(archived_scores[["claim", "low", "high"]])
    both = both[np.isfinite(both["value"]) & (both["low"] <= both["high"])]
    outside = [
        f"{row['claim']} {row['value']:.3g}, archive {row['low']:.3g} to {row['high']:.3g}"
        for row in both.to_dict("records")
        if not row["low"] <= row["value"] <= row["high"]
    ]
    return replace(found, statements=len(both), outside=outside)


if __name__ == "__main__":  # FOLDER of tables: P* of each seed, as reference/ keeps them
    stars = stars_in(Path(sys.argv[1])).dropna(subset="P_star")
    stars = stars.sort_values(["curve", "criterion", "seed"])
    stars[["curve", "seed", "criterion", "P_star"]].to_csv(
        sys.stdout, index=False, float_format="%.6g", lineterminator="\n"
    )
