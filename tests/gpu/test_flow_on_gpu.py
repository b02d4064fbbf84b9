"""Members of a flow on a GPU against the CPU: the same trainings, but for rounding."""

import numpy as np
import pytest
import torch
from flow_kinds import KINDS, SRHM, assert_same, cells_of, entries_of
from train_curves import train_flow

from srhm.flow.members import train_members

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device"),
]


@pytest.mark.parametrize("name", KINDS)
def test_members_on_a_gpu_are_those_of_the_cpu(name):
    # The tolerance of members that are trained alone or together: float64, sums in other orders.
    cells = cells_of(KINDS[name])
    expected, found = train_members(cells), train_members(cells, device="cuda")
    for row, own in zip(expected.rows, found.rows, strict=True):
        assert (own["status"], own["evaluations"]) == (row["status"], row["evaluations"])
    np.testing.assert_allclose(found.test_outputs, expected.test_outputs, rtol=1e-6, atol=1e-8)
    for weights, array in expected.weights.items():
        np.testing.assert_allclose(found.weights[weights], array, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_batch_has_the_same_bits_on_the_same_device(name):
    cells = cells_of(KINDS[name])
    assert_same(train_members(cells, device="cuda"), train_members(cells, device="cuda"))


def test_a_curve_on_a_gpu_names_it(tmp_path):
    entries = entries_of({**SRHM, "optimiser": {"max_evaluations": 5}})
    for cell in train_flow(entries, store=tmp_path, gpu=1):
        assert cell.row["versions"].endswith(f" on {torch.cuda.get_device_name()}")
