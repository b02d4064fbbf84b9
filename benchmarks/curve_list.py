"""The curves of a preset in their order, with what each is expected to cost.

`.venv/bin/python benchmarks/curve_list.py config/fresh.yaml > reference/fresh_curves.csv`.
"""

import csv
import sys
from itertools import accumulate
from pathlib import Path

from srhm.commands.presets import run_of
from srhm.planning.lengths import expected_costs
from srhm.store.paths import visits

curves = run_of(Path(sys.argv[1]), Path("nowhere"), rows="trained").curves.values()
trainings, seconds = [], []
for curve in curves:
    parts = visits(curve.search, {entry["key"]: entry["cell"] for entry in curve.entries}).values()
    costs = zip(parts, expected_costs(curve), strict=True)
    trainings.append(sum(parts))
    seconds.append(sum(part * cost.seconds for part, cost in costs))
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(["order", "curve", "seeds", "first_seed", "measured", "trainings", "core_minutes",
                 "core_hours_so_far"])  # fmt: skip
for place, (curve, n, own, so_far) in enumerate(
    zip(curves, trainings, seconds, accumulate(seconds), strict=True), start=1
):
    seeds = sorted({cell["seed"] for cell in curve.cells})
    following = "P*, P*_S, P*_D" if curve.search and curve.search.below else "P*"
    numbers = [f"{n:.0f}", f"{own / 60:.2f}", f"{so_far / 3600:.2f}"]
    writer.writerow([place, curve.label, len(seeds), seeds[0], following, *numbers])
