"""Compiles the kernels for named GPUs, which need not be there: python compiling.py 90 512.

Prints one JSON line for each kernel and batch: registers of a thread, bytes of a thread in local
memory (spilled registers, stack), bytes of shared memory of a program, warps of a program.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import geometry
from srhm.training import packed_kernels
from srhm.training.packed import TEST_BATCH, meta_parameters

WHOLE = ("table", "orders", "all_bases", "labels", "stamps", "layers", "whole", "right", "points")
REAL = ("rates", "rows", "readouts", "rest", "scales", "real")
# What a launch finds to be multiples of 16, since `packed` makes them so.
MULTIPLES = ("n_whole", "n_real", "n_entries")
# The batch of the paper, and balanced batches of 4 points of 10 classes.
BATCHES = {"batch of 4": 4, "batch of 40": 40}


def compiled(kernel: Any, capability: int, meta: dict[str, Any]) -> dict[str, Any]:
    """What the machine code of a kernel uses."""
    types = {}
    for name in kernel.arg_names:
        types[name] = (
            "constexpr"
            if name in meta
            else "*fp64"
            if name == "sums"
            else "*i32"
            if name in WHOLE
            else "*fp32"
            if name in REAL
            else "i32"
        )
    aligned = [i for i, (n, t) in enumerate(types.items()) if t[0] == "*" or n in MULTIPLES]
    constants = {name: meta[name] for name, kind in types.items() if kind == "constexpr"}
    options = {name: value for name, value in meta.items() if name.islower()}
    code = triton.compile(
        ASTSource(kernel, types, constants, {(i,): [["tt.divisibility", 16]] for i in aligned}),
        target=GPUTarget("cuda", capability, 32),
        options=options,
    )
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code.asm["cubin"])
        file.flush()
        text = subprocess.run(
            [tool, "-res-usage", file.name], capture_output=True, text=True, check=True
        )
    used = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)", text.stdout + text.stderr)
    assert used is not None, text
    registers, stack, _, local = map(int, used.groups())
    return {
        "registers": registers,
        "local": stack + local,
        "shared": code.metadata.shared,
        "warps": meta["num_warps"],
        "wide_loads": code.asm["ptx"].count("ld.global.v4"),
    }


def main() -> None:
    """Compiles for the capability and the width that are given."""
    capability, width = int(sys.argv[1]), int(sys.argv[2])
    parameters = GrammarParameters(
        depth=3, branching=2, n_features=10, n_synonyms=10, n_classes=10, n_empty=1
    )
    shape = geometry("cnn", parameters, width=width)
    for name, batch in BATCHES.items():
        meta = meta_parameters(shape, batch)
        used = compiled(packed_kernels.train_kernel, capability, meta)
        print(json.dumps({"kernel": f"train, {name}", **used}), flush=True)
    used = compiled(packed_kernels.test_kernel, capability, meta_parameters(shape, TEST_BATCH))
    print(json.dumps({"kernel": "test", **used}), flush=True)


if __name__ == "__main__":
    main()
