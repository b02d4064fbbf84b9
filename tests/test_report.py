"""The page of a study shows all that it is given, names what is missing, needs no other file.

The tables here are invented. The last test opens the page in a headless Chromium and is skipped
where there is none.
"""

import base64
import json
import logging
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Mapping
from html.parser import HTMLParser
from math import inf, log, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from srhm.report import prose
from srhm.report.methods import configuration_text
from srhm.report.page import write_page
from srhm.report.page_table import PageTable, complexity
from srhm.report.scorecard_rows import scorecard_rows
from srhm.results.atomic import write_text
from srhm.results.records import TableError, write_table
from srhm.results.tables import (
    CELLS,
    FLOW_CELLS,
    FLOW_COMPLEXITY,
    FLOW_TIMINGS,
    SAMPLE_COMPLEXITY,
    SCHEMAS,
    SENSITIVITIES,
    TIMINGS,
)
from srhm.scorecard.card import SCHEMA as SCORECARD
from srhm.scorecard.claims import NOT_MEASURED, Claim
from srhm.scorecard.expectations import Within
from srhm.scorecard.text import verdict_counts

REPOSITORY = Path(__file__).parents[1]
LOG = logging.getLogger("test_report")
CAPTIONS = sorted((REPOSITORY / "src" / "srhm" / "studies").glob("*/captions/*.rst"))
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
        "n_seeds": 3, "n_seeds_reached": 3, "n_cells": 15, "n_diverged": 0, "n_capped": 0,
        "log_sd": 0.2, "log_se": 0.1, "dof": 2, "log_sd_pooled": False, "n_distinct": 16384.0,
        "small_pool": False, "prediction": 512.0,
    } | changes  # fmt: skip


