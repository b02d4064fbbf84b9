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
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tables import cells_and_sensitivities, complexities, curve, trained

from srhm.report.explorer import page
from srhm.report.explorer.names import AUTHORS, CLAIMS, HERE, PAPER_VALUES, PRACTICE, TEXT
from srhm.report.explorer.page import write_explorer
from srhm.report.explorer.rows import Source, explored
from srhm.scorecard.card import SCHEMA
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.store.records import write_table
from srhm.store.tables import CELLS, SAMPLE_COMPLEXITY, SENSITIVITIES, schema_of

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


# Chooses, and writes what it then finds into the page.
PROBE = """
const wrong = [];
addEventListener("error", (event) => wrong.push(event.message));
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => wrong.push(event.violatedDirective));
console.error = (...words) => wrong.push(words.join(" "));
const pause = (time) => new Promise((done) => setTimeout(done, time));
const wait = async (test) => { while (!test()) await pause(20); };
const marks = (view) => document.querySelectorAll(`#${view} .mark-symbol.role-mark path`).length;
const said = { wrong };
try {
await wait(() => document.body.dataset.ready);
await pause(200);
for (const [name, chosen] of [["every", ""], ["cnn", "CNN"]]) {
  location.hash = `collapse?run=&net=${chosen}&v=&s=&sparsity=&protocol=&grammars=all`;
  await pause(400);
  said[name] = marks("collapse");
}
said.unnamed = [...document.querySelectorAll("button, select, input")].filter((one) =>
  !(one.labels?.length || one.textContent.trim() || one.getAttribute("aria-label"))).length;
said.wide = document.documentElement.scrollWidth - innerWidth;
said.requests = performance.getEntriesByType("resource").map((one) => one.name)
  .filter((name) => !name.startsWith("data:"));
} catch (error) { wrong.push(error.stack); }
const told = document.createElement("output");
told.id = "said";
told.textContent = JSON.stringify(said);
document.body.append(told);
"""
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


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
def test_a_browser_draws_what_is_chosen(written, tables, tmp_path, width, dark):
    said = opened(written, tmp_path, width=width, dark=dark)
    cells = tables["CELLS"]
    n, cnn = (some.groupby(["curve", "P"]).ngroups for some in (cells, cells.query("net == 'cnn'")))
    assert (said["every"], said["cnn"]) == (n, cnn)
    assert (said["requests"], said["unnamed"]) == ([], 0)
    assert said["wide"] <= 0, "the page is wider than the screen"


@pytest.mark.slow
def test_a_power_law_and_a_ratio_are_those_of_the_scorecard(written, tmp_path):
    said = opened(written, tmp_path, width=1400, dark=False, probe=NUMBERS)
    assert said["usual"] == [2, 3, 4]
    x, y = (np.log([row[of] for row in POINTS]) for of in ("prediction", "P_star"))
    expected = slope_with_group_intercepts(x, y, np.zeros(len(x)))
    assert said["law"]["slope"] == pytest.approx(expected.slope, rel=1e-3)
    assert said["law"]["factor"] == pytest.approx(np.exp(np.mean(y - x)))
    assert said["ratio"]["value"] == 4
    assert said["ratio"]["high"] == pytest.approx(4 * np.exp(np.hypot(*np.log([2, 1.5]))))
