"""What a search of P* costs, divided by a window of P with two sizes an octave.

`.venv/bin/python benchmarks/search_costs.py > reference/search_costs.csv`: two minutes. One curve
of each net and L, three grammars, 64 channels; the window has the limits of the search. Seconds are
the processor's, so that other work on the machine counts little.
"""

import csv
import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from srhm.jobs.stopping import StopRequest
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.planning import preset
from srhm.planning.specs import curve_spec
from srhm.store.records import write_derivations
from srhm.training.searching import train_paths

ROOT = Path(__file__).resolve().parents[1]
# P* of the shipped runs, over the paper's law, from a fourth of it to four times.
CURVES: list[dict[str, Any]] = [
    {"net": "lcn", "L": 2, "v": 4, "s0": 1, "low": 0.45, "start": 1.8, "high": 7.2},
    {"net": "lcn", "L": 3, "v": 4, "s0": 1, "low": 0.34, "start": 1.4, "high": 5.4},
    {"net": "cnn", "L": 2, "v": 4, "s0": 1, "low": 0.63, "start": 2.5, "high": 10},
    {"net": "cnn", "L": 3, "v": 4, "s0": 1, "low": 0.69, "start": 2.8, "high": 11},
    {"net": "fcn", "L": 2, "v": 4, "s0": 1, "low": 1.2, "start": 4.8, "high": 19},
    {"net": "fcn", "L": 3, "v": 3, "s0": 1, "low": 2.3, "start": 9.2, "high": 37},
]


def planned(curve: dict[str, Any], points: dict[str, Any]) -> preset.Plan:
    """The plan of one curve with these sizes."""
    group = {name: curve[name] for name in ("net", "L", "v", "s0")} | {"P": points}
    if (curve["net"], curve["L"]) == ("fcn", 3):
        group["training"] = {"learning_rate": 0.003}
    section = {"seeds": 3, "width": 64, "n_test": 2000, "training": {"max_steps": 500_000}}
    config = {"preset": "costs", "sparse_hierarchy": {**section, "curves": [group]}}
    return preset.plan_preset(config, directory=ROOT)


def trained(plan: preset.Plan) -> tuple[int, float]:
    """Networks of the plan's only curve, and seconds of the processor that their training took."""
    (curve,), (sample,) = plan.curves.values(), plan.samples.values()
    drawn = draw_samples(
        parameters_of(sample.spec),
        sample.spec["seeds"],
        n_train=sample.spec["n_train"],
        n_test=sample.spec["n_test"],
    )
    with tempfile.TemporaryDirectory() as name:
        derivations = Path(name) / "derivations.parquet"
        write_derivations(drawn, derivations, provenance=sample.spec)
        begun = time.process_time()
        _, cells = train_paths(
            json.loads(curve_spec(curve)),
            derivations=[str(derivations)],
            store=Path(name) / "cells",
            checkpoints=Path(name) / "checkpoints",
            threads=1,
            log=logging.getLogger("search_costs"),
            stop=StopRequest(),
            gpu=0,
        )
    return len(cells), time.process_time() - begun


def main() -> None:
    """Trains each curve by search and by window, once a search has compiled what both run."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["net", "L", "v", "s0", "grammars", "networks_search", "networks_window",
                     "seconds_search", "seconds_window", "window_over_search"])  # fmt: skip
    for curve in CURVES:
        window = {"low": curve["low"], "high": curve["high"], "per_octave": 2}
        search = {"low": curve["low"], "high": curve["high"], "start": curve["start"]}
        search["search"] = "error"
        trained(planned(curve, search))
        few, short = trained(planned(curve, search))
        many, long = trained(planned(curve, window))
        numbers = [3, few, many, f"{short:.1f}", f"{long:.1f}", f"{long / short:.2f}"]
        writer.writerow([curve["net"], curve["L"], curve["v"], curve["s0"], *numbers])
        sys.stdout.flush()


main()