def scorecard() -> pd.DataFrame:
    return table(
        SCORECARD,
        [
            claim("one", "reproduced"),
            claim("two", "reproduced", figure="10", value=2.35, low=-inf, high=inf),
            claim("three", "differs", value=4.0, low=3.9, high=4.1, tolerance=0.004),
            claim("four", "inconclusive", value=nan, low=nan, high=nan, n=0, note=NASTY),
            claim("five", "reproduced", expected=3.0, tolerance=nan),
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


# This module is the claims module of the invented studies.
TOPICS = {"one": "P*_LCN", "two": "P*_LCN", "three": "Other laws", "four": "Other laws",
          "five": "Networks"}  # fmt: skip
CLAIMS = tuple(
    Claim(
        name, "", topic=topic, figure="4", place="", expected=Within(2, 1), why="",
        measure=lambda tables: NOT_MEASURED,
    )
    for name, topic in TOPICS.items()
)  # fmt: skip
IMAGES = {"practice": png(width=7), "fig10": png(width=5), "fig04": png(width=3)}
WORDS = {
    "practice": "Ours.",
    "fig10": f"**Figure 10. Branching.** See Eq. 3 and *C_0*. Second sentence.\n\n{NASTY}",
    "fig04": "**Figure 4. Law.** Four.",
}


def invented_tables(tables: Mapping[str, pd.DataFrame], settings: Any) -> list[PageTable]:
    """The page_tables of an invented study."""
    return [
        PageTable(
            title=f"Exponents of {settings['preset']}",
            note="Of P*_LCN.",
            columns=("Net", "n_c", "ν"),
            rows=[["lcn", len(tables["cells"]), 1.5], [NASTY, 8, "–"]],
            words={"Net"},
            main="ν",
        ),
        PageTable(title="None at all", note="", columns=("Net",), rows=[]),
        PageTable(title="In short", note="", columns=("H",), rows=[[64]], on_top=True,
                  claims={}),
        PageTable(title="Other run, wide", note="", columns=("H",), rows=[[512]],
                  claims={"one": "2.40, open"}),
    ]  # fmt: skip


def study(name: str, folder: Path, tables: dict[str, tuple[Any, Any]], **said: Any) -> dict:
    """What a page is told of a study; its tables, claims, figures and captions are written."""
    files = {}
    for table_name, (rows, schema) in tables.items():
        file = folder / name / f"{table_name}.parquet"
        if rows is not None:
            write_table(rows, file, SCHEMAS[schema])
        files[table_name] = [[str(file), schema]]
    claims = said.pop("claims", None)
    if claims is not None:
        write_table(claims, folder / name / "claims.parquet", SCORECARD)
    figures = []
    for figure in said.pop("figures", ()):
        ends = {kind: str(folder / f"{figure}.{kind}") for kind in ("png", "pdf", "rst")}
        Path(ends["png"]).write_bytes(IMAGES[figure])
        Path(ends["rst"]).write_text(WORDS[figure], encoding="utf-8")
        figures.append({"name": figure, "title": "what it shows", "caption": ends["rst"],
                        "png": ends["png"], "pdf": ends["pdf"]})  # fmt: skip
    return {
        "name": name, "title": f"The study {name}", "figures": figures, "tables": files,
        "claims": None if claims is None else str(folder / name / "claims.parquet"),
        "claims_module": None if claims is None else __name__, "page_tables": None,
        "headline": None,
        "prose": str(folder / name / "README.md"), "absent": "", "lacks": False,
        "settings": {"preset": "quick", "threshold": 0.1}, **said,
    }  # fmt: skip


def page_of(*studies: dict, **said: Any) -> dict[str, Any]:
    configuration = {"preset": "quick", "note": NASTY}
    return {
        "page": "one", "preset": "quick", "description": NASTY, "studies": list(studies),
        "configuration": json.dumps(configuration), "pending": [], "publications": [],
        "citation": str(REPOSITORY / "CITATION.cff"), "judging": [], "deviations": [], **said,
    }  # fmt: skip


def paper(folder: Path) -> dict[str, Any]:
    """The page of the paper: two studies, claims and figures of both."""
    (cells, timings), (network_cells, sensitivities) = cells_and_timings(), networks()
    times = timings.iloc[:3].assign(curve="n", key=network_cells["key"], seconds=1.0)
    core = study(
        "sparse_hierarchy", folder,
        {"cells": (cells, "CELLS"), "timings": (timings, "TIMINGS"),
         "sample_complexity": (sample_complexity(), "SAMPLE_COMPLEXITY")},
        page_tables="srhm.studies.sparse_hierarchy.page:tables", claims=scorecard().iloc[:3],
        figures=("practice", "fig10"),
    )  # fmt: skip
    named = study(
        "named_nets", folder,
        {"cells": (network_cells, "CELLS"), "timings": (times, "TIMINGS"),
         "sensitivities": (sensitivities, "SENSITIVITIES")},
        page_tables="srhm.studies.named_nets.page:tables", claims=scorecard().iloc[3:],
        figures=("fig04",),
    )  # fmt: skip
    text = f"# Choices\n\n[file](../x.md), [web](https://example.org)\n\n{NASTY}\n"
    (folder / "deviations.md").write_text(text, encoding="utf-8")
    (folder / "named_nets" / "README.md").write_text("# VGG\n\nS_2 is *defined* so.\n")
    return page_of(core, named, page="report", deviations=[str(folder / "deviations.md")])


def written(spec: dict[str, Any], folder: Path) -> tuple[str, str, str]:
    """The page, the scorecard and the page of methods as texts."""
    files = [folder / name for name in ("page.html", "scorecard.md", "methods.html")]
    write_page(spec, *files[:2], methods=files[2], log=LOG)
    return tuple(file.read_text("utf-8") for file in files)


@pytest.fixture(scope="module")
def spec(tmp_path_factory) -> dict[str, Any]:
    return paper(tmp_path_factory.mktemp("paper"))


@pytest.fixture(scope="module")
def texts(spec, tmp_path_factory) -> tuple[str, str]:
    return written(spec, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def html(texts) -> str:
    return texts[0]


@pytest.fixture(scope="module")
def methods(texts) -> Page:
    return Page(texts[2])


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_page_loads_nothing_and_leads_to_its_methods_alone(page, html, methods):
    assert not [tag for tag, _ in page.elements if tag in {"script", "link", "iframe", "object"}]
    sources = [
        a[n] for _, a in page.elements for n in ("src", "srcset", "data", "poster") if n in a
    ]
    assert sources
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    links = {link["href"] for link in page.all("a") if not link["href"].startswith("#")}
    links = {link for link in links if not link.startswith("https://")}
    own = {f"#{name}" for _, attributes in methods.elements if (name := attributes.get("id"))}
    assert links - {"methods.html"} <= {f"methods.html{anchor}" for anchor in own}
    assert links >= {"methods.html", "methods.html#configuration", "methods.html#training"}
    back = {link["href"] for link in methods.all("a")} - own
    assert {one for one in back if not one.startswith("https://")} == {"page.html"}
    assert not re.search(r"url\(|@import", html)
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("of", ["page", "methods"])
def test_links_within_the_page_lead_somewhere_and_names_are_unique(of, request):
    page = request.getfixturevalue(of)
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")} <= set(names)
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} <= set(names)


def test_every_figure_is_there_in_the_order_of_the_paper_with_its_own_image(page):
    assert [figure["id"] for figure in page.all("figure")] == ["fig04", "fig10", "practice"]
    images = [base64.b64decode(i["src"].partition(",")[2]) for i in page.all("img")]
    assert images == [IMAGES[name] for name in ("fig04", "fig10", "practice")]


def test_the_alternative_of_a_figure_is_its_first_sentence_and_what_its_claims_say(page):
    assert [image["alt"] for image in page.all("img")] == [
        "Figure 4. Law. Four. Claims: 1 differs, 1 inconclusive, 2 reproduced.",
        "Figure 10. Branching. See Eq. 3 and C_0. Claims: 1 reproduced.",
        "Practice: what it shows Ours.",
    ]


def test_every_claim_is_a_row_under_its_verdict_what_differs_first(page):
    header, *lines = page.row_texts["scorecard"]
    assert header.startswith("The paper says")
    order = ["Differs: 1", "three", "Inconclusive: 1", "four", "Reproduced: 3", "one", "two",
             "five"]  # fmt: skip
    assert len(lines) == len(order)
    for text, name in zip(lines, order, strict=True):
        assert name in text
    rows = scorecard().set_index("claim")
    for text, name in zip(lines, order, strict=True):
        if name in rows.index:
            assert rows["verdict"][name] in text
            assert rows["note"][name] in text.replace("P*LCN", "P*_LCN")
    counts = {"reproduced": 3, "differs": 1, "inconclusive": 1}
    assert verdict_counts(scorecard()) == counts
    for word, count in counts.items():
        assert re.search(rf"{count}\s+\S\s+{word}", page.text)


def test_the_scorecard_stays_a_table_where_a_phone_shows_cards(html):
    table = html.partition('<table class="scorecard" role="table">')[2].partition("</table>")[0]
    parts = re.findall(r"<(thead|tbody|tr|t[hd])\b([^>]*)>", table)
    assert len(parts) > 30
    roles = {"thead": ["rowgroup"], "tbody": ["rowgroup"], "tr": ["row"], "td": ["cell"]}
    roles["th"] = ["columnheader", "rowheader"]
    for part, words in parts:
        found = re.findall(r'role="(\w+)"', words)
        assert found[0] in roles[part] if found else "aria-hidden" in words, (part, words)


def test_a_claim_leads_to_its_figure(html):
    claims = html.partition('<section id="scorecard"')[2].partition("</section>")[0]
    links = re.findall(r'<a href="(#fig\d+)">', claims)
    assert sorted(links) == ["#fig04"] * 4 + ["#fig10"]


def test_a_figure_leads_to_the_claims_that_expect_a_number_of_it(html):
    chips = {
        name: re.findall(r'<li><a href="#claim-(\w+)"', part.partition("</ul>")[0])
        for name, part in re.findall(r'<figure id="(\w+)">(.*?)</figure>', html, re.DOTALL)
    }
    of = scorecard().set_index("claim")["figure"]
    numbers = {"fig04": "4", "fig10": "10"}
    assert {name: sorted(found) for name, found in chips.items()} == {
        name: sorted(claim for claim, figure in of.items()
                     if figure.split()[0] == numbers.get(name)) for name in chips
    }  # fmt: skip
    assert chips["fig04"]


def test_the_scorecard_is_written_as_text_too(texts):
    text = texts[1]
    assert text.startswith("5 claims: 3 reproduced, 1 differs, 1 inconclusive.")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        *dict.fromkeys(TOPICS.values()),
        "Notes",
    ]
    assert "the paper says" in text


def test_numbers_of_a_claim_are_rounded_by_its_tolerance_and_unknown_ones_say_so(page):
    _, _, three, _, four, _, one, two, five = page.row_texts["scorecard"]
    assert "2.10 ± 0.10" in one
    assert "2.10 [1.90, 2.30]" in one
    assert "unknown" in two
    assert "4.00 ± 0.05" in three
    assert "not measured" in four
    assert "< 3" in five


def test_a_strip_is_cut_at_its_ends_and_says_so():
    strip = scorecard_rows(table(SCORECARD, [claim("x", "reproduced", low=0.0, high=inf)]))[0][
        "strip"
    ]
    assert (strip.low, strip.high) == (-3, 3)
    assert (strip.cut_low, strip.cut_high) == (True, True)
    assert strip.value == pytest.approx(0.1 / 0.35)


def test_an_upper_bound_is_drawn_as_a_band_below_it():
    bound = claim("x", "reproduced", expected=0.5, tolerance=nan, value=0.25, low=0.2, high=0.6)
    strip = scorecard_rows(table(SCORECARD, [bound]))[0]["strip"]
    assert strip.band == (-3, 0)
    assert (strip.value, strip.low, strip.high) == pytest.approx((-0.5, -0.6, 0.2))


def test_a_number_that_would_be_rounded_onto_a_bound_has_another_digit():
    near = {"expected": 0.5, "tolerance": nan, "value": 0.546, "low": 0.504, "high": 0.593}
    (row,) = scorecard_rows(table(SCORECARD, [claim("x", "differs", **near)]))
    assert row["measured_text"] == "0.546 [0.504, 0.593]"


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((527.04, 321.51, 863.96), "527 [322, 864]"),
        ((2.026, 0.162, 25.49), "2.03 [0.16, 25.5]"),
        # Three digits would be the bound.
        ((15.97, 14.052, 17.9), "15.97 [14.1, 17.9]"),
        ((9.1e-7, 7.6e-7, 10.6e-7), "(9.1 [7.6, 10.6])·10⁻⁷"),
        ((9.96e-6, 9.93e-6, 9.99e-6), "(1.0 [1.0, 1.0])·10⁻⁵"),
        ((2673.0, 1388.4, 5146.2), "2673 [1388, 5146]"),
        ((-2.1e-5, -3.7e-5, -5e-6), "(−2.1 [−3.7, −0.5])·10⁻⁵"),
        ((0.0, 0.0, 0.0), "0.00 [0.00, 0.00]"),
        ((125.0, nan, nan), "125 [unknown]"),
    ],
)
def test_large_numbers_have_few_decimals_and_small_ones_a_power_of_ten(numbers, text):
    found = dict(zip(("value", "low", "high"), numbers, strict=True))
    row = claim("x", "reproduced", expected=16.0, tolerance=inf, **found)
    (shown,) = scorecard_rows(table(SCORECARD, [row]))
    assert shown["measured_text"] == text


