"""Golden traces: the sampler and every trainer give what they gave when the files here were made.

A change of the code that is meant to change no training leaves all of them as they are. One that
is meant to change some is made together with their files: see `write.py`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_cases import CASES

HERE = Path(__file__).parent
# Relative to the size of an array. Other processors sum in another order. Rounding in double
# precision is 1e-16 a step, and grew to 3e-15 with plain instructions in place of AVX-512, and to
# 5e-10 in hundreds of steps whose sizes adapt. Named nets draw their initial weights in single
# precision, by a way of each processor's, also where they are trained in double; batch norm makes
# that larger in each layer of EfficientNet (1e-3).
TOLERANCES = {"double": 1e-9, "adaptive": 1e-8, "single": 1e-4, "efficientnet": 5e-3}
# Weights trained in double precision, but handed over in single.
ROUNDED = 1e-6
# Below it a number is zero but for rounding, such as what a bias in front of batch norm learns.
NOTHING = {"double": 1e-12, "adaptive": 1e-12, "single": 1e-6, "efficientnet": 1e-6}


def assert_close(name: str, found: list[Any], expected: list[Any], kind: str) -> None:
    """The same type and shape, and numbers that differ by little of the array's size."""
    tolerance = max(TOLERANCES[kind], ROUNDED if expected[0] == "float32" else 0.0)
    assert found[:2] == expected[:2], name
    shape, squares = expected[1], expected[3]
    count = max(int(np.prod(shape)), 1)
    size = (squares / count) ** 0.5
    # The sum of values of either sign may be small: it is as exact as the values are.
    sizes = [count * size, 2 * squares] + [size] * len(expected[4:])
    for one, other, scale in zip(found[2:], expected[2:], sizes, strict=True):
        assert one == pytest.approx(other, rel=0, abs=max(tolerance * scale, NOTHING[kind])), name


@pytest.mark.parametrize("case", CASES)
def test_a_case_gives_what_it_gave(case: str) -> None:
    kind, trace = CASES[case]
    expected, found = json.loads((HERE / f"{case}.json").read_text()), trace()
    assert found["row"].keys() >= expected["row"].keys()
    for name, value in expected["row"].items():
        if isinstance(value, float):
            value = pytest.approx(value, rel=TOLERANCES[kind], abs=NOTHING[kind], nan_ok=True)
        assert found["row"][name] == value, name
    assert found["arrays"].keys() == expected["arrays"].keys()
    for name, array in expected["arrays"].items():
        assert_close(name, found["arrays"][name], array, kind)
