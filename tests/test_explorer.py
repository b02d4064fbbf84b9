"""The explorer shows the rows of its tables, needs no network, and draws what is chosen.

The last tests open it in a headless Chromium and are skipped where there is none.
"""

import base64
import hashlib
import logging
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from headless import said_by
from markup import wrong

from srhm.report.explorer.names import AUTHORS, PAPER_VALUES
from srhm.report.explorer.page import write_explorer
from srhm.scorecard.complexity_rows import as_sample_complexities
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.store.places import PUBLISHED
from srhm.store.records import read_table, write_table
from srhm.store.tables import CELLS, SAMPLE_COMPLEXITY, SENSITIVITIES, schema_of

LOG = logging.getLogger("test_explorer")
NASTY = "</script><script>alert(1)</script>"
PAPER_ROWS = pd.DataFrame([{
    "figure": "4", "panel": "C", "net": "lcn", "L": 2, "s": 2, "s0": 0, "v": 4, "m": 4, "n_c": 4,
    "P_star": 70.0, "reading": "read off the figure",
}])  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    """Shipped rows of the paper's first study by name of the schema."""
    cells, felt = (
        read_table(PUBLISHED / "quick/sparse_hierarchy" / f"{name}.parquet", schema)
        for name, schema in (("cells", CELLS), ("sensitivities", SENSITIVITIES))
    )
    stars = all_sample_complexities(cells, felt, thresholds=[0.1, 0.2])
    return {"CELLS": cells, "SAMPLE_COMPLEXITY": stars, "SENSITIVITIES": felt}


def filled(rows: pd.DataFrame, schema: Any) -> pd.DataFrame:
    """The rows with all columns of a schema: those that they lack are empty."""
    lacking = {field.name: "" if str(field.type) == "string" else 0 for field in schema
               if field.name not in rows}  # fmt: skip
    return rows.assign(**lacking)[schema.names]


@pytest.fixture(scope="module")
def written(tables, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("explorer")
    schemas = {"CELLS": CELLS, "SAMPLE_COMPLEXITY": SAMPLE_COMPLEXITY,
               "SENSITIVITIES": SENSITIVITIES,
               PAPER_VALUES: schema_of(PAPER_VALUES)}  # fmt: skip
    nasty = PAPER_ROWS.assign(reading=NASTY)
    rows = {**tables, PAPER_VALUES: nasty}
    for name, schema in schemas.items():
        write_table(filled(rows[name], schema), folder / f"{name}.parquet", schema)
    figure = {"file": str(folder / "fig.csv"), "net": "lcn", "publications": False,
              "tables": [("a", "CELLS"), ("a", PAPER_VALUES), ("a", "KERNELS")]}  # fmt: skip
    spec: dict[str, Any] = {
        "preset": "invented", "figures": [figure], "pages": ["report"],
        "publications": [],
        "tables": [
            {"study": "a", "file": str(folder / f"{name}.parquet"), "schema": name}
            for name in schemas
        ],
    }  # fmt: skip
    for name in ("explorer.html", "again.html"):
        write_explorer(spec, folder / name, log=LOG)
    return folder / "explorer.html"


def test_equal_tables_give_equal_bytes_below_four_megabytes(written):
    assert written.read_bytes() == written.with_name("again.html").read_bytes()
    assert written.stat().st_size < 4e6


def in_lines(cells):
    """Networks of a line at one P: a curve's, or a seed's where not all P have every seed."""
    n = cells.groupby("curve")["seed"].nunique()
    least = cells.groupby(["curve", "P"])["seed"].nunique().groupby("curve").min()
    lines = cells["seed"].where(cells["curve"].map(least < n), "mean")
    return cells.assign(line=lines.astype(str)).groupby(["curve", "line", "P"])


def test_rows_of_a_figure_are_a_csv_of_its_tables_and_its_net(written, tables):
    rows = pd.read_csv(written.with_name("fig.csv"))
    cells = tables["CELLS"].query("net == 'lcn'")
    assert set(rows["net"]) == {"LCN"}
    points = rows[rows["view"] == "points"]
    errors = in_lines(cells)["test_error"].mean().dropna()
    assert sorted(points["P"]) == sorted(P for *_, P in errors.index)
    assert {"mean"} < set(points["line"]), "no curve of these rows is searched"
    assert sorted(points["error"]) == pytest.approx(sorted(errors))
    theirs = rows[rows["view"] == "complexities"]
    assert list(theirs["run"]) == [AUTHORS]
    claimed = as_sample_complexities(PAPER_ROWS)
    assert theirs["rate"].item() == pytest.approx(claimed["rate"].item())
    assert (theirs["remark"].item() == "small pool") == claimed["small_pool"].item()


def test_no_text_of_a_row_ends_a_script_and_no_other_script_may_run(written):
    html = written.read_text(encoding="utf-8")
    assert NASTY not in html
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    scripts = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", html, flags=re.DOTALL)
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert len(scripts) == 2


# Chooses, and says what it then finds.
CHOICES = """
const pause = (time) => new Promise((done) => setTimeout(done, time));
const marks = (view) => document.querySelectorAll(`#${view} .mark-symbol.role-mark path`).length;
await until(() => document.body.dataset.ready);
await pause(200);
for (const [name, chosen] of [["every", ""], ["cnn", "CNN"]]) {
  location.hash = `collapse?run=&net=${chosen}&v=&s=&sparsity=&protocol=&grammars=all`;
  await pause(400);
  said[name] = marks("collapse");
}
said.unnamed = [...document.querySelectorAll("button, select, input")].filter((one) =>
  !(one.labels?.length || one.textContent.trim() || one.getAttribute("aria-label"))).length;
"""


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
def test_a_browser_draws_what_is_chosen(written, tables, tmp_path, width, dark):
    html = written.read_text(encoding="utf-8")
    said = said_by(html, CHOICES, tmp_path, width=width, dark=dark)
    cells = tables["CELLS"]
    n, cnn = (in_lines(some).ngroups for some in (cells, cells.query("net == 'cnn'")))
    assert (said["every"], said["cnn"]) == (n, cnn)
    assert [name for name in said["requests"] if not name.startswith("data:")] == []
    assert said["unnamed"] == 0
    assert said["wide"] <= 0, "the page is wider than the screen"


@pytest.mark.slow
def test_the_explorer_has_no_wrong_markup_and_no_barrier(written, tmp_path):
    assert wrong(written.read_text(encoding="utf-8"), tmp_path) == []