def test_a_small_factor_keeps_its_sign():
    found = {"value": log(2e-6), "low": log(1e-6), "high": log(3e-6)}
    row = claim("x", "differs", scale="factor", expected=0.0, tolerance=log(1.4), **found)
    (shown,) = scorecard_rows(table(SCORECARD, [row]))
    assert shown["measured_text"] == "×(2.0 [1.0, 3.0])·10⁻⁶"


def test_a_logarithm_of_a_ratio_is_shown_as_a_factor():
    of_log = {"expected": 0.0, "tolerance": log(1.4), "value": log(2), "low": 0.5, "high": 0.9}
    rows = [claim("x", "differs", scale=scale, **of_log) for scale in ("factor", "plain")]
    first, second = scorecard_rows(table(SCORECARD, rows))
    assert first["expected_text"] == "×1 within ×1.4"
    assert first["measured_text"] == "×2.00 [1.65, 2.46]"
    assert (second["expected_text"], second["measured_text"]) == (
        "0 ± 0.336",
        "0.69 [0.50, 0.90]",
    )


def test_this_run_stands_beside_the_paper_above_the_scorecard(page):
    header, ours, paper = page.row_texts["this-run-and-the-paper"]
    assert header.startswith("Networks ofWidth HvSeedsBatch")
    assert ours.startswith("this run64")
    assert paper.startswith("the paper512")


