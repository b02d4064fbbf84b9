"""Figures 1, 9, 16, 17 and Table 1 draw what the tables hold, and mark what is not as planned."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import assert_on_page, points, texts
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from tables import (
    N_LAYERS,
    SIZES,
    beside_named_networks,
    cells_and_sensitivities,
    complexities,
    curve,
    named_networks,
    trained,
)

from srhm.figures.architecture_marks import LOOKS, protocol_lines
from srhm.figures.drawing import styled
from srhm.model.seeding import generator
from srhm.networks.inspection import FAMILIES
from srhm.studies.named_nets.error_and_sensitivity import correlation, side_by_side
from srhm.studies.named_nets.figures import architectures, table1
from srhm.studies.named_nets.figures import correlation as figure1
from srhm.studies.sparse_hierarchy.figures import invariances

# The networks of Table 1, which are not all named nets.
TABLE_1 = [net for nets in FAMILIES.values() for net in nets]

Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def named() -> Tables:
    return named_networks()


@pytest.fixture(scope="module")
def beside() -> Tables:
    return beside_named_networks()


@pytest.fixture(scope="module")
def images() -> pd.DataFrame:
    random = np.random.default_rng(8)
    rows = []
    for net, height in (("vgg11", 1.0), ("vgg16", 0.9), ("resnet18", 0.7), ("efficientnetb0", 0.8)):
        for P in (500, 2000, 8000):
            for seed in range(2):
                R = height * (100 / P) ** 0.5 * random.uniform(0.8, 1.2)
                rows.append(
                    {"net": net, "P": P, "seed": seed, "test_error": 0.4 * R**0.5, "width": 16,
                     "relative_sensitivity": R, "status": "fitted", "n_test": 1000,
                     "batch_size": 128, "learning_rate": 0.1, "loss_threshold": 1e-2,
                     "max_steps": 4000, "n_points": 500}
                )  # fmt: skip
    return pd.DataFrame(rows)


@styled
def render(figure: Figure) -> Figure:
    """Draws it in memory under the style in which it is saved; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    return figure


def with_marks(axes: Axes, *names: str) -> list[tuple[float, float]]:
    return [
        (float(x), float(y))
        for one in axes.get_lines()
        if str(one.get_gid()) in names
        for x, y in zip(np.atleast_1d(one.get_xdata()), np.atleast_1d(one.get_ydata()), strict=True)
    ]


def networks_in(axes: Axes) -> list[tuple[float, float]]:
    nets = {name + end for name in LOOKS for end in ("", " capped")}
    return sorted(with_marks(axes, *nets))


def text_of(figure: Figure) -> str:
    return " ".join(texts(figure).split())


def damaged(cells: pd.DataFrame) -> pd.DataFrame:
    """One cell capped and one diverged."""
    cells = cells.copy()
    own = cells.query("net == 'resnet18'").index
    cells.loc[own[-1], "status"] = "capped"
    cells.loc[own[0], ["status", "test_error"]] = ["diverged", np.nan]
    return cells


# Figure 9


def test_figure_9_has_a_column_for_each_network_and_a_row_for_each_depth(named: Tables) -> None:
    figure = render(architectures.draw(*named, preset="invented"))
    assert len(figure.axes) == 3 * len(N_LAYERS)
    titles = [axes.get_title(loc="left") for axes in figure.axes[: len(N_LAYERS)]]
    assert titles == [f"{LOOKS[net].label}, 2 seeds" for net in N_LAYERS]
    for row, depth in enumerate((0.2, 0.5, 0.8)):
        points = side_by_side(*named, depth)
        for column, net in enumerate(N_LAYERS):
            axes = figure.axes[row * len(N_LAYERS) + column]
            own = points[points["net"] == net].sort_values("P")
            for kind in "SD":
                expected = own[own["kind"] == kind][["P", "value"]].to_numpy()
                np.testing.assert_allclose(with_marks(axes, kind), expected)
            errors = own[own["kind"] == "S"][["P", "error"]].to_numpy()
            np.testing.assert_allclose(with_marks(axes, "error"), errors)


