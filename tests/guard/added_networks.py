"""What a copy of the package with two networks more says: run by `test_guard_added_networks.py`.

Prints, as JSON, where the package lies, the digests of all that trains, the names of all curves and
samples of each preset, and how a network of each of the two kinds is trained.
"""

import json
import logging
from pathlib import Path

from earlier import cell_roots
from stored import PRESETS, key_lines

import srhm
from srhm.model.sampling import draw_samples
from srhm.store.sources import digest_of
from srhm.training.cell import parameters_of
from srhm.training.configuration import HierarchySection, NamedSection
from srhm.training.engines import hierarchy_trainer
from srhm.training.plan import plan

GRAMMAR = {"L": 2, "v": 3, "s0": 1, "P": [12], "seeds": 1, "width": 4}
SECTIONS = {
    "added": (HierarchySection, {}),
    "added_named": (NamedSection, {"engine": "autograd", "learning_rate": 0.02}),
}


def trained(net: str) -> tuple[int, str]:
    """Steps and status of a cell of a network."""
    section, options = SECTIONS[net]
    group = {**GRAMMAR, "net": net, "training": {**options, "max_steps": 5}}
    planned = plan(section.model_validate({"n_test": 50, "curves": [group]}), Path())
    (curve,) = planned.curves.values()
    sample = draw_samples(parameters_of(curve.cells[0]), [0], n_train=12, n_test=50)
    made = hierarchy_trainer(curve.entries, sample, device="cpu", log=logging.getLogger("added"))
    (cell,) = made.train(curve.entries)
    return cell.row["steps"], cell.row["status"]


if __name__ == "__main__":
    found = {
        "package": srhm.__file__,
        "digests": sorted({digest_of(*roots) for roots in cell_roots()}),
        "keys": {name: key_lines(name) for name in PRESETS},
        "trained": {net: trained(net) for net in SECTIONS},
    }
    print(json.dumps(found))
