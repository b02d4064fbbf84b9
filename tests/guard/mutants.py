"""Random edits of the code that training jobs load: keys change, or the job computes the same.

python tests/guard/mutants.py [NUMBER [SEED]] edits operators, comparisons, conditions, constants
and arguments, and deletes statements, one at a time, and writes reference/key_mutants.csv. For each
kind of job that loads the edited module, its key changes, or the job is run with the edit, or four
of those whose keys do not change: "equal" says that rows and weights are those of before, bit by
bit, "stopped" that the job ends with an error and stores nothing, "moved" names the jobs that have
another result under the same key, which is a fault of the digest.
"""

import ast
import csv
import hashlib
import importlib
import json
import logging
import multiprocessing
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest
from changed_source import digests_after
from stored import ROOT, planned

from srhm.store.sources import PACKAGES, digest_of
from srhm.training.any_trainer import decided_by

for package in ("numba", "pyarrow", "scipy.optimize", "sklearn.utils", "torch._dynamo"):
    importlib.import_module(package)  # each job is a fork, and finds them loaded

FILE = ROOT / "reference" / "key_mutants.csv"
LONGEST = 300.0  # seconds of the jobs that are run with an edit
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
Jobs = dict[str, tuple[dict[str, Any], Any]]


def jobs() -> Jobs:
    """Spec and sample of the smallest cell of each trainer, engine and experiment of test.yaml."""
    found: Jobs = {}
    for _, plan in planned("test"):
        for curve in plan.curves.values():
            entry, inputs = curve.entries[0], dict(curve.inputs)
            name = inputs.get("experiment", "").removeprefix("srhm_studies.")
            name = name or f"{curve.trainer.name} {entry['cell'].get('engine', '')}".strip()
            if curve.name not in plan.missing and name not in found:
                spec = {"cells": [entry], "trainer": curve.trainer.module, "inputs": inputs,
                        "keep_weights": True, "arrays_needed": curve.trainer.arrays}  # fmt: skip
                found[name] = spec, plan.samples[curve.sample].spec if curve.sample else None
    return found


def results(wanted: Jobs, packages: Path) -> dict[str, tuple[str, set[str]]]:
    """What each job gives by the code in this folder, or its error, and the modules it loads."""
    for name in [one for one in sys.modules if one.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(packages))
    found = {}
    for name, (spec, sample) in wanted.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = _result(spec, sample, Path(folder))
            except Exception as error:  # noqa: BLE001  (as a job ends by it)
                said = f"stopped: {error!r}"
        found[name] = said, {one for one in sys.modules if one.partition(".")[0] in PACKAGES}
    return found


def _result(spec: dict[str, Any], sample: Any, folder: Path) -> str:
    """Digest of rows and weights of a job."""
    load = importlib.import_module
    files = []
    if sample:
        files = [str(folder / "samples.parquet")]
        given = load("srhm.model.grammar").parameters_of(sample), sample["seeds"]
        sizes = {"n_train": sample["n_train"], "n_test": sample["n_test"]}
        drawn = load("srhm.model.sampling").draw_samples(*given, **sizes)
        load("srhm.store.records").write_derivations(drawn, Path(files[0]), provenance=sample)
    cells = load("srhm.training.any_trainer").train_curve(
        spec, derivations=files, threads=1, gpu=0, store=folder / "cells",
        checkpoints=folder / "checkpoints", log=logging.getLogger("none"),
        stop=load("srhm.jobs.stopping").StopRequest(),
    )  # fmt: skip
    told = hashlib.sha256()
    for cell in cells:
        row = {key: one for key, one in cell.row.items() if key not in ("versions", "seconds")}
        told.update(json.dumps(row, sort_keys=True, default=str).encode())
        for key, array in sorted(cell.weights.items()):
            told.update(key.encode() + array.tobytes())
    return told.hexdigest()


