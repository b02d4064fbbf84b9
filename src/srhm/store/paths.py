"""Which candidates of a searched curve are its rows: each seed's path, and no others in the store.

A curve whose P is not searched has all of its entries on its path.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srhm.declare.search import Search, expected_visits, outcome, walk
from srhm.declare.study import Curve
from srhm.store.cells import is_outdated, path_of, row_of

if TYPE_CHECKING:
    import pandas as pd  # whose start planning does not wait for


def paths(
    search: Search | None,
    cells: Mapping[str, Mapping[str, Any]],
    rows: Mapping[str, Mapping[str, Any]],
) -> tuple[list[str], list[str]]:
    """Keys on the paths of all seeds as far as their rows are known, in the order of the cells.

    And the keys that are asked for next, one of each seed whose search has not ended.

    cells: coordinates of all candidates by key. rows: rows of trained cells by key; those of
    others, and of candidates off the paths, change nothing.
    """
    if search is None:
        return [key for key in cells if key in rows], [key for key in cells if key not in rows]
    places = {P: place for place, P in enumerate(sorted({cell["P"] for cell in cells.values()}))}
    candidates: dict[int, dict[int, str]] = {}
    for key, cell in cells.items():
        candidates.setdefault(cell["seed"], {})[places[cell["P"]]] = key
    taken, asked = set(), []
    for key_at in candidates.values():
        known = {
            place: outcome(
                test_error=rows[key]["test_error"],
                status=rows[key]["status"],
                train_loss=rows[key]["train_loss"],
                n_classes=cells[key]["n_c"],
                threshold=search.threshold,
            )
            for place, key in key_at.items()
            if key in rows
        }
        path, place = walk(search, len(places), known)
        taken |= {key_at[k] for k in path}
        asked += [] if place is None else [key_at[place]]
    return [key for key in cells if key in taken], asked


def visits(search: Search | None, cells: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """How probably each cell is trained, by key: 1 where nothing is searched."""
    if search is None:
        return dict.fromkeys(cells, 1.0)
    sizes = sorted({cell["P"] for cell in cells.values()})
    of_size = dict(zip(sizes, expected_visits(search, len(sizes)), strict=True))
    return {key: of_size[cell["P"]] for key, cell in cells.items()}


def stored_paths(curve: Curve, store: Path) -> tuple[list[str], list[str]]:
    """As `paths`, of what is stored; cells that are trained again count as missing."""
    files = {entry["key"]: path_of(store, entry["key"]) for entry in curve.entries}
    rows = {key: row_of(file) for key, file in files.items() if file.is_file()}
    return known_paths(curve, {key: row for key, row in rows.items() if not is_outdated(row)})


def known_paths(curve: Curve, rows: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """As `paths`, of rows of stored cells by key; the row of a damaged cell is empty.

    A search goes on from published rows that its curve takes: these are none of its cells.
    """
    cells = {entry["key"]: entry["cell"] for entry in curve.entries}
    if curve.search is None:
        return paths(None, cells, rows)
    published = {}
    if curve.taken:
        from srhm.store.published import published_candidates  # takes pandas, half a second

        published = published_candidates(curve.published_in, curve.taken, curve.trainer.cells)
    known = {**published, **{key: row for key, row in rows.items() if row}}
    taken, asked = paths(curve.search, {**published, **cells}, known)
    return [key for key in taken if key in cells], [key for key in asked if key in cells]


def shares(curve: Curve, taken: Sequence[str], asked: Sequence[str]) -> dict[str, float]:
    """Of each cell of a curve that is or may still be trained: 1, or how probably it will be.

    taken, asked: see `paths`. A seed whose search has ended trains no further candidates.
    """
    cells = {entry["key"]: entry["cell"] for entry in curve.entries}
    if curve.search is None:
        return dict.fromkeys(cells, 1.0)
    parts = dict.fromkeys(taken, 1.0)
    going_on = {cells[key]["seed"] for key in asked}
    for key, part in visits(curve.search, cells).items():
        if key not in parts and part and cells[key]["seed"] in going_on:
            parts[key] = part
    return parts


def searched_spec(curve: Curve) -> dict[str, Any]:
    """What `keys_of_rows` has to know of a searched curve."""
    # A list, as it has an order.
    cells = [
        {"key": entry["key"], **{name: entry["cell"][name] for name in ("P", "seed", "n_c")}}
        for entry in curve.entries
    ]
    return {"search": vars(curve.search), "cells": cells}


def keys_of_rows(spec: Mapping[str, Any], rows: "pd.DataFrame") -> list[str]:
    """Keys that the rows of a searched curve must have: on the paths that they themselves give.

    Of a search that has not ended the next keys are among them, so that they are found missing.

    spec: `searched_spec`. rows: with key, test_error, status, train_loss.
    """
    names = ["key", "test_error", "status", "train_loss"]
    known = {row[0]: dict(zip(names, row, strict=True)) for row in rows[names].to_numpy()}
    cells = {cell["key"]: cell for cell in spec["cells"]}
    taken, asked = paths(Search(**spec["search"]), cells, known)
    wanted = {*taken, *asked}
    return [key for key in cells if key in wanted]
