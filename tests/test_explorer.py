"""The explorer shows the rows of its tables, needs no network, and draws what is chosen.

Tables are invented. The last tests open it in a headless Chromium and are skipped where there is
none.
"""

import base64
import hashlib
import json
import logging
import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from tables import cells_and_sensitivities, complexities, curve, trained

from srhm.explorer import page
from srhm.explorer.names import (
    AUTHORS,
    CLAIMS,
    FIRST,
    FIRST_V,
    HERE,
    PAPER_VALUES,
    PRACTICE,
    TEXT,
    VIEWS,
    view_of,
)
from srhm.explorer.page import VIEWS as SECTIONS
from srhm.explorer.page import write_explorer
from srhm.explorer.rows import Source, claims_shown, explored, json_columns
from srhm.results.records import write_table
from srhm.results.tables import CELLS, SAMPLE_COMPLEXITY, SENSITIVITIES, schema_of
from srhm.scorecard.card import SCHEMA
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.registry import STUDIES
from srhm.study import names_in

LOG = logging.getLogger("test_explorer")
NASTY = "</script><script>alert(1)</script>"
PAPER_ROWS = pd.DataFrame([{
    "figure": "4", "panel": "C", "net": "lcn", "L": 2, "s": 2, "s0": 0, "v": 4, "m": 4, "n_c": 4,
    "P_star": 70.0, "reading": "read off the figure",
}])  # fmt: skip
CURVES = [curve("lcn", 2, 4, 0), curve("cnn", 2, 4, 1), curve("cnn", 2, 6, 1, bias=True),
          curve("cnn", 2, 4, 2)]  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    """Four curves by name of the schema, of which one cell has diverged and one P* is a bound."""
    cells, sensitivities = cells_and_sensitivities(CURVES)
    cells = trained(cells, batch_size=4, rate=0.01, max_steps=1000)
    cells.loc[0, ["status", "test_error"]] = "diverged", np.nan
    stars = complexities(cells, sensitivities)
    first = (stars["criterion"] == "test_error") & (stars["net"] == "lcn")
    censored = first & (stars["threshold"] == 0.1)
    stars.loc[censored, ["status", "P_star", "P_star_low", "P_star_high"]] = (
        "not_reached", np.nan, 512.0, np.inf,
    )  # fmt: skip
    return {"CELLS": cells, "SAMPLE_COMPLEXITY": stars, "SENSITIVITIES": sensitivities}


