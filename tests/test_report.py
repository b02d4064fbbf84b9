"""The page of a study shows all that it is given, names what is missing, needs no other file.

The tables here are invented. The last test opens the page in a headless Chromium and is skipped
where there is none.
"""

import json
import logging
import re
from html.parser import HTMLParser
from io import BytesIO
from math import inf, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from markup import wrong
from PIL import Image

from srhm.report import prose
from srhm.report.methods import configuration_text
from srhm.report.page import write_page
from srhm.scorecard.card import SCHEMA as SCORECARD
from srhm.scorecard.claims import NOT_MEASURED, Claim
from srhm.scorecard.expectations import Within
from srhm.store.records import write_table
from srhm.store.tables import CELLS, SCHEMAS, TIMINGS

REPOSITORY = Path(__file__).parents[1]
LOG = logging.getLogger("test_report")
# This module is the claims module of the invented studies.
TOPICS = {"one": "P*_LCN", "two": "P*_LCN", "three": "Other laws", "four": "Other laws",
          "five": "Networks"}  # fmt: skip
CLAIMS = tuple(
    Claim(name, "", topic=topic, figure="4", place="", expected=Within(2, 1), why="",
          measure=lambda tables: NOT_MEASURED)
    for name, topic in TOPICS.items()
)  # fmt: skip
CAPTIONS = sorted((REPOSITORY / "src").rglob("captions/*.rst"))
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


def png(*, width: int) -> bytes:
    """A grey image of so many pixels."""
    image = BytesIO()
    Image.new("L", (width, 2), 128).save(image, "PNG")
    return image.getvalue()


def table(schema: Any, invented: list[dict[str, Any]]) -> pd.DataFrame:
    assert {name for row in invented for name in row} <= set(schema.names)
    return pd.DataFrame(invented, columns=schema.names)


def claim(identifier: str, verdict: str, **changes: Any) -> dict[str, Any]:
    return {
        "claim": identifier, "figure": "4 B", "statement": "P*_LCN ~ s^(L/2) n_c",
        "place": "Eq. 3, section 4", "expected": 2.0, "value": 2.1, "low": 1.9, "high": 2.3, "n": 9,
        "tolerance": 0.35, "tolerance_reason": "below 0.5", "verdict": verdict, "note": "9 curves",
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


IMAGES = {"practice": png(width=7), "fig10": png(width=5), "fig04": png(width=3)}
WORDS = {
    "practice": "Ours.",
    "fig10": f"**Figure 10. Branching.** See Eq. 3 and *C_0*. Second sentence.\n\n{NASTY}",
    "fig04": "**Figure 4. Law.** Four.",
}


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
        "configuration": json.dumps(configuration), "publications": [],
        "citation": str(REPOSITORY / "CITATION.cff"), "judging": [], "deviations": [], **said,
    }  # fmt: skip


def paper(folder: Path) -> dict[str, Any]:
    """The page of the paper: two studies, claims and figures of both."""
    cells, timings = cells_and_timings()
    core = study(
        "sparse_hierarchy", folder, {"cells": (cells, "CELLS"), "timings": (timings, "TIMINGS")},
        claims=scorecard().iloc[:3], figures=("practice", "fig10"),
    )  # fmt: skip
    named = study("named_nets", folder, {}, claims=scorecard().iloc[3:], figures=("fig04",))
    text = f"# Choices\n\n[file](../x.md), [web](https://example.org)\n\n{NASTY}\n"
    (folder / "deviations.md").write_text(text, encoding="utf-8")
    (folder / "named_nets" / "README.md").write_text("# VGG\n\n**Question.** Why?\n\nSo.\n")
    (folder / "named_nets" / "methods.md").write_text("# VGG\n\nS_2 is *defined* so.\n")
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
    beside = {
        "methods.html",
        "index.html",
        *(link for link in links if re.match(r"figures/\w+\.", link)),
    }
    assert links - beside <= {f"methods.html{anchor}" for anchor in own}
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


def test_equal_inputs_give_equal_bytes(texts, spec, tmp_path):
    assert written(json.loads(json.dumps(spec, sort_keys=True)), tmp_path) == texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P*_LCN ~ s^(L/2)", "P*<sub>LCN</sub> ~ s<sup>L/2</sup>"),
        ("(s_0+1)^-L n_c", "(s<sub>0</sub>+1)<sup>−L</sup> n<sub>c</sub>"),
        ("S_{k,l}, D_(k,l), Σ_c", "S<sub>k,l</sub>, D<sub>k,l</sub>, Σ<sub>c</sub>"),
        ("test_error, log_sd_pooled", "test_error, log_sd_pooled"),
        ("a^(<b>)", "a<sup>&lt;b&gt;</sup>"),
    ],
)
def test_indices_and_powers_are_set_and_all_else_is_escaped(text, expected):
    assert prose.typeset(text) == expected


def test_captions_of_the_repository_can_be_shown():
    for path in CAPTIONS:
        caption = prose.caption(path.read_text(encoding="utf-8"), source=path.name)
        if path.stem.startswith("fig"):
            assert re.match(rf"Figure {int(path.stem[3:5])}( [A-Z, ]+)?\.", caption.title), path
        assert 10 < len(caption.first_sentence) < 400, path
        assert not Page(caption.html).all("img"), path


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 2], ids=["results", "methods"])
def test_a_page_has_no_wrong_markup_and_no_barrier(texts, n, tmp_path):
    assert wrong(texts[n], tmp_path) == []