def test_figure_9_marks_capped_and_diverged_cells(named: Tables) -> None:
    cells = damaged(named[0])
    figure = render(architectures.draw(cells, named[1], preset="invented"))
    own = [axes for i, axes in enumerate(figure.axes) if i % len(N_LAYERS) == 2]
    for axes in own:
        assert [x for x, _ in with_marks(axes, "error capped")] == [SIZES[-1]]
        assert [x for x, _ in with_marks(axes, "S capped")] == [SIZES[-1]]
        assert [x for x, _ in with_marks(axes, "diverged")] == [SIZES[0]]
    others = [axes for axes in figure.axes if axes not in own]
    assert not [p for axes in others for p in with_marks(axes, "error capped", "diverged")]
    assert "48 fitted, 1 capped, 1 diverged" in " ".join(text_of(figure).split())


def test_more_networks_than_the_paper_has_come_below(named: Tables) -> None:
    cells, sensitivities = named
    more = [table.replace({"net": {"vgg11": "vgg11_bn"}}) for table in named]
    more = [table[table["net"] == "vgg11_bn"] for table in more]
    more = [table.assign(curve="bn", key="bn" + table["key"]) for table in more]
    figure = render(
        architectures.draw(
            pd.concat([cells, more[0]]), pd.concat([sensitivities, more[1]]), preset="invented"
        )
    )
    assert len(figure.axes) == 18


# Figures 1 and 17


@pytest.mark.parametrize("place", ["output", "internal"])
def test_every_network_is_drawn_at_its_averages(
    named: Tables, beside: Tables, place: figure1.Shown
) -> None:
    figure = render(figure1.draw(*beside, *named, place=place, preset="invented"))
    assert len(figure.axes) == 4
    cells = pd.concat([beside[0][beside[0]["P"].isin(SIZES)], named[0]])
    points = side_by_side(cells, pd.concat([beside[1], named[1]]), figure1.PLACES[place])
    for axes, kind, at in zip(figure.axes, "DSDS", (900, 900, SIZES, SIZES), strict=True):
        own = points[(points["kind"] == kind) & points["P"].isin(np.atleast_1d(at))]
        np.testing.assert_allclose(
            networks_in(axes), sorted(own[["value", "error"]].itertuples(index=False))
        )


def test_the_printed_correlation_is_that_of_the_points(named: Tables, beside: Tables) -> None:
    figure = render(figure1.draw(*beside, *named, place="output", preset="invented"))
    cells = pd.concat([beside[0][beside[0]["P"].isin(SIZES)], named[0]])
    points = side_by_side(cells, pd.concat([beside[1], named[1]]), "output").query("kind == 'D'")
    for axes, rows, across in (
        (figure.axes[0], points[points["P"] == 900], False),
        (figure.axes[2], points, True),
    ):
        found = correlation(rows, across_sizes=across, generator=generator(0, role="drawing"))
        printed = "\n".join(t.get_text() for t in axes.texts)
        assert f"$\\rho$ = {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]" in printed
        assert f"n = {len(rows)}" in printed


def test_opacity_grows_with_the_size(named: Tables, beside: Tables) -> None:
    figure = render(figure1.draw(*beside, *named, place="output", preset="invented"))
    shown = [one for one in figure.axes[2].get_lines() if one.get_gid() == "vgg16"]
    by_error = sorted(shown, key=lambda one: -float(np.asarray(one.get_ydata())[0]))
    opacities = [float(one.get_alpha() or 0) for one in by_error]
    assert opacities == sorted(opacities)
    assert (opacities[0], opacities[-1]) == (figure1.FAINTEST, 1.0)