def sites(tree: ast.Module) -> Iterator[ast.AST]:
    """What can be edited: no prose, no annotations."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                children = value if isinstance(value, list) else [value]
                waiting += [one for one in children if isinstance(one, ast.AST)]


def edited(node: Any, chance: random.Random) -> bool:
    """Edits a node in place; False if there is nothing to edit in it."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.If | ast.IfExp | ast.While) and chance.random() < 0.5:
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        is_bool, is_text = isinstance(node.value, bool), isinstance(node.value, str)
        node.value = not node.value if is_bool else node.value + ("x" if is_text else 1)
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        node.args[0], node.args[1] = node.args[1], node.args[0]
    elif isinstance(node, ast.Call) and node.keywords:
        node.keywords.pop()
    elif isinstance(getattr(node, "body", None), list) and node.body:
        node.body[chance.randrange(len(node.body))] = ast.Pass()
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
            if edited(node, chance):
                now = ast.unparse(ast.fix_missing_locations(tree))
                return now, _difference(before, ast.unparse(node))


def _difference(before: str, after: str) -> str:
    """The first line in which they differ, as it was and as it is."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    old, new = next(((old, new) for old, new in pairs if old != new), (before, after))
    return f"{old.strip()[:60]} -> {new.strip()[:60]}"


def main(number: int, seed: int) -> None:
    chance, counts, every = random.Random(seed), Counter[str](), jobs()
    with tempfile.TemporaryDirectory() as name, FILE.open("w", encoding="utf-8") as file:
        folder = Path(name)
        for package in PACKAGES:
            without = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "src" / package, folder / package, ignore=without)

        def run(names: Sequence[str]) -> dict[str, tuple[str, set[str]]]:
            wanted = {name: every[name] for name in names}
            with multiprocessing.get_context("fork").Pool(1) as pool:
                try:
                    return pool.apply_async(results, (wanted, folder)).get(LONGEST)
                except multiprocessing.TimeoutError:  # of a loop that has lost its end
                    return dict.fromkeys(names, ("stopped", set()))

        before = {name: run([name])[name] for name in every}
        print({name: result[:12] for name, (result, _) in before.items()}, flush=True)
        roots = {job: decided_by(spec["trainer"], spec["cells"][0]["cell"], spec["inputs"])
                 for job, (spec, _) in every.items()}  # fmt: skip
        keys = {job: digest_of(*names) for job, names in roots.items()}
        modules = sorted(set().union(*(loaded for _, loaded in before.values())))
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["module", "edit", "jobs", "keys_change", "equal", "stopped", "moved"])
        while sum(counts.values()) < number:
            module = chance.choice(modules)
            place = (folder / module.replace(".", "/")).with_suffix(".py")
            if not place.is_file():
                continue
            text = place.read_text(encoding="utf-8")
            now, what = mutant(text, chance)
            with pytest.MonkeyPatch.context() as patch:
                after = digests_after(folder, patch, {module: lambda _, now=now: now}, roots)
            loading = [job for job in every if module in before[job][1]]
            left = [job for job in loading if after[job] == keys[job]]
            n_changed = len(loading) - len(left)
            left = chance.sample(left, min(len(left), 4))
            place.write_text(now, encoding="utf-8")
            found = {job: one for job, (one, _) in run(left).items()} if left else {}
            place.write_text(text, encoding="utf-8")
            equal = [job for job in left if found[job] == before[job][0]]
            stopped = [job for job in left if found[job].startswith("stopped")]
            moved = sorted({*left} - {*equal, *stopped})
            size = [len(loading), n_changed, len(equal), len(stopped)]
            counts["MOVED" if moved else "equal or stopped" if left else "keys change"] += 1
            write.writerow([module, what, *size, " ".join(moved)])
            print(module, what, *size, moved, flush=True)
    print(dict(counts))


if __name__ == "__main__":
    number, seed = [*map(int, sys.argv[1:]), *(200, 0)[len(sys.argv) - 1 :]]
    main(number, seed)
