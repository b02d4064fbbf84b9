"""How far a study is, from the store of cells alone: no lock, no Snakemake, from any shell.

`python -m srhm.commands.status --preset quick` prints a table by kind of network, how fast cells
arrive and how long the rest will take.
"""

import sys
import time
from collections.abc import Sequence

import pandas as pd

from srhm.commands.presets import Networks, chosen, parser_for
from srhm.commands.watching import Watch
from srhm.results import outdated
from srhm.results.outdated import row_of
from srhm.results.store import path_of
from srhm.training.checkpoints import checkpoint_of

GROUPS = ["net", "L", "s", "width"]


def table(watch: Watch, networks: Sequence[Networks]) -> pd.DataFrame:
    """A row for each kind of network: cells planned, done, missing, capped, diverged, begun."""
    arrived = watch.arrivals()
    rows = []
    for some in networks:
        # By key, since two curves of the plane may share a cell.
        for key, cell in {entry["key"]: entry["cell"] for entry in some.entries}.items():
            row = row_of(path_of(some.store, key)) if key in arrived else {}
            status = row.get("status", "unreadable") if key in arrived else "missing"
            begun = status == "missing" and checkpoint_of(some.checkpoints, key).is_file()
            rows.append(
                # Images and random points have no hierarchy of known depth and branching.
                {"data": some.data}
                | {name: "-" if cell.get(name) is None else cell[name] for name in GROUPS}
                | {
                    "cells": 1,
                    "done": int(key in arrived),
                    "missing": int(key not in arrived),
                    "checkpointed": int(begun),
                    **{name: int(status == name) for name in ("capped", "diverged", "unreadable")},
                }
            )
    return pd.DataFrame(rows).groupby(["data", *GROUPS], sort=False).sum().reset_index()


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the status of a preset; 2 if its configuration is refused."""
    options = parser_for("status", __doc__).parse_args(arguments)
    study = chosen(options)
    if study is None:
        return 2
    for part in (study, study.of_the_plane):
        if part.cells:
            watch = Watch(part.cells, *part.stores)
            print(table(watch, part.networks).to_string(index=False))
            print(watch.progress(now=time.time()).line())
            if again := outdated.remark(watch.n_outdated()):
                print(again)
    if remark := study.remark():
        print(remark)
    lock = options.directory / "results" / ".lock"
    if lock.is_file() and (holder := lock.read_text()):
        print(f"last run: {holder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
