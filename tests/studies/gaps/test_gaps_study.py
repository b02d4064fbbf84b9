"""N* in time, spectra, cusps; claims and figures on tables that follow the laws or break them."""

from functools import partial
from itertools import product

import drawn
import numpy as np
import pandas as pd
import pytest
from assertions import WITHIN
from tables import jamming_cell

from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import RememberedTables
from srhm.studies.gaps import analysis
from srhm.studies.gaps.analysis import GAMMA, THETA
from srhm.studies.gaps.claims import CLAIMS
from srhm.studies.gaps.figures import gaps as gaps_figure
from srhm.studies.gaps.figures import n_star, spectra
from srhm.studies.gaps.measure import THRESHOLDS
from srhm.studies.gaps.study import STUDY

DRAW = (gaps_figure.draw, n_star.draw, spectra.draw)
points = partial(drawn.points, whole=True)
N, P = 400, 900
LONG, SHORT = 10000, 1000
STARS = ("growth", "waiting", "depth", "soft", "logistic", "slow")
NAMES = ("cells", "gaps", "cusps", "ranks", "hessians", "histories")


def near(stream, kind, member, theta=None, gamma=None, power=0.5, cusps=0.23, late=1e-9,
         budget=LONG, few=1.0, negative=None, shifted=0.0):  # fmt: skip
    """A network of a kind with its gaps, cusps and spectra: the last three of nine fit."""
    fits, loss = member >= 6, 10.0 ** (-3 + 0.3 * member)
    n_unsatisfied = 0 if fits else round(few * (240 + 10 * member))
    cell = jamming_cell(
        study="gaps", net="fcn", **analysis.KINDS[kind], width=8, n_weights=N, P=P, seed=member,
        status="fitted" if fits else "capped", mean_loss=0.0 if fits else loss,
        n_unsatisfied=n_unsatisfied, settings='{"last_rate":1e-07}', initialisation="orthogonal",
        budget=budget,
    )  # fmt: skip
    key = cell["key"] = f"{kind}-{member}" + "-short" * (budget < LONG)
    theta = theta or {"tanh-3": 0.2}.get(kind, 0.3)
    above = 2 * stream.random(n_unsatisfied * 5) ** (1 / (1 + theta)) * np.sqrt(loss)
    below = -2 * stream.random(2 * P) ** (1 / (1 - (gamma or GAMMA[kind])))
    gaps = [{"key": key, "gap": gap} for gap in np.concatenate([above, below])]
    at_cusp = 0 if kind == "tanh-3" else round(cusps * N)
    counts = []
    for t in THRESHOLDS:
        spread = P * 24 * 0.5 * t  # of any smooth density
        counts += [
            {"key": key, "points": name, "threshold": t, "n": P * 24 * share,
             "below": round(share * spread + at_cusp * (name == "training" and t > late))}
            for name, share in (("training", 1.0), ("fresh", 0.5))
        ]  # fmt: skip
    values = []
    if kind in ("relu-3", "tanh-3") and not fits:
        hp = (stream.standard_normal(N) + shifted) * loss**power
        h0 = [1 + 50 * (k < 10) if k < n_unsatisfied else 0.0 for k in range(N)]
        part_below = negative or {"tanh-3": 0.005}.get(kind, 0.1)
        h = np.where(np.arange(N) < part_below * N, -1.0, 1.0)
        values = [{"key": key, "when": "end", "part": part, "eigenvalue": value}
                  for part, one in (("Hp", hp), ("H0", h0), ("H", h)) for value in one]  # fmt: skip
    return cell, gaps, counts, values


def star_cells(*, growth=1.0, waiting=0.2, depth=1.0, soft=1.0, logistic=1.0, slow=0.0):
    """Cells of three data sets for N*(P), jammed below N = (P/2)^growth; their histories."""
    cells, histories = [], []
    kinds = ((3, "quadratic_hinge", 1.0), (2, "quadratic_hinge", depth))
    kinds += ((5, "quadratic_hinge", depth), (3, "soft_hinge", soft), (3, "logistic", logistic))
    powers = {kinds[0][:2]: waiting, kinds[-1][:2]: slow}  # of N* in time, where histories are kept
    for layers, loss, factor in kinds:
        for seed, size, k in product(range(3), (200, 800), range(14)):
            n = int(40 * 1.3**k)
            star = 100 * (size / 200) ** growth * factor * (1 + 0.01 * seed)
            cell = jamming_cell(
                study="gaps", net="fcn", data="random", hidden_layers=layers, loss=loss,
                width=k, n_weights=n, P=size, seed=seed, settings="1e-05",
                status="capped" if n < star else "fitted", budget=10000,
                mean_loss=1e-3 if n < star else 0.0, n_unsatisfied=n if n < star else 0,
            )  # fmt: skip
            cell["key"] = f"{layers}-{loss}-{seed}-{size}-{k}"
            cells.append(cell)
            for time in (1, 900, 2900, 9900) if (layers, loss) in powers else ():
                late = star * (10000 / max(time, 900)) ** powers[layers, loss]
                histories.append({"key": cell["key"], "evaluations": time, "mean_loss": 1e-3,
                                  "n_unsatisfied": n if n < late else 0})  # fmt: skip
    return cells, histories


