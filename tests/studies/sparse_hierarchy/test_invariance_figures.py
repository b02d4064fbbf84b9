"""Figures 6-8, 10-15 and that of the practice: every row is drawn once and at its place."""

import warnings
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from drawn import assert_on_page, points
from drawn import lines as drawn_lines
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from tables import MULTIPLES, WIDTH, cells_and_sensitivities, complexities, curve

from srhm.figures import selection
from srhm.figures.drawing import notes_of
from srhm.figures.marks import few_ticks
from srhm.model.encoding import symbols
from srhm.model.grammar import placement_offsets
from srhm.model.parsing import parse
from srhm.model.theory import predicted_sample_complexity
from srhm.results import tables as schemas
from srhm.studies.sparse_hierarchy import published_values
from srhm.studies.sparse_hierarchy.figures import (
    branching,
    invariances,
    practice,
    sensitivity_curves,
    sparsity_b,
    transformations,
)

PRESET = "invented"
OPTIONS: list[dict[str, object]] = [
    {"whitening": True, "engine": "reference"},
    {"bias": True, "engine": "reference"},
    {"batch": "balanced"},
    {"whitening": True, "bias": True, "batch": "balanced", "engine": "reference"},
]
Tables = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def made() -> Tables:
    """Cells, sensitivities and sample complexities of the curves that the figures show."""
    curves = [
        curve(net, 2, v, s0, s=s)
        for net in ("lcn", "cnn")
        for s, v in ((2, 4), (2, 6), (3, 3))
        for s0 in (0, 1)
    ]
    curves += [curve(net, 3, 4, 1) for net in ("lcn", "cnn")]
    curves += [curve(net, L, 4, 1, sparsity="B") for net in ("lcn", "cnn") for L in (2, 3)]
    curves += [curve("lcn", L, 4, 1, s=3, m=4) for L in (2, 3)]
    curves += [curve("cnn", L, 4, 1, **options) for L in (2, 3) for options in OPTIONS]
    cells, sensitivities = cells_and_sensitivities(curves)
    return cells, sensitivities, complexities(cells, sensitivities)


@pytest.fixture
def tables(made: Tables) -> Tables:
    cells, sensitivities, table = made
    return cells.copy(), sensitivities.copy(), table.copy()


INVARIANCES = {  # net, branchings, illustrated
    "6": ("lcn", [2], True),
    "11": ("lcn", [3], False),
    "14": ("cnn", [2, 3], False),
}
NETS = {"7": "lcn", "8": "cnn", "10": "lcn", "13": "cnn", "12": "lcn", "15": "cnn"}
ALL = (*INVARIANCES, *NETS, "practice")


def draw(tables: Tables, name: str) -> Figure:
    """A figure by its number, rendered; a warning is an error."""
    cells, sensitivities, table = tables
    shared = {"width": WIDTH, "preset": PRESET}
    if name in INVARIANCES:
        net, branchings, illustrated = INVARIANCES[name]
        figure = invariances.draw(table, net=net, branchings=branchings, illustrated=illustrated,
                                  threshold=0.1, **shared)  # fmt: skip
    elif name in ("7", "8"):
        figure = sparsity_b.draw(cells, net=NETS[name], threshold=0.1, **shared)
    elif name in ("10", "13"):
        nothing = published_values.SCHEMA.empty_table().to_pandas()
        figure = branching.draw(table, nothing, net=NETS[name], threshold=0.1, **shared)
    elif name in ("12", "15"):
        figure = sensitivity_curves.draw(cells, sensitivities, net=NETS[name], **shared)
    else:
        figure = practice.draw(table, threshold=0.1, **shared)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()  # that of a bare figure draws nothing
    return figure


@pytest.fixture(scope="module")
def figures(made: Tables) -> dict[str, Figure]:
    """All figures of the tables as they are."""
    return {name: draw(made, name) for name in ALL}


def panels(figure: Figure) -> list[Axes]:
    """Without the drawing of Figure 6 A, B, and without empty places."""
    return [axes for axes in figure.axes if axes.axison]


def bars(axes: Axes) -> int:
    found = [one for one in axes.collections if str(one.get_gid()).startswith("bar")]
    return sum(len(one.get_segments()) for one in found)


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.texts)


