"""What a run would do, before it does it: cells, steps, core-hours, memory and disk.

`python -m srhm.commands.plan --preset paper` prints a table by network, depth and branching, and
how much of it is in the store already.
"""

import sys
from collections.abc import Sequence
from typing import Any

import pandas as pd

from srhm.commands.device_options import CHOICES
from srhm.commands.gc import SCRIPTS
from srhm.commands.jobs import parts
from srhm.commands.presets import IMAGES, PLANE, Networks, Study, chosen, parser_for
from srhm.flow import measurement_cost
from srhm.images.plan import images_to_evaluate
from srhm.results import outdated
from srhm.results.provenance import source_digest
from srhm.results.store import path_of
from srhm.runtime.devices import resolved
from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.training.cost import costs, evaluation_seconds, measuring_seconds, model_origin
from srhm.training.curve import NAMED_ENGINE, PACKABLE
from srhm.training.gpu_cost import gpu_rate, gpu_seconds

GROUPS = ["data", "net", "L", "s", "width", "engine"]
PLANE_GROUPS = ["study", "net", "L"]


def expected_costs(study: Study) -> pd.DataFrame:
    """A row a cell: coordinates, curve, job, expected steps, seconds and bytes, and if stored."""
    return pd.concat(
        [_expected_costs(some, study.plan.preset.jobs) for some in study.networks if some.curves],
        ignore_index=True,
    )


def _expected_costs(networks: Networks, limits: experiments.Jobs) -> pd.DataFrame:
    entries = networks.entries
    # Images have one engine and, as random points, no hierarchy of known depth and branching.
    absent = {**dict.fromkeys(GROUPS, "-"), "engine": NAMED_ENGINE}
    known = [{k: v for k, v in entry["cell"].items() if v is not None} for entry in entries]
    frame = pd.DataFrame([absent | cell for cell in known])
    frame["data"] = networks.data
    frame["curve"] = [name for name, own in networks.curves.items() for _ in own]
    expected = costs(entry["cell"] for entry in entries)
    frame = pd.concat([frame, pd.DataFrame([vars(cost) for cost in expected])], axis=1)
    frame["job"] = frame["curve"]
    if networks.data == PLANE:  # its curves are never split
        limits = experiments.Jobs(minutes=None, cells=None, limit=None)
    for curve, rows in frame.groupby("curve", sort=False).groups.items():
        own = [expected[row] for row in rows]
        for part, places in parts(own, minutes=limits.minutes, cells=limits.cells).items():
            frame.loc[rows[places], "job"] = f"{curve}, {part}"
    files = [path_of(networks.store, entry["key"]) for entry in entries]
    stored = [file.is_file() for file in files]
    frame["outdated"] = [
        there and outdated.is_outdated(file) for there, file in zip(stored, files, strict=True)
    ]
    frame["trained"] = pd.Series(stored) & ~frame["outdated"]
    # What two curves of the plane share is trained once.
    return frame.assign(key=[entry["key"] for entry in entries]).drop_duplicates("key")


def summary(
    cells: pd.DataFrame, *, cores: int, by: Sequence[str] = GROUPS, origin: str | None = None
) -> str:
    """The table that people read: what is left to train, by kind of network, and in all.

    by: columns that tell kinds apart; origin: where the expectation comes from, None: the cells of
    the SRHM that the cost model was fitted to.
    """
    left = cells[~cells["trained"]]
    lines = [f"{len(cells)} cells, {len(cells) - len(left)} of them trained already"]
    if again := outdated.remark(int(cells["outdated"].sum())):
        lines.append(again)
    if left.empty:
        return lines[0]
    groups = left.groupby(list(by), sort=False)
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
    on_images = left[left["data"] == IMAGES]["seconds"].sum() / 3600
    of_these = f" ({on_images:.3g} of them on images; less, and GPU-hours, on a GPU)"
    lines += [
        table.to_string(index=False, float_format=lambda value: f"{value:.3g}"),
        f"to train: {len(left)} cells in {len(jobs)} jobs, {left['steps'].sum():.2g} steps,"
        f" {hours:.3g} core-hours{of_these if on_images else ''};"
        f" about {max(hours / cores, jobs.max()):.2g} h on {cores} cores,"
        f" {left['stored'].sum() / 1e9:.2g} GB of weights; the longest job {jobs.max():.2g} h",
        f"expected from {origin or model_origin()}",
    ]
    return "\n".join(lines)


