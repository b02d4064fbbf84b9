"""What a run would do, before it does it: cells, steps, core-hours, memory, disk and jobs.

`srhm plan --preset paper` prints a table by study and one by kind of network,
how much of it is in the stores already, and how many curves are to be measured after training. Of
networks that are trained by gradient flow a step is an evaluation of the gradient.
"""

from collections.abc import Sequence

import pandas as pd

from srhm.commands.presets import DEFAULT, Run, chosen_run, n_cores, parser_for
from srhm.commands.watching import Watch
from srhm.planning.lengths import CurveJobs, expected_costs
from srhm.planning.registry import STUDIES
from srhm.store import places
from srhm.store.cells import remark
from srhm.training.cost import model_origin

KIND = ["study", "net", "L", "s", "engine"]


def expected_cells(run: Run, watch: Watch) -> pd.DataFrame:
    """A row a cell: its kind, curve, job, key, expected steps, seconds and bytes, and if trained.

    What several curves share is trained once: it is a cell of the first. Where P is searched, cells
    are candidates, which count as far as they are expected to be trained.
    """
    shares, trained, outdated = watch.shares(), watch.arrived(), watch.outdated()
    rows = []
    for study, planned in run.plan.studies.items():
        for curve in planned.trained.values():
            parts = CurveJobs(curve, run.plan.preset.jobs, directory=run.directory).parts
            job_of = {place: part for part, indices in parts.items() for place in indices}
            for place, cost in enumerate(expected_costs(curve)):
                cell, key = curve.entries[place]["cell"], curve.entries[place]["key"]
                if not (part := shares.get(key)):
                    continue
                rows.append(
                    # Images and random points have no hierarchy of known depth and branching.
                    {name: "-" if cell.get(name) is None else cell[name] for name in KIND}
                    | {"study": study, "curve": curve.name, "P": cell.get("P", 0), "key": key}
                    | {"job": f"{curve.name} {job_of.get(place, '')}", "cells": part, **vars(cost)}
                    | {name: part * getattr(cost, name) for name in ("steps", "seconds", "stored")}
                    | {"trained": key in trained, "outdated": key in outdated}
                )
    columns = [*KIND, "curve", "P", "key", "job", "cells", "steps", "seconds", "memory", "stored"]
    return pd.DataFrame(rows, columns=[*columns, "trained", "outdated"]).drop_duplicates("key")


def costs_text(cells: pd.DataFrame, *, cores: int) -> str:
    """Of `expected_cells` the tables for people: by study, what is left by kind, and in all."""
    left = cells[~cells["trained"].astype(bool)]
    n_cells, n_left = round(cells["cells"].sum()), round(left["cells"].sum())
    lines = [f"{n_cells} cells, {len(cells) - len(left)} of them trained already"]
    if left.empty:
        lines[0] += ": nothing to train"
    if again := remark(int(cells["outdated"].sum())):
        lines.append(again)
    if left.empty:
        return "\n".join(lines)
    studies = cells.groupby("study", sort=False)
    known = {"cells": studies["cells"].sum().round(), "trained": studies["trained"].sum()}
    by_study = pd.DataFrame(known).join(_sums(left, ["study"]).drop(columns="cells")).fillna(0)
    hours = left["seconds"].sum() / 3600
    jobs = left.groupby("job")["seconds"].sum() / 3600  # with one thread each
    lines += [
        _text(by_study),
        "to train, by kind of network:",
        _text(_sums(left, KIND)),
        f"to train: {n_left} cells in {len(jobs)} jobs, {left['steps'].sum():.2g} steps,"
        f" {hours:.3g} core-hours ({60 * hours:.0f} core-minutes);"
        f" about {max(hours / cores, jobs.max()):.2g} h on {cores} cores,"
        f" {left['stored'].sum() / 1e9:.2g} GB of weights; the longest job {jobs.max():.2g} h",
        f"expected of LCN, CNN and FCN from {model_origin()}",
    ]
    return "\n".join(lines)


def _sums(cells: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    groups = cells.groupby(by, sort=False)
    return pd.DataFrame(
        {
            "cells": groups["cells"].sum().round(),
            "jobs": groups["job"].nunique(),
            "steps (1e6)": groups["steps"].sum() / 1e6,
            "core-hours": groups["seconds"].sum() / 3600,
            "longest cell (h)": groups["seconds"].max() / 3600,
            "largest cell (MB)": groups["memory"].max() / 1e6,
            "weights (GB)": groups["stored"].sum() / 1e9,
        }
    )


def _text(table: pd.DataFrame) -> str:
    return table.reset_index().to_string(index=False, float_format=lambda value: f"{value:.3g}")


def to_measure(run: Run) -> str:
    """A line about the curves that are not measured yet, each a job after its training."""
    left = {}
    for study, planned in run.plan.studies.items():
        for measurement in STUDIES[study].measurements:
            curves = [one for one in planned.trained.values() if places.is_of(measurement, one)]
            files = [[run.files(study, one)[t] for t in measurement.tables] for one in curves]
            if n := sum(not all(file.is_file() for file in of_curve) for of_curve in files):
                left[f"{study}, {measurement.name.replace('_', ' ')}"] = n
    if not left:
        return "nothing to measure: all is measured"
    each = "; ".join(f"{what}: {n}" for what, n in left.items())
    return f"to measure, after training: {sum(left.values())} curves ({each})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the summary for a preset."""
    parser = parser_for("plan", __doc__, "--rows", "--device", default=DEFAULT)
    parser.add_argument("--cores", type=n_cores, default=2)
    options = parser.parse_args(arguments)
    run = chosen_run(options, default=[DEFAULT])
    watch = Watch(run)
    print(costs_text(expected_cells(run, watch), cores=options.cores))
    print(to_measure(run))
    for error in watch.unreadable():
        print(f"cannot be read: {error}")
    if (options.device or run.plan.preset.device) == "cuda":
        print("on GPUs: no card has been timed; these hours are those of processors (docs/gpu.md)")
    for line in [*run.not_counted(), *run.not_measurable()]:
        print(line)
    return 0
