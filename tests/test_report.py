"""The report shows all that it is given, names what is missing, and needs nothing but itself.

The tables here are invented. The last tests open the page in a headless Chromium and are skipped
where there is none.
"""

import base64
import re
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser
from math import inf, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from srhm.report import prose, rows
from srhm.report.page import Figure, configuration_text, read_all, read_figures, render
from srhm.results.atomic import write_text
from srhm.results.records import write_table
from srhm.results.tables import CELLS, SAMPLE_COMPLEXITY, SCORECARD, SENSITIVITIES, TIMINGS

REPOSITORY = Path(__file__).parents[1]
CAPTIONS = sorted((REPOSITORY / "docs" / "captions").glob("*.rst"))
NASTY = (
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)> &amp; {{ 7 * 7 }} P*_LCN"
)
VOID = {"meta", "img", "br", "circle", "line", "path", "rect", "col", "hr", "link", "input"}


class Page(HTMLParser):
    """What is in a page: elements with their attributes, and the text inside each section."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.row_texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.section = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = found["id"]
        if tag == "tr":
            self.row_texts.setdefault(self.section, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
        if "tr" in self.open:
            self.row_texts[self.section][-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def png(*, width: int, height: int = 2) -> bytes:
    """A grey image of so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = (b"\x00" + b"\x80" * width) * height
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def table(schema: Any, invented: list[dict[str, Any]]) -> pd.DataFrame:
    assert {name for row in invented for name in row} <= set(schema.names)
    return pd.DataFrame(invented, columns=schema.names)


def claim(identifier: str, verdict: str, **changes: Any) -> dict[str, Any]:
    return {
        "claim": identifier, "figure": "4 B", "statement": "P*_LCN ~ s^(L/2) n_c",
        "place": "Eq. 3, section 4", "expected": 2.0, "value": 2.1, "low": 1.9, "high": 2.3, "n": 9,
        "tolerance": 0.35, "tolerance_reason": "below 0.5", "verdict": verdict, "note": "9 curves",
    } | changes  # fmt: skip


def curve(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "curve": name, "net": "lcn", "L": 2, "s": 2, "s0": 1, "v": 4, "m": 4, "n_c": 4,
        "sparsity": "A", "width": 64, "alpha": 1.0, "engine": "sparse", "whitening": False,
        "bias": False, "batch": "shuffled", "criterion": "test_error", "threshold": 0.1,
        "P_star": 1213.2, "P_star_low": 884.9, "P_star_high": 1663.3, "status": "reached",
        "n_seeds": 3, "n_seeds_reached": 3, "n_cells": 15, "n_diverged": 0, "log_sd": 0.2,
        "log_se": 0.1, "dof": 2, "log_sd_pooled": False, "n_distinct": 16384.0,
        "small_pool": False, "prediction": 512.0,
    } | changes  # fmt: skip


def scorecard() -> pd.DataFrame:
    return table(
        SCORECARD,
        [
            claim("one", "holds"),
            claim("two", "holds", figure="10", value=2.35, low=-inf, high=inf),
            claim("three", "does not hold", value=4.0, low=3.9, high=4.1, tolerance=0.004),
            claim("four", "not enough data", value=nan, low=nan, high=nan, n=0, note=NASTY),
            claim("five", "reported", expected=nan, tolerance=nan),
        ],
    )


def sample_complexity() -> pd.DataFrame:
    censored = {"P_star": nan, "P_star_low": 2048.0, "P_star_high": inf, "status": "not_reached"}
    below = {"P_star": nan, "P_star_low": 0.0, "P_star_high": 543.0, "status": "below_range"}
    return table(
        SAMPLE_COMPLEXITY,
        [
            curve("b", net="cnn", s0=4, small_pool=True, n_diverged=2, whitening=True, **censored),
            curve("b", net="cnn", s0=4, threshold=0.3, whitening=True, P_star=987.0),
            curve("b", net="cnn", s0=4, criterion="S_2", threshold=0.4, whitening=True),
            curve("a"),
            curve("a", threshold=0.3, **below),
        ],
    )


