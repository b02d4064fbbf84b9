"""The job of a curve whose P is searched: rounds of one candidate for each seed."""

from collections.abc import Mapping
from typing import Any

from srhm.declare.search import Search
from srhm.store.cells import StoredCell
from srhm.store.paths import paths, visits
from srhm.store.published import published_candidates
from srhm.training.any_trainer import train_curve
from srhm.training.loop import Entry


def train_paths(spec: Mapping[str, Any], **options: Any) -> tuple[list[Entry], list[StoredCell]]:
    """Entries and cells of a curve: all, or where P is searched those on the paths of its seeds.

    A seed is asked for its next candidate when the network of the one before is known, trained
    here, stored or published. So nothing else that the store holds is a row. spec, options, what is
    raised: see `srhm.training.any_trainer.train_curve`; "search" where P is searched.
    """
    if "search" not in spec:
        return spec["cells"], train_curve(spec, **options)
    search, entries = Search(**spec["search"]), {entry["key"]: entry for entry in spec["cells"]}
    published = (
        published_candidates(spec["published"], spec["taken"], spec["schemas"]["cells"])
        if "published" in spec
        else {}
    )
    cells = {**published, **{key: entry["cell"] for key, entry in entries.items()}}
    trained_cells: dict[str, StoredCell] = {}
    about = sum(visits(search, cells).values())
    while True:
        rows = {**published, **{key: cell.row for key, cell in trained_cells.items()}}
        _, following = paths(search, cells, rows)
        asked = [entries[key] for key in following if key in entries]
        if not asked:
            break
        options["log"].info(
            "%d candidates are known, of about %.0f; the search of %d seeds goes on",
            *(len(trained_cells), about, len(asked)),
        )
        trained = train_curve({**spec, "cells": asked}, **options)
        trained_cells |= {entry["key"]: cell for entry, cell in zip(asked, trained, strict=True)}
    keys = [key for key in entries if key in trained_cells]
    return [entries[key] for key in keys], [trained_cells[key] for key in keys]