def of(table: pd.DataFrame, criterion: str, **values: object) -> pd.DataFrame:
    """Rows of the main curves of one criterion, at 10 % if it is the error."""
    wanted = {"sparsity": "A", "whitening": False, "bias": False, "batch": "shuffled", **values}
    rows = table[(table["criterion"] == criterion) & (table["n_c"] == table["v"])]
    rows = rows[rows["m"] == rows["v"] ** (rows["s"] - 1)]
    if criterion.endswith("error"):
        rows = rows[rows["threshold"] == 0.1]
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    return rows.set_index("curve")


def censor(table: pd.DataFrame, rows: pd.Series, status: str, low: float, high: float) -> None:
    assert rows.any()
    table.loc[rows, ["status", "P_star", "P_star_low", "P_star_high"]] = [status, nan, low, high]


def test_every_curve_stands_at_its_two_sample_complexities(
    made: Tables, figures: dict[str, Figure]
) -> None:
    table = made[2]
    for name, net, s, first in (("6", "lcn", 2, 0), ("11", "lcn", 3, 0), ("14", "cnn", 3, 2)):
        for axes, kind in zip(panels(figures[name])[first:], "SD", strict=False):
            x = of(table, f"{kind}_2", net=net, s=s)["P_star"]
            y = of(table, "test_error", net=net, s=s)["P_star"][x.index]
            assert len(points(axes, "ours")) == len(x) > 0
            np.testing.assert_allclose(sorted(points(axes, "ours")), sorted(zip(x, y, strict=True)))
            assert bars(axes) == 2 * len(x)
            assert axes.get_xlim() == axes.get_ylim()


def test_an_arrow_points_along_the_axis_that_is_censored(tables: Tables) -> None:
    table = tables[2]
    for v, criterion, status, bounds in (
        (4, "S_2", "below_range", (0.0, 200.0)),
        (6, "test_error", "not_reached", (3e3, inf)),
    ):
        of_curve = (table["net"] == "lcn") & (table["s0"] == 1) & (table["v"] == v)
        of_curve &= (table["L"] == 2) & (table["s"] == 2) & (table["sparsity"] == "A")
        censor(table, of_curve & (table["criterion"] == criterion), status, *bounds)
    figure = draw(tables, "6")
    axes = panels(figure)[0]
    arrows = {text.get_gid(): text for text in axes.texts if "arrow" in str(text.get_gid())}
    assert set(arrows) == {"arrow (-12, 0)", "arrow (0, 12)"}
    assert arrows["arrow (-12, 0)"].xy[0] == 200.0
    assert arrows["arrow (0, 12)"].xy[1] == 3e3


def test_curves_without_a_sensitivity_are_counted(tables: Tables) -> None:
    cells, sensitivities, table = tables
    lost = (table["net"] == "lcn") & (table["L"] == 3) & table["criterion"].isin(["S_2", "D_2"])
    few = (cells, sensitivities, table[~lost])
    notes = " ".join(notes_of(draw(few, "6")))
    assert "1 without S_2" in notes
    assert "1 without D_2" in notes  # s_0 = 0 is not missing, it has none
    assert "without" not in " ".join(notes_of(draw(few, "11")))


def test_thresholds_on_the_axes_are_those_of_the_paper(figures: dict[str, Figure]) -> None:
    labels = {name: [axes.get_xlabel() for axes in panels(figures[name])] for name in figures}
    assert "30 %" in labels["6"][0]
    assert "10 %" in labels["6"][1]
    assert "50 %" in labels["11"][0]
    assert "40 % ($L=2$), 20 % ($L=3$)" in labels["14"][0]
    assert "50 %" in labels["14"][2]
    assert "20 %" in labels["14"][3]


