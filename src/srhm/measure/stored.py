"""The stored cell of an entry, for measurements that load no PyTorch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srhm.store.cells import DamagedCell, StoredCell, path_of, read_cell


class MissingCell(Exception):
    """A cell that the store cannot give; the message says how to train it."""


def trained_cell(entry: Mapping[str, Any], store: Path) -> StoredCell:
    """The cell of an entry, {"key", "cell"}, as it was trained.

    Raises:
        MissingCell: if it is not in the store or is damaged; a damaged one is removed.
        StorageError: if it cannot be read now.
    """
    cell = entry["cell"]
    name = f"cell {entry['key']} (P = {cell['P']}, seed {cell['seed']})"
    try:
        stored = read_cell(store, entry["key"])
    except FileNotFoundError as error:
        raise MissingCell(
            f"{name} is not in the store {store}: run again, and it is trained"
        ) from error
    except DamagedCell as damage:
        # The launcher looks for curves whose cells the store lacks, but reads none of them.
        path_of(store, entry["key"]).unlink(missing_ok=True)
        raise MissingCell(
            f"{name} is damaged: {damage}; it is removed: run again, and it is trained"
        ) from damage
    return stored