def test_every_curve_is_one_row_and_censored_values_are_bounds(methods):
    header, lcn, cnn = methods.row_texts["sample-complexities"]
    assert "P* at ε ≤ 30\u00a0%" in header
    assert "P* at S2" in header
    assert lcn.startswith("LCN")
    assert "1\u202f210" in lcn
    assert "885 to 1\u202f660" in lcn
    assert "2.37" in lcn
    assert "< 543" in lcn
    assert "> 2\u202f048" in cnn
    assert "1\u202f210 (40\u00a0%)" in cnn
    for remark in (
        "whitened inputs",
        "small pool",
        "2 of 15 networks left out (diverged or collapsed)",
    ):
        assert remark in cnn


def test_training_counts_every_network_by_status_with_its_time(methods):
    rows = methods.row_texts["training"]
    head, lcn, named_head, vgg, _, *machines, version_head, core, named = rows
    assert head.startswith("NetLWidthEngineNetworksfittedcappeddiverged")
    assert named_head == head
    assert lcn == "LCN264sparse42114\u202f0001.0 s4\u202f000"
    assert vgg == "vgg11216torch3111303.0 s10"
    assert version_head == "PackagesDigest of the sourceNetworks"
    assert "python 3.11, numpy 2.4abc4" in (core, named)
    assert len(machines) == 1