BEFORE = {"theta": 0.9, "gamma": 0.7, "cusps": 0.05, "power": 0.0, "budget": SHORT}


def tables(**laws):
    """All tables of the study, with these laws of `near` and `star_cells` broken."""
    stream, found = np.random.default_rng(0), {name: [] for name in NAMES}
    ours = {name: value for name, value in laws.items() if name in STARS}
    for kind in analysis.KINDS:
        law = {"cusps": 0.19} if kind == "digits-3" else {}
        law |= {name: value for name, value in laws.items() if name not in STARS}
        networks = [(member, law) for member in range(9)]
        if kind != "digits-3":  # of a smaller budget, where no law holds
            networks += [(member, BEFORE) for member in (0, 1, 2, 6)]
        for member, ours_of in networks:
            parts = near(stream, kind, member, **ours_of)
            found["cells"].append(parts[0])
            for name, rows in zip(("gaps", "cusps", "hessians"), parts[1:], strict=True):
                found[name] += rows
    cells, found["histories"] = star_cells(**ours)
    found["cells"] += cells
    for budget, numbers in ((3000, (20, 200, 200, 0)), (30000, (60, 200, 200, 0))):
        found["cells"] += [
            {**jamming_cell(study="gaps", seed=seed, n_weights=N, budget=budget, mean_loss=1e-3,
                            n_unsatisfied=k * (1 + (start == "orthogonal")), initialisation=start,
                            status="capped" if k else "fitted"),
             "key": f"srhm-{seed}-{budget}-{start}"}
            for start in ("gaussian", "orthogonal") for seed, k in enumerate(numbers)
        ]  # fmt: skip
    for neurons in (10, 12, 14):
        found["ranks"] += [
            {"key": f"r{neurons}", "when": when, "n_parameters": 100 + neurons,
             "n_neurons": neurons, "n_straight": straight,
             "rank": 100 - straight}
            for when in ("initial", "end") for straight in (0, 3)
        ]  # fmt: skip
    return {name: pd.DataFrame(rows) for name, rows in found.items()}


lawful = pytest.fixture(scope="module", name="lawful")(lambda: tables())


def verdicts(given, names=None):
    """Of all claims, or of some, by identifier."""
    chosen = [claim for claim in CLAIMS if names is None or claim.identifier in names]
    return dict(scorecard(given, chosen).set_index("claim")["verdict"])


def test_all_claims_hold_where_the_laws_do(lawful):
    found = verdicts(lawful)
    assert set(found.values()) <= WITHIN, found


BROKEN = {
    "theta": ({"theta": 0.8}, [f"gaps-plus-{kind}" for kind in list(THETA)[:4]]),
    "gamma": ({"gamma": 0.6}, [f"gaps-minus-{kind}" for kind in GAMMA]),
    "power": ({"power": 0.0}, ["gaps-hp-scale-relu", "gaps-hp-scale-tanh"]),
    "cusps": ({"cusps": 0.02}, ["gaps-cusps-random", "gaps-cusps-digits"]),
    "few": ({"few": 0.25}, ["gaps-bound-tanh", "gaps-bound-relu", "gaps-unsatisfied-tanh"]),
    "shifted": ({"shifted": 0.5}, ["gaps-hp-negative-relu"]),
    "negative": ({"negative": 0.3}, ["gaps-negative-tanh", "gaps-negative-relu"]),
    "waiting": ({"waiting": -0.2}, ["gaps-n-star-time"]),
    "depth": ({"depth": 2.0}, ["gaps-n-star-depth"]),
    "soft": ({"soft": 2.0}, ["gaps-n-star-loss"]),
    "logistic": ({"logistic": 2.0}, ["gaps-n-star-logistic"]),
    "slow": ({"slow": 1.0}, ["gaps-n-star-logistic-late"]),
}


@pytest.mark.parametrize("law", BROKEN)
def test_a_claim_does_not_hold_where_its_law_is_broken(law):
    changes, claims = BROKEN[law]
    found = verdicts(tables(**changes), claims)
    assert list(found.values()) == ["differs"] * len(claims), found


def test_cusps_without_a_plateau_get_no_verdict():
    assert set(verdicts(tables(late=5e-4), ["gaps-cusps-random"]).values()) == {"inconclusive"}


