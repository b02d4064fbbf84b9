"""P* of equal curves at several widths, of one run and of several."""

from math import log

import pytest
from tables import exact_complexities, grammar

from srhm.paper.sparse_hierarchy.analysis import in_words, width_check

CURVES = [grammar(net, 2, v, s0) for net in ("lcn", "cnn") for v in (8, 10) for s0 in (1, 2)]
FACTORS = {64: 0.9, 128: 1.0, 512: 1.2}


def run(widths, *, law=lambda row: FACTORS[row["width"]] * row["prediction"], **options):
    curves = [one | {"width": width} | options for one in CURVES for width in widths]
    return exact_complexities(curves, law=law)


def with_cells(table, *, rate=0.01):
    return table, table[["curve"]].drop_duplicates().assign(learning_rate=rate)


def compared(*runs):
    return width_check([with_cells(run) for run in runs], reference=128, threshold=0.1)


def test_each_width_is_compared_with_the_usual_one():
    check = compared(run(FACTORS))
    assert {width: fit.slope for width, fit in check.over.items()} == pytest.approx(
        {64: log(0.9), 512: log(1.2)}
    )
    assert [fit.n for fit in check.over.values()] == [len(CURVES)] * 2
    assert in_words(check).startswith("H = 64: 0.90 [0.90, 0.90] (8 curves); H = 512: 1.20")


def test_where_no_curve_of_the_reference_reaches_it_nothing_is_compared():
    table = run(FACTORS)
    table.loc[table["width"] == 128, "status"] = "not_reached"
    check = compared(table)
    assert check.over == {}
    assert in_words(check) == "no curve reaches it at two widths"


def test_curves_of_unequal_rates_are_not_compared():
    own, other = run([64, 128, 256], law=lambda row: row["prediction"]), run([512])
    runs = [with_cells(own), with_cells(other, rate=0.003)]
    check = width_check(runs, reference=128, threshold=0.1)
    assert set(check.over) == {64, 256}
