"""The documentation is built without a warning, with a page for all that is public.

Skipped where Sphinx is not: `make env-docs` installs it beside the environment.
"""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from srhm.planning.registry import STUDIES, file_of_study

ROOT = Path(__file__).parents[1]
SPHINX = ROOT / ".venv" / "docs"
PACKAGES = ("model", "networks", "statistics", "experiments")
LIBRARY = ("data", "torch_data", "transforms", "learning_curve", "sensitivity", "tangent_kernel",
           "deformations")  # fmt: skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SPHINX / "package.stamp").is_file(), reason="needs `make env-docs`"),
    pytest.mark.xdist_group("documentation"),
]


def sphinx(source, made, *options):
    """What Sphinx says with the settings of the documentation; a warning is an error."""
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", *options]
    return subprocess.run(
        [*command, "--conf-dir", ROOT / "docs", source, made],
        env={**os.environ, "PYTHONPATH": str(SPHINX)},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Folder of the pages."""
    made = tmp_path_factory.mktemp("pages")
    done = sphinx(ROOT, made)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


class Anchors(HTMLParser):
    """Links of a page, and the names that it can be entered at."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names.add(found.get("id"))
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def test_no_link_leads_nowhere(pages):
    read = {page.resolve(): Anchors(page.read_text()) for page in pages.rglob("*.html")}
    for page, anchors in read.items():
        for link in anchors.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert there.is_file(), f"{page}: {link}"
            if there in read:
                assert unquote(parts.fragment) in read[there].names, f"{page}: {link}"


def test_every_study_document_and_tutorial_has_a_page(pages):
    documents = [ROOT / "README.md", ROOT / "config" / "README.md", *ROOT.glob("docs/*.md")]
    documents += [ROOT / file_of_study(study) for study in STUDIES]
    documents += ROOT.glob("docs/tutorials/*.py")
    contents = (pages / "docs" / "index.html").read_text()
    for document in documents:
        page = document.relative_to(ROOT).with_suffix(".html")
        assert (pages / page).is_file(), page
        assert os.path.relpath(page, "docs") in contents or page.stem == "index", page
        if page.parent.stem == "tutorials":  # they lead to each other, and to no file alone
            assert "_downloads" not in (pages / page).read_text(), page
    for file in (ROOT / "src").rglob("methods.md"):
        assert (pages / file.relative_to(ROOT).with_suffix(".html")).is_file(), file
    places = [contents.index(f"/{study}/README") for study in STUDIES]
    assert places == sorted(places)  # as they are shown elsewhere


def test_every_public_module_is_in_the_reference(pages):
    modules = [f"srhm.{name}" for name in (*LIBRARY, "declare.study")]
    for package in PACKAGES:
        files = (ROOT / "src" / "srhm" / package).glob("[!_]*.py")
        modules += [f"srhm.{package}.{file.stem}" for file in files]
    reference = "".join(page.read_text() for page in pages.glob("docs/reference/*.html"))
    assert [name for name in modules if f'id="module-{name}"' not in reference] == []


def test_a_link_into_nothing_ends_the_build(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    options = ["-D", "root_doc=index", "-D", "include_patterns=index.md"]
    for text, code in (("# Title\n\n[there](index.md)\n", 0), ("# Title\n\n[there](no.md)\n", 1)):
        (source / "index.md").write_text(text)
        done = sphinx(source, tmp_path / "made", *options)
        assert done.returncode == code, done.stdout + done.stderr