def test_every_named_network_has_a_row_at_each_size(methods):
    header, diverged, learnt = methods.row_texts["vgg-resnet-efficientnet"]
    assert header.startswith("NetworkvWidthBatchRatePεS, 20\u00a0%")
    # Layers 2, 5, 7 of eight, and the output, of S and of D.
    values = "0.2000.5000.7000.900" + "1.2001.5001.7001.900"
    assert learnt == "vgg11416320.011000.200" + values + "21 of 2 capped"
    assert diverged == "vgg11416320.0130" + 9 * "–" + "11 of 1 diverged"


def test_a_page_before_its_end_says_what_is_still_being_made(spec, tmp_path):
    core, named = spec["studies"]
    so_far = {**spec, "studies": [core], "pending": [named["title"]]}
    page = Page(written(so_far, tmp_path)[0])
    assert "Not complete yet. Still being trained: The study named_nets." in page.text
    assert "report.html takes the place of this page" in page.text
    assert "does not have" not in page.text
    assert "issing" not in page.text


def test_nasty_strings_stay_text(texts, methods):
    html, both = texts[0], texts[0] + texts[2]
    assert "<script" not in both
    assert "<img src=x" not in both
    assert both.count("&lt;script&gt;") >= 5  # description, note, host, configuration, documents
    assert "{{ 7 * 7 }}" in html
    assert configuration_text({"preset": "quick", "note": NASTY}) in methods.text


def test_what_is_missing_is_named(spec, tmp_path):
    core, named = spec["studies"]
    files = {name: [[str(tmp_path / f"{name}.parquet"), schema]]
             for name, [[_, schema]] in core["tables"].items()}  # fmt: skip
    lost = {"png": "results/x/fig10.png", "caption": "results/x/fig10.rst"}
    figures = [core["figures"][0], core["figures"][1] | lost]
    absent = {**core, "tables": files, "claims": str(tmp_path / "claims"), "figures": figures}
    page = Page(written({**spec, "studies": [absent, named]}, tmp_path)[0])
    note = next(line for line in page.text.splitlines() if "Missing from this page" in line)
    named_there = [f"table sparse_hierarchy/{name}" for name in files]
    named_there += ["claims of sparse_hierarchy", "image of Figure 10", "caption of Figure 10"]
    assert all(name in note for name in named_there)
    assert "named_nets" not in note
    assert [figure["id"] for figure in page.all("figure")] == ["fig04", "practice"]
    assert "does not have: 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17" in page.text
    assert "All 2 claims" in page.text


def test_a_damaged_table_is_no_missing_one(spec, tmp_path):
    core, named = spec["studies"]
    (tmp_path / "cells").write_bytes(b"no table")
    damaged = core | {"tables": core["tables"] | {"cells": [[str(tmp_path / "cells"), "CELLS"]]}}
    with pytest.raises(TableError, match="damaged"):
        written({**spec, "studies": [damaged, named]}, tmp_path)
    assert not (tmp_path / "page.html").exists()


def test_nothing_is_called_missing_when_all_is_there(page):
    assert "issing" not in page.text


def test_equal_inputs_give_equal_bytes(texts, spec, tmp_path):
    assert written(json.loads(json.dumps(spec, sort_keys=True)), tmp_path) == texts


