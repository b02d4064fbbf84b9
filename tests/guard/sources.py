"""The digests of all that trains, and the older ones that they stand for.

python tests/guard/sources.py "REASON", after a change of code that trains that moves no result: the
golden traces (tests/golden) still hold. It writes the new digests into src/srhm/sources.json, each
with the digest that its predecessor stood for. Where results do move, write a digest that stands
for itself by hand.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srhm.flow import plan as flow
from srhm.images import plan as images
from srhm.networks.registry import NETS
from srhm.results.provenance import PACKAGE, SOURCES, source_digest, source_of_net
from srhm.training import plan

# A network for each module that has results, and the engines that train it.
HIERARCHICAL, NAMED, PRIMITIVE = (
    ("lcn", "cnn", "fcn"),
    ("vgg11", "resnet18", "efficientnetb0"),
    ("fc2", "lenet"),
)
ENGINES = {**dict.fromkeys(("reference", "dense", "sparse"), HIERARCHICAL), "torch": NAMED}
ENGINES["fcn2"] = ("fcn2",)
STUDIES = PACKAGE / "studies"
# Experiments whose code was changed and computes what it did.
EXPERIMENTS = {
    "equivariance/trained": (),
    "kernels/classification": (),
    "kernels/hierarchy": (),
    "kernels/teacher_student": (),
    "level_by_level/experiment": (),
    "random_features/features": (),
    "relative_stability/networks": (*NAMED, *PRIMITIVE),
    "relative_stability/flows": HIERARCHICAL,
    "representation_cost/classes": (),
    "representation_cost/zigzag": (),
    "taught_digits/experiment": PRIMITIVE,
}


def sources() -> Iterator[tuple[str, str, list[Path]]]:
    """Trainer, module of the network ("" for none), and the sources that decide a cell of both."""
    yield "sample", "", [PACKAGE / "model" / "sampling.py"]
    for form in ("packed", "stacked"):
        yield form, "", [PACKAGE / "training" / f"{form}.py"]
    for engine, nets in ENGINES.items():
        for net in nets:
            yield engine, NETS[net].module, plan.engine_sources(engine, net)
    for net in HIERARCHICAL:
        yield "flow", NETS[net].module, flow.training_sources(net)
    for net in NAMED:
        yield "images", NETS[net].module, images.training_sources(net)
    for name, nets in EXPERIMENTS.items():
        own = STUDIES / f"{name}.py"
        if not nets:
            yield name, "", [own]
        for net in nets:
            yield name, NETS[net].module, [own, source_of_net(net)]


def digests() -> Iterator[tuple[str, str, str]]:
    """Trainer, module of the network, and the present digest of both."""
    for trainer, net, paths in sources():
        yield trainer, net, source_digest(*paths)


def renewed(entries: list[dict[str, Any]], reason: str) -> list[dict[str, Any]]:
    """Entries of the present digests; those that are new have this reason."""
    before = {(one["trainer"], one["net"]): one for one in entries}
    found = []
    for trainer, net, digest in digests():
        old = before[trainer, net]
        new = {"digest": digest, "stands_for": old["stands_for"], "reason": reason}
        found.append(old if old["digest"] == digest else {"trainer": trainer, "net": net, **new})
    return found


def write(entries: list[dict[str, Any]], file: Path = SOURCES) -> None:
    """Writes the entries, a field a line."""
    file.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(renewed(json.loads(SOURCES.read_text(encoding="utf-8")), sys.argv[1]))
