"""Published runs of the paper's networks: their cells, and the sample complexities of these.

Rows alone are published, and no P*: what is read of rows may change.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.statistics.exponents_of_grammars import complexities
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.store.published import check_digests, published_file, read_published_table
from srhm.store.published_provenance import PROVENANCE_FILE, OtherFormat, read_provenance_file
from srhm.store.tables import CELLS, SENSITIVITIES

LOG = logging.getLogger(__name__)
OPTIONS = ("whitening", "bias", "alpha", "width", "engine")
ROWS = ("P_star", "P_star_low", "P_star_high", "status", "n_seeds", "small_pool")


@dataclass(frozen=True, kw_only=True)
class Publication:
    """A published run: its provenance, its cells (tables.CELLS) and what they say.

    sample_complexity: tables.SAMPLE_COMPLEXITY.
    """

    provenance: Mapping[str, Any]
    sample_complexity: pd.DataFrame
    cells: pd.DataFrame

    @property
    def preset(self) -> str:
        """Name of the configuration that was run."""
        return str(self.provenance["preset"])

    @property
    def devices(self) -> str:
        """On what its networks were trained: AMD EPYC (CPU), NVIDIA H100 (GPU)."""
        kinds = {(row["processor"], row["device"]): None for row in self.provenance["trained_on"]}
        return ", ".join(f"{processor} ({device})" for processor, device in kinds)


def read_publications(
    files: Sequence[Path | str], *, log: logging.Logger = LOG
) -> list[Publication]:
    """The publications to which the files belong, by preset; none without files.

    One of another schema is left out, which the log says.

    Raises:
        PublicationError: if a file of one is missing, damaged or of another publication, naming it.
    """
    runs = []
    for folder in sorted({Path(file).parent for file in files}):
        try:
            provenance = read_provenance_file(folder / PROVENANCE_FILE)
            cells = read_published_table(published_file(folder, "cells"), CELLS)
            check_digests(folder, provenance)
            felt = SENSITIVITIES.empty_table().to_pandas()
            if "sensitivities" in provenance["sha256"]:
                file = published_file(folder, "sensitivities")
                felt = read_published_table(file, SENSITIVITIES)
        except OtherFormat as other:
            log.warning(
                "without the archived run of %s: %s; `make publish PRESET=%s` writes it again",
                *(folder.parent.name, other, folder.parent.name),
            )
            continue
        table = all_sample_complexities(cells, felt, thresholds=provenance["thresholds"])
        runs.append(Publication(provenance=provenance, sample_complexity=table, cells=cells))
        log.info("compared with the archived run %s: %d sample complexities of %d networks",
                 folder.parent.name, len(table), provenance["cells"])  # fmt: skip
    return runs


def published_complexities(file: Path, *, threshold: float) -> pd.DataFrame:
    """P* of the test error of LCN and CNN for each grammar of s = 2 and sparsity A.

    In the order of the file. Batches drawn by class are left out, and of curves that differ in the
    rate alone all but the first. file: published/PRESET/sparse_hierarchy/cells.parquet. Columns:
    origin, net, GRAMMAR, ROWS.
    """
    cells = pd.read_parquet(file)
    kept = cells["net"].isin(["lcn", "cnn"]) & (cells["s"] == 2) & (cells["sparsity"] == "A")
    cells = cells[kept & ~cells["batch"].astype(str).str.startswith("balanced")]
    table = complexities(cells, thresholds=[threshold])
    rows = table[table["criterion"] == "test_error"]
    rows = rows.drop_duplicates(["net", *GRAMMAR, *OPTIONS])
    return rows[["net", *GRAMMAR, *ROWS]].assign(origin=f"{file.parts[-3]}/sparse_hierarchy")