def test_empty_tables_make_a_page(tmp_path):
    tables = {
        name: (pd.DataFrame(columns=SCHEMAS[schema].names), schema)
        for name, schema in (("cells", "CELLS"), ("timings", "TIMINGS"),
                             ("sample_complexity", "SAMPLE_COMPLEXITY"),
                             ("sensitivities", "SENSITIVITIES"))
    }  # fmt: skip
    modules = ("sparse_hierarchy", "named_nets")
    studies = [
        study(name, tmp_path, tables, page_tables=f"srhm.studies.{name}.page:tables",
              claims=scorecard().iloc[:0])
        for name in modules
    ]  # fmt: skip
    html, _, of_methods = written(page_of(*studies), tmp_path)
    page, methods = Page(html), Page(of_methods)
    assert methods.text.count("None here.") == 6  # two tables, training of both, machines, versions
    assert page.row_texts == {"scorecard": page.row_texts["scorecard"][:1]}
    assert "All 0 claims" in page.text


def flow_tables() -> dict[str, tuple[pd.DataFrame, str]]:
    """A CNN by the flow, and layer by layer with SGD; P* of one, as a bound."""
    cells = [
        {"curve": name, "key": name, "net": "cnn", "optimiser": name, "status": "capped",
         "evaluations": 1200, "versions": "torch 2", "source": "abc"}
        for name in ("flow", "sgd")
    ]  # fmt: skip
    timings = [{"curve": "flow", "key": "flow", "seconds": 2.0, "evaluations": 1200, "host": "h",
                "processor": "p", "threads": 1}]  # fmt: skip
    complexities = [
        {"net": "cnn", "L": 2, "s0": 1, "v": 3, "m": 3, "width": 4, "alpha_tilde": 0.1,
         "training": "end_to_end", "criterion": criterion, "threshold": 0.3, "P_star": nan,
         "P_star_low": 48.0, "P_star_high": inf, "status": "not_reached", "n_seeds": 2,
         "n_seeds_reached": 0, "prediction": prediction}
        for criterion, prediction in (("end_kernel", 108.0), ("S_2", 0.0))
    ]  # fmt: skip
    return {
        "cells": (table(FLOW_CELLS, cells), "FLOW_CELLS"),
        "timings": (table(FLOW_TIMINGS, timings), "FLOW_TIMINGS"),
        "sample_complexity": (table(FLOW_COMPLEXITY, complexities), "FLOW_COMPLEXITY"),
    }


def test_the_page_of_one_study_has_its_title_tables_and_definitions(tmp_path):
    one = study("layerwise", tmp_path, flow_tables(), figures=("practice",),
                page_tables="srhm.report.complexities:complexity_tables")  # fmt: skip
    (tmp_path / "layerwise" / "README.md").write_text(
        "# Layers\n\nIs it *so*?\n\nMore.\n\n<!-- short: x -->\nOld.\n<!-- end -->\n\n"
        "## Settings\n\nBy *half*.\n\n## What was found in `quick`\n\nIt *is*.\n\n"
        "## Not shown\n\nMuch.\n"
    )
    html, text, of_methods = written(page_of(one), tmp_path)
    page = Page(of_methods)
    assert "<h1>The study layerwise: preset <code>quick</code></h1>" in html
    header, kernel, sensitivity = page.row_texts["sample-complexities-against-α"]
    assert header.startswith("NetLs0vmWidthα̃TrainingOfP*")
    assert kernel == "CNN213340.1end to endε of the final kernel ≤ 30\u00a0%> 481080 of 2"
    assert sensitivity == "CNN213340.1end to endS2 ≤ 30\u00a0%> 48–0 of 2"
    header, flow, sgd, everything, *_ = page.row_texts["training"]
    assert header.startswith("NetOptimiserNetworksfittedcappeddivergedGradient evaluations")
    assert flow == "CNNflow10101\u202f2002.0 s600"
    assert sgd == "CNNsgd10101\u202f2000.0 s–"
    assert everything == "All20202\u202f4002.0 s600"
    assert "The time of 1 networks is unknown." in page.text
    assert html.index("<p>Is it <em>so</em>?</p>") < html.index('<figure id="practice">')
    found = "<h3>What was found in <code>quick</code></h3>\n<p>It <em>is</em>.</p>"
    assert html.index('<figure id="practice">') < html.index(found)
    conventions = r"<p>More.</p>\n<h4>Settings</h4>.*<h4>Not shown</h4>\n<p>Much.</p>"
    assert re.search(conventions, of_methods, re.DOTALL)
    assert "Old." not in html + of_methods
    assert "What was found" not in of_methods
    assert not [name for name in ("scorecard", "deviations") if f'id="{name}"' in html]
    assert "no claims" in text