def test_capped_networks_are_open_and_a_network_without_errors_is_at_its_bound(
    named: Tables, beside: Tables
) -> None:
    cells = damaged(named[0])
    cells.loc[(cells["net"] == "vgg11") & (cells["P"] == SIZES[-1]), "test_error"] = 0.0
    figure = render(figure1.draw(*beside, cells, named[1], place="output", preset="invented"))
    axes = figure.axes[2]
    lines = {str(one.get_gid()): one for one in axes.get_lines()}
    assert to_rgba(lines["resnet18 capped"].get_markerfacecolor())[:3] == (1.0, 1.0, 1.0)
    assert min(y for _, y in networks_in(axes)) == pytest.approx(0.5 / 2000)
    assert [t.get_gid() for t in axes.texts].count("no error") == 1
    for words in ("open: a seed was capped", "no error in the test set", "1 capped, 1 diverged"):
        assert words in text_of(figure)


def test_without_images_their_panels_are_left_out_and_the_notes_say_how_to_get_them(
    named: Tables, beside: Tables
) -> None:
    figure = render(
        figure1.draw(*beside, *named, place="output", preset="invented", with_images=True)
    )
    assert len(figure.axes) == 4
    assert "make cifar" in text_of(figure)
    assert all(networks_in(axes) for axes in figure.axes)


@pytest.fixture
def digits(images: pd.DataFrame, tmp_path: Path) -> list[str]:
    """Files as the repository keeps them: networks on digits, of which one is fully connected."""
    rows = images.assign(data="digits", key=[str(i) for i in range(len(images))])
    rows.loc[rows["net"] == "vgg16", "net"] = "fc2"
    measured = [
        rows.assign(part="output", when=when, average=average, R=rows["relative_sensitivity"] * by)
        for when, average, by in (("start", "median", 9), ("end", "median", 1), ("end", "mean", 7))
    ]
    files = {"cells": rows.drop(columns="relative_sensitivity"), "stability": pd.concat(measured)}
    for name, table in files.items():
        table.to_parquet(tmp_path / f"{name}.parquet")
    return [str(tmp_path / f"{name}.parquet") for name in files]


def test_without_images_digits_stand_in_their_place(
    named: Tables, beside: Tables, images: pd.DataFrame, digits: list[str]
) -> None:
    figure = render(figure1.draw_figure_1(*beside, *named, images[:0], preset="invented",
                                          digits=digits))  # fmt: skip
    letters = [axes.get_title(loc="left").split()[0] for axes in figure.axes]
    assert [letter.strip("$\\mathbf{}") for letter in letters] == ["A′", "B′", *"CDEF"]
    assert [len(networks_in(axes)) for axes in figure.axes[:2]] == [3, 9]
    # R_f of the trained network, the median over images, averaged over two seeds.
    ((drawn, _),) = with_marks(figure.axes[0], "resnet18")
    of_net = images[(images["net"] == "resnet18") & (images["P"] == 8000)]
    assert drawn == pytest.approx(np.exp(np.log(of_net["relative_sensitivity"]).mean()))
    assert "digits" in figure.axes[0].get_title(loc="left")
    assert "digits (published rows): width 16" in text_of(figure)
    alone = render(figure1.draw_images(images[:0], preset="invented", digits=digits))
    assert [len(networks_in(axes)) for axes in alone.axes] == [3, 9]


def test_digits_are_left_out_where_the_images_are(
    named: Tables, beside: Tables, images: pd.DataFrame, digits: list[str]
) -> None:
    figure = render(figure1.draw_figure_1(*beside, *named, images, preset="invented",
                                          digits=digits))  # fmt: skip
    assert len(figure.axes) == 6
    assert "digits" not in text_of(figure)