@pytest.fixture(scope="module")
def found(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    sources = [Source(run=HERE, study="a", schema=name, rows=one) for name, one in tables.items()]
    return explored([*sources, Source(run="", study="a", schema=PAPER_VALUES, rows=PAPER_ROWS)])


def with_curves(found: dict[str, pd.DataFrame], view: str) -> pd.DataFrame:
    return found[view].merge(found["curves"], left_on="c", right_index=True, suffixes=("", "_"))


def test_a_curve_is_one_for_all_views_and_the_papers_points_are_curves_too(found):
    assert len(found["curves"]) == len(CURVES) + 1
    assert list(found["curves"]["run"]) == [HERE] * 4 + [AUTHORS]
    assert list(found["curves"]["protocol"]) == [TEXT, TEXT, "biases", TEXT, PRACTICE]
    for view in ("points", "sensitivities"):
        assert set(found[view]["c"]) == {0, 1, 2, 3}


def test_points_are_mean_and_range_of_the_networks_that_have_an_error(found, tables):
    points = with_curves(found, "points")
    for (net, v, P), own in tables["CELLS"].groupby(["net", "v", "P"]):
        own_rows = (points["net"] == net.upper()) & (points["v"] == v) & (points["P"] == P)
        (row,) = points[own_rows].to_dict("records")
        errors = [one for one in own["test_error"] if one == one]
        assert row["n"] == len(errors)
        assert row["error"] == pytest.approx(sum(errors) / len(errors))
        assert (row["low"], row["high"]) == (min(errors), max(errors))
        lost = len(own) - len(errors)
        assert ("1 diverged" in row["status"]) == bool(lost)


def test_a_bound_stands_where_it_is_and_has_no_interval(found):
    stars = with_curves(found, "complexities")
    (row,) = stars[(stars["bound"] != "")].to_dict("records")
    assert (row["bound"], row["P_star"], row["net"]) == ("above", 512.0, "LCN")
    assert np.isnan(row["low"])
    assert np.isnan(row["high"])
    reached = stars[(stars["bound"] == "") & (stars["run"] == HERE)]
    assert (reached["low"] <= reached["P_star"]).all()


def test_the_papers_points_have_the_prediction_of_our_curve_of_the_same_grammar(found):
    stars = with_curves(found, "complexities").query("net == 'LCN'")
    assert stars["prediction"].nunique() == 1


def test_sensitivities_keep_layer_and_level(found, tables):
    rows = tables["SENSITIVITIES"]
    mean = rows.groupby(["curve", "P", "kind", "variant", "layer", "l"])["value"].mean().dropna()
    assert len(found["sensitivities"]) == len(mean)
    assert sorted(found["sensitivities"]["value"]) == pytest.approx(sorted(mean))


def test_claims_have_indices_and_powers():
    numbers = {"expected": 1.0, "tolerance": 0.15, "value": 0.85, "low": 0.752, "high": 0.948}
    shown = claims_shown(pd.DataFrame([{"statement": "P*_LCN <", "note": "", **numbers}]))
    assert shown.loc[0, "statement_html"] == "P*<sub>LCN</sub> &lt;"
    found = shown.loc[0, ["error", "in_errors", "in_tolerances"]].tolist()
    assert found == pytest.approx([0.05, -3, -1])


def test_numbers_for_json_are_short_and_infinities_are_none():
    table = pd.DataFrame({"a": [1 / 3, np.inf, 4.0], "b": [1, 2, 3]})
    assert json_columns(table) == {"a": [0.3333, None, 4], "b": [1, 2, 3]}


def test_every_figure_of_rows_leads_to_a_section():
    sections = {view.name for view in SECTIONS}
    assert set(VIEWS.values()) <= sections
    leading = {}
    for study in STUDIES.values():
        for figure in study.figures:
            schemas = [study.schemas.get(name, "CELLS") for name in names_in(figure.uses)]
            leading[figure.name] = view_of(schemas, figure.shows)
    # Figure 4 leads to what is shown at first; other figures do not choose what they do not name.
    view, _, query = leading["fig04"].partition("?")
    assert view == SECTIONS[0].name
    assert parse_qs(query) == {name: list(values) for name, values in FIRST.items()}
    rest = "protocol=&grammars=all"
    assert leading["fig07"] == f"learning-curves?net=LCN&s=2&sparsity=B&{rest}&learning-curves.v="
    assert leading["fig12"] == f"sensitivities?net=LCN&s=2&sparsity=A&{rest}&L=2"
    assert leading["fig02"] == ""  # a drawing


def filled(rows: pd.DataFrame, schema: Any) -> pd.DataFrame:
    """The rows with all columns of a schema: those that they lack are empty."""
    lacking = {field.name: "" if str(field.type) == "string" else 0 for field in schema
               if field.name not in rows}  # fmt: skip
    return rows.assign(**lacking)[schema.names]


@pytest.fixture(scope="module")
def written(tables, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("explorer")
    claim = {"claim": "one", "figure": "4", "statement": NASTY, "place": "Eq. 3", "n": 9,
             "expected": 2.0, "value": 2.2, "low": 2.1, "high": 2.3, "tolerance": 0.5,
             "tolerance_reason": "", "verdict": "reproduced", "note": ""}  # fmt: skip
    schemas = {"CELLS": CELLS, "SAMPLE_COMPLEXITY": SAMPLE_COMPLEXITY,
               "SENSITIVITIES": SENSITIVITIES, CLAIMS: SCHEMA,
               PAPER_VALUES: schema_of(PAPER_VALUES)}  # fmt: skip
    rows = {**tables, CLAIMS: pd.DataFrame([claim]), PAPER_VALUES: PAPER_ROWS}
    for name, schema in schemas.items():
        write_table(filled(rows[name], schema), folder / f"{name}.parquet", schema)
    cells = sorted(set(tables["CELLS"]["curve"]))
    figure = {"file": str(folder / "fig.csv"), "net": "lcn", "publications": False,
              "tables": [("a", "CELLS"), ("a", PAPER_VALUES), ("a", "KERNELS")]}  # fmt: skip
    spec: dict[str, Any] = {
        "preset": "invented", "figures": [figure], "pages": ["report"], "headline": None,
        "publications": [],
        "tables": [
            {"study": "a", "file": str(folder / f"{name}.parquet"), "schema": name,
             "published": {} if name == CLAIMS else {"archive: big": cells[:1]}}
            for name in schemas
        ],
        # Of an older version: another schema.
        "others": [{"study": "old", "file": str(folder / "CELLS.parquet"), "schema": "FLOW_CELLS",
                    "published": {}}],
    }  # fmt: skip
    for name in ("explorer.html", "again.html"):
        write_explorer(spec, folder / name, log=LOG)
    return folder / "explorer.html"


def test_equal_tables_give_equal_bytes_below_four_megabytes(written):
    assert written.read_bytes() == written.with_name("again.html").read_bytes()
    assert written.stat().st_size < 4e6


def test_rows_of_a_figure_are_a_csv_of_its_tables_and_its_net(written, tables):
    rows = pd.read_csv(written.with_name("fig.csv"))
    cells = tables["CELLS"].query("net == 'lcn'")
    assert set(rows["net"]) == {"LCN"}
    points = rows[rows["view"] == "points"]
    assert sorted(points["P"]) == sorted(set(cells["P"]))
    errors = cells.groupby("P")["test_error"].mean()
    assert sorted(points["error"]) == pytest.approx(sorted(errors))
    assert list(rows.loc[rows["view"] == "complexities", "run"]) == [AUTHORS]


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


def test_this_run_is_shown_first_however_many_rows_others_have():
    few, many = pd.DataFrame({"P": [1]}), pd.DataFrame({"P": range(9)})
    ours, theirs, paper = (
        Source(run=run, study="sparse_hierarchy", schema=schema, rows=rows)
        for run, schema, rows in (
            (HERE, "CELLS", few), ("archive: big", "CELLS", many), ("paper", PAPER_VALUES, many)
        )
    )  # fmt: skip
    assert page._first([ours, theirs, paper]) == HERE
    assert page._first([theirs, paper]) == "archive: big"
    assert page._first([paper]) == HERE


def test_rows_of_published_runs_alone_are_shown_first(written, tables, tmp_path):
    cells = tables["CELLS"]
    published = {"archive: big": sorted(set(cells["curve"]))}
    table = {"study": "a", "file": str(written.with_name("CELLS.parquet")), "schema": "CELLS"}
    spec = {"preset": "invented", "figures": [], "pages": ["report"], "headline": None,
            "publications": [],
            "tables": [{**table, "published": published}], "others": []}  # fmt: skip
    write_explorer(spec, tmp_path / "explorer.html", log=LOG)
    html = (tmp_path / "explorer.html").read_text(encoding="utf-8")
    assert '"first_run":"archive: big"' in html
    assert HERE not in html


def test_tables_of_an_older_run_are_left_out_aloud(written):
    assert "Without CELLS of old" in written.read_text(encoding="utf-8")


# Chooses, and writes what it then finds into the page.
PROBE = Path(__file__).with_name("explorer_probe.js").read_text(encoding="utf-8")
POINTS = [
    {"prediction": p, "P_star": star, "s": 2, "v": v}
    for p, star, v in ((64, 150, 4), (80, 160, 4), (200, 330, 6), (900, 2100, 8), (4e3, 7e3, 8))
]
# The numbers of the page alone.
FITS = Path(page.__file__).with_name("explorer.fits.js").read_text(encoding="utf-8")
# Of three widths and rates: v, width, rate. One width, and of one v the rate of most.
AT_RATES = [
    dict(zip(("v", "width", "rate"), row, strict=True))
    for row in ((2, 128, 0.01), (3, 128, 0.01), (2, 128, 0.003), (4, 128, 0.003), (5, 256, 0.01))
]
NUMBERS = f"""{FITS}
const said = {{ wrong: [], law: powerLaw({json.dumps(POINTS)}),
  usual: usual({json.dumps(AT_RATES)}).map((row) => row.v),
  ratio: ratioOf({{ P_star: 400, low: 200, high: 800 }},
                 {{ P_star: 100, low: 100 / 1.5, high: 150 }}) }};
const told = document.createElement("output");
told.id = "said";
told.textContent = JSON.stringify(said);
document.body.append(told);
"""


def opened(
    written: Path, folder: Path, *, width: int, dark: bool, probe: str = PROBE
) -> dict[str, Any]:
    """What the probe finds in a headless Chromium that can reach no host."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        pytest.skip(f"no browser here: none of {', '.join(names)} is installed")
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    html = written.read_text(encoding="utf-8").replace(
        "script-src ", f"script-src 'sha256-{digest}' "
    )
    # First, so that it hears of all errors.
    html = html.replace("<script>", f'<script type="module">{probe}</script><script>', 1)
    probed = folder / "probed.html"
    probed.write_text(html, encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}",
             "--virtual-time-budget=300000", "--dump-dom", probed.as_uri()]  # fmt: skip
    done = subprocess.run(
        [browser, *words], capture_output=True, text=True, check=True, timeout=120
    )
    told = re.search(r'<output id="said">(.*?)</output>', done.stdout)
    assert told, "the page did not get ready"
    said = json.loads(told[1].replace("&gt;", ">").replace("&amp;", "&").replace("&lt;", "<"))
    assert said["wrong"] == []
    return said


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
def test_a_browser_draws_what_is_chosen_and_links_the_views(written, tables, tmp_path, width, dark):
    said = opened(written, tmp_path, width=width, dark=dark)
    assert said["requests"] == []
    assert said["wide"] <= 0, "the page is wider than the screen"
    assert said["ground"] == ("rgb(22, 22, 22)" if dark else "rgb(255, 255, 255)")
    first = said["first"]
    assert first["run"] == [HERE]
    assert {name: tuple(first[name]) for name in FIRST} == FIRST
    assert (first["grammars"], first["authors"]) == (True, True)
    # Of no table that is there.
    assert not {"output-scale", "plane"} & set(said["views"])
    assert set(said["views"]) == set(first["marks"])
    # What no row has leaves the address, and the page says so.
    lost = said["wrong_net"]
    assert "net = XYZ" in lost["told"]
    assert "XYZ" not in lost["address"]
    assert (lost["run"], lost["net"]) == ([], ["LCN"])
    assert lost["focus"] == "sensitivities-title"
    # A view alone keeps what is chosen; choices that are not named are those of the first sight.
    assert (said["view_alone"]["net"], said["view_alone"]["told"]) == (["LCN"], "")
    assert said["view_alone"]["focus"] == "learning-curves-title"
    assert (said["lcn"]["run"], said["lcn"]["net"]) == ([HERE], ["LCN"])
    # No chart stands under an empty choice; it comes back with rows.
    assert said["empty"]["status"].startswith("0 rows")
    assert len(said["empty"]["heights"]) >= 3
    assert set(said["empty"]["heights"]) == {0}
    assert said["empty"]["buttons"]
    assert said["again"] > 100
    cells = tables["CELLS"]
    every = cells.groupby(["curve", "P"]).ngroups
    marks = {name: said[name]["marks"] for name in ("every", "cnn", "both", "of_paper", "ours")}
    # Learning curves begin with one v.
    of_one = cells[cells["v"] == int(FIRST_V)]
    for view, rows in (("learning-curves", of_one), ("collapse", cells)):
        n, cnn = (
            some.groupby(["curve", "P"]).ngroups for some in (rows, rows[rows["net"] == "cnn"])
        )
        assert 0 < cnn < n <= every
        assert marks["every"][view] == marks["both"][view] == n
        assert marks["cnn"][view] == cnn
    assert said["listed"] == marks["cnn"]["learning-curves"]
    assert marks["every"]["sensitivities"] > marks["cnn"]["sensitivities"] > 0
    # One of the five P* is the authors'.
    stars = {name: of["sample-complexity"] for name, of in marks.items()}
    assert (stars["every"], stars["cnn"], stars["both"], stars["ours"]) == (5, 3, 5, 4)
    # What would leave no curve cannot be chosen: of s_0 = 2 there is one curve.
    assert said["offered"] == {"net": ["CNN"], "v": ["4"], "s0": ["1", "2"]}
    # The power law of a group, which a division by the prediction leaves as it is.
    group, n, slope, _ = said["slopes"][0]
    assert (group, n) == (f"CNN, {HERE}", "2")
    stars = {row["s0"]: row["P_star"] for row in found_stars(tables)}
    assert float(slope) == pytest.approx(np.log(stars[1] / stars[2]) / np.log(864 / 576), abs=0.01)
    assert said["divided"]["slopes"] == said["slopes"]
    assert "P* / predicted P*" in said["divided"]["titles"]
    assert said["divided"]["address"].endswith("&divide=yes")
    assert said["colours"]["legend"][:2] == ["4", "6"]
    assert said["colours"]["address"].endswith("&colour=v")
    (csv, csv_at, _), (svg, svg_at, _), (png, png_at, size) = said["saved"]
    assert [csv, svg, png] == [f"sample-complexity.{kind}" for kind in ("csv", "svg", "png")]
    assert csv_at.startswith("data:text/csv")
    assert svg_at.startswith("data:image/svg+xml")
    assert png_at.startswith("data:image/png")
    assert size > 1e4
    rows, picture = said["texts"]
    assert len(pd.read_csv(StringIO(rows))) == 5
    assert picture.startswith("<svg")
    for word in ("status", "fitted", "from", "to", "n", "curve"):
        assert word in said["tip"]
    # A click on a mark pins its curve in all views; so do Enter and the list.
    ((curve_name, bound, _, _),) = said["pinned"]
    assert bound == "> 512"
    assert parse_qs(said["pin_address"].partition("?")[2])["pin"] == [curve_name]
    assert said["faded"] == 4
    assert 0 < said["listed_of_one"] < every
    assert [line[0] for line in said["pinned_by_key"]] == [curve_name, said["walked"]]
    (_, one, _, _), (_, other, ratio, _) = said["compared"]
    assert said["let_go"] == 1
    number = re.compile(r"[\d.]+")
    P_star, _, high = (float(word) for word in number.findall(one.replace("\u2009", "")))
    value, least, most = (float(word) for word in number.findall(ratio))
    assert least < value < most
    assert value == pytest.approx(float(number.findall(other)[0]) / P_star, rel=0.02)
    assert most / value > high / P_star
    assert said["unnamed"] == 0
    for role, index, name in said["charts"]:
        assert role == "graphics-document"
        assert index == 0
        assert name.startswith("Chart: ")


def test_a_power_law_and_a_ratio_are_those_of_the_scorecard(written, tmp_path):
    said = opened(written, tmp_path, width=1400, dark=False, probe=NUMBERS)
    assert said["usual"] == [2, 3, 4]
    x, y = (np.log([row[of] for row in POINTS]) for of in ("prediction", "P_star"))
    expected = slope_with_group_intercepts(x, y, np.zeros(len(x)))
    assert said["law"]["slope"] == pytest.approx(expected.slope, rel=1e-3)
    assert said["law"]["factor"] == pytest.approx(np.exp(np.mean(y - x)))
    assert said["ratio"]["value"] == 4
    assert said["ratio"]["high"] == pytest.approx(4 * np.exp(np.hypot(*np.log([2, 1.5]))))


def found_stars(tables: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """P* of the CNN at 10 % of this run: one curve of each s_0."""
    stars = tables["SAMPLE_COMPLEXITY"].query(
        "net == 'cnn' and criterion == 'test_error' and threshold == 0.1 and (v != 4 or s0 != 1)"
    )
    return stars.to_dict("records")
