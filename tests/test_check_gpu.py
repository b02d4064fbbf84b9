"""The command that compares a GPU with the processor, on the processor in place of one."""

import pytest
import torch

from srhm.commands import check_gpu
from srhm.training import stacked


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Fewer networks, steps and kinds."""
    stacks = {name: check_gpu.STACKS[name] for name in ("CNN", "VGG11")}
    monkeypatch.setattr(check_gpu, "STACKS", stacks)
    monkeypatch.setattr(check_gpu, "SEEDS", 2)
    monkeypatch.setattr(check_gpu, "STEPS", {"sparse_hierarchy": 6, "named_nets": 2})
    monkeypatch.setattr(check_gpu, "IMAGE_STEPS", 2)


def test_a_device_that_agrees_has_a_row_for_each_kind(capsys):
    assert check_gpu.main(["--device", "cpu"]) == 0
    said = capsys.readouterr().out
    rows = [line.split(" | ") for line in said.splitlines() if line.endswith("| agrees |")]
    names = ["| CNN", "| VGG11", "| CNN, gradient flow", "| FCN, Adam", "| ResNet18, images"]
    assert [row[0] for row in rows] == names
    # The processor beside itself.
    assert [(float(row[4]), float(row[5])) for row in rows[:2]] == [(0, 1), (0, 1)]


def test_a_device_that_computes_in_half_the_digits_differs(monkeypatch, capsys):
    step = stacked.Stack._step

    def coarse(stack, *arguments):
        losses = step(stack, *arguments)
        if stack.device == torch.device("cpu:0"):
            for weights in stack._weights.values():
                weights.copy_(weights.bfloat16())
        return losses

    monkeypatch.setattr(stacked.Stack, "_step", coarse)
    monkeypatch.setattr(check_gpu, "compared_flows", lambda device: [])
    monkeypatch.setattr(check_gpu, "compared_images", lambda device: [])
    assert check_gpu.main(["--device", "cpu:0"]) == 1
    assert capsys.readouterr().out.count("| DIFFERS |") == 2


def test_no_gpu_is_said(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert check_gpu.main([]) == 2
    assert "there is no GPU to check: torch " in capsys.readouterr().out
