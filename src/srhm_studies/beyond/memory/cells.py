"""What is computed of one cell: the best columns, the necklace policy, or what is learnt.

Each function gets the coordinates of a cell, the columns of `configuration.CELLS` of these names.
"""

from collections.abc import Mapping
from math import exp, log, nan
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.memory import analysis
from srhm_studies.beyond.memory.chain import MEMORIES, memento, ram, worse_arm, worse_arm_exactly
from srhm_studies.beyond.memory.learning import flow
from srhm_studies.beyond.memory.policies import (
    STARTS,
    column_of_confidence,
    gray_order,
    necklace_policy,
    necklaces,
    weights_near,
)

# Below, the chain is solved by elimination.
SMALLEST_SOLVED = 1e-10
# Rates of exit are looked for between this and 1.
SMALLEST_RATE = 1e-12
# In place of r = 0, where words shorter than m would have no probability to divide by.
NO_RESET = 1e-60
TIMES_PER_DECADE = 4


def best_columns(cell: Mapping[str, Any]) -> Outcome:
    """The column of confidence policy of M = `size` states with its best exit rate at `r`."""
    n_states, mu, reset = cell["size"], cell["mu"], cell["r"]
    rate, q = best_column_rate(n_states, mu, reset)
    return Outcome({
        "q": q,
        "q_limit": analysis.column_of_confidence(n_states, mu),
        "exit_rate": rate,
        "exit_rate_limit": analysis.exit_rate(n_states, mu, reset) if n_states > 1 else nan,
    })  # fmt: skip


def best_column_rate(n_states: int, mu: float, reset: float) -> tuple[float, float]:
    """The exit rate at which q is least, and this q."""
    solve = worse_arm if reset >= SMALLEST_SOLVED else worse_arm_exactly

    def q(logarithm: float) -> float:
        return solve(
            ram(n_states), column_of_confidence(n_states, exp(logarithm)), mu=mu, reset=reset
        )

    best = minimize_scalar(
        q, bounds=(log(SMALLEST_RATE), 0.0), method="bounded", options={"xatol": 1e-8}
    )
    # The bounded search never tries an end, where the best rate of M = 1 lies.
    return (1.0, q(0.0)) if q(0.0) <= best.fun else (exp(best.x), float(best.fun))


def necklaces_in_the_limit(cell: Mapping[str, Any]) -> Outcome:
    """The necklace policy of m = `size` plays with epsilon_1 = `exit_inside`, r << epsilon_0.

    epsilon_0 = epsilon_1^4 stands for its limit 0, and r for 0.
    """
    n_plays, mu, inside = cell["size"], cell["mu"], cell["exit_inside"]
    policy = necklace_policy(n_plays, exit_ends=inside**4, exit_inside=inside)
    chain = len(gray_order(n_plays))
    return Outcome({
        "q": worse_arm_exactly(memento(n_plays), policy, mu=mu, reset=NO_RESET),
        "q_limit": analysis.necklace(n_plays, mu, chain=chain),
        "n_necklaces": len(necklaces(n_plays)),
        "n_chain": chain,
    })  # fmt: skip


def best_necklaces(cell: Mapping[str, Any]) -> Outcome:
    """The necklace policy of m = `size` plays with its best epsilon_0 and epsilon_1 at `r`."""
    n_plays, mu, reset = cell["size"], cell["mu"], cell["r"]

    def q(logarithms: Any) -> float:
        ends, inside = np.exp(np.minimum(logarithms, 0.0))
        policy = necklace_policy(n_plays, exit_ends=ends, exit_inside=inside)
        return worse_arm(memento(n_plays), policy, mu=mu, reset=reset)

    start = [log(reset) / 4, log(reset) / 10]
    best = minimize(q, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-9})
    ends, inside = np.exp(np.minimum(best.x, 0.0))
    return Outcome({
        "q": float(best.fun),
        "q_limit": analysis.necklace(n_plays, mu, chain=len(gray_order(n_plays))),
        "exit_rate": float(ends),
        "exit_rate_inside": float(inside),
    })  # fmt: skip


def learn(cell: Mapping[str, Any]) -> Outcome:
    """The gradient flow from the start of the cell; table `history`: q against time t.

    The start "ccp" is the best column of confidence policy at `r`, all others are random.
    """
    mu, reset, size = cell["mu"], cell["r"], cell["size"]
    if cell["start"] == "ccp":
        rate, _ = best_column_rate(size, mu, reset)
        weights = weights_near(column_of_confidence(size, rate))
    else:
        draws = generator(cell["seed"], role="initialisation")
        weights = STARTS[cell["memory"]][cell["start"]](size, draws)
    course = flow(
        MEMORIES[cell["memory"]](size), weights, mu=mu, reset=reset,
        times=times_until(cell["t_end"]), max_evaluations=cell["max_evaluations"],
    )  # fmt: skip
    return Outcome(
        {
            "q": course.q, "t": course.t, "evaluations": course.evaluations, "slope": course.slope,
            "status": course.status,
        },
        {"history": {"t": course.times, "q": course.worse_arm}},
    )  # fmt: skip


def times_until(end: float) -> list[float]:
    """Times from 1 to the end, four in each factor of ten."""
    steps = round(log(end, 10) * TIMES_PER_DECADE)
    return [float(10 ** (step / TIMES_PER_DECADE)) for step in range(steps)] + [float(end)]
