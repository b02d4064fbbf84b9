"""First step, layerwise training and bottleneck: tables, scaling, claims, figures."""

import warnings
from itertools import product
from math import log, nan

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from srhm.flow.configuration import Plane
from srhm.flow.plan import PlaneError, plane_curves
from srhm.model.sampling import SampleError
from srhm.results import records
from srhm.results.tables import (
    FIRST_STEP,
    FLOW_CELLS,
    FLOW_COMPLEXITY,
    FLOW_SENSITIVITIES,
    SINGULAR_SUMMARIES,
    SINGULAR_VALUES,
)
from srhm.scorecard import scorecard
from srhm.scorecard.claims import MAX_STATEMENT
from srhm.studies.bottleneck import analysis as bottleneck
from srhm.studies.bottleneck.figures import ranks as plane_bottleneck
from srhm.studies.first_step.figures import signal_and_noise as plane_first_step
from srhm.studies.first_step.scaling import equal_points, exponent, grouping_size, over_seeds
from srhm.studies.first_step.table import first_step_rows
from srhm.studies.layerwise import analysis as layerwise_scaling
from srhm.studies.layerwise.claims import PLANE_LAYER_CLAIMS
from srhm.studies.layerwise.figures import sample_complexity as plane_layerwise
from srhm.studies.layerwise.figures import singular_values as plane_singular_values

PRESET = "invented"
ENTRY = {"L": 2, "s": 2, "v": 3, "seeds": 2}


def rendered(figure: Figure) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    return figure


def empty(schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()


def drawn(figure: Figure, part: str) -> list[np.ndarray]:
    """Points (n, 2) of the lines whose name holds a part, over all panels."""
    return [
        np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)
        for axes in figure.axes
        for line in axes.get_lines()
        if part in str(line.get_gid())
    ]


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.texts)


# ---------------------------------------------------------------------------- first step, measured


def test_the_table_has_a_row_for_each_net_grammar_seed_and_size(tmp_path):
    entries = [
        {**ENTRY, "net": ["lcn", "cnn"], "s0": [0, 1], "P": [20, 10]},
        {**ENTRY, "net": "lcn", "s0": 1, "P": 20, "n_c": [2], "m": [2, 3]},
    ]
    rows = pd.DataFrame(first_step_rows(entries))
    assert len(rows) == 2 * 2 * 2 * 2 + 2 * 2
    assert not rows.duplicated(["net", "L", "s", "s0", "v", "m", "n_c", "seed", "P"]).any()
    main = rows[rows["n_c"] == 3]
    assert set(main["m"]) == {3}  # v^(s-1)
    assert set(main.loc[main["s0"] == 0, "n_distinct"]) == {81.0}
    path = tmp_path / "first_step.parquet"
    records.write_table(rows, path, FIRST_STEP)
    assert len(records.read_table(path, FIRST_STEP)) == len(rows)


def test_a_grammar_of_two_entries_is_measured_once():
    entry = {**ENTRY, "net": "lcn", "s0": 0, "P": [10]}
    assert len(list(first_step_rows([entry, {**entry, "P": [10, 20]}]))) == 2 * 2


def test_training_sets_of_one_seed_are_nested():
    entry = {**ENTRY, "net": "lcn", "s0": 1, "seeds": 1}
    alone = next(first_step_rows([{**entry, "P": 10}]))
    among = next(first_step_rows([{**entry, "P": [10, 40]}]))
    assert alone == among


def test_too_many_points_are_refused():
    with pytest.raises(SampleError, match="P = 81"):
        list(first_step_rows([{**ENTRY, "net": "lcn", "s0": 0, "P": [81]}]))


def test_planning_refuses_what_the_grammar_has_not():
    for entry, message in (
        ({"v": 3, "s0": 0, "P": [40]}, r"plane.first_step.1: P = 40"),
        ({"v": 3, "s0": 0, "P": [10], "m": [4]}, r"plane.first_step.1: m = 4"),
    ):
        good = {"net": "lcn", "L": 2, "v": 3, "s0": 0, "P": [31]}
        section = {"first_step": [good, {"net": "lcn", "L": 2, **entry}]}
        with pytest.raises(PlaneError, match=message):
            plane_curves(Plane(**section))


# ---------------------------------------------------------------------------- first step, invented

GRAMMARS = [
    {"L": L, "s": 2, "s0": s0, "v": 8, "m": m, "n_c": n_c}
    for L in (2, 3)
    for s0, m, n_c in ((0, 8, 8), (1, 8, 8), (2, 8, 8), (1, 4, 8), (1, 2, 8), (1, 8, 2))
]