def test_tables_of_any_study_are_shown_with_headings_and_their_main_column_in_bold(tmp_path):
    tables = {"cells": (cells_and_timings()[0], "CELLS")}
    of = f"{__name__}:invented_tables"
    one = study("any", tmp_path, tables, page_tables=of, absent="No images\nare here.")
    first, _, html = written(page_of(one), tmp_path)
    page = Page(html)
    assert '<h2 id="exponents-of-quick-title">Exponents of quick</h2>' in html
    assert "Of P*<sub>LCN</sub>." in html
    assert '<th scope="col">n<sub>c</sub></th>' in html
    assert page.row_texts["exponents-of-quick"][1] == "lcn41.5"
    assert "<strong>1.5</strong>" in html
    assert '<th scope="row" class="text">lcn</th>' in html
    assert "None here." in page.text
    assert "The study any: No images" in Page(first).text
    assert 'id="training"' not in html


def test_a_table_stands_above_the_scorecard_and_another_says_something_of_a_claim(tmp_path):
    tables = {"cells": (cells_and_timings()[0], "CELLS")}
    one = study("any", tmp_path, tables, page_tables=f"{__name__}:invented_tables",
                claims=scorecard().iloc[:3])  # fmt: skip
    html, _, _ = written(page_of(one), tmp_path)
    assert html.index('aria-label="In short"') < html.index('<section id="scorecard"')
    assert html.count('<a href="methods.html#other-run-wide">Other run</a>: 2.40, open') == 1


def test_what_a_later_study_lacks_stands_at_its_first_figure(spec, tmp_path):
    core, named = ({**one, "absent": f"No {one['name']}."} for one in spec["studies"])
    html, *_ = written({**spec, "studies": [core, named]}, tmp_path)
    assert html.index("No sparse_hierarchy.") < html.index('<section id="scorecard"')
    assert html.index('<figure id="fig04">') < html.index("No named_nets.")
    assert html.index("No named_nets.") < html.index('<figure id="fig10">')


@pytest.mark.parametrize("wrong", [{"rows": [[1]]}, {"words": {"c"}}, {"main": "c"}])
def test_a_table_whose_rows_or_names_do_not_fit_its_columns_is_refused(wrong):
    with pytest.raises(ValueError, match="'T'"):
        PageTable(**{"title": "T", "note": "", "columns": ("a", "b"), "rows": [[1, 2]]} | wrong)


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "page.html"
    write_text(path, "one ε")
    assert path.read_text(encoding="utf-8") == "one ε"
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "one ε"
    assert [file.name for file in path.parent.iterdir()] == ["page.html"]


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
        (
            "S_k,l of S_2,1, S_2,D_2",
            "S<sub>k,l</sub> of S<sub>2,1</sub>, S<sub>2</sub>,D<sub>2</sub>",
        ),
        ("P^0.49, W_∥^2, N_Δ/N", "P<sup>0.49</sup>, W<sub>∥</sub><sup>2</sup>, N<sub>Δ</sub>/N"),
        ("C_0(s, L)", "C<sub>0</sub>(s, L)"),
        ("test_error, log_sd_pooled", "test_error, log_sd_pooled"),
        ("x_<b>", "x_&lt;b&gt;"),
        ("a^(<b>)", "a<sup>&lt;b&gt;</sup>"),
    ],
)
def test_indices_and_powers_are_set_and_all_else_is_escaped(text, expected):
    assert prose.typeset(text) == expected


def test_commands_are_code_and_all_else_is_escaped():
    made = prose.commands("`make <x>` & `srhm`, a ` alone")
    assert made == "<code>make &lt;x&gt;</code> &amp; <code>srhm</code>, a ` alone"


def test_a_caption_that_cannot_be_read_is_refused_by_name():
    with pytest.raises(prose.CaptionError, match=r"fig99\.rst"):
        prose.caption("An *unfinished emphasis", source="fig99.rst")


def test_markdown_shows_tables_and_drops_links_to_files():
    text = "# Top\n\n| a_0 | b |\n|---|---|\n| `x_0` | [f](../f.md) [w](https://w.org) |\n"
    html = prose.markup(text, top_heading=3)
    assert "<h3>Top</h3>" in html
    assert '<th scope="col">a<sub>0</sub></th>' in html
    assert "<code>x_0</code>" in html
    assert "f.md" not in html
    assert '<a href="https://w.org">w</a>' in html


