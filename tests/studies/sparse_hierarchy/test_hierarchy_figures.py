"""Figures draw what the tables hold: every row once, at its place, and nothing when there is none.

The tables here are invented: sigmoids in log P whose P* is known.
"""

import warnings
from math import inf, nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from srhm.figures.drawing import notes_of, save
from srhm.model.encoding import symbols
from srhm.model.grammar import draw_grammar
from srhm.model.parsing import parse
from srhm.model.seeding import generator
from srhm.model.theory import predicted_sample_complexity
from srhm.networks.geometry import geometry
from srhm.studies.sparse_hierarchy.claims.complexities import of_features, of_the_law
from srhm.studies.sparse_hierarchy.figures import (
    benefit_of_sparsity,
    branching,
    data_model,
    networks,
)
from srhm.studies.sparse_hierarchy.figures import sample_complexity as figure4
from srhm.studies.sparse_hierarchy.published_values import published_values

REFERENCE = Path(__file__).parents[3] / "reference" / "published_sample_complexity.csv"
WIDTH = 64


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return published_values(reference=[str(REFERENCE)])


def invented_cells(curve: dict[str, object], *, P_star: float, n_seeds: int = 3) -> pd.DataFrame:
    """Test errors that fall to 10 % near P*; one cell diverged, one stopped at its cap."""
    chance = 1 - 1 / int(str(curve["n_c"]))
    random = np.random.default_rng(5)
    rows = []
    for seed in range(n_seeds):
        own = P_star * np.exp(0.15 * random.standard_normal())
        steepness = np.log(chance / 0.1 - 1) / np.log(1.5)
        for P in (P_star * 2.0 ** np.arange(-2, 2.1, 0.75)).astype(int):
            error = chance / (1 + (1.5 * P / own) ** steepness)
            rows.append({**curve, "P": int(P), "seed": seed, "test_error": error})
    cells = pd.DataFrame(rows).assign(
        status="fitted",
        train_loss=1e-3,
        batch_size=4,
        learning_rate=0.01,
        loss_threshold=1e-3,
        max_steps=1000,
    )
    cells.loc[1, "status"] = "capped"
    cells.loc[len(cells) - 2, ["status", "test_error"]] = ["diverged", nan]
    return cells