def invented_first_step(*, scatter=0.1, n_seeds=8) -> pd.DataFrame:
    """Noise that meets signal at 1.5 (s_0+1)^L n_c m^L, for the CNN at 1.5 (s_0+1) n_c m^L.

    Latents group synonyms at twice that P for m < v, and never for m = v.
    """
    random, rows = np.random.default_rng(3), []
    for net in ("lcn", "cnn"):
        for grammar in GRAMMARS:
            L, empties = grammar["L"], grammar["s0"] + 1
            law = empties ** (L if net == "lcn" else 1) * grammar["n_c"] * grammar["m"] ** L
            floor = 0.5 if grammar["m"] < grammar["v"] else 2.0
            for seed in range(n_seeds):
                equal = 1.5 * law * np.exp(scatter * random.standard_normal())
                for P in (100, 1000, 10_000, 100_000):
                    rows.append(
                        {
                            "net": net, **grammar, "seed": seed, "P": P, "n_distinct": 1e9,
                            "signal": 0.1, "noise": 0.1 * equal / P, "n_equal": equal,
                            "synonym_noise": 0.01 * (floor + law / P), "latent_signal": 0.01,
                            "placement_noise": 0.01 * law / P if grammar["s0"] else 0.0,
                            "all_synonym_noise": 0.01 * floor, "all_latent_signal": 0.01,
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows)


def test_exponents_are_those_of_the_law_within_their_intervals():
    points = equal_points(invented_first_step())
    for net, of, depth, expected in (
        ("lcn", "s0+1", 2, 2), ("lcn", "s0+1", 3, 3), ("cnn", "s0+1", 3, 1), ("lcn", "m", 3, 3),
        ("lcn", "n_c", 2, 1), ("lcn", "law", None, 1),
    ):  # fmt: skip
        fit = exponent(points, net=net, of=of, depth=depth)
        assert fit.low < expected < fit.high
        assert fit.high - fit.low < 0.5
        assert fit.n == 8
    assert exponent(points, net="lcn", of="m", depth=4).n == 0


def test_without_scatter_the_points_are_the_law():
    points = equal_points(invented_first_step(scatter=0.0))
    means = over_seeds(points[points["net"] == "lcn"])
    np.testing.assert_allclose(means["n_equal"], 1.5 * means["law"])
    np.testing.assert_allclose(means["low"], means["high"])


def test_a_seed_that_lacks_a_grammar_does_not_enter_the_exponent():
    points = equal_points(invented_first_step())
    gone = (points["seed"] == 0) & (points["s0"] == 2)
    assert exponent(points[~gone], net="lcn", of="s0+1", depth=2).n == 7


def test_synonyms_group_where_their_variance_falls_below_that_of_latents():
    table = invented_first_step()
    chosen = (table["net"] == "lcn") & (table["L"] == 2) & (table["s0"] == 1) & (table["n_c"] == 8)
    fewer = table[chosen & (table["m"] == 2)]  # law 128: 0.5 + 128/P = 1 at P = 256
    found = grouping_size(fewer, "synonyms")
    assert found.status == "reached"
    assert found.low == 100
    assert found.high == 1000
    assert grouping_size(table[chosen & (table["m"] == 8)], "synonyms").status == "not_reached"
    dense = table[(table["net"] == "lcn") & (table["L"] == 2) & (table["s0"] == 0)]
    assert grouping_size(dense, "placements").status == "below_range"


# ---------------------------------------------------------------------------- layerwise, invented


def invented_complexity() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells and P*: layerwise 2 n_c m^L, end to end n_c m^L, shallow m^(2L-1), one not reached."""
    cells, rows = [], []
    exponents = {"end_to_end": 1.0, "layerwise": 2.0}
    grammars = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3)]
    for number, (series, (L, m)) in enumerate(product((*exponents, "shallow"), grammars)):
        name = f"curve {number}"
        shallow = series == "shallow"
        training = "end_to_end" if shallow else series
        P_star = 4.0 * m ** (2 * L - 1) if shallow else exponents[series] * 4 * m**L
        reached = not (shallow and (L, m) == (3, 3))
        shared = {
            "study": "layerwise", "curve": name, "net": "fcn" if shallow else "cnn", "L": L, "s": 2,
            "s0": 0, "v": 4, "m": m, "n_c": 4, "width": 64, "alpha_tilde": 1.0,
            "training": training, "optimiser": "sgd", "labels": "classes", "sparsity": "A",
            "hidden_layers": 1 if shallow else L, "loss": "cross_entropy", "activation": "relu",
        }  # fmt: skip
        rows.append(
            {
                **shared, "criterion": "test_error", "threshold": 0.1,
                "P_star": P_star if reached else nan,
                "P_star_low": P_star / 1.3 if reached else 500.0,
                "P_star_high": P_star * 1.3 if reached else np.inf,
                "status": "reached" if reached else "not_reached", "n_seeds": 2,
                "n_seeds_reached": 2 * reached, "n_capped": 0, "prediction": 4.0 * m**L,
                "n_cells": 6, "n_diverged": 0, "log_sd": 0.14, "log_se": 0.1, "dof": 5,
                "log_sd_pooled": True, "n_distinct": 1e6, "small_pool": False,
            }
        )  # fmt: skip
        for P in (16, 64, 256):
            for seed in range(2):
                cells.append(
                    {
                        **shared, "key": f"{name} {P} {seed}", "P": P, "seed": seed,
                        "weight_decay": 0.0,
                        "status": "capped" if P == 256 and seed else "fitted",
                        "test_error": 0.7 / (1 + (P / P_star) ** 2),
                    }
                )  # fmt: skip
    assert set(rows[0]) == set(FLOW_COMPLEXITY.names)
    return pd.DataFrame(cells), pd.DataFrame(rows)


def test_slopes_and_ratios_of_layerwise_training():
    _, complexity = invented_complexity()
    rows = layerwise_scaling.compared(complexity, threshold=0.1)
    assert rows["series"].value_counts().to_dict() == dict.fromkeys(layerwise_scaling.SERIES, 5)
    for series in ("end_to_end", "layerwise"):
        assert layerwise_scaling.slope(rows, series=series).slope == pytest.approx(1)
        assert layerwise_scaling.slope(rows, series=series, depth=3).slope == pytest.approx(3)
    shallow = layerwise_scaling.slope(rows, series="shallow", depth=2)
    assert shallow.slope == pytest.approx(3)
    assert shallow.n == 3
    assert shallow.low < 3 < shallow.high
    assert layerwise_scaling.slope(rows, series="shallow", depth=3).n == 0  # one is censored
    pool = rows.assign(small_pool=rows["m"] == 4)
    assert layerwise_scaling.slope(pool, series="layerwise", depth=2).n == 2
    assert layerwise_scaling.slope(pool, series="shallow", depth=2).n == 3
    twice = layerwise_scaling.mean_log_ratio(rows, over="layerwise", under="end_to_end")
    assert twice.slope == pytest.approx(log(2))
    found = layerwise_scaling.log_ratios(rows, over="shallow", under="end_to_end")
    assert found["bound"].sum() == 1
    bound = found[found["bound"]]
    np.testing.assert_allclose(bound["log_ratio"], log(500 / (4 * 27)))


# ---------------------------------------------------------------------------- bottleneck, invented


def invented_bottleneck(*, n_seeds=3) -> dict[str, pd.DataFrame]:
    """FCN of 4 hidden layers: with decay 3 values of 1 from layer 3 on, 10 before; without 20.

    Synonyms die at layer 2 and displaced copies at layer 4 with decay, nothing without.
    """
    cells, values, summaries, felt = [], [], [], []
    for decay in (1e-5, 0.0):
        for P in (64, 512):
            for seed in range(n_seeds):
                at = {"curve": f"decay {decay}", "key": f"{decay} {P} {seed}"}
                cells.append(
                    {
                        **at, "study": "bottleneck", "net": "fcn", "P": P, "seed": seed, "L": 2,
                        "v": 4, "m": 2, "n_c": 4, "s0": 1, "width": 32, "hidden_layers": 4,
                        "weight_decay": decay, "optimiser": "adam", "alpha_tilde": 8.0,
                        "status": "budget" if decay else "fitted", "test_error": 0.1,
                    }
                )  # fmt: skip
                for when in ("initial", "end"):
                    for k in range(1, 6):
                        narrow = bool(decay) and when == "end"
                        n = 4 if k == 5 else 20
                        large = min((10, 10, 3, 3, 3)[k - 1] if narrow else 20, n)
                        for kind in ("weights", "representation"):
                            layer = "output" if k == 5 else str(k)
                            place = {**at, "when": when, "layer": layer, "k": k, "kind": kind}
                            summaries.append(
                                {**place, "participation_ratio": float(large),
                                 "n_above_half": float(large), "n_values": n}
                            )  # fmt: skip
                            values += [
                                {**place, "filter": 0, "rank": rank,
                                 "value": 1.0 if rank <= large else 0.1}
                                for rank in range(1, n + 1)
                            ]  # fmt: skip
                        for kind, dies in (("S", 2), ("D", 4)):
                            felt.append(
                                {
                                    **at, "when": when, "kind": kind, "layer": str(k), "k": k,
                                    "l": 1, "value": 0.1 if narrow and k >= dies else 0.9,
                                    "standard_error": 0.01, "n": 100,
                                }
                            )  # fmt: skip
    tables = {
        "cells": cells, "singular_values": values, "singular_summaries": summaries,
        "sensitivities": felt,
    }  # fmt: skip
    return {f"plane_{name}": pd.DataFrame(rows) for name, rows in tables.items()}


def test_large_singular_values_are_counted_in_every_layer():
    tables = invented_bottleneck()
    found = bottleneck.large_singular_values(tables["plane_singular_values"], tables["plane_cells"])
    end = found[(found["when"] == "end") & (found["weight_decay"] > 0)]
    assert end.groupby("k")["n_large"].mean().tolist() == [10, 10, 3, 3, 3]
    assert len(found) == 2 * 2 * 3 * 2 * 5
    assert end.loc[bottleneck.in_deep_half(end), "k"].unique().tolist() == [3, 4]


def test_a_value_dies_where_it_stays_low():
    values = pd.Series([0.9, 0.1, 0.9, 0.2, 0.1], index=[1, 2, 3, 4, 5])
    assert bottleneck.first_lasting(values, 0.5) == 4
    assert bottleneck.first_lasting(values, 1.0) == 1
    assert np.isnan(bottleneck.first_lasting(values[:3], 0.5))


# ---------------------------------------------------------------------------- claims


def verdicts(tables) -> pd.DataFrame:
    return scorecard(tables, claims=PLANE_LAYER_CLAIMS).set_index("claim")


def test_claims_hold_on_tables_that_follow_the_laws():
    cells, complexity = invented_complexity()
    deep = invented_bottleneck()
    tables = {
        "plane_first_step": invented_first_step(),
        "plane_complexity": complexity,
        **deep,
        "plane_cells": pd.concat([cells, deep["plane_cells"]], ignore_index=True),
    }
    found = verdicts(tables)
    for claim in ("first-step-law-lcn", "first-step-s0-exponent-lcn-L2",
                  "first-step-m-exponent-lcn-L3", "m-exponent-layerwise", "m-exponent-end-to-end",
                  "layerwise-over-shallow", "bottleneck-rank-decay"):  # fmt: skip
        assert found.loc[claim, "verdict"] == "holds", claim
    assert found.loc["first-step-s0-exponent-cnn-L3", "verdict"] == "reported"
    assert found.loc["first-step-s0-exponent-cnn-L3", "value"] == pytest.approx(1, abs=0.1)
    assert found.loc["first-step-placements-lcn", "value"] == pytest.approx(1, rel=1e-6)
    assert "never" in found.loc["first-step-synonyms-lcn", "note"]
    assert found.loc["layerwise-over-end-to-end", "value"] == pytest.approx(2)
    assert "1 of them lower bound" in found.loc["layerwise-over-shallow", "note"]
    assert found.loc["bottleneck-rank-no-decay", "value"] == pytest.approx(17)
    assert found.loc["bottleneck-s-layers-after-rank", "value"] == -1
    assert found.loc["bottleneck-d-layers-after-rank", "value"] == 1


def test_claims_fail_on_tables_that_do_not():
    table = invented_first_step()
    # As if the LCN were a CNN: one power of s_0+1 whatever L is.
    other = table.assign(net=table["net"].map({"lcn": "cnn", "cnn": "lcn"}))
    exponents = [f"first-step-s0-exponent-lcn-L{L}" for L in (2, 3)]
    found = verdicts({"plane_first_step": other}).loc[exponents, "verdict"]
    assert found.tolist() == ["does not hold"] * 2
    steeper = table.assign(n_equal=table["n_equal"] ** 1.2)
    assert verdicts({"plane_first_step": steeper}).loc["first-step-law-lcn", "verdict"] == (
        "does not hold"
    )
    cells, complexity = invented_complexity()
    slow = complexity["training"] == "layerwise"
    complexity.loc[slow, "P_star"] = 4.0 * complexity["m"] ** (2 * complexity["L"])
    found = verdicts({"plane_cells": cells, "plane_complexity": complexity})
    assert found.loc["m-exponent-layerwise", "verdict"] == "does not hold"
    deep = invented_bottleneck()
    deep["plane_singular_summaries"]["n_above_half"] = 10.0
    assert verdicts(deep).loc["bottleneck-rank-decay", "verdict"] == "does not hold"


def test_claims_without_tables_say_so_and_fit_their_lines():
    found = verdicts({})
    assert set(found["verdict"]) == {"not enough data"}
    assert len(found) == len(PLANE_LAYER_CLAIMS)  # identifiers are not used twice
    assert max(len(claim.statement) for claim in PLANE_LAYER_CLAIMS) <= MAX_STATEMENT


# ---------------------------------------------------------------------------- figures


def test_the_figure_of_the_first_step_shows_every_grammar_and_exponent():
    table = invented_first_step()
    figure = rendered(plane_first_step.draw(table, preset=PRESET))
    means = over_seeds(equal_points(table))
    for net in ("lcn", "cnn"):
        own = means[means["net"] == net]
        points = np.concatenate(drawn(figure, f"{net} point"))
        np.testing.assert_allclose(
            sorted(map(tuple, points)), sorted(zip(own["law"], own["n_equal"], strict=True))
        )
    assert len(drawn(figure, "lcn exponent")) == 6  # three letters, two L
    fit = exponent(equal_points(table), net="cnn", of="s0+1", depth=3)
    ((point,),) = drawn(figure, "cnn exponent s0+1 L=3")
    assert point[0] == fit.slope
    assert len(drawn(figure, "noise s0=")) == 2 * 3
    assert len(drawn(figure, "synonyms m=")) == 2 * 3
    assert len(drawn(figure, "placements s0=")) == 2 * 2


def test_the_figure_of_layerwise_training_shows_every_complexity():
    cells, complexity = invented_complexity()
    figure = rendered(plane_layerwise.draw(cells, complexity, threshold=0.1, preset=PRESET))
    panel = figure.axes[1]
    shown = [line for line in panel.get_lines() if str(line.get_gid()).startswith("ours")]
    assert len(shown) == len(complexity)
    assert sum("not_reached" in str(line.get_gid()) for line in shown) == 1
    foot = "\n".join(text.get_text() for text in figure.texts)
    assert "log m 2.0 ± " in foot
    assert "3.0 ± " in foot
    assert len(drawn(figure, "mean ")) == 3
    assert len(drawn(figure, "unfitted")) == 3


def test_the_figure_of_the_bottleneck_shows_ranks_and_sensitivities():
    tables = invented_bottleneck()
    figure = rendered(plane_bottleneck.draw(
        tables["plane_cells"], tables["plane_singular_values"],
        tables["plane_singular_summaries"], tables["plane_sensitivities"], preset=PRESET,
    ))  # fmt: skip
    lines = drawn(figure, "end decay=True P=512")
    assert len(lines) == 5
    np.testing.assert_allclose(lines[0][:, 1], [10, 10, 3, 3, 3])
    np.testing.assert_allclose(lines[4][:, 1], [0.9, 0.9, 0.9, 0.1, 0.1])
    assert len(drawn(figure, "n_c - 1")) == 3


def test_the_figure_of_singular_values_shows_start_and_end_of_one_curve():
    tables = invented_bottleneck()
    for table in tables.values():  # as a curve with two alpha_tilde
        table["curve"] = "one"
    cells = tables["plane_cells"].assign(study="complexity")
    cells["alpha_tilde"] = np.where(cells["weight_decay"] > 0, 0.1, 100.0)
    figure = rendered(plane_singular_values.draw(
        cells, tables["plane_singular_values"], tables["plane_singular_summaries"], preset=PRESET,
    ))  # fmt: skip
    by_layer = drawn(figure, "alpha_tilde=0.1")[0]
    np.testing.assert_allclose(by_layer[:, 1], [10, 10, 3, 3, 3])
    assert len(drawn(figure, "start k=")) == 2 * 2 * 5
    assert len(drawn(figure, "alpha_tilde=100 k=")) == 2 * 2 * 5
    spectrum = drawn(figure, "alpha_tilde=0.1 k=3")[1]
    np.testing.assert_allclose(spectrum[:4, 1], [1, 1, 1, 0.1])


def test_without_rows_the_panels_say_so():
    cells = empty(FLOW_CELLS)
    figures = [
        plane_first_step.draw(empty(FIRST_STEP), preset=PRESET),
        plane_layerwise.draw(cells, empty(FLOW_COMPLEXITY), threshold=0.1, preset=PRESET),
        plane_bottleneck.draw(
            cells, empty(SINGULAR_VALUES), empty(SINGULAR_SUMMARIES), empty(FLOW_SENSITIVITIES),
            preset=PRESET,
        ),
        plane_singular_values.draw(
            cells, empty(SINGULAR_VALUES), empty(SINGULAR_SUMMARIES), preset=PRESET
        ),
    ]  # fmt: skip
    for figure in figures:
        assert f"preset {PRESET}" in texts(rendered(figure))