@pytest.mark.parametrize("path", CAPTIONS, ids=lambda path: path.stem)
def test_captions_of_the_repository_can_be_shown(path):
    caption = prose.caption(path.read_text(encoding="utf-8"), source=path.name)
    if path.stem.startswith("fig"):
        assert re.match(rf"Figure {int(path.stem[3:5])}( [A-Z, ]+)?\.", caption.title)
    assert 10 < len(caption.first_sentence) < 400
    page = Page(caption.html)
    assert not page.all("img")
    assert not page.all("object")


def test_a_page_with_claims_leads_to_how_they_are_judged(tmp_path):
    spec = paper(tmp_path)
    judging = [str(REPOSITORY / "docs" / "claims.md")]
    html, _, of_methods = written({**spec, "judging": judging}, tmp_path)
    assert html.count('href="methods.html#how-a-claim-is-tested"') >= 2
    assert '<section id="how-a-claim-is-tested"' in of_methods
    assert "<h2>How a claim is tested</h2>" in of_methods
    assert "Three intervals" not in Page(of_methods).text
    assert "<span>First and present rules</span>" in of_methods
    deviations = [str(REPOSITORY / "docs" / "deviations.md")]
    *_, of_both = written({**spec, "judging": judging, "deviations": deviations}, tmp_path)
    assert '<a href="#first-and-present-rules">First and present rules</a>' in of_both
    assert '<h4 id="first-and-present-rules">First and present rules</h4>' in of_both
    without, _, _ = written(spec, tmp_path)
    assert "how-a-claim-is-tested" not in without


def test_a_claim_shows_its_error_its_distances_its_interval_and_what_the_authors_points_give(
    tmp_path,
):
    own = scorecard().iloc[:1].assign(
        verdict="differs", expected=2.0, tolerance=0.35, value=2.5, low=2.402, high=2.598,
        authors_value=2.4, authors_low=nan, authors_high=nan,
    )  # fmt: skip
    html, text, _ = written(page_of(study("any", tmp_path, {}, claims=own)), tmp_path)
    cells = re.findall(r'<td role="cell" class="number nowrap">(.*?)</td>', html)
    assert cells == ["2.50 ± 0.05", "2 ± 0.35", "+10.0; +1.43"]
    assert '<span class="badge differs">' in html
    for told in (Page(html).text, text):
        words = " ".join(told.split())
        assert "2.50 [2.40, 2.60]; the authors' points differ, too: 2.40 [unknown]" in words


def test_the_deviations_of_the_repository_can_be_shown():
    text = (REPOSITORY / "docs" / "deviations.md").read_text(encoding="utf-8")
    page = Page(prose.markup(text, top_heading=3))
    # The line under a table's header has no cells; every other line of a table is a row.
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(page.all("tr")) == len([one for one in lines if not re.match(r"\|\s*-", one)])
    assert "make readme" not in page.text


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
say("top", [...document.querySelectorAll(".counts, figure")].slice(0, 2)
  .map(e => Math.round(e.getBoundingClientRect().top)));
say("wide", [document.documentElement.scrollWidth - innerWidth]);
say("unseen", [...document.querySelectorAll("#scorecard tr")]
  .filter(r => !r.getClientRects().length)
  .map(r => r.id));
document.querySelector("#only-reproduced").click();
say("held", [...document.querySelectorAll("tr.claim")].filter(r => r.getClientRects().length)
  .map(r => r.id));
}))</script></body>"""


def test_a_browser_decodes_every_image_shows_every_row_and_asks_for_nothing(
    browser, html, tmp_path
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
    counts, figure = map(int, said("top").split())
    assert counts < 768, "the verdicts are counted below the first screen"
    assert figure < 2 * 768, "the first figure is below the second screen"
    # One count shows its claims alone.
    assert said("held") == "claim-one claim-two claim-five"
    assert int(said("wide")) <= 0, "the page is wider than the screen"
    for row in scorecard().to_dict("records"):
        assert f'<tr id="claim-{row["claim"]}" class="claim' in dom
    assert "<img src=x" not in dom


def test_a_curve_whose_seeds_are_censored_on_both_sides_has_no_bound():
    row = {"P_star": nan, "P_star_low": 0.0, "P_star_high": inf}
    assert complexity({**row, "status": "below_range"}) == "unknown"
    assert complexity({**row, "status": "not_reached"}) == "unknown"
    assert complexity({**row, "status": "below_range", "P_star_high": 977.8}) == "< 977"