def test_the_drawn_images_are_those_of_p_and_tau() -> None:
    shown = transformations.example()
    parameters = shown.grammar.parameters
    datum, exchanged, displaced = (
        symbols(one, parameters)[0] for one in (shown.datum, shown.exchanged, shown.displaced)
    )
    before, swapped, moved = (parse(one, shown.grammar) for one in (datum, exchanged, displaced))
    assert before.label == swapped.label == moved.label
    np.testing.assert_array_equal(datum > 0, exchanged > 0)
    np.testing.assert_array_equal(datum[datum > 0], displaced[displaced > 0])
    old = shown.datum.features.reshape(-1, parameters.branching)
    new = shown.exchanged.features.reshape(-1, parameters.branching)
    assert (old != new).any(axis=1).all()  # p_1 takes another synonym for every patch
    for a, b in zip(old, new, strict=True):
        families = [
            {tuple(synonym) for synonym in synonyms.tolist()} for synonyms in shown.grammar.rules[0]
        ]
        assert any({tuple(a.tolist()), tuple(b.tolist())} <= family for family in families)
    allowed = {tuple(row) for row in placement_offsets(parameters).tolist()}
    places = shown.displaced.positions.reshape(-1, parameters.branching) % parameters.patch_size
    assert {tuple(row) for row in places.tolist()} <= allowed
    assert (datum != displaced).any()


def test_frames_are_around_the_places_that_changed(figures: dict[str, Figure]) -> None:
    drawn = [axes for axes in figures["6"].axes if not axes.axison]
    patches = [patch for axes in drawn for patch in axes.patches]
    shown = transformations.example()
    parameters = shown.grammar.parameters
    rows = [symbols(one, parameters)[0] for one in (shown.datum, shown.exchanged, shown.displaced)]
    framed = sum(p.get_width() for p in patches if isinstance(p, FancyBboxPatch))
    assert framed == (rows[0] != rows[1]).sum() + (rows[0] != rows[2]).sum()
    tiles = [p for p in patches if isinstance(p, Rectangle) and p.get_gid() == "feature"]
    n_leaves = parameters.n_leaves
    assert len(tiles) == 2 * (parameters.branching + 2 * n_leaves)  # level 2, input, image; twice


def test_sparsity_b_shows_the_averages_of_B_and_those_of_A_beside(
    made: Tables, figures: dict[str, Figure]
) -> None:
    cells = made[0]
    for name, net in (("7", "lcn"), ("8", "cnn")):
        raw, rescaled = panels(figures[name])
        own = cells[(cells["net"] == net) & (cells["sparsity"] == "B")]
        lines = {str(line.get_gid()): line for line in raw.get_lines()}
        for curve_name, rows in own.groupby("curve"):
            mean = 100 * rows.groupby("P")["test_error"].mean()
            (line,) = (one for gid, one in lines.items() if gid.endswith(f"curve={curve_name}"))
            np.testing.assert_allclose(np.asarray(line.get_ydata(), dtype=float), mean)
            assert np.asarray(line.get_xdata()).tolist() == mean.index.tolist()
        assert sum(gid.startswith("B curve") for gid in lines) == 2
        assert sum(gid.startswith("A curve") for gid in lines) == 2
        for line in rescaled.get_lines():
            if "curve" in str(line.get_gid()):
                x = np.asarray(line.get_xdata(), dtype=float)
                np.testing.assert_allclose(x, MULTIPLES, rtol=0.05)


def test_sparsity_b_shows_one_vocabulary(tables: Tables) -> None:
    cells = tables[0]
    own = cells[(cells["sparsity"] == "B") & (cells["net"] == "lcn")]
    (usual,) = set(own["v"])
    fewer = own[own["L"] == 2].assign(v=usual + 1, m=usual + 1, n_c=usual + 1, curve="larger v")
    figure = draw((pd.concat([cells, fewer], ignore_index=True), *tables[1:]), "7")
    axes = panels(figure)[0]
    assert f"$v = {usual}$" in " ".join(
        one.get_title(loc) for one in [axes] for loc in ("left", "center")
    )
    assert not [line for line in axes.get_lines() if "larger v" in str(line.get_gid())]


def test_sizes_with_diverged_and_capped_seeds_are_marked(tables: Tables) -> None:
    cells = tables[0]
    lost = (cells["sparsity"] == "B") & (cells["net"] == "lcn") & (cells["L"] == 2)
    lost &= cells["P"] == cells["P"][lost].min()
    cells.loc[lost, ["status", "test_error"]] = ["diverged", nan]
    own = cells[(cells["sparsity"] == "B") & (cells["net"] == "lcn") & (cells["L"] == 3)]
    cells.loc[own.index[4], "status"] = "capped"
    axes = panels(draw(tables, "7"))[0]
    assert [y for _, y in points(axes, "diverged")] == [100.0]
    ((P, error),) = points(axes, "capped")
    assert own["P"].iloc[4] == P
    assert error == pytest.approx(100 * own["test_error"][own["P"] == P].mean())


