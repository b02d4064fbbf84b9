"""The kernels become machine code for an H100 and an A100, without spilled registers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

triton = pytest.importorskip(
    "triton", reason="the packed engine needs triton: make test-gpu-interpreter"
)

SCRIPT = Path(__file__).with_name("compiling.py")
# What spills is the compiler's affair: nothing with the triton of the extra "gpu", and on an A100
# 24 bytes with the one that torch 2.13 brings.
OWN = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 9)


@pytest.mark.parametrize("width", [512, 128])
@pytest.mark.parametrize("capability", [90, 80])
def test_kernels_compile_and_spill_nothing(capability: int, width: int) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, str(capability), str(width)],
        env={**os.environ, "TRITON_INTERPRET": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [used["kernel"] for used in found] == ["train, batch of 4", "train, batch of 40", "test"]
    for used in found:
        print(capability, width, used)
        assert used["local"] == 0 or not OWN, used
        assert used["shared"] <= 48 * 1024, used
        assert used["wide_loads"] > 20, used  # rows are read 16 bytes at a time
