"""Lines of equivalence: what a definition computes now is what it computed in the last commit.

python tests/guard/earlier.py MODULE:NAME[=MODULE:NAME in the last commit] ..., after an edit that
moves no result: the golden traces (tests/golden) still hold. All that reaches the definitions then
keeps its digest; of several, those that others reach come first. A script of the workflow is
"scripts/NAME.py:". Lines of src/srhm/store/earlier.json that nothing asks for any more are left
out.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from stored import PRESETS, ROOT, job_roots, planned

from srhm.experiments import cells as experiments
from srhm.networks.registry import CONNECTED, HIERARCHICAL, NAMED, NETS, PRIMITIVE
from srhm.store import sources
from srhm.store.cells import CODE
from srhm.training.any_trainer import SAMPLES, decided_by
from srhm.training.engines import AUTOGRAD, NAMED_ENGINE
from srhm.training.trainers import FLOW, HIERARCHY, IMAGES


def cell_roots() -> Iterator[tuple[str, ...]]:
    """What decides the cells that presets may have, trained networks and experiments."""
    engines = {engine: tuple(HIERARCHICAL) for engine in ("reference", "dense", "sparse")}
    engines |= {name: (name,) for name in CONNECTED}
    engines |= {NAMED_ENGINE: tuple(name for name, net in NAMED.items() if net.taped)}
    engines |= {AUTOGRAD: tuple(NAMED)}
    for engine, nets in engines.items():
        yield from (decided_by(HIERARCHY.module, {"engine": engine, "net": net}) for net in nets)
    yield from (decided_by(FLOW.module, {"net": net}) for net in HIERARCHICAL)
    yield from (decided_by(IMAGES.module, {"net": net}) for net in NAMED)
    tables = (HIERARCHICAL, {**NAMED, **PRIMITIVE})
    for function, net in experiment_cells():
        alike = [one for table in tables if net in table for one in table] or [net]
        for one in alike:
            yield decided_by(experiments.__name__, {"net": one}, {"experiment": function})


def experiment_cells() -> list[tuple[str, str]]:
    """Function of each experiment of the presets, with each of its networks; "" for none."""
    found = set()
    for name in PRESETS:
        for _, plan in planned(name):
            for curve in plan.curves.values():
                if function := curve.inputs.get("experiment"):
                    found |= {(function, cell.get("net", "")) for cell in curve.cells}
    return sorted((function, net if net in NETS else "") for function, net in found)


def all_roots() -> list[tuple[str, ...]]:
    """All of which digests are kept: of cells, samples, stacks and jobs."""
    return [*cell_roots(), SAMPLES, (CODE,), *job_roots().values()]


class _Lines(dict[str, str]):
    """A dictionary that knows which of its lines were asked for."""

    def __init__(self, lines: dict[str, str]) -> None:
        super().__init__(lines)
        self.asked = set[str]()

    def get(self, key: str, default: str) -> str:  # type: ignore[override]
        self.asked |= {key} & self.keys()
        return super().get(key, default)


def needed(lines: dict[str, str]) -> dict[str, str]:
    """Those of the lines that stand for something in the present code."""
    known, kept = _Lines(lines), sources.earlier
    sources.earlier = lambda: known  # type: ignore[assignment]
    sources.digest_of.cache_clear()
    sources._digests.clear()
    for roots in all_roots():
        sources.digest_of(*roots)
    sources.earlier = kept
    names = known.asked | {function for function, _ in experiment_cells()}
    return {now: before for now, before in sorted(lines.items()) if now in names}


def digest_in_last_commit(name: str) -> str:
    """Digest of a definition in the last commit."""
    command = ["git", "archive", "HEAD", "src", "scripts"]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        code = f"from srhm.store.sources import digest_of; print(digest_of({name!r}))"
        path = {"PYTHONPATH": str(Path(folder, "src"))}
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **path},
                              cwd=folder, capture_output=True, check=True, text=True)  # fmt: skip
    return done.stdout.strip()


if __name__ == "__main__":
    lines = sources.earlier()
    for word in sys.argv[1:]:
        now, _, before = word.partition("=")
        lines[sources.digest_of(now)] = digest_in_last_commit(before or now)
        sources.digest_of.cache_clear()
        sources._digests.clear()
    text = json.dumps(needed(lines), indent=1)
    sources.EARLIER.write_text(text + "\n", encoding="utf-8")