def invented_tables(curves: list[tuple[str, int, int, int]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of cells and of sample complexities for curves (net, L, v, s0)."""
    random = np.random.default_rng(3)
    cells, rows = [], []
    for net, L, v, s0 in curves:
        prediction = predicted_sample_complexity(
            net, depth=L, branching=2, n_synonyms=v, n_classes=v, n_empty=s0
        )
        P_star = 1.8 * prediction * np.exp(0.2 * random.standard_normal())
        curve: dict[str, object] = {
            "curve": f"{net}-L{L}-v{v}-s0_{s0}", "net": net, "L": L, "s": 2, "s0": s0, "v": v,
            "m": v, "n_c": v, "sparsity": "A", "width": WIDTH, "alpha": 1.0, "whitening": False,
            "bias": False, "batch": "shuffled", "engine": "sparse",
        }  # fmt: skip
        cells.append(invented_cells(curve, P_star=P_star))
        for threshold in (0.05, 0.1, 0.2):
            rows.append(
                {**curve, "criterion": "test_error", "threshold": threshold, "status": "reached",
                 "P_star": P_star, "P_star_low": P_star / 1.3, "P_star_high": P_star * 1.3,
                 "n_seeds": 3, "n_seeds_reached": 3, "log_sd": 0.15, "log_se": 0.09, "dof": 6.0,
                 "log_sd_pooled": True, "small_pool": s0 == 0,
                 "prediction": prediction}
            )  # fmt: skip
    return pd.concat(cells, ignore_index=True), pd.DataFrame(rows)


LCN = [("lcn", L, v, s0) for L, vs in ((2, (4, 6)), (3, (4,))) for v in vs for s0 in (0, 1, 2)]
CNN = [("cnn", *rest) for _, *rest in LCN]


def censor(table: pd.DataFrame, curve: str, status: str, low: float, high: float) -> None:
    values = [status, nan, low, high]
    table.loc[table["curve"] == curve, ["status", "P_star", "P_star_low", "P_star_high"]] = values


def draw_figure_4(cells: pd.DataFrame, table: pd.DataFrame, published: pd.DataFrame) -> Figure:
    figure = figure4.draw(cells, table, published, width=WIDTH, threshold=0.1, preset="invented")
    render(figure)
    return figure


def render(figure: Figure) -> None:
    """Draws it in memory; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()  # that of a bare figure draws nothing


def points(axes: Axes, start: str) -> list[tuple[float, float]]:
    """All points of the lines whose names begin so."""
    return [
        (float(x), float(y))
        for line in axes.get_lines()
        if str(line.get_gid()).startswith(start)
        for x, y in zip(*map(np.atleast_1d, line.get_data()), strict=True)
    ]


def bars(axes: Axes, start: str = "bar") -> int:
    """Number of bars whose names begin so."""
    found = [one for one in axes.collections if str(one.get_gid()).startswith(start)]
    return sum(len(one.get_segments()) for one in found)


def titled(figure: Figure, start: str) -> Axes:
    """The panel whose title begins so, after its letter."""
    titles = {axes.get_title(loc="left").split("$  ", 1)[-1]: axes for axes in figure.axes}
    return next(axes for title, axes in titles.items() if title.startswith(start))


def test_every_curve_is_drawn_once_at_its_prediction_and_over_it(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN + CNN)
    figure = draw_figure_4(cells, table, published)
    for net in ("lcn", "cnn"):
        rows = table[(table["net"] == net) & (table["threshold"] == 0.1)]
        axes, below = (
            titled(figure, f"{net.upper()}, $s=2$"),
            titled(figure, f"{net.upper()}: over"),
        )
        expected = sorted(zip(rows["prediction"], rows["P_star"], strict=True))
        np.testing.assert_allclose(sorted(points(axes, "ours")), expected)
        assert bars(axes) == bars(below) == len(rows)
        over = sorted(rows["P_star"] / rows["prediction"])
        np.testing.assert_allclose(sorted(y for _, y in points(below, "ours")), over)


def test_slope_and_powers_of_figure_4_are_those_of_the_scorecard(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN + CNN)
    figure = draw_figure_4(cells, table, published)
    found = of_the_law(("lcn",), 2)({"sample_complexity": table, "cells": cells})
    words = f"slope {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
    assert words in [text.get_text() for text in titled(figure, "LCN, $s=2$").texts]
    found = of_features("cnn", 2)({"sample_complexity": table, "cells": cells})
    words = f"$L=2$: $v^{{{found.value:.2f}}}$"
    assert any(words in text.get_text() for text in titled(figure, "CNN: over").texts)


def test_published_points_stand_at_the_prediction_of_theory(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN + CNN)
    figure = draw_figure_4(cells, table, published)
    for net, n_points in (("lcn", 27), ("cnn", 32)):
        rows = published[(published["net"] == net) & (published["s"] == 2)]
        assert len(rows) == n_points
        constant = 2.0 ** (rows["L"] / 2) if net == "lcn" else 1  # s^(L/2)
        power = rows["L"] if net == "lcn" else 2
        x = constant * (rows["s0"] + 1.0) ** power * rows["v"] * rows["v"] ** rows["L"]
        expected = sorted(zip(x, rows["P_star"], strict=True))
        axes = titled(figure, f"{net.upper()}, $s=2$")
        np.testing.assert_allclose(sorted(points(axes, "published")), expected)


@pytest.mark.parametrize(("net", "n_points"), [("lcn", 10), ("cnn", 11)])
def test_published_points_of_wider_branching_stand_beside_ours(
    published: pd.DataFrame, net: str, n_points: int
) -> None:
    _, table = invented_tables([(net, 2, 3, s0) for s0 in (1, 2)])
    table = table.assign(s=3, m=9)
    figure = branching.draw(
        table, published, net=net, width=WIDTH, threshold=0.1, preset="invented"
    )
    render(figure)
    rows = published[(published["net"] == net) & (published["s"] == 3)]
    found = [y for _, y in points(figure.axes[0], "published")]
    assert sorted(found) == sorted(rows["P_star"])
    assert len(found) == n_points
    legends = [text.get_text() for text in figure.findobj(Text)]
    assert sum("authors' points" in text for text in legends) == 1
    empty = branching.draw(
        table[:0], published, net=net, width=WIDTH, threshold=0.1, preset="invented"
    )
    assert not empty.axes


def test_the_foot_of_figure_4_says_how_the_drawn_networks_were_trained(
    published: pd.DataFrame,
) -> None:
    cells, table = invented_tables([*LCN, *CNN])
    other = cells.assign(curve="not drawn", width=7)
    figure = draw_figure_4(pd.concat([cells, other]), table, published)
    foot = " ".join(notes_of(figure))
    assert f"LCN, CNN: width {WIDTH}, batch 4, rate 0.01 H, loss < 0.001" in foot
    assert f"{len(cells)}" in foot
    assert "width 7" not in foot


def test_censored_curves_are_drawn_at_their_bound(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN)
    censor(table, "lcn-L3-v4-s0_2", "not_reached", 7e6, inf)
    censor(table, "lcn-L2-v4-s0_1", "below_range", 0.0, 300.0)
    censor(table, "lcn-L2-v4-s0_2", "not_reached", 0.0, inf)  # every cell diverged
    figure = draw_figure_4(cells, table, published)
    axes = titled(figure, "LCN, $s=2$")
    arrows = [text for text in axes.texts if str(text.get_gid()).startswith("arrow")]
    assert {text.xy[1] for text in arrows} == {7e6, 300.0}
    assert {7e6, 300.0} <= {y for _, y in points(axes, "ours")}
    assert len(points(axes, "ours")) == len(LCN) - 1
    assert "1 of the curves have no bound" in " ".join(notes_of(figure))
    panel = axes.get_window_extent()
    heads = [arrow.get_window_extent() for arrow in arrows]
    assert all(panel.y0 <= head.y0 and head.y1 <= panel.y1 for head in heads)


def test_a_curve_without_a_known_error_has_no_interval(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN)
    table[["P_star_low", "P_star_high"]] = nan
    figure = draw_figure_4(cells, table, published)
    axes = titled(figure, "LCN, $s=2$")
    assert len(points(axes, "ours")) == len(LCN)
    assert not any(bars(axes) for axes in figure.axes)


def test_a_vast_interval_does_not_squeeze_the_points(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN)
    table[["P_star_low", "P_star_high"]] = [1e-30, 1e30]
    figure = draw_figure_4(cells, table, published)
    low, high = titled(figure, "LCN, $s=2$").get_ylim()
    assert high / low < 1e6


def test_panel_A_shows_every_seed_and_marks_capped_and_diverged_cells(
    published: pd.DataFrame,
) -> None:
    cells, table = invented_tables(LCN)
    axes = draw_figure_4(cells, table, published).axes[0]
    own = cells[cells["curve"] == "lcn-L2-v6-s0_2"]
    seeds = [line for line in axes.get_lines() if str(line.get_gid()).startswith("seed")]
    assert len(seeds) == 3
    assert len(points(axes, "capped")) == len(points(axes, "diverged")) == 1
    mean = 100 * own.groupby("P")["test_error"].mean()
    np.testing.assert_allclose([y for _, y in points(axes, "mean")], mean)


def test_curves_of_other_options_stay_out_of_the_figure(published: pd.DataFrame) -> None:
    cells, table = invented_tables([*LCN, ("fcn", 2, 4, 1)])
    other = {"whitening": True, "bias": True, "batch": "balanced", "sparsity": "B", "width": 32,
             "n_c": 2, "m": 2, "criterion": "S_2"}  # fmt: skip
    extra = [table.assign(**{column: value}) for column, value in other.items()]
    figure = draw_figure_4(cells, pd.concat([*extra, table]), published)
    assert len(points(titled(figure, "LCN, $s=2$"), "ours")) == len(LCN)


@pytest.mark.parametrize("curves", [LCN, CNN, LCN[:1], CNN[-1:]])
def test_panels_without_a_curve_are_left_out_and_named(
    curves: list[tuple[str, int, int, int]], published: pd.DataFrame
) -> None:
    figure = draw_figure_4(*invented_tables(curves), published)
    # The other net's panels; A needs the LCN too.
    absent = "C, E" if curves[0][0] == "lcn" else "A, B, D"
    assert f"Without {absent}: not in this preset" in " ".join(notes_of(figure))


@pytest.mark.parametrize("n_points", [1, 2])
def test_a_curve_of_one_or_two_training_sets_is_drawn(
    n_points: int, published: pd.DataFrame
) -> None:
    cells, table = invented_tables(LCN[:1])
    cells = cells[(cells["seed"] == 0) & cells["P"].isin(sorted(set(cells["P"]))[:n_points])]
    figure = draw_figure_4(cells, table, published)
    assert len(points(figure.axes[0], "mean")) == n_points


def test_tables_without_any_curve_give_a_line_that_says_so(published: pd.DataFrame) -> None:
    cells, table = invented_tables(LCN[:1])
    figure = draw_figure_4(cells[:0], table[:0], published)
    assert not figure.axes
    assert "Nothing to draw" in figure.texts[0].get_text()


def test_drawing_writes_nothing_and_saving_writes_the_same_bytes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    figures = [benefit_of_sparsity.draw(preset="invented") for _ in range(2)]
    assert not list(tmp_path.iterdir())
    for i, figure in enumerate(figures):
        save(figure, pdf=tmp_path / f"{i}.pdf", png=tmp_path / f"{i}.png")
    for suffix in ("pdf", "png"):
        first, second = ((tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2))
        assert first == second


@pytest.mark.parametrize("sparsity", ["A", "B"])
def test_the_drawn_data_belong_to_their_grammar(sparsity: str) -> None:
    grammar = draw_grammar(data_model.PARAMETERS, generator=generator(4, role="grammar"))
    data = data_model.sample(grammar, sparsity, seed=4)  # type: ignore[arg-type]
    grammar = data_model.with_sparsity(grammar, sparsity)  # type: ignore[arg-type]
    rows = symbols(data, grammar.parameters)
    assert [parse(row, grammar).label for row in rows] == data.labels.tolist()
    np.testing.assert_array_equal(data_model.stages(grammar, data)[-1], rows)
    np.testing.assert_array_equal(data.choices[0], data.choices[1])


def test_connections_of_one_colour_share_a_weight() -> None:
    for net, n_weights in (("lcn", 16), ("cnn", 4)):
        network = geometry(net, networks.PARAMETERS, width=2)
        first, second = networks.connections(network)
        assert (first.size, second.size) == (16, 4)
        colours = {networks.slot_colour(int(slot), filter_size=4) for slot in first}
        assert len(colours) == n_weights == len(set(first.tolist()))
        np.testing.assert_array_equal(second, np.arange(4))
