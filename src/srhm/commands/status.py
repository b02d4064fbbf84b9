"""How far the studies of a preset are, from the stores of cells alone: no lock, no Snakemake.

`srhm status --preset quick` prints a table by study and kind of network, how
fast cells arrive and how long the rest will take.
"""

import time
from collections.abc import Sequence

import pandas as pd

from srhm.commands.presets import DEFAULT, Run, chosen_run, parser_for
from srhm.commands.watching import Watch, last_words
from srhm.jobs.stopping import NO_STEP, STILL
from srhm.store.cells import remark

GROUPS = ["net", "L", "s", "width"]


def table(run: Run, watch: Watch) -> pd.DataFrame:
    """A row for each kind of network: its cells by what is known of them.

    Of searches planned and missing cells are expected numbers. damaged: stored cells of which the
    file does not tell a row.
    """
    arrived, parts, rows = watch.arrived(), watch.shares(), []
    for study, planned in run.plan.studies.items():
        # By key, since two curves may share a cell.
        places = {
            entry["key"]: (curve, entry["cell"])
            for curve in planned.trained.values()
            for entry in curve.entries
            if entry["key"] in parts
        }
        for key, (curve, cell) in places.items():
            status = arrived[key][1].get("status", "damaged") if key in arrived else "missing"
            begun = status == "missing" and run.checkpoint(curve, key).is_file()
            rows.append(
                # Images and random points have no hierarchy of known depth and branching.
                {"study": study}
                | {name: "-" if cell.get(name) is None else cell[name] for name in GROUPS}
                | {
                    "cells": parts[key],
                    "done": int(key in arrived and status != "damaged"),
                    "missing": parts[key] if status == "missing" else 0.0,
                    "checkpointed": int(begun),
                    **{name: int(status == name) for name in ("capped", "diverged", "damaged")},
                }
            )
    table = pd.DataFrame(rows).groupby(["study", *GROUPS], sort=False).sum()
    return table.round().astype(int).reset_index()


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the status of a preset."""
    parser = parser_for("status", __doc__, "--rows", default=DEFAULT)
    options = parser.parse_args(arguments)
    run = chosen_run(options, default=[DEFAULT])
    if run.curves:
        watch = Watch(run)
        print(table(run, watch).to_string(index=False))
        for study, planned in run.plan.studies.items():
            if planned.trained:
                alone = Run(run.plan.only([study]), run.directory)
                print(f"{study}: {Watch(alone).progress().line()}")
        for error in watch.unreadable():
            print(f"cannot be read: {error}")
        if again := remark(len(watch.outdated())):
            print(again)
    for line in run.not_counted():
        print(line)
    logs = options.directory / "results" / run.plan.name / "logs"
    # Training that stands still says so again and again.
    for line in last_words(logs, NO_STEP, since=time.time() - 2 * STILL):
        print(line)
    lock = options.directory / "results" / ".lock"
    if lock.is_file() and (holder := lock.read_text(encoding="utf-8")):
        print(f"last run: {holder}")
    return 0