def on_one_gpu(study: Study, expected: pd.DataFrame) -> str:
    """What the packed engine would take on one GPU for the cells that are to be trained.

    expected: of `expected_costs`, for this study.
    """
    left = set(expected["key"][~expected["trained"]])
    cells = [
        entry["cell"]
        for entry in study.networks[0].entries
        if entry["key"] in left and entry["cell"].get("engine") == PACKABLE
    ]
    if not cells:
        return "on a GPU: no cell is left that the packed engine trains"
    rate = gpu_rate()
    hours = gpu_seconds(cells, costs(cells), rate) / 3600
    others = len(left) - len(cells)
    not_counted = f" (the other {others} are not counted: no rate is known)" if others else ""
    return (
        f"on one GPU: {len(cells)} of these cells by the packed engine{not_counted},"
        f" {hours:.2g} GPU-hours; from {rate.origin}"
    )


def to_measure(study: Study) -> str:
    """A line about the sensitivities of the curves, and the images, that are not measured yet."""
    plan, srhm, images = study.plan, study.networks[0], study.networks[1]
    asked, folder = plan.preset.measurement, srhm.rows.parent / "sensitivities"
    per_cell = {"n_points": asked.n_points, "n_draws": asked.n_draws}
    n_cells, seconds = 0, 0.0
    for curves, module in zip((plan.core, plan.networks), experiments.MEASURING, strict=True):
        measured_by = experiments.measured_by(asked, module)
        for name, curve in curves.items():
            if (folder / measured_by / f"{name}.parquet").is_file():
                continue
            cells = [entry["cell"] for entry in curve.entries]
            n_cells += len(cells)
            seconds += sum(
                measuring_seconds(cell, cost, n_variants=len(asked.variants), **per_cell)
                for cell, cost in zip(cells, costs(cells), strict=True)
            )
    table = srhm.rows.parent / plan.preset.preset / "tables" / "images.parquet"
    if images.curves and not table.is_file():
        n_images = images_to_evaluate(plan.preset.images.stability)
        n_cells += len(images.entries)
        seconds += sum(evaluation_seconds(e["cell"], n_images=n_images) for e in images.entries)
    if not n_cells:
        return "all is measured"
    return (
        f"to measure, after training and beside the above: {n_cells} cells,"
        f" {seconds / 3600:.2g} core-hours of forward passes"
    )


def to_measure_in_the_plane(study: Study) -> str:
    """What the measurements of the plane's curves take that are not there yet, and in all.

    A table by measurement, and a line. A job measures a curve.
    """
    rows: list[dict[str, Any]] = []
    keys = set()
    for measurement in measurement_cost.ALL:
        made_by = source_digest(SCRIPTS / f"measure_plane_{measurement}.py")
        folder = study.plane.rows.parent / measurement / made_by
        for curve in study.plan.plane.values():
            wanted = measurement in measurement_cost.measurements_of(curve)
            if not wanted or any(folder.rglob(f"{curve.name}.parquet")):
                continue
            cells = [entry["cell"] for entry in curve.entries]
            seconds = measurement_cost.curve_measuring_seconds(cells, measurement)
            rows.append({"measurement": measurement, "cells": len(cells), "hours": seconds / 3600})
            keys |= {entry["key"] for entry in curve.entries}
    if not rows:
        return "all is measured"
    left = pd.DataFrame(rows)
    groups = left.groupby("measurement", sort=False)
    table = pd.DataFrame(
        {
            "jobs": groups.size(),
            "cells": groups["cells"].sum(),
            "core-hours": groups["hours"].sum(),
            "longest job (h)": groups["hours"].max(),
        }
    ).reset_index()
    lines = [
        table.to_string(index=False, float_format=lambda value: f"{value:.3g}"),
        f"to measure, after training and beside the above: {len(keys)} cells in {len(left)} jobs,"
        f" {left['hours'].sum():.2g} core-hours (without the start of jobs, and the first step)",
        f"expected from {measurement_cost.origin(table['measurement'])}",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the summary for a preset; 2 if its configuration is refused."""
    parser = parser_for("planning", __doc__)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--device", choices=CHOICES, help="default: the configuration's")
    options = parser.parse_args(arguments)
    study = chosen(options)
    if study is None:
        return 2
    expected = expected_costs(study)
    print(summary(expected, cores=options.cores))
    print(to_measure(study))
    if resolved(options.device or study.plan.preset.device) == "cuda":
        print(on_one_gpu(study, expected))
    if study.plane.curves:
        print("\nLazy and feature learning (make plane); steps are evaluations of the gradient")
        cells = expected_costs(study.of_the_plane)
        cells["study"] = [study.plan.plane[curve].study for curve in cells["curve"]]
        origin = "timed evaluations, and the part of their budget that cells take on average"
        print(summary(cells, cores=options.cores, by=PLANE_GROUPS, origin=origin))
        print(to_measure_in_the_plane(study))
    if remark := study.remark():
        print(remark)
    return 0


if __name__ == "__main__":
    sys.exit(main())
