"""Gradient flow with momentum: a damped oscillator, and going on after a pause."""

from dataclasses import dataclass

import numpy as np
import torch
from test_flow import prepared

from srhm.flow.descents import Evaluation, FlowStep, gradient_flow


@dataclass(frozen=True)
class Springs:
    """Loss = sum k w^2/2 of two weights, F = w; nothing is ever fitted."""

    k: torch.Tensor

    def select(self, members):
        return self

    def evaluate(self, state):
        w = state["w"]
        never = torch.zeros(len(w), dtype=torch.bool)
        return Evaluation(
            w[..., None], (self.k * w.square() / 2).sum(dim=1), (~never).long(), never,
            {"w": self.k * w},
        )  # fmt: skip

    def squared_norm(self, gradient):
        return gradient["w"].square().sum(dim=1)


def oscillator(t, k, tau):
    """w of tau w'' + w' + k w = 0 from w = 1 at rest."""
    omega = np.sqrt(np.asarray(k / tau - 1 / (4 * tau**2), dtype=complex))
    swing = np.cos(omega * t) + np.sin(omega * t) / (2 * tau * omega)
    return (np.exp(-t / (2 * tau)) * swing).real


def test_on_a_quadratic_loss_it_is_a_damped_oscillator():
    k, taus = torch.tensor([1.0, 2.3], dtype=torch.float64), (0.01, 0.2, 3.0)
    state = {"w": torch.ones(3, 2, dtype=torch.float64)}
    apart = []
    for n, limit in ((500, 1e-4), (5000, 1e-6)):
        step = FlowStep(first_step=1e-3, max_gradient_change=limit)
        found = gradient_flow(
            Springs(k), state, max_evaluations=n, step=step, momentum_time=torch.tensor(taus)
        )
        assert (found.time > 1.5).all()
        expected = np.array(
            [
                [oscillator(t, stiff, tau) for stiff in k.tolist()]
                for t, tau in zip(found.time, taus, strict=True)
            ]
        )
        apart.append(np.abs(found.state["w"].numpy() - expected).max())
    # Of first order: the step goes as the root of the limit.
    assert apart[1] < 5e-3
    assert apart[1] < apart[0] / 5


STEP = FlowStep(max_gradient_change=1e-2)
TAUS = torch.tensor([0.01, 0.1, 5.0], dtype=torch.float64)


def test_it_goes_on_after_a_pause_with_the_same_bits(make_sample):
    system, start = prepared(make_sample, tilde=(0.1, 1.0, 100.0))
    kept = []
    options = {"max_evaluations": 300, "step": STEP, "momentum_time": TAUS}

    def keep(arrays):
        kept.append({name: array.copy() for name, array in arrays().items()})

    whole = gradient_flow(system, start, pause=keep, **options)
    ends = sorted(whole.evaluations)
    for at in (10, ends[0] + 5):  # before a member ends, and after
        again = gradient_flow(system, start, start=kept[at], **options)
        assert again.steps.tolist() == whole.steps.tolist()
        for name, array in whole.state.items():
            np.testing.assert_array_equal(again.state[name], array)