def test_n_star_in_time_is_that_of_a_plain_loop(lawful):
    cells, histories = lawful["cells"], lawful["histories"]
    cells = cells[cells["loss"] == "quadratic_hinge"]
    stars = analysis.stars_in_time(cells, histories).set_index(["time", "P", "seed"])
    for time, (size, seed) in product(analysis.TIMES, ((200, 0), (800, 2))):
        jammed, fits = [], []
        past = histories[histories["evaluations"] <= time]
        for _, cell in cells[(cells["P"] == size) & (cells["seed"] == seed)].iterrows():
            own = past[past["key"] == cell["key"]].sort_values("evaluations")
            for last in own["n_unsatisfied"].tail(1):
                (jammed if last > 0.1 * cell["n_weights"] else fits).append(cell["n_weights"])
        row = stars.loc[time, size, seed]
        assert (row["N_low"], row["N_high"]) == (max(jammed), min(fits))


def added(given, change, kinds=tuple(analysis.KINDS)):
    """The tables with a changed copy of each network of these kinds, under another key."""
    cells = given["cells"].copy()
    old = cells["key"].isin([f"{kind}-{member}" for kind in kinds for member in range(9)])
    copies = change(cells[old].assign(key=cells["key"] + "-copy"))
    found = {**given, "cells": pd.concat([cells, copies], ignore_index=True)}
    for name in ("gaps", "cusps", "hessians"):
        table = given[name]
        own = table[table["key"].isin(cells.loc[old, "key"])]
        found[name] = pd.concat([table, own.assign(key=own["key"] + "-copy")], ignore_index=True)
    return found


def measured(given, names):
    """Value, interval and n of claims whose identifier contains one of the names."""
    remembered = RememberedTables(given)
    found = [c.measure(remembered) for c in CLAIMS if any(name in c.identifier for name in names)]
    assert found
    return [(one.value, one.low, one.high, one.n) for one in found]


NEAR = ("plus", "minus", "cusps", "hp-")


def test_networks_of_a_short_training_have_no_part(lawful):
    def short(cells):  # as those for N_eff: unfinished, so that they look jammed
        return cells.assign(settings='{"last_rate":1e-05}', status="capped", n_unsatisfied=90,
                            mean_loss=1e-3, width=11)  # fmt: skip

    assert measured(added(lawful, short), NEAR) == measured(lawful, NEAR)
    drawings({**lawful, "cells": short(lawful["cells"])})


def test_networks_of_a_seed_count_once(lawful):
    names = ("plus", "minus", "cusps")
    twice = measured(added(lawful, lambda cells: cells), names)
    np.testing.assert_allclose(twice, measured(lawful, names), rtol=1e-9)


def test_the_longest_trainings_decide(lawful):
    for side, expected in (("plus", 0.3), ("minus", 0.2)):
        ((value, *_),) = measured(lawful, [f"gaps-{side}-relu-3"])
        assert value == pytest.approx(expected, abs=0.1)


def drawings(given):
    uses = [([given[name] for name in figure.uses], draw)
            for figure, draw in zip(STUDY.figures, DRAW, strict=True)]  # fmt: skip
    return [draw(*own, preset="invented") for own, draw in uses]


def test_figures_show_what_the_tables_say(lawful):
    first, second, third = drawings(lawful)
    ((_, theta),) = points(first.axes[3], "exponent kind=relu-3 side=plus")
    assert theta == pytest.approx(0.3, abs=0.1)
    assert len(points(second.axes[0], "star time=10000", whole=True)) == 6
    assert len(points(second.axes[2], "network initialisation=gaussian state=yes")) == 5
    ((_, short),) = points(first.axes[3], "short kind=relu-3 side=plus")
    assert short == pytest.approx(0.9, abs=0.15)
    assert len(points(third.axes[1], "scaled kind=relu-3 q=0.05")) == 6
    assert len(points(third.axes[5], "rank neurons=bent when=end")) == 3


def test_exponents_of_the_smallest_budget_are_drawn_where_those_of_the_largest_are_not_known(
    lawful,
):
    cells = lawful["cells"].copy()
    long = cells["key"].str.match("relu-2-[0-9]$")
    cells.loc[long, ["status", "n_unsatisfied", "mean_loss"]] = ("capped", 90, 1e-7)
    figure, *_ = drawings({**lawful, "cells": cells})
    assert len(points(figure.axes[3], "short kind=relu-2 side=plus")) == 1
    assert not points(figure.axes[3], "exponent kind=relu-2 side=plus")


def test_claims_and_figures_of_empty_tables_say_so(lawful):
    none = {name: table.iloc[:0] for name, table in lawful.items()}
    for given in ({}, none):
        assert set(verdicts(given).values()) == {"inconclusive"}
    drawings(none)
