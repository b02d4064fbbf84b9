"""What a run would do, before it does it: cells, steps, core-hours, memory and disk.

`python -m srhm.planning --preset paper` prints a table by network, depth and branching, and how
much of it is in the store already.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from srhm import experiments
from srhm.cost import costs, model_origin
from srhm.jobs import parts
from srhm.store import path_of

CONFIG = Path(__file__).resolve().parents[2] / "config"
GROUPS = ["net", "L", "s", "width", "engine"]


def expected_costs(plan: experiments.Plan, store: Path) -> pd.DataFrame:
    """A row a cell: coordinates, curve, job, expected steps, seconds and bytes, and if stored."""
    entries = [entry for curve in plan.curves.values() for entry in curve.entries]
    frame = pd.DataFrame([entry["cell"] for entry in entries])
    frame["curve"] = [name for name, curve in plan.curves.items() for _ in curve.entries]
    expected = costs(entry["cell"] for entry in entries)
    frame = pd.concat([frame, pd.DataFrame([vars(cost) for cost in expected])], axis=1)
    frame["job"] = frame["curve"]
    limits = plan.preset.jobs
    for curve, rows in frame.groupby("curve", sort=False).groups.items():
        own = [expected[row] for row in rows]
        for part, places in parts(own, minutes=limits.minutes, cells=limits.cells).items():
            frame.loc[rows[places], "job"] = f"{curve}, {part}"
    frame["trained"] = [path_of(store, entry["key"]).is_file() for entry in entries]
    return frame


def summary(cells: pd.DataFrame, *, cores: int) -> str:
    """The table that people read: what is left to train, by kind of network, and in all."""
    left = cells[~cells["trained"]]
    lines = [f"{len(cells)} cells, {len(cells) - len(left)} of them trained already"]
    if left.empty:
        return lines[0]
    groups = left.groupby(GROUPS, sort=False)
    table = pd.DataFrame(
        {
            "cells": groups.size(),
            "steps (1e6)": groups["steps"].sum() / 1e6,
            "core-hours": groups["seconds"].sum() / 3600,
            "longest cell (h)": groups["seconds"].max() / 3600,
            "largest cell (MB)": groups["memory"].max() / 1e6,
            "weights (GB)": groups["stored"].sum() / 1e9,
        }
    ).reset_index()
    hours = left["seconds"].sum() / 3600
    jobs = left.groupby("job")["seconds"].sum() / 3600  # with one thread each
    lines += [
        table.to_string(index=False, float_format=lambda value: f"{value:.3g}"),
        f"to train: {len(left)} cells in {len(jobs)} jobs, {left['steps'].sum():.2g} steps,"
        f" {hours:.3g} core-hours;"
        f" about {max(hours / cores, jobs.max()):.2g} h on {cores} cores,"
        f" {left['stored'].sum() / 1e9:.2g} GB of weights; the longest job {jobs.max():.2g} h",
        f"expected from {model_origin()}",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the summary for a preset; 2 if its configuration is refused."""
    parser = argparse.ArgumentParser(prog="python -m srhm.planning", description=__doc__)
    parser.add_argument("--preset", default="quick", help="name of a file of config/")
    parser.add_argument("--configfile", type=Path, help="a configuration elsewhere")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    options = parser.parse_args(arguments)
    path = options.configfile or CONFIG / f"{options.preset}.yaml"
    if not path.is_file():
        print(f"no preset {options.preset!r}: {path} does not exist", file=sys.stderr)
        return 2
    try:
        plan = experiments.plan(yaml.safe_load(path.read_text()))
    except experiments.ConfigError as refusal:
        print(refusal, file=sys.stderr)
        return 2
    cells = expected_costs(plan, options.directory / "results" / "cells")
    print(summary(cells, cores=options.cores))
    return 0


if __name__ == "__main__":
    sys.exit(main())
