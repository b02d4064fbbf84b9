"""Figures 1, 9, 16, 17 and Table 1 draw what the tables hold, and mark what is not as planned."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import points, texts
from matplotlib.axes import Axes
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

from srhm.figures import looks
from srhm.figures.architecture_marks import protocol_lines
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


def networks_in(axes: Axes) -> list[tuple[float, float]]:
    return sorted(points(axes, "network"))


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


def test_figure_9_has_a_row_for_each_network_and_a_column_for_each_depth(named: Tables) -> None:
    figure = architectures.draw(*named, preset="invented")
    assert [axes.get_ylabel() for axes in figure.axes[::3]] == [
        looks.net(n).label for n in N_LAYERS
    ]
    for column, depth in enumerate((0.2, 0.5, 0.8)):
        found = side_by_side(*named, depth)
        for row, net in enumerate(N_LAYERS):
            axes = figure.axes[3 * row + column]
            own = found[found["net"] == net].sort_values("P")
            for kind in "SD":
                expected = own[own["kind"] == kind][["P", "value"]].to_numpy()
                np.testing.assert_allclose(points(axes, f"quantity={kind}"), expected)
            errors = own[own["kind"] == "S"][["P", "error"]].to_numpy()
            np.testing.assert_allclose(points(axes, "quantity=error"), errors)


def test_figure_9_marks_capped_and_diverged_cells(named: Tables) -> None:
    figure = architectures.draw(damaged(named[0]), named[1], preset="invented")
    for row, net in enumerate(N_LAYERS):
        for axes in figure.axes[3 * row : 3 * row + 3]:
            opened = sorted(x for x, _ in points(axes, "open"))
            lost = [x for x, _ in points(axes, "diverged")]
            assert (opened, lost) == (
                ([SIZES[-1]] * 3, [SIZES[0]]) if net == "resnet18" else ([], [])
            )
    assert "48 fitted, 1 capped, 1 diverged" in text_of(figure)


# Figures 1 and 17


@pytest.mark.parametrize("place", ["output", "internal"])
def test_every_network_is_drawn_at_its_averages(
    named: Tables, beside: Tables, place: figure1.Shown
) -> None:
    figure = figure1.draw(*beside, *named, place=place, preset="invented")
    assert len(figure.axes) == 4
    cells = pd.concat([beside[0][beside[0]["P"].isin(SIZES)], named[0]])
    rows = side_by_side(cells, pd.concat([beside[1], named[1]]), figure1.PLACES[place])
    for axes, kind, at in zip(figure.axes, "DSDS", (900, 900, SIZES, SIZES), strict=True):
        own = rows[(rows["kind"] == kind) & rows["P"].isin(np.atleast_1d(at))]
        np.testing.assert_allclose(
            networks_in(axes), sorted(own[["value", "error"]].itertuples(index=False))
        )


def test_the_printed_correlation_is_that_of_the_points(named: Tables, beside: Tables) -> None:
    figure = figure1.draw(*beside, *named, place="output", preset="invented")
    cells = pd.concat([beside[0][beside[0]["P"].isin(SIZES)], named[0]])
    rows = side_by_side(cells, pd.concat([beside[1], named[1]]), "output").query("kind == 'D'")
    for axes, own, across in (
        (figure.axes[0], rows[rows["P"] == 900], False),
        (figure.axes[2], rows, True),
    ):
        found = correlation(own, across_sizes=across, generator=generator(0, role="drawing"))
        printed = "\n".join(t.get_text() for t in axes.texts)
        assert f"$\\rho$ = {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]" in printed
        assert f"n = {len(own)}" in printed


def test_each_row_of_panels_has_its_own_grammar_and_the_notes_say_which(
    named: Tables, beside: Tables
) -> None:
    cells, sensitivities = (table[table["P"] == SIZES[1]] for table in named_networks(v=6))
    fewer = named[0][named[0]["net"] != "vgg16"]
    both = (pd.concat([fewer, cells]), pd.concat([named[1], sensitivities]))
    figure = figure1.draw(*beside, *both, place="output", preset="invented")
    rows = side_by_side(cells, sensitivities, "output").query("kind == 'D'")
    np.testing.assert_allclose(
        networks_in(figure.axes[0]), sorted(rows[["value", "error"]].itertuples(index=False))
    )
    nets = len(set(fewer["net"])) + 2
    assert f"growing $P$, {nets} networks" in figure.axes[2].get_title(loc="left")
    notes = text_of(figure)
    assert "A, B: $L=2$, $s=2$, $s_0=2$, $n_c=6$, $m=6$, $v=6$; C, D: " in notes


def test_opacity_grows_with_the_size(named: Tables, beside: Tables) -> None:
    figure = figure1.draw(*beside, *named, place="output", preset="invented")
    shown = [one for one in figure.axes[2].get_lines() if one.get_gid() == "network net=vgg16"]
    by_error = sorted(shown, key=lambda one: -float(np.asarray(one.get_ydata())[0]))
    opacities = [float(one.get_alpha() or 0) for one in by_error]
    assert opacities == sorted(opacities)
    assert (opacities[0], opacities[-1]) == (figure1.FAINTEST, 1.0)


def test_capped_networks_are_open_and_a_network_without_errors_is_at_its_bound(
    named: Tables, beside: Tables
) -> None:
    cells = damaged(named[0])
    cells.loc[(cells["net"] == "vgg11") & (cells["P"] == SIZES[-1]), "test_error"] = 0.0
    figure = figure1.draw(*beside, cells, named[1], place="output", preset="invented")
    axes = figure.axes[2]
    assert len(points(axes, "network net=resnet18 open")) == 1
    assert min(y for _, y in networks_in(axes)) == pytest.approx(0.5 / 2000)
    assert sum(str(text.get_gid()).startswith("arrow") for text in axes.texts) == 1
    for words in ("hollow: a seed was capped", "none in the test set", "1 capped, 1 diverged"):
        assert words in text_of(figure)


def test_without_images_their_panels_are_left_out_and_the_notes_say_how_to_get_them(
    named: Tables, beside: Tables
) -> None:
    figure = figure1.draw(*beside, *named, place="output", preset="invented", with_images=True)
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
    figure = figure1.draw_figure_1(*beside, *named, images[:0], preset="invented",
                                          digits=digits)  # fmt: skip
    letters = [axes.get_title(loc="left").split()[0] for axes in figure.axes]
    assert [letter.strip("$\\mathbf{}") for letter in letters] == ["A′", "B′", *"CDEF"]
    assert [len(networks_in(axes)) for axes in figure.axes[:2]] == [3, 9]
    # R_f of the trained network, the median over images, averaged over two seeds.
    ((drawn, _),) = points(figure.axes[0], "net=resnet18")
    of_net = images[(images["net"] == "resnet18") & (images["P"] == 8000)]
    assert drawn == pytest.approx(np.exp(np.log(of_net["relative_sensitivity"]).mean()))
    assert "digits" in figure.axes[0].get_title(loc="left")
    assert "digits (archive): width 16" in text_of(figure)
    alone = figure1.draw_images(images[:0], preset="invented", digits=digits)
    assert [len(networks_in(axes)) for axes in alone.axes] == [3, 9]


def test_digits_are_left_out_where_the_images_are(
    named: Tables, beside: Tables, images: pd.DataFrame, digits: list[str]
) -> None:
    figure = figure1.draw_figure_1(*beside, *named, images, preset="invented",
                                          digits=digits)  # fmt: skip
    assert len(figure.axes) == 6
    assert "digits" not in text_of(figure)


def test_images_are_drawn_at_the_largest_and_at_all_sizes(
    named: Tables, beside: Tables, images: pd.DataFrame
) -> None:
    figure = figure1.draw(
        *beside, *named, place="output", preset="invented", with_images=True, images=images
    )
    assert [len(networks_in(axes)) for axes in figure.axes[:2]] == [4, 12]
    alone = figure1.draw_images(images, preset="invented")
    for axes, other in zip(figure.axes[:2], alone.axes, strict=True):
        assert networks_in(axes) == networks_in(other)
    one = images.query("net == 'vgg16' and P == 8000")
    mean = float(np.exp(np.log(one["relative_sensitivity"]).mean()))
    assert any(x == pytest.approx(mean) for x, _ in networks_in(figure.axes[0]))
    assert "batch 128, rate 0.1, loss < 0.01, at most 4,000 steps" in text_of(figure)
    capped = images.assign(status="capped")
    assert "a seed was capped" in text_of(figure1.draw_images(capped, preset="invented"))
    # Without a threshold of the loss the cap is the plan.
    to_the_cap = capped.assign(loss_threshold=np.nan)
    text = text_of(figure1.draw_images(to_the_cap, preset="invented"))
    assert "a seed was capped" not in text
    assert "batch 128, rate 0.1, at most 4,000 steps; 2 seeds; 24 networks" in text


def test_without_named_networks_the_panels_say_so(named: Tables, beside: Tables) -> None:
    cells, sensitivities = (table[:0] for table in named)
    for place in ("output", "internal"):
        figure = figure1.draw(*beside, cells, sensitivities, place=place, preset="none")  # type: ignore[arg-type]
        assert "not in this preset" in text_of(figure)
    assert "not in this preset" in text_of(architectures.draw(cells, sensitivities, preset="none"))


# Figure 16 and Table 1


def test_figure_16_takes_each_depth_at_its_own_width_and_says_how_it_was_trained() -> None:
    curves = [curve("fcn", 2, v, s0) for v in (4, 6) for s0 in (0, 1)]
    curves += [curve("fcn", 3, 4, s0, width=32) for s0 in (0, 1)]
    curves += [curve("fcn", 2, 4, 1, width=128), curve("lcn", 2, 4, 1)]  # a check, and another net
    cells, sensitivities = cells_and_sensitivities(curves)
    cells = trained(cells, batch_size=4, rate=0.01, max_steps=500_000)
    figure = invariances.draw(
            complexities(cells, sensitivities), net="fcn", branchings=[2], illustrated=False,
            width=None, threshold=0.1, preset="invented", cells=cells,
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
    alone = invariances.draw(table, **options)
    both = invariances.draw(table, practice="fcn2", **options)

    def n_points(figure: Figure) -> list[int]:
        return [len(points(axes, "ours")) for axes in figure.axes if axes.axison]

    assert n_points(alone) == [2, 2]
    assert n_points(both) == [2, 2, 4, 2]  # nothing is displaced at s_0 = 0
    assert "FCN2 (practice)" in text_of(both)
    assert "S$ of the output = 20 %" in text_of(both)
    # One legend, though the panel of S has small pools of a shape that the panel of D has not.
    pools = table.assign(small_pool=table["net"] == "fcn2")
    invariances.draw(pools, practice="fcn2", **options)


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
    figure = table1.draw(invented_structures(), preset="invented")
    words = [cell.get_text().get_text() for cell in figure.axes[0].tables[0].get_celld().values()]
    assert [word for word in words if word in {looks.NETS[net].label for net in TABLE_1}] == [
        looks.NETS[net].label for net in TABLE_1
    ]
    assert words.count("paper") == 3
    assert words.count("9-15 M") == 3
    assert words.count("9.23, 4.62") == len(TABLE_1)
    assert "VGG11, VGG11 bn, VGG16, VGG16 bn: depth of vgg" in text_of(figure)


# What all of them have


def test_every_named_network_has_a_look_of_its_own() -> None:
    assert set(TABLE_1) < set(looks.NETS)
    seen = [(one.colour, one.marker) for one in looks.NETS.values()]
    assert len(set(seen)) == len(seen)
    paper = [looks.NETS[net].marker for net in ("lcn", "cnn", *N_LAYERS)]
    assert len(set(paper)) == len(paper)


def test_ways_of_training_are_told_apart(named: Tables, beside: Tables) -> None:
    cells = pd.concat([beside[0], named[0]])
    first, second = protocol_lines(cells)
    assert first.startswith("LCN, CNN: width 64, batch 4, rate 0.01 H, ")
    assert second.startswith("VGG11, VGG16, ResNet18, ResNet34, EfficientNetB0: width 16, batch 32")
    assert "rate 0.01, " in second
    assert "at most 2,000 steps; 2 seeds; 50 networks: 50 fitted" in second