def test_images_are_drawn_at_the_largest_and_at_all_sizes(
    named: Tables, beside: Tables, images: pd.DataFrame
) -> None:
    figure = render(
        figure1.draw(
            *beside, *named, place="output", preset="invented", with_images=True, images=images
        )
    )
    assert [len(networks_in(axes)) for axes in figure.axes[:2]] == [4, 12]
    alone = render(figure1.draw_images(images, preset="invented"))
    for axes, other in zip(figure.axes[:2], alone.axes, strict=True):
        assert networks_in(axes) == networks_in(other)
    one = images.query("net == 'vgg16' and P == 8000")
    mean = float(np.exp(np.log(one["relative_sensitivity"]).mean()))
    assert any(x == pytest.approx(mean) for x, _ in networks_in(figure.axes[0]))
    assert "batch 128, rate 0.1, loss < 0.01, at most 4,000 steps" in text_of(figure)
    capped = images.assign(status="capped")
    assert "a seed was capped" in text_of(render(figure1.draw_images(capped, preset="invented")))
    # Without a threshold of the loss the cap is the plan.
    to_the_cap = capped.assign(loss_threshold=np.nan)
    text = text_of(render(figure1.draw_images(to_the_cap, preset="invented")))
    assert "a seed was capped" not in text
    assert "batch 128, rate 0.1, at most 4,000 steps; 2 seeds; 24 networks" in text


def test_without_named_networks_the_panels_say_so(named: Tables, beside: Tables) -> None:
    cells, sensitivities = (table[:0] for table in named)
    for place in ("output", "internal"):
        figure = render(figure1.draw(*beside, cells, sensitivities, place=place, preset="none"))  # type: ignore[arg-type]
        assert "not in this preset" in text_of(figure)
    figure = render(architectures.draw(cells, sensitivities, preset="none"))
    assert "no named network in preset none" in text_of(figure)


# Figure 16 and Table 1


def test_figure_16_takes_each_depth_at_its_own_width_and_says_how_it_was_trained() -> None:
    curves = [curve("fcn", 2, v, s0) for v in (4, 6) for s0 in (0, 1)]
    curves += [curve("fcn", 3, 4, s0, width=32) for s0 in (0, 1)]
    curves += [curve("fcn", 2, 4, 1, width=128), curve("lcn", 2, 4, 1)]  # a check, and another net
    cells, sensitivities = cells_and_sensitivities(curves)
    cells = trained(cells, batch_size=4, rate=0.01, max_steps=500_000)
    figure = render(
        invariances.draw(
            complexities(cells, sensitivities), net="fcn", branchings=[2], illustrated=False,
            width=None, threshold=0.1, preset="invented", cells=cells,
        )
    )  # fmt: skip
    ours = [one for one in figure.axes[0].get_lines() if str(one.get_gid()).startswith("ours")]
    assert sum(len(np.atleast_1d(one.get_xdata())) for one in ours) == 6
    text = text_of(figure)
    assert "FCN: width 64, batch 4, rate 0.01 H" in text
    assert "FCN: width 32" in text
    assert "width 128" not in text
    assert "30 %" in text
    assert "10 %" in text


def test_figure_16_has_a_row_of_the_practices_fcn_where_there_are_rows() -> None:
    practice = {"batch": "balanced", "whitening": True, "bias": True, "engine": "fcn2"}
    curves = [curve("fcn", 2, v, 1) for v in (4, 6)]
    curves += [curve("fcn2", 2, v, s0, **practice) for v in (4, 6) for s0 in (0, 1)]
    curves += [curve("fcn2", 2, 4, 1, **{**practice, "bias": False})]  # trained otherwise
    cells, sensitivities = cells_and_sensitivities(curves)
    again = sensitivities[sensitivities["net"] == "fcn2"].assign(variant="practice")
    cells = trained(cells, batch_size=4, rate=0.01, max_steps=500_000)
    table = complexities(cells, pd.concat([sensitivities, again]))
    options = {"net": "fcn", "branchings": [2], "illustrated": False, "width": None,
               "threshold": 0.1, "preset": "invented", "cells": cells}  # fmt: skip
    alone = render(invariances.draw(table, **options))
    both = render(invariances.draw(table, practice="fcn2", **options))

    def n_points(figure: Figure) -> list[int]:
        return [len(points(axes, "ours")) for axes in figure.axes if axes.axison]

    assert n_points(alone) == [2, 2]
    assert n_points(both) == [2, 2, 4, 2]  # nothing is displaced at s_0 = 0
    assert "FCN2 (practice)" in text_of(both)
    assert "S$ of the output = 20 %" in text_of(both)
    # One legend, though the panel of S has small pools of a shape that the panel of D has not.
    pools = table.assign(small_pool=table["net"] == "fcn2")
    render(invariances.draw(pools, practice="fcn2", **options))


