"""Which criterion limits the step of the gradient flow: outputs (Eq. 8) or the gradient (Eq. 9).

`python benchmarks/limiting_criterion.py` (minutes) trains networks of early_dynamics
(digits, P = 128, three hidden layers of 16, three data sets at four alpha_tilde) at two tolerances
of the gradient, and prints which criterion keeps a step from growing or rejects it, how far F
moves in a step (the median), and gradients computed. It repeats the rule of
`srhm.flow.descents.gradient_flow`, and ends where both count accepted steps differently.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from srhm.flow.cell import data_of, predictor_of, training_set_of
from srhm.flow.configuration import FlowSection
from srhm.flow.descents import Evaluation, FlowStep, NetworkSystem, gradient_flow
from srhm.flow.losses import SoftHinge
from srhm.flow.networks import Weights, selected
from srhm.flow.plan import plan

GROUP = {
    "data": "digits", "net": "fcn", "labels": "parity", "loss": "soft_hinge",
    "activation": "softplus", "hidden_layers": 3, "width": 16, "P": 128,
    "alpha_tilde": [0.01, 1, 10, 1000], "seeds": 3,
}  # fmt: skip
OUTPUTS, TOLERANCES, BUDGET = (0.1,), (1e-4, 1e-6), 40000


@dataclass
class Steps:
    """Of all steps tried: changes over their bounds, and how many were accepted."""

    outputs: list[Tensor] = field(default_factory=list)
    gradient: list[Tensor] = field(default_factory=list)
    n_accepted: int = 0


@dataclass(frozen=True)
class Watched:
    """A system that notes how far each step moves outputs and gradient, by the rule of the flow."""

    system: NetworkSystem
    rule: FlowStep
    steps: Steps
    at: dict[str, Any] = field(default_factory=dict)

    def select(self, members: Tensor) -> Self:
        """Some members, where they are."""
        at = {"F": self.at["F"][members], "gradient": selected(self.at["gradient"], members)}
        return replace(self, system=self.system.select(members), at=at)

    def squared_norm(self, gradient: Weights) -> Tensor:
        """As of the system."""
        return self.system.squared_norm(gradient)

    def evaluate(self, state: Weights) -> Evaluation:
        """As of the system; all but the first are steps."""
        new = self.system.evaluate(state)
        if not self.at:
            self.at.update(F=new.F, gradient=new.gradient)
            return new
        g, F = self.at["gradient"], self.at["F"]
        moved = (new.F - F).abs().amax(dim=(1, 2)) / self.rule.max_output_change
        turned = self.squared_norm({name: new.gradient[name] - g[name] for name in g})
        both = (self.squared_norm(g) * self.squared_norm(new.gradient)).sqrt()
        bent = torch.where(both > 0, turned / both, 0.0) / self.rule.max_gradient_change
        accepted = (moved < 1) & (bent < 1) & new.mean_loss.isfinite()
        self.steps.outputs.append(moved)
        self.steps.gradient.append(bent)
        self.steps.n_accepted += int(accepted.sum())
        self.at["F"] = torch.where(accepted[:, None, None], new.F, F)
        self.at["gradient"] = {
            name: torch.where(accepted.reshape(-1, *[1] * (old.ndim - 1)), new.gradient[name], old)
            for name, old in g.items()
        }
        return new


def trained(rule: FlowStep) -> tuple[Steps, np.ndarray, np.ndarray]:
    """Steps of all networks under a rule; evaluations and status of each network."""
    section = FlowSection.model_validate({"n_test": 50, "curves": [GROUP]})
    (curve,) = plan(section, Path(), study="criterion").curves.values()
    cells = [entry["cell"] for entry in curve.entries]
    data = {seed: data_of({**cells[0], "seed": seed}) for seed in {c["seed"] for c in cells}}
    predictor = predictor_of(cells)
    assert predictor.initial is not None
    system = NetworkSystem.of(predictor, *training_set_of(cells, data), SoftHinge())
    steps = Steps()
    watched = Watched(system, rule, steps)
    found = gradient_flow(watched, predictor.initial, max_evaluations=BUDGET, step=rule)
    if steps.n_accepted != found.steps.sum():
        raise SystemExit(f"{steps.n_accepted} steps here, {found.steps.sum()} of the flow")
    return steps, found.evaluations, found.status


def lines() -> Iterator[str]:
    """A row of a table for each rule, and the ratio of evaluations of each bound."""
    yield "| outputs | gradient | by gradient | by outputs | by both | F moves by | evaluations |"
    yield "|---|---|---|---|---|---|---|"
    for bound in OUTPUTS:
        logs = []
        for tolerance in TOLERANCES:
            rule = FlowStep(max_output_change=bound, max_gradient_change=tolerance)
            steps, evaluations, status = trained(rule)
            moved, bent = torch.cat(steps.outputs), torch.cat(steps.gradient)
            far, turned = moved >= 0.5, bent >= 0.5
            shares = [(turned & ~far), (far & ~turned), (far & turned)]
            parts = " | ".join(f"{float(one.double().mean()):.3f}" for one in shares)
            logs.append(np.where(status == "fitted", np.log(evaluations), np.nan))
            median = float(moved.median()) * bound
            mean = np.exp(np.nanmean(logs[-1]))
            yield f"| {bound:g} | {tolerance:g} | {parts} | {median:.2g} | {mean:.0f} |"
        both = logs[1] - logs[0]
        n = int(np.isfinite(both).sum())
        yield f"outputs {bound:g}: ratio {np.exp(np.nanmean(both)):.2f}, n = {n} of {len(both)}"


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in lines():
        print(line, flush=True)
