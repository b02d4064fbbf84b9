"""Kinds of cells, scales, claims and figures on invented tables that follow a law."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from assertions import WITHIN
from drawn import assert_on_page, points, rendered, texts
from tables import jamming_cell

from srhm.scorecard.card import scorecard
from srhm.studies.early_dynamics import analysis
from srhm.studies.early_dynamics.claims import CLAIMS
from srhm.studies.early_dynamics.figures import checks, regimes, times

STUDY = "early_dynamics"
TILDES = (0.01, 0.1, 1.0, 10.0, 1000.0)
FIGURES = {
    times: ("cells", "histories", "rates"),
    regimes: ("cells", "ensembles"),
    checks: ("cells", "ensembles", "outputs"),
}


class Tables:
    """Rows as they are made; `noise` is a factor near 1."""

    def __init__(self):
        self.rows = {name: [] for name in ("cells", "histories", "rates", "outputs", "ensembles")}
        self.random = np.random.default_rng(0)

    def noise(self):
        return np.exp(0.02 * self.random.standard_normal())

    def cell(self, kind, *, tolerance=1e-2, tau=0.0, width=16, alpha_tilde=1.0, **other):
        plain = {"data": "digits", "net": "fcn", "activation": "softplus", "hidden_layers": 3,
                 "bias": False, "subtract_initial": True, "optimiser": "flow"}  # fmt: skip
        moving = {"momentum_time": tau} if tau else {}
        settings = json.dumps({"max_gradient_change": tolerance, **moving})
        row = jamming_cell(study=STUDY, width=width, alpha_tilde=alpha_tilde, settings=settings,
                           alpha=alpha_tilde / width**0.5, **{**plain, **other})  # fmt: skip
        row["curve"] = f"{kind}-{width}-{tolerance:g}" + (f"-{tau:g}" if tau else "")
        row["key"] = f"{row['curve']}-{alpha_tilde:g}-{row['P']}-{row['seed']}-{row['member']}"
        self.rows["cells"].append({"evaluations": 100, "kernel_change": 1.0, **row})
        return row

    def ensemble(self, row, variance):
        names = ("study", "curve", "width", "P", "alpha_tilde", "seed")
        rest = {"n_members": 2, "n_capped": 0, "n_diverged": 0, "variance": variance}
        self.rows["ensembles"].append({**{name: row[name] for name in names}, **rest})

    def frames(self):
        return {name: pd.DataFrame(rows) for name, rows in self.rows.items()}


def first_times(made, *, growth=1.0, grown=0.5, shift=0.0, end=2.0, rate=0.0, decay=-1.0):
    """|f_t - f_0| = h^grown alpha_tilde^shift x^growth, and its square beyond x = end."""
    places = {(64, a) for a in (0.001, 0.01, 0.1)} | {(h, 0.01) for h in (16, 64, 256)}
    for (h, tilde), seed in product(sorted(places), range(5)):
        row = made.cell("times", hidden_layers=2, tolerance=1e-4, width=h, alpha_tilde=tilde,
                        seed=seed)  # fmt: skip
        level = h**grown * tilde**shift * made.noise()
        for evaluation, x in enumerate((0.0, *np.logspace(-2, 1, 31))):
            norm = level * x**growth * max(1.0, x / end)
            state = {"time": x * tilde, "train_norm": row["alpha"] * norm}
            made.rows["histories"].append({"key": row["key"], "evaluations": evaluation, **state})
    for (h, tilde), seed in product([(16, 1), (64, 1), (256, 1), (64, 0.01), (64, 100)], range(5)):
        row = made.cell("rates", hidden_layers=5, budget=1, width=h, alpha_tilde=tilde, seed=seed,
                        status="capped")  # fmt: skip
        noise = np.exp(0.02 * np.random.default_rng(seed).standard_normal())
        value = h**rate * tilde**decay * noise
        made.rows["rates"] += [{"key": row["key"], "curve": row["curve"], "layer": k,
                                "rate": k * value} for k in range(1, 6)]  # fmt: skip


def regime_tables(made, *, feature=-5 / 3, between=-0.5, lazy=-1.0, power=-1.0, flatter=0.3,
                  by_size=0.5):  # fmt: skip
    """Kernel change in three windows; Var F ~ h^power P^by_size, flatter in h at the largest P."""
    ends = {1e-2: 0.0}
    for low in range(-2, 7):
        slope = feature if low < 0 else between if low < 4 else lazy
        ends[10.0 ** (low + 1)] = ends[10.0**low] + slope * np.log(10)
    for (tilde, change), h, seed in product(ends.items(), (16, 48), range(3)):
        made.cell("kinks", hidden_layers=5, activation="relu", P=64, width=h, alpha_tilde=tilde,
                  seed=seed, kernel_change=np.exp(change) * made.noise())  # fmt: skip
    for h, P, seed in product((12, 36, 108), (16, 64, 256), range(4)):
        row = made.cell("sizes", width=h, P=P, alpha_tilde=1e6, seed=seed)
        slope = power + flatter * (P == 256)
        made.ensemble(row, (h / 108) ** slope * P**by_size * made.noise())


def check_tables(made, *, apart=1e-4, longer=2.0, whole=0.0, worse=0.1, biased=0.0, spread=1.0,
                 fits=False, moved=0.0, inflated=1.0):  # fmt: skip
    """Outputs `apart` and evaluations times `longer` at a hundredth of the tolerance; errors."""
    places = product(TILDES, (16, 64), range(5), range(2))
    for tilde, h, seed, member in places:
        place = {"width": h, "alpha_tilde": tilde, "seed": seed, "member": member}
        capped = "fitted" if fits or tilde < 1000 else "capped"
        more = (worse if tilde > 100 else whole) + 1e-4 * made.random.standard_normal()
        kinds = {
            "plain": {"test_error": 0.1},
            "whole": {"test_error": 0.1 + more, "subtract_initial": False, "status": capped},
            "biased": {"test_error": 0.1 + biased * made.noise(), "bias": True},
        }
        for kind, own in kinds.items():
            row = made.cell(kind, **place, **own)
            if not member:
                factor = 1.0 if kind == "plain" else spread * made.noise()
                made.ensemble(row, factor / h)
        for tau in analysis.MOMENTA:
            error = 0.1 + moved + 1e-4 * made.random.standard_normal()
            made.cell("moving", tau=tau, test_error=error, kernel_change=inflated * made.noise(),
                      evaluations=120, **place)  # fmt: skip
    for tilde, seed, tolerance in product(TILDES, range(3), (1e-2, 1e-4, 1e-6)):
        step = {1e-2: 0, 1e-4: 1, 1e-6: 2}[tolerance]
        if step:
            row = made.cell("plain", tolerance=tolerance, alpha_tilde=tilde, seed=seed,
                            evaluations=100 * longer**step)  # fmt: skip
        else:
            row = {"key": f"plain-16-0.01-{tilde:g}-128-{seed}-0", "curve": "plain-16-0.01"}
        F = np.arange(1.0, 25.0) * (1 + apart * made.noise() * (2 - step))
        moving = [{"key": f"moving-16-0.01-{tau:g}-{tilde:g}-128-{seed}-0", "curve": "moving"}
                  for tau in (() if step else analysis.MOMENTA)]  # fmt: skip
        made.rows["outputs"] += [
            {"key": one["key"], "curve": one["curve"], "point": i, "F": more * value}
            for one, more in [(row, 1.0), *((other, 1.01) for other in moving)]
            for i, value in enumerate(F)
        ]


def tables(**laws):
    made = Tables()
    for function in (first_times, regime_tables, check_tables):
        names = function.__kwdefaults__
        function(made, **{name: laws[name] for name in laws if name in names})
    return made.frames()


def verdicts(given, names=()):
    chosen = [one for one in CLAIMS if not names or one.identifier.removeprefix("early-") in names]
    card = scorecard(given, chosen).set_index("claim")
    return {name.removeprefix("early-"): one for name, one in card["verdict"].items()}


def test_all_claims_hold_of_tables_that_follow_the_thesis():
    found = verdicts(tables())
    assert set(found.values()) <= WITHIN, found


@pytest.mark.parametrize(
    ("law", "names"),
    [
        ({"growth": 1.3}, {"linear"}),
        ({"grown": 0.0}, {"norm-width"}),
        ({"rate": -0.5}, {"rate-width-3"}),
        ({"feature": -1.0}, {"kinks-feature"}),
        ({"between": -1.0}, {"kinks-between"}),
        ({"lazy": -0.5}, {"kinks-lazy"}),
        ({"power": -0.5}, {"variance-small"}),
        ({"by_size": 0.0}, {"variance-size"}),
        ({"apart": 1e-2}, {"tolerance-feature", "tolerance-lazy"}),
        ({"longer": 10.0}, {"tolerance-time"}),
        ({"fits": True}, {"whole-converges"}),
        ({"inflated": 1.5}, {"momentum-kernel-small", "momentum-kernel-large"}),
        ({"spread": 2.0}, {"whole-small-variance", "bias-variance"}),
    ],
)
def test_a_claim_fails_where_its_law_is_another(law, names):
    assert set(verdicts(tables(**law), names).values()) == {"differs"}


def test_ends_and_norms_are_those_of_the_law():
    given = tables(end=2.0, grown=0.5)
    found = analysis.scales(analysis.beginnings(given["cells"], given["histories"]))
    # x/end = BEND, between records a tenth of a decade apart.
    np.testing.assert_allclose(found["end"], 2.0 * analysis.BEND, rtol=0.02)
    np.testing.assert_allclose(found["norm"] / found["width"] ** 0.5, 1.0, rtol=0.1)


def test_an_end_that_moves_with_the_width_is_seen():
    given = tables()
    wide = given["histories"]["key"].str.startswith("times-256")
    given["histories"].loc[wide, "time"] *= 2
    assert verdicts(given, {"end-width"}) == {"end-width": "differs"}


def test_each_cell_is_of_one_kind():
    given = tables()
    kinds = ("times", "rates", "kinks", "sizes", "whole", "biased", "finer", "moving", "plain")
    parts = {kind: analysis.of_kind(given["cells"], kind) for kind in kinds}
    assert sum(len(part) for part in parts.values()) == len(given["cells"])
    for kind, part in parts.items():
        assert set(part["curve"].str.split("-").str[0]) == {"plain" if kind == "finer" else kind}


def test_differences_are_relative_to_the_finer_training():
    given = tables(apart=1e-3, longer=3.0)
    rows = analysis.tolerance_pairs(
        given["cells"], given["outputs"], coarse=analysis.THESIS, fine=analysis.FINE
    )
    np.testing.assert_allclose(rows["difference"], 1e-3, rtol=0.1)
    np.testing.assert_allclose(rows["evaluations"], 3.0)
    assert len(rows) == 15


def test_momentum_is_compared_with_the_same_network_without():
    given = tables(moved=0.03, inflated=1.1)
    cells, outputs = given["cells"], given["outputs"]
    moving = cells["key"] == "moving-16-0.01-0.001-1-128-0-0"
    assert moving.sum() == 1
    rows = analysis.momentum_pairs(cells, outputs)
    assert len(rows) == len(analysis.MOMENTA) * len(TILDES) * 2 * 5 * 2
    np.testing.assert_allclose(rows["error"], 0.03, atol=1e-3)
    np.testing.assert_allclose(rows["kernel_change"], 1.1, rtol=0.1)
    np.testing.assert_allclose(rows["evaluations"], 1.2)
    np.testing.assert_allclose(rows["difference"].dropna(), [0.01] * 2 * len(TILDES) * 3)


def test_networks_that_did_not_fit_are_left_out_and_counted():
    given = tables()
    cells = given["cells"]
    chosen = (cells["activation"] == "relu") & (cells["alpha_tilde"] == 0.01) & (cells["seed"] == 0)
    cells.loc[chosen, "status"] = "capped"
    card = scorecard(given, [one for one in CLAIMS if one.identifier == "early-kinks-feature"])
    assert "left out: 2 that did not fit" in card["note"].item()


def test_without_tables_nothing_is_measured():
    assert set(verdicts({}).values()) == {"inconclusive"}


def test_figures_show_the_tables():
    given = tables()
    drawn = {
        module: rendered(module.draw(*(given[name] for name in names), preset="invented"))
        for module, names in FIGURES.items()
    }
    for figure in drawn.values():
        assert_on_page(figure)
    by_tilde, _, _, scaled = drawn[times].axes
    lines = points(by_tilde, "training alpha_tilde=0.1 ")
    assert len(lines) == 5 * 31
    np.testing.assert_allclose([y / x for x, y in lines if x < 1], 1, rtol=0.1)
    np.testing.assert_allclose(
        [x * y * 8 for x, y in points(scaled, "rate layer=1", whole=True)], 1, rtol=0.1
    )
    change, wide, many = drawn[regimes].axes
    kinks = given["cells"][given["cells"]["activation"] == "relu"]
    expected = kinks[kinks["width"] == 16].groupby("alpha_tilde")["kernel_change"].mean()
    found = dict(points(change, "mean width=16", whole=True))
    np.testing.assert_allclose([found[a] for a in expected.index], expected, rtol=0.01)
    assert (
        len(points(wide, "mean P=64", whole=True))
        == len(points(many, "mean width=36", whole=True))
        == 3
    )
    difference, evaluations, moved, longer, error, *_ = drawn[checks].axes
    for axes, name, expected in ((moved, "difference", 0.01), (longer, "evaluations", 1.2)):
        for tau in analysis.MOMENTA:
            found = [y for _, y in points(axes, f"{name} momentum_time={tau:g}", whole=True)]
            np.testing.assert_allclose(found, [expected] * len(TILDES))
    np.testing.assert_allclose(
        [y for _, y in points(evaluations, "evaluations step=0.01 0.0001")], 2
    )
    assert {round(y, 2) for _, y in points(difference, "thesis")} == {0.0}
    assert {
        round(y, 2) for _, y in points(error, "test error width=16 kind=plain", whole=True)
    } == {0.1}
    assert max(y for _, y in points(error, "test error width=16 kind=whole")) == pytest.approx(
        0.2, abs=0.01
    )


@pytest.mark.parametrize("module", list(FIGURES))
def test_a_figure_without_cells_says_so(module):
    nothing = [pd.DataFrame() for _ in FIGURES[module]]
    assert "not in this preset" in texts(rendered(module.draw(*nothing, preset="invented")))