def invented_structures() -> list[dict[str, object]]:
    rows = []
    for net in TABLE_1:
        family = net.rstrip("0123456789_bn").removesuffix("b") or net
        for dimensions in (2, 1):
            rows.append(
                {"net": net, "family": family, "dimensions": dimensions, "depth": 9,
                 "depth_in_blocks": 9, "n_parameters": 9_231_114 // (3 - dimensions),
                 "n_linear": 1, "activation": "ReLU", "pooling": "max", "dropout": 0.0,
                 "drop_connect": 0.175, "batch_norm": True, "n_skips": 0, "paper_depth": "11, 16",
                 "paper_parameters": "9-15 M", "paper_fc_layers": "1", "paper_activation": "ReLU",
                 "paper_pooling": "max", "paper_dropout": "yes + dropconnect",
                 "paper_batch_norm": "yes", "paper_skip_connections": "/",
                 "note": f"depth of {family}" if dimensions == 2 else ""}
            )  # fmt: skip
    return rows


def test_table_1_has_a_line_for_each_network_and_the_papers_words_for_each_family() -> None:
    figure = render(table1.draw(invented_structures(), preset="invented"))
    words = [cell.get_text().get_text() for cell in figure.axes[0].tables[0].get_celld().values()]
    assert [word for word in words if word in {LOOKS[net].label for net in TABLE_1}] == [
        LOOKS[net].label for net in TABLE_1
    ]
    assert words.count("paper") == 3
    assert words.count("9-15 M") == 3
    assert words.count("9.23, 4.62") == len(TABLE_1)
    assert "VGG11, VGG11 bn, VGG16, VGG16 bn: depth of vgg" in text_of(figure)


# What all of them have


def all_figures(named: Tables, beside: Tables, images: pd.DataFrame) -> list[Figure]:
    return [
        architectures.draw(damaged(named[0]), named[1], preset="invented"),
        figure1.draw(
            *beside, damaged(named[0]), named[1], place="output", preset="invented",
            with_images=True, images=images,
        ),
        figure1.draw(*beside, *named, place="internal", preset="invented"),
        table1.draw(invented_structures(), preset="invented"),  # type: ignore[arg-type]
    ]  # fmt: skip


@pytest.fixture(scope="module")
def drawn(named: Tables, beside: Tables, images: pd.DataFrame) -> list[Figure]:
    return [render(figure) for figure in all_figures(named, beside, images)]


def test_no_text_leaves_the_page(drawn: list[Figure]) -> None:
    for figure in drawn:
        assert_on_page(figure)


def test_every_named_network_has_a_look_of_its_own() -> None:
    assert set(TABLE_1) < set(LOOKS)
    looks = [(one.colour, one.marker) for one in LOOKS.values()]
    assert len(set(looks)) == len(looks)
    paper = [LOOKS[net].marker for net in ("lcn", "cnn", *N_LAYERS)]
    assert len(set(paper)) == len(paper)


def test_ways_of_training_are_told_apart(named: Tables, beside: Tables) -> None:
    cells = pd.concat([beside[0], named[0]])
    first, second = protocol_lines(cells)
    assert first.startswith("LCN, CNN: width 64, batch 4, rate 0.01 H, ")
    assert second.startswith("VGG11, VGG16, ResNet18, ResNet34, EfficientNetB0: width 16, batch 32")
    assert "rate 0.01, " in second
    assert "at most 2,000 steps; 2 seeds; 50 networks: 50 fitted" in second
