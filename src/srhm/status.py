"""How far a study is, from the store of cells alone: no lock, no Snakemake, from any shell.

`python -m srhm.status --preset quick` prints a table by kind of network, how fast cells arrive and
how long the rest will take.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import yaml
from safetensors import SafetensorError, safe_open

from srhm import experiments
from srhm.store import path_of
from srhm.training.checkpoints import checkpoint_of
from srhm.watching import Watch

CONFIG = Path(__file__).resolve().parents[2] / "config"
GROUPS = ["net", "L", "s", "width"]


def row_of(path: Path) -> Mapping[str, object]:
    """Row of a stored cell as its file says, not checked; empty if the file cannot be read."""
    try:
        with safe_open(path, framework="numpy") as file:
            return json.loads((file.metadata() or {}).get("row", "{}"))
    except (SafetensorError, OSError, ValueError):
        return {}


def table(watch: Watch, store: Path, checkpoints: Path) -> pd.DataFrame:
    """A row for each kind of network: cells planned, done, missing, capped, diverged, begun."""
    arrived = watch.arrivals()
    rows = []
    for key, cell in watch.cells.items():
        row = row_of(path_of(store, key)) if key in arrived else {}
        status = row.get("status", "unreadable") if key in arrived else "missing"
        rows.append(
            {name: cell[name] for name in GROUPS}
            | {
                "cells": 1,
                "done": int(key in arrived),
                "missing": int(key not in arrived),
                "checkpointed": int(
                    status == "missing" and checkpoint_of(checkpoints, key).is_file()
                ),
                **{name: int(status == name) for name in ("capped", "diverged", "unreadable")},
            }
        )
    return pd.DataFrame(rows).groupby(GROUPS, sort=False).sum().reset_index()


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the status of a preset; 2 if its configuration is refused."""
    parser = argparse.ArgumentParser(prog="python -m srhm.status", description=__doc__)
    parser.add_argument("--preset", default="quick", help="name of a file of config/")
    parser.add_argument("--configfile", type=Path, help="a configuration elsewhere")
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
    results = options.directory / "results"
    cells = {e["key"]: e["cell"] for curve in plan.curves.values() for e in curve.entries}
    watch = Watch(cells, results / "cells")
    print(table(watch, results / "cells", results / "checkpoints").to_string(index=False))
    print(watch.progress(now=time.time()).line())
    lock = results / ".lock"
    if lock.is_file() and (holder := lock.read_text()):
        print(f"last run: {holder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
