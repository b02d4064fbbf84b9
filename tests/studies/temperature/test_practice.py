"""P* by the text over P* of the published figures: measured in published cells, predicted by T."""

import pytest
from temperature_tables import cells_of, curve, falling, lines_of_families, tables_of

from srhm.studies.temperature.analysis import TEXT
from srhm.studies.temperature.practice import practice
from srhm.training.rates import published_rate

# Of three vocabularies, of which intervals need three.
OWN = [{"L": 2, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v} for v in (6, 7, 8) for s0 in (1, 2)]


def published(tmp_path, law):
    """File of cells of the text and of the practice, wider than those of the study."""
    rows = []
    for one in OWN:
        rate = published_rate({"net": "lcn", **one})
        rows.append(curve(falling, net="lcn", grammar=one, width=128))
        rows.append(curve(law, net="lcn", grammar=one, width=128, batch="balanced",
                          learning_rate=rate))  # fmt: skip
        # Of another rate than the table's, and of the study's width without a partner.
        rows.append(curve(falling, net="lcn", grammar=one, width=128, batch="balanced",
                          learning_rate=3 * rate))  # fmt: skip
        rows.append(curve(falling, net="lcn", grammar=one))
    file = tmp_path / "cells.parquet"
    cells_of(*rows).to_parquet(file)
    return str(file)


def tables_with(tmp_path, law, **cells):
    own = lines_of_families(nets=["lcn"], grammars=OWN, **cells)
    tables = tables_of(own)
    table = practice(
        own, tables["complexities"], published=[published(tmp_path, law)], threshold=0.1
    )
    return tables | {"practice": table}


def test_what_only_the_ratio_decides_is_predicted_by_it(tmp_path):
    tables = tables_with(tmp_path, falling)
    table = tables["practice"]
    assert len(table) == len(OWN)
    assert table["ratio"].tolist() == pytest.approx([0.01 / (0.4 * v) for v in table["v"]])
    # exp(-10 T) of the text over that of the practice, and interpolation in log T.
    measured = [2.718281828 ** (-10 * (TEXT - T)) for T in table["ratio"]]
    assert table["measured"].tolist() == pytest.approx(measured, rel=0.01)
    assert table["predicted"].tolist() == pytest.approx(measured, rel=0.02)


def test_a_ratio_beyond_the_line_is_not_predicted(tmp_path):
    tables = tables_with(tmp_path, falling, rates=(0.03, 0.01))
    assert tables["practice"].empty