def test_branching_stands_at_the_prediction(made: Tables, figures: dict[str, Figure]) -> None:
    for name, net in (("10", "lcn"), ("13", "cnn")):
        rows = of(made[2], "test_error", net=net, s=3)
        expected = sorted(zip(rows["prediction"], rows["P_star"], strict=True))
        np.testing.assert_allclose(sorted(points(panels(figures[name])[0], "ours")), expected)


def test_the_constant_is_P_star_without_s_to_the_half_L(
    made: Tables, figures: dict[str, Figure]
) -> None:
    axes = panels(figures["10"])[1]
    table = made[2]
    rows = branching.constant_curves(table[table["threshold"] == 0.1], width=WIDTH)
    rows = rows[(rows["net"] == "lcn") & (rows["criterion"] == "test_error")]
    assert len(rows) == 4
    expected = [
        (row["s"] ** (row["L"] / 2), row["P_star"] / (2.0 ** row["L"] * 4.0 ** (row["L"] + 1)))
        for _, row in rows.iterrows()
    ]
    np.testing.assert_allclose(sorted(points(axes, "ours")), sorted(expected))
    x, y = sorted(expected)[0]
    for gid, power in (("flat", 0), ("rising", 1)):
        (left, height), _ = points(axes, gid)
        assert height == pytest.approx(y * (left / x) ** power)


def test_pairs_that_the_preset_lacks_are_named(tables: Tables) -> None:
    cells, sensitivities, table = tables
    table = table[~((table["s"] == 3) & (table["L"] == 3))]
    assert "(s, L) = (3, 3)" in " ".join(notes_of(draw((cells, sensitivities, table), "10")))


@pytest.mark.parametrize(("name", "net"), [("12", "lcn"), ("15", "cnn")])
def test_sensitivity_curves_are_averages_over_seeds(tables: Tables, name: str, net: str) -> None:
    sensitivities = tables[1]
    sensitivities.loc[sensitivities.index[::50], "value"] = nan
    figure = draw(tables, name)
    rows = selection.text_curves(sensitivities, width=WIDTH, branching=2)
    rows = rows[(rows["net"] == net) & (rows["v"] == 6) & (rows["n"] > 0)]
    cases = [(kind, layer) for kind in "SD" for layer in ("1", "2", "output")]
    for axes, (kind, layer) in zip(panels(figure), cases, strict=True):
        chosen = rows[(rows["kind"] == kind) & (rows["layer"] == layer)]
        lines = [line for line in axes.get_lines() if str(line.get_gid()).startswith("level")]
        values = sorted(float(y) for line in lines for y in np.asarray(line.get_ydata()))
        means = chosen.groupby(["curve", "l", "P"])["value"].mean()
        np.testing.assert_allclose(values, sorted(means))
        assert len(lines) == chosen.groupby(["curve", "l"]).ngroups == (4 if kind == "S" else 2)
        assert len(drawn_lines(axes, "error")) == len(lines) / 2
        assert len(drawn_lines(axes, "threshold")) == (layer == "2")


@pytest.mark.parametrize(("features", "shown"), [({4: 8, 6: 10}, 8), ({4: 8}, 8), ({4: 5}, 6)])
def test_sensitivity_curves_are_those_of_v_as_in_the_paper(
    tables: Tables, features: dict[int, int], shown: int
) -> None:
    names = ["v", "m", "n_c"]
    changed = tuple(table.assign(**table[names].replace(features)) for table in tables[:2])
    figure = draw((*changed, *tables[2:]), "12")
    assert f"v = {shown}:" in " ".join(notes_of(figure))


def test_a_choice_of_the_practice_stands_at_its_ratio(
    made: Tables, figures: dict[str, Figure]
) -> None:
    table = made[2]
    first, second = panels(figures["practice"])
    for axes, L in ((first, 2), (second, 3)):
        rows = table[(table["net"] == "cnn") & (table["L"] == L) & (table["s"] == 2)]
        rows = rows[(rows["v"] == 4) & (rows["s0"] == 1) & (rows["sparsity"] == "A")]
        rows = rows[np.isclose(rows["threshold"], 0.1)]
        rows = rows[rows["criterion"].isin(["test_error", "best_test_error"])]
        assert len(rows) == 10
        text = of(rows, "test_error")["P_star"].item()
        # The text's own error at the stop, 1 by construction, is not drawn.
        ratios = sorted(rows["P_star"] / text)
        ratios.remove(1.0)
        np.testing.assert_allclose(sorted(x for x, _ in points(axes, "ours")), ratios)
    names = [label.get_text().replace("\n", " ") for label in first.get_yticklabels()]
    assert names == [
        "the text", "whitened input", "biases", "balanced batches, rate table", "all three",
    ]  # fmt: skip


