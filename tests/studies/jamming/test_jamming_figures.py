"""The figure of jamming, on invented tables."""

import numpy as np
import pandas as pd
from drawn import points, rendered, texts
from tables import JAMMING_SIZES, all_kinds, jamming_cells, spectra

from srhm.statistics.jamming import at_jamming
from srhm.studies.jamming.figures import spectra as plane_jamming


def test_jamming_shows_unsatisfied_points_n_star_and_spectra():
    table = all_kinds()
    values, summaries = spectra(table)
    figure = rendered(plane_jamming.draw(table, values, summaries, preset="x"))
    assert len(points(figure, "load ")) == len(table)
    at_zero = [point for point in points(figure, "at_loss ") if point[1] == 0]
    assert len(at_zero) == (table["status"] == "fitted").sum()
    assert len({x for x, _ in at_zero}) == 1
    stars = dict(points(figure, "star kind=CNN ReLU, SRHM, parity"))
    assert set(stars) == set(JAMMING_SIZES)
    row = at_jamming(table).query("labels == 'parity' and data == 'srhm'").iloc[0]
    name = "predicted rank kind=CNN ReLU, SRHM, parity"
    predicted = {x for x, _ in points(figure, name)}
    assert predicted == {row["n_unsatisfied"] / row["n_weights"]}
    drawn = points(figure, "H0 kind=CNN ReLU, SRHM, parity")
    assert sum(y <= 1e-9 for _, y in drawn) == row["n_weights"] - row["n_unsatisfied"]
    assert f"N − N_Δ = {row['n_weights'] - row['n_unsatisfied']}" in texts(figure).replace(
        "\n", " "
    )


def test_networks_of_another_start_are_drawn_as_a_kind_of_their_own():
    table = all_kinds()
    random = table[table["data"] == "random"]
    other = random.assign(initialisation="orthogonal", curve=random["curve"] + "-orthogonal")
    values, summaries = spectra(table)
    whole = pd.concat([table, other], ignore_index=True)
    figure = rendered(plane_jamming.draw(whole, values, summaries, preset="x"))
    assert len(points(figure, "load ")) == len(whole)
    # Names that begin as the first kind's: both kinds.
    both = points(figure, "load kind=FCN ReLU, random data")
    assert len(both) == 2 * len(points(figure, "load kind=FCN ReLU, random data, orthogonal")) > 0


def test_bounds_on_n_star_are_arrows():
    table = pd.concat([jamming_cells(n_star=1000.0, power=0), jamming_cells(labels="shuffled")])
    values, summaries = spectra(table)
    figure = rendered(plane_jamming.draw(table, values, summaries, preset="x"))
    name = "star kind=CNN ReLU, SRHM, parity open"
    assert len(points(figure, name, whole=True)) == len(JAMMING_SIZES)


def test_jamming_says_what_a_preset_lacks():
    table = jamming_cells()
    values, summaries = spectra(table)
    nothing = rendered(
        plane_jamming.draw(table.iloc[:0], values.iloc[:0], summaries.iloc[:0], preset="x")
    )
    assert "not in this preset" in texts(nothing)
    no_spectra = rendered(
        plane_jamming.draw(table, values.iloc[:0], summaries.iloc[:0], preset="x")
    )
    assert "Without D, E, F: not in this preset" in texts(no_spectra)
    fits = table[table["status"] == "fitted"]
    rendered(plane_jamming.draw(fits, values.iloc[:0], summaries.iloc[:0], preset="x"))


def test_diverged_cells_are_counted_below():
    table = jamming_cells()
    table.loc[0, ["status", "mean_loss"]] = ["diverged", np.nan]
    values, summaries = spectra(table.iloc[1:])
    figure = rendered(plane_jamming.draw(table, values, summaries, preset="x"))
    assert "1 diverged" in texts(figure)
