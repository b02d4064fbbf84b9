"""Random edits of the code that training jobs load: keys change, or the job computes the same.

python tests/guard/mutants.py [NUMBER [SEED]] edits operators, constants, comparisons, conditions
and arguments, each by itself. For each job that loads the edited module its key changes, or the job
is run with the edit and its rows and weights are equal, bit by bit: "MOVED" says that they are not.
It takes some seconds for each edit that changes no key.
"""

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest
from changed_source import digests_after
from stored import planned

from srhm.store.provenance import PACKAGE
from srhm.store.sources import digest_of
from srhm.training.any_trainer import decided_by

# Runs the jobs of a file of specs, and prints what they give, and what they load.
RUN = """
import hashlib, json, logging, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.records import write_derivations
from srhm.jobs.stopping import StopRequest
from srhm.training.any_trainer import train_curve
found = {}
for name, (spec, sample) in json.loads(Path(sys.argv[1]).read_text()).items():
    with TemporaryDirectory() as folder:
        places = {"store": Path(folder, "cells"), "checkpoints": Path(folder, "checkpoints")}
        derivations = []
        if sample:
            derivations = [str(Path(folder, "samples.parquet"))]
            drawn = draw_samples(parameters_of(sample), sample["seeds"], n_train=sample["n_train"],
                                 n_test=sample["n_test"])
            write_derivations(drawn, Path(derivations[0]), provenance=sample)
        try:
            cells = train_curve(spec, derivations=derivations, threads=1, gpu=0, **places,
                                log=logging.getLogger("none"), stop=StopRequest())
        except Exception as error:
            found[name] = [type(error).__name__]
            continue
        told = hashlib.sha256()
        for cell in cells:
            row = {k: v for k, v in cell.row.items() if k not in ("versions", "seconds")}
            told.update(json.dumps(row, sort_keys=True, default=str).encode())
            for key, array in sorted(cell.weights.items()):
                told.update(key.encode() + array.tobytes())
        found[name] = [told.hexdigest()]
    found[name].append(sorted(one for one in sys.modules if one.startswith("srhm.")))
print(json.dumps(found))
"""
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def jobs() -> dict[str, tuple[dict[str, Any], Any]]:
    """Spec and sample of the smallest cell of each trainer and engine of the preset test."""
    found: dict[str, tuple[dict[str, Any], Any]] = {}
    for study, plan in planned("test"):
        for curve in plan.curves.values():
            cell = curve.entries[0]["cell"]
            named = curve.inputs.get("experiment", "")
            name = f"{curve.trainer.name} {cell.get('engine', '')}"
            if name in found or curve.name in plan.missing or (named and study != "memory"):
                continue
            sample = plan.samples[curve.sample].spec if curve.sample else None
            spec = {"cells": curve.entries[:1], "trainer": curve.trainer.module,
                    "inputs": dict(curve.inputs), "keep_weights": True,
                    "arrays_needed": curve.trainer.arrays}  # fmt: skip
            found[name] = spec, sample
    return found


def sites(tree: ast.Module) -> Iterator[ast.AST]:
    """What can be edited: no prose, no annotations."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                waiting += [one for one in (value if isinstance(value, list) else [value])
                            if isinstance(one, ast.AST)]  # fmt: skip


def edited(node: ast.AST) -> bool:
    """Edits a node in place; False if there is nothing to edit in it."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        node.value += 1
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        node.value += "x"
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        node.args[0], node.args[1] = node.args[1], node.args[0]
    elif isinstance(node, ast.Call) and node.keywords:
        node.keywords.pop()
    else:
        return False
    return True


def mutant(text: str, chance: random.Random) -> tuple[str, str]:
    """A module with one edit, and what was edited."""
    while True:
        tree = ast.parse(text)
        node = chance.choice(list(sites(tree)))
        if getattr(node, "lineno", 0):
            before = ast.unparse(node)
            if edited(node):
                now = ast.unparse(ast.fix_missing_locations(tree))
                return now, f"line {node.lineno}: {before[:60]!r} -> {ast.unparse(node)[:60]!r}"


def main(number: int, seed: int) -> None:
    """Prints each edit and what it did, and counts."""
    chance, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(PACKAGE, folder / "srhm")
        specs = jobs()
        (folder / "specs.json").write_text(json.dumps(specs))

        def run() -> dict[str, Any]:
            done = subprocess.run(
                [sys.executable, "-c", RUN, str(folder / "specs.json")],
                env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True,
            )  # fmt: skip
            if done.returncode:
                return {job: [done.stderr[-200:]] for job in specs}
            return json.loads(done.stdout)

        before = run()
        assert run() == before, "a job does not repeat itself"
        print({job: result[0][:12] for job, result in before.items()}, flush=True)
        roots = {job: decided_by(spec["trainer"], spec["cells"][0]["cell"], spec["inputs"])
                 for job, (spec, _) in specs.items()}  # fmt: skip
        keys = {job: digest_of(*names) for job, names in roots.items()}
        modules = sorted({module for result in before.values() for module in result[1]})
        for place in range(number):
            module = chance.choice(modules)
            file = (folder / module.replace(".", "/")).with_suffix(".py")
            if not file.is_file():
                continue
            text = file.read_text(encoding="utf-8")
            now, what = mutant(text, chance)
            with pytest.MonkeyPatch.context() as patch:
                after = digests_after(folder, patch, {module: lambda _, now=now: now}, roots)
            left = {job for job in specs if after[job] == keys[job]
                    and module in before[job][1]}  # fmt: skip
            outcome = "keys change"
            if left:
                file.write_text(now, encoding="utf-8")
                found = run()
                file.write_text(text, encoding="utf-8")
                moved = {job for job in left if found[job][0] != before[job][0]}
                stopped = {job for job in moved if len(found[job]) < 2}
                outcome = "equal" if not moved else "fails" if moved == stopped else "MOVED"
            counts[outcome] += 1
            print(f"{place} {outcome}: {module} {what} {sorted(left) if left else ''}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    number, seed = [*map(int, sys.argv[1:]), *(200, 0)[len(sys.argv) - 1 :]]
    main(number, seed)