def test_practice_counts_what_it_cannot_show(tables: Tables) -> None:
    cells, sensitivities, table = tables
    cnn = (table["net"] == "cnn") & (table["L"] == 3) & (table["sparsity"] == "A")
    plain = ~table["whitening"] & ~table["bias"] & (table["batch"] == "shuffled")
    error = table["criterion"] == "test_error"
    censor(table, cnn & plain & error, "not_reached", 1e3, inf)
    figure = draw((cells, sensitivities, table), "practice")
    assert len(panels(figure)) == 1
    assert "9 P* are left out, as the text's P* is censored." in notes_of(figure)


def test_a_censored_choice_has_an_arrow(tables: Tables) -> None:
    table = tables[2]
    rows = (table["batch"] == "balanced") & ~table["bias"] & (table["L"] == 2)
    censor(table, rows & (table["criterion"] == "test_error"), "not_reached", 500.0, inf)
    axes = panels(draw(tables, "practice"))[0]
    assert [text.get_gid() for text in axes.texts] == ["arrow (12, 0)"]
    assert len(points(axes, "ours")) == 9


def test_figures_without_a_curve_say_so(tables: Tables) -> None:
    empty = (tables[0][:0], tables[1][:0], tables[2][:0])
    for name in ("11", "14", "7", "8", "10", "13", "12", "15", "practice"):
        figure = draw(empty, name)
        assert not figure.axes, name
        assert "Nothing to draw" in figure.texts[0].get_text()
    assert not panels(draw(empty, "6"))  # its schematics alone


def test_no_text_leaves_the_page(figures: dict[str, Figure]) -> None:
    for figure in figures.values():
        assert_on_page(figure)


def test_a_curve_of_both_engines_is_shown_once(tables: Tables) -> None:
    table = tables[2]
    doubled = pd.concat([table, table.assign(engine="reference", curve=table["curve"] + "-dense")])
    once = selection.text_curves(table, width=WIDTH, branching=2)
    pd.testing.assert_frame_equal(selection.text_curves(doubled, width=WIDTH, branching=2), once)
    dense = doubled[doubled["engine"] == "reference"]
    assert len(selection.text_curves(dense, width=WIDTH, branching=2)) >= len(once)
    again = pd.concat([table, table.assign(curve=table["curve"] + "-slow")], ignore_index=True)
    pd.testing.assert_frame_equal(selection.text_curves(again, width=WIDTH, branching=2), once)


@pytest.mark.parametrize("ends", [(0.4, 6.0), (0.7, 2.9), (3000, 12000), (5, 5.1), (0.011, 0.9)])
def test_few_ticks_are_inside_and_at_least_one(ends: tuple[float, float]) -> None:
    axes = Figure().add_subplot()
    axes.set(xscale="log", xlim=ends)
    few_ticks(axes.xaxis, *ends)
    ticks = axes.get_xticks()
    assert 1 <= len(ticks) <= 6
    assert all(ends[0] <= tick <= ends[1] for tick in ticks)
    for tick, label in zip(ticks, axes.get_xticklabels(), strict=True):
        assert float(label.get_text().strip("$")) == pytest.approx(tick, rel=0.01)


def test_invented_tables_fit_the_schemas(made: Tables) -> None:
    _, sensitivities, table = made
    assert set(sensitivities.columns) == set(schemas.SENSITIVITIES.names)
    assert set(table.columns) == set(schemas.SAMPLE_COMPLEXITY.names)
    one = table.iloc[0]
    assert one["prediction"] == predicted_sample_complexity(
        one["net"], depth=one["L"], branching=one["s"], n_synonyms=one["m"],
        n_classes=one["n_c"], n_empty=one["s0"],
    )  # fmt: skip
