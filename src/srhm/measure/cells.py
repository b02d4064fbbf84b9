"""Trained cells of the store -> rows of their sensitivities. Trains nothing."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.measure.sensitivity import Probe, Variant, sensitivities, transform
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.store.cells import DamagedCell, StoredCell, path_of, read_cell
from srhm.store.records import read_derivations
from srhm.store.tables import SENSITIVITIES


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


def measure_stored(
    entries: Sequence[Mapping[str, Any]], *, derivations: Path | str, **how: Any
) -> list[dict[str, Any]]:
    """The same as `measure_curve`, which gets the rest, from the file of the samples."""
    samples = read_derivations(Path(derivations), parameters_of(entries[0]["cell"]))
    return measure_curve(entries, samples, **how)


def measure_curve(
    entries: Sequence[Mapping[str, Any]],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    store: Path,
    probe_of: Callable[[Mapping[str, Any], Mapping[str, Any]], Probe],
    n_points: int,
    n_draws: int,
    variants: Sequence[Variant],
    log: logging.Logger,
) -> list[dict[str, Any]]:
    """Rows of SENSITIVITIES, without the curve, for all its cells, in the order of its entries.

    entries: {"key", "cell"} each. probe_of: from a cell and its weights to what is measured;
    without weights, to the names of its layers. n_points are the first of the test set, or all that
    it has. A cell that diverged, or that is stored without weights, has the same rows, with NaN and
    n = 0.

    Raises:
        MissingCell: if a cell is not in the store or is damaged; a damaged one is removed.
    """
    images: dict[tuple[int, Variant], Any] = {}
    table = []
    for entry in entries:
        cell, stored = entry["cell"], trained_cell(entry, store)
        seed, parameters = cell["seed"], parameters_of(cell)
        probe = probe_of(cell, stored.weights)
        points = samples[seed, "test"][:n_points]
        coordinates = {name: cell[name] for name in SENSITIVITIES.names if name in cell}
        for variant in variants:
            if (seed, variant) not in images:  # shared by all cells of a seed
                grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
                images[seed, variant] = transform(
                    points, grammar, n_draws=n_draws, seed=seed, variant=variant
                )
            unknown = stored.row["status"] == "diverged" or not stored.weights
            rows = sensitivities(
                probe,
                points,
                dict.fromkeys(images[seed, variant]) if unknown else images[seed, variant],
                n_draws=n_draws,
            )
            name = {"key": entry["key"], **coordinates, "variant": variant}
            table += [{**name, **row} for row in rows]
    log.info("%d cells measured, %d sensitivities", len(entries), len(table))
    return table
