"""Processor time of gradient flow where memory given back is kept, over where it is not.

`python benchmarks/kept_memory.py` trains a batch of six members of a CNN three times in processes
of their own with and without the variables of `srhm.commands.variables.KEEP_MEMORY`, turn by turn,
and prints processor time, the system's part of it, page faults and memory of each; and whether all
rows are equal.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from srhm.commands.variables import KEEP_MEMORY

TIMES, MEMBERS, EVALUATIONS = 3, 6, 60
TASK = {"net": "cnn", "L": 2, "s0": 2, "v": 4, "width": [32], "P": [2048], "seeds": 1}


def train() -> dict[str, Any]:
    """What this process costs, and the rows."""
    from srhm.flow.configuration import FlowSection
    from srhm.flow.members import train_members
    from srhm.flow.plan import plan

    group = {**TASK, "optimiser": {"name": "adam", "max_evaluations": EVALUATIONS}}
    section = FlowSection.model_validate({"n_test": 50, "curves": [group]})
    (curve,) = plan(section, Path(), study="timing").curves.values()
    cell = curve.entries[0]["cell"]
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    found = train_members([{**cell, "member": e} for e in range(MEMBERS)])
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": time.process_time() - begun,
        "of the system": after.ru_stime - before.ru_stime,
        "faults": after.ru_minflt - before.ru_minflt,
        "MB": after.ru_maxrss // 1024,
        "rows": repr(found),
    }


def main() -> None:
    """See the module."""
    rows = set()
    for turn in range(TIMES):
        for name, variables in (("given back", {}), ("kept", KEEP_MEMORY)):
            others = {k: v for k, v in os.environ.items() if k not in KEEP_MEMORY}
            command = [sys.executable, __file__, "train"]
            done = subprocess.run(
                command, env=others | variables, capture_output=True, check=True, text=True
            )
            found = json.loads(done.stdout)
            rows.add(found.pop("rows"))
            print(turn, name, found, flush=True)
    print("rows equal:", len(rows) == 1)


if __name__ == "__main__":
    if "train" in sys.argv:
        print(json.dumps(train()))
    else:
        main()