def cells_and_timings() -> tuple[pd.DataFrame, pd.DataFrame]:
    cells = [
        {"curve": c, "key": str(key), "net": "lcn", "L": 2, "width": 64, "engine": "sparse",
         "steps": 1000, "status": status, "versions": "python 3.11, numpy 2.4", "source": "abc"}
        for c, key, status in [("a", 1, "fitted"), ("a", 2, "capped"), ("b", 3, "diverged"),
                               ("b", 4, "fitted")]
    ]  # fmt: skip
    timings = [
        {"curve": row["curve"], "key": row["key"], "steps": row["steps"], "seconds": 0.25,
         "started": "", "host": NASTY, "processor": "any", "threads": 1}
        for row in cells
    ]  # fmt: skip
    return table(CELLS, cells), table(TIMINGS, timings)


def networks() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A VGG with eight layers at two P: at one a cell is capped, at the other all diverged."""
    shared = {"curve": "n", "net": "vgg11", "L": 2, "s": 2, "s0": 2, "v": 4, "m": 4, "n_c": 4,
              "sparsity": "A", "width": 16, "engine": "torch"}  # fmt: skip
    cells, sensitivities = [], []
    for P, seed, status in [(100, 0, "fitted"), (100, 1, "capped"), (30, 0, "diverged")]:
        row = {**shared, "P": P, "seed": seed, "key": f"{P}-{seed}"}
        error = nan if status == "diverged" else 0.1 + 0.2 * seed
        cells.append(
            {**row, "status": status, "test_error": error, "batch_size": 32, "n_test": 500,
             "learning_rate": 0.01, "steps": 10, "versions": "", "source": "abc"}
        )  # fmt: skip
        for kind in "SD":
            for k in range(1, 10):
                value = {"value": nan, "n": 0}
                if status != "diverged":
                    value = {"value": k / 10 + (kind == "D"), "n": 100}
                sensitivities.append(
                    {**row, **value, "kind": kind, "variant": "text", "k": k, "l": 1,
                     "layer": f"layer {k}" if k < 9 else "output"}
                )  # fmt: skip
    return table(CELLS, cells), table(SENSITIVITIES, sensitivities)


FIGURES = [
    Figure(
        name="practice", file="results/x/figures/practice.png", png=png(width=7), caption="Ours."
    ),
    Figure(
        name="fig10",
        file="results/x/figures/fig10.png",
        png=png(width=5),
        caption=f"**Figure 10. Branching.** See Eq. 3 and *C_0*. Second sentence.\n\n{NASTY}",
    ),
    Figure(name="fig04", file="results/x/figures/fig04.png", png=png(width=3), caption="Four."),
]


@pytest.fixture(scope="module")
def inputs() -> dict[str, Any]:
    cells, timings = cells_and_timings()
    return {
        "preset": "quick",
        "description": NASTY,
        "configuration": f"preset: quick\nnote: {NASTY}\n",
        "threshold": 0.1,
        "scorecard": scorecard(),
        "sample_complexity": sample_complexity(),
        "cells": cells,
        "timings": timings,
        "networks_cells": networks()[0],
        "networks_sensitivities": networks()[1],
        "figures": FIGURES,
        "pending": [],
        "deviations": f"# Deviations\n\n[file](../x.md), [web](https://example.org)\n\n{NASTY}\n",
        "citation": (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"),
    }


@pytest.fixture(scope="module")
def html(inputs: dict[str, Any]) -> str:
    return render(**inputs)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_page_refers_to_no_other_file_and_loads_nothing(page, html):
    assert not [tag for tag, _ in page.elements if tag in {"script", "link", "iframe", "object"}]
    sources = [
        a[n] for _, a in page.elements for n in ("src", "srcset", "data", "poster") if n in a
    ]
    assert sources
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    for link in page.all("a"):
        assert link["href"].startswith(("#", "https://"))
    assert not re.search(r"url\(|@import", html)
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert "default-src 'none'" in policy


def test_links_within_the_page_lead_somewhere_and_names_are_unique(page):
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")} <= set(names)
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} <= set(names)


def test_every_figure_is_there_in_the_order_of_the_paper_with_its_own_image(page):
    assert [figure["id"] for figure in page.all("figure")] == ["fig04", "fig10", "practice"]
    images = [base64.b64decode(i["src"].partition(",")[2]) for i in page.all("img")]
    assert images == [FIGURES[2].png, FIGURES[1].png, FIGURES[0].png]


def test_the_first_sentence_of_a_caption_is_the_alternative_text(page):
    assert [image["alt"] for image in page.all("img")] == [
        "Figure 4 Four.",
        "Figure 10. Branching. See Eq. 3 and C_0.",
        "Practice Ours.",
    ]


def test_every_claim_is_a_row_and_the_verdicts_are_counted(page):
    header, *claims = page.row_texts["scorecard"]
    assert header.startswith("The paper says")
    assert len(claims) == len(scorecard())
    for text, row in zip(claims, scorecard().to_dict("records"), strict=True):
        assert row["claim"] in text
        assert row["verdict"] in text
        assert row["note"] in text.replace("P*LCN", "P*_LCN")
    counts = {"holds": 2, "does not hold": 1, "not enough data": 1, "reported": 1}
    assert rows.verdict_counts(scorecard()) == counts
    for word, count in counts.items():
        assert re.search(rf"{count}\s+\S\s+{word}", page.text)


def test_numbers_of_a_claim_are_rounded_by_its_tolerance_and_unknown_ones_say_so(page):
    _, one, two, three, four, five = page.row_texts["scorecard"]
    assert "2.10" in one
    assert "1.90 to 2.30" in one
    assert "unknown" in two
    assert "4.0000" in three
    assert "not measured" in four
    assert "±" not in five


def test_a_strip_is_cut_at_its_ends_and_says_so():
    strip = rows.scorecard_rows(table(SCORECARD, [claim("x", "holds", low=0.0, high=inf)]))[0][
        "strip"
    ]
    assert (strip.low, strip.high) == (-3, 3)
    assert (strip.cut_low, strip.cut_high) == (True, True)
    assert strip.value == pytest.approx(0.1 / 0.35)


def test_every_curve_is_one_row_and_censored_values_are_bounds(page):
    header, lcn, cnn = page.row_texts["sample-complexities"]
    assert "P* at ε ≤ 30\u00a0%" in header
    assert "P* at S2" in header
    assert lcn.startswith("LCN")
    assert "1\u202f210" in lcn
    assert "885 to 1\u202f660" in lcn
    assert "2.37" in lcn
    assert "< 543" in lcn
    assert "> 2\u202f048" in cnn
    assert "1\u202f210 (40\u00a0%)" in cnn
    for remark in ("whitened inputs", "small pool", "2 of 15 networks diverged"):
        assert remark in cnn


def test_training_counts_every_network_by_status_with_its_time(page):
    header, lcn, everything, *_ = page.row_texts["training"]
    assert header.startswith("NetLWidthEngineNetworksfittedcappeddiverged")
    assert lcn == "LCN264sparse42114\u202f0001.0 s4\u202f000"
    assert everything == "All42114\u202f0001.0 s4\u202f000"
    assert "python 3.11, numpy 2.4" in page.text


def test_every_named_network_has_a_row_at_each_size(page):
    header, diverged, learnt = page.row_texts["networks"]
    assert header.startswith("NetworkvWidthBatchRatePεS, 20\u00a0%")
    # Layers 2, 5, 7 of eight, and the output, of S and of D.
    values = "0.2000.5000.7000.900" + "1.2001.5001.7001.900"
    assert learnt == "vgg11416320.011000.200" + values + "21 of 2 capped"
    assert diverged == "vgg11416320.0130" + 9 * "–" + "11 of 1 diverged"


def test_a_report_before_its_end_says_what_is_still_being_made(inputs):
    absent = dict.fromkeys(("networks_cells", "networks_sensitivities"))
    page = Page(render(**{**inputs, **absent, "pending": ["fig01", "fig09", "table1"]}))
    assert "Not complete yet. Still being made: Figure 1, Figure 9, Table 1" in page.text
    assert "These networks are still being trained." in page.text
    assert "does not have: 2, 3, 5, 6, 7, 8, 11" in page.text
    assert "is missing" not in page.text
    assert "Missing from this report" not in page.text


def test_rows_of_several_files_are_read_together(tmp_path):
    one, other = cells_and_timings()[1].iloc[:1], cells_and_timings()[1].iloc[1:]
    files = [tmp_path / name for name in ("a", "b", "empty")]
    for file, rows_ in zip(files, (one, other, one.iloc[:0]), strict=True):
        write_table(rows_, file, TIMINGS)
    pd.testing.assert_frame_equal(read_all(files, TIMINGS), cells_and_timings()[1])
    assert len(read_all(files[2:], TIMINGS)) == 0
    assert read_all([], TIMINGS) is None


def test_nasty_strings_stay_text(page, html, inputs):
    assert "<script" not in html
    assert "<img src=x" not in html
    assert html.count("&lt;script&gt;") >= 5  # description, note, host, configuration, documents
    assert "{{ 7 * 7 }}" in html
    assert inputs["configuration"] in page.text


def test_what_is_missing_is_named(inputs):
    figures = [
        Figure(name="fig06", file="results/x/figures/fig06.png", png=None, caption="Six."),
        Figure(name="fig07", file="results/x/figures/fig07.png", png=png(width=3), caption=None),
    ]
    tables = dict.fromkeys(("scorecard", "sample_complexity", "cells", "timings"))
    tables |= dict.fromkeys(("networks_cells", "networks_sensitivities"))
    page = Page(render(**{**inputs, **tables, "figures": figures}))
    for name in (*(f"table {name}" for name in tables), "image of Figure 6", "caption of Figure 7"):
        assert name in page.text
    assert "results/x/figures/fig06.png has not been made" in page.text
    assert "does not have: 1, 2, 3, 4, 5, 8, 9" in page.text
    assert page.text.count(" is missing") == 6  # four sections, an image, a caption


def test_nothing_is_called_missing_when_all_is_there(page):
    assert "issing" not in page.text


def test_equal_inputs_give_equal_bytes(html, inputs):
    again = {k: v.copy() if isinstance(v, pd.DataFrame) else v for k, v in inputs.items()}
    assert render(**again) == html


def test_inputs_are_left_alone(inputs):
    before = {k: v.copy() for k, v in inputs.items() if isinstance(v, pd.DataFrame)}
    render(**inputs)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(frame, inputs[name])


def test_empty_tables_make_a_page(inputs):
    names = ("scorecard", "sample_complexity", "cells", "timings")
    names += ("networks_cells", "networks_sensitivities")
    page = Page(render(**{**inputs, **{name: inputs[name].iloc[:0] for name in names}}))
    assert "This preset has none of these networks." in page.text
    assert page.row_texts["scorecard"][1:] == []
    assert page.row_texts["sample-complexities"][1:] == []


def test_a_report_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "report.html"
    write_text(path, "one ε")
    assert path.read_text(encoding="utf-8") == "one ε"
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "one ε"
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]


def test_figures_are_read_and_absent_files_are_none(tmp_path):
    (tmp_path / "a.png").write_bytes(b"image")
    (tmp_path / "b.rst").write_text("Caption ε.", encoding="utf-8")
    names = ("a", "b")
    images, captions = ([tmp_path / f"{n}.{kind}" for n in names] for kind in ("png", "rst"))
    a, b = read_figures(names, images, captions)
    assert (a.png, a.caption) == (b"image", None)
    assert (b.png, b.caption) == (None, "Caption ε.")


def test_a_configuration_keeps_its_order_and_a_group_of_curves_is_one_line():
    groups = [{"net": ["lcn"], "P": {"low": 0.5, "high": 2}}]
    assert configuration_text({"preset": "x", "curves": groups, "alpha": 1}) == (
        "preset: x\ncurves:\n- net: [lcn]\n  P: {low: 0.5, high: 2}\nalpha: 1\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P*_LCN ~ s^(L/2)", "P*<sub>LCN</sub> ~ s<sup>L/2</sup>"),
        ("(s_0+1)^-L n_c", "(s<sub>0</sub>+1)<sup>−L</sup> n<sub>c</sub>"),
        ("S_{k,l}, D_(k,l), Σ_c", "S<sub>k,l</sub>, D<sub>k,l</sub>, Σ<sub>c</sub>"),
        ("C_0(s, L)", "C<sub>0</sub>(s, L)"),
        ("test_error, log_sd_pooled", "test_error, log_sd_pooled"),
        ("x_<b>", "x_&lt;b&gt;"),
        ("a^(<b>)", "a<sup>&lt;b&gt;</sup>"),
    ],
)
def test_indices_and_powers_are_set_and_all_else_is_escaped(text, expected):
    assert prose.typeset(text) == expected


def test_a_caption_that_cannot_be_read_is_refused_by_name():
    with pytest.raises(prose.CaptionError, match=r"fig99\.rst"):
        prose.caption("An *unfinished emphasis", source="fig99.rst")


def test_markdown_shows_tables_and_drops_links_to_files():
    text = "# Top\n\n| a_0 | b |\n|---|---|\n| `x_0` | [f](../f.md) [w](https://w.org) |\n"
    html = prose.markdown(text, top_heading=3)
    assert "<h3>Top</h3>" in html
    assert '<th scope="col">a<sub>0</sub></th>' in html
    assert "<code>x_0</code>" in html
    assert "f.md" not in html
    assert '<a href="https://w.org">w</a>' in html


@pytest.mark.parametrize("path", CAPTIONS, ids=lambda path: path.stem)
def test_captions_of_the_repository_can_be_shown(path):
    caption = prose.caption(path.read_text(encoding="utf-8"), source=path.name)
    if path.stem.startswith("fig"):
        assert caption.title.startswith(f"Figure {int(path.stem[3:])}.")
    assert 10 < len(caption.first_sentence) < 400
    page = Page(caption.html)
    assert not page.all("img")
    assert not page.all("object")


def test_the_deviations_of_the_repository_can_be_shown():
    text = (REPOSITORY / "docs" / "deviations.md").read_text(encoding="utf-8")
    page = Page(prose.markdown(text, top_heading=3))
    # The line under a table's header has no cells; every other line of a table is a row.
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(page.all("tr")) == len([line for line in lines if not line.startswith("|-")])


@pytest.fixture(scope="module")
def browser() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no browser here: none of {', '.join(names)} is installed")
    return found


# Writes into the page what the browser made of it.
PROBE = """<script>addEventListener("load", () => setTimeout(() => {
const say = (name, values) => {
  const e = document.createElement("output"); e.id = name; e.textContent = values.join(" ");
  document.body.append(e) };
say("widths", [...document.images].map(i => i.complete ? i.naturalWidth : -1));
say("requests", performance.getEntriesByType("resource").map(e => e.name)
  .filter(n => !n.startsWith("data:")));
const first = document.querySelector(".scorecard tbody tr").getBoundingClientRect();
say("top", [Math.round(first.bottom)]);
say("wide", [document.documentElement.scrollWidth - innerWidth]);
say("unseen", [...document.querySelectorAll("tr")].filter(r => !r.getClientRects().length)
  .map(r => r.id));
}))</script></body>"""


def test_a_browser_decodes_every_image_shows_every_row_and_asks_for_nothing(
    browser, html, inputs, tmp_path
):
    # The page's own policy would forbid the probe.
    allowed = html.replace("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'")
    probed = tmp_path / "probed.html"
    probed.write_text(allowed.replace("</body>", PROBE), encoding="utf-8")
    dom = subprocess.run(
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1366,768",
            "--virtual-time-budget=2000",
            "--dump-dom",
            probed.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    ).stdout

    def said(name: str) -> str:
        found = re.search(rf'<output id="{name}">(.*?)</output>', dom)
        assert found, f"the page did not say {name}"
        return found[1]

    assert said("widths") == "3 5 7"
    assert said("requests") == ""
    assert said("unseen") == ""
    assert int(said("top")) < 768, "the scorecard starts below the first screen"
    assert int(said("wide")) <= 0, "the page is wider than the screen"
    for row in inputs["scorecard"].to_dict("records"):
        assert f'<tr id="claim-{row["claim"]}">' in dom
    assert "<img src=x" not in dom
