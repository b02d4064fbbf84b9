"""A sheet gives the claims that are written out, and chains give the rows that a mask gives."""

import pandas as pd
import pytest

from srhm.scorecard.claims import NOT_MEASURED, Claim
from srhm.scorecard.estimators import Mean, Ratio
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.sheet import Sheet, rows_in

TABLES = {
    "cells": pd.DataFrame({"net": ["lcn", "lcn", "cnn", "cnn"], "seed": [0, 1, 0, 1],
                           "error": [0.1, 0.3, 0.4, 0.9], "done": [True, True, False, True]}),
    "sizes": pd.DataFrame({"net": ["lcn", "cnn"], "n": [1, 10]}),
}  # fmt: skip
cells = rows_in("cells", nothing="no cells", what="networks")


def test_words_of_a_number_are_parameters_or_values_of_columns():
    assert cells.mean("error", net="lcn", per="seed") == Mean(
        "error", rows=cells, what="networks", where={"net": "lcn"}, per=("seed",)
    )
    assert cells.ratio("error", net="cnn", over={"net": "lcn"}, on="seed", what="pairs") == Ratio(
        "error", rows=cells, what="pairs", where={"net": "cnn"}, over={"net": "lcn"}, on=("seed",)
    )


def test_a_chain_keeps_adds_and_joins():
    done = cells.keep(lambda rows: rows["done"], nothing="none is done")
    large = done.then(lambda rows, sizes: rows.merge(sizes, on="net"), "sizes").let(
        per_n=lambda rows: rows["error"] / rows["n"]
    )
    assert list(large(TABLES)["per_n"]) == pytest.approx([0.1, 0.3, 0.09])
    assert large.what == "networks"
    assert large.nothing == "none is done"
    assert large.mean("per_n")({"cells": TABLES["cells"]}) == NOT_MEASURED
    none = {**TABLES, "cells": TABLES["cells"].assign(done=False)}
    assert large.mean("per_n")(none).note == "none is done"


def test_rows_of_one_definition_are_of_one_kind_and_others_are_not():
    def worse(least):
        return cells.keep(lambda rows: rows["error"] > least)

    assert worse(0.1).kind == worse(0.2).kind != cells.keep(lambda rows: rows["done"]).kind
    assert cells.kind != worse(0.1).kind


def test_a_sheet_has_the_claims_in_the_order_in_which_they_are_said():
    sheet, measure = Sheet(), cells.mean("error")
    say = sheet.topic("Errors", "errors", place="Fig. 3", why="a tenth")
    say("low", "they are low", measure, Below(0.1))
    say("half", "they are a half", measure, Within(0.5, 0.1), "ours", place="Fig. 4")
    shared = {"topic": "Errors", "figure": "errors", "measure": measure}
    assert sheet.claims == [
        Claim("low", "they are low", place="Fig. 3", expected=Below(0.1), why="a tenth", **shared),
        Claim("half", "they are a half", place="Fig. 4", expected=Within(0.5, 0.1), why="ours",
              **shared),
    ]  # fmt: skip
