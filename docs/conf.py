"""How Sphinx makes the documentation (`make docs`) of the repository's Markdown and docstrings.

The folder of the sources is the repository, so that links between its documents stay as they are.
"""

import pkgutil
import re
import sys
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Any

from docutils import nodes
from jinja2 import Template
from sphinx import addnodes
from sphinx.application import Sphinx

from srhm.report.prose import set_indices

sys.path.insert(0, str(Path(__file__).parent))
from pages.docs_tables import with_tables

from srhm.planning.registry import STUDIES, file_of_study

ROOT = Path(__file__).resolve().parents[1]

project = "Sparse Random Hierarchy Model"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/tutorials/*.py",
    "[bcpr]*/README.md",
    "src/**/README.md",
    "src/**/methods.md",
]
exclude_patterns = [".*", "build", "data", "results", "tests"]
source_suffix = {".md": "markdown", ".py": "markdown"}

myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
viewcode_follow_imported_members = False  # their way back would lead to the wrong page
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = project
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # a page from disk may read no other
html_extra_path = ["front"]
html_static_path = ["static"]
html_css_files = ["page.css"]
html_js_files = ["sort.js"]
smartquotes = False
highlight_language = "none"  # formulas and commands are no Python

# What stays as it stands in a docstring: the first words of what napoleon has made of `Raises:` and
# `Args:`, code, and a name that has a word behind an underscore, which is no index.
FIXED = re.compile(r"(^:\w+ [^:\n]*:|`[^`]+`|(?<![\w.])[A-Za-z]\w*_[a-z]\w+\b)", re.MULTILINE)
# An array, as Sphinx writes its type.
ARRAY = re.compile(r"~?(?:numpy\.)?ndarray\[tuple\[[^\[\]]*\], ~?(?:numpy\.)?dtype\[([^\[\]]*)\]\]")
# A link to a page of `html_extra_path`, which lies in the folder of all pages.
EXTRA = re.compile(r"\[([^\]]+)\]\(([^)\s]*\bfront/(\w+\.html))\)")
# A picture and its form for a phone or for the dark: Sphinx copies images of Markdown alone.
PICTURE = re.compile(
    r'<picture>\n<source media="\(([a-z-]+): [^"]*" srcset="([^"]*)">\n'
    r'<img src="([^"]*)" alt="([^"]*)">\n</picture>'
)
CLASSES = {
    "max-width": ("on-desktop", "on-phone"),
    "prefers-color-scheme": ("only-light", "only-dark"),
}
SOURCE_FILE = re.compile(r"\[([^\]]+)\]\(((?!\S*tutorials/)[^)\s]+\.py)\)")


def as_markdown(app: Sphinx, document: str, source: list[str]) -> None:
    """Tutorials, Python in the percent format, and pages with a loop or a table, as Markdown."""
    if document.startswith("docs/tutorials/"):
        _, *cells = re.split(r"^# %%", source[0], flags=re.MULTILINE)
        source[0] = "\n\n".join(map(_cell, cells))
    elif document.startswith("docs/reference/") or document == root_doc:
        source[0] = Template(source[0]).render(
            modules=modules, studies=[file_of_study(one).removesuffix(".md") for one in STUDIES]
        )
    elif document.endswith("/methods"):  # which its study's page leads to
        source[0] = f"---\norphan: true\n---\n\n{source[0]}"
    source[0] = with_tables(source[0])
    source[0] = PICTURE.sub(_both, source[0])
    up = "../" * document.count("/")
    source[0] = EXTRA.sub(rf'<a href="{up}\3">\1</a>', source[0])
    if not document.startswith("docs/tutorials/"):  # which lead to each other
        source[0] = SOURCE_FILE.sub(r"{download}`\1 <\2>`", source[0])


def _both(picture: re.Match[str]) -> str:
    media, other, usual, words = picture.groups()
    one, two = CLASSES[media]
    return f"![{words}]({usual}){{.{one}}}![{words}]({other}){{.{two}}}"


def _cell(text: str) -> str:
    head, _, body = text.partition("\n")
    if head.strip() == "[markdown]":
        return re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip()
    return f"```python\n{body.strip()}\n```"


def modules(package: str) -> list[str]:
    """Names of the modules of a package, in the order of the alphabet."""
    return [
        f"{package}.{one.name}" for one in pkgutil.iter_modules(import_module(package).__path__)
    ]


def as_restructured_text(
    app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]
) -> None:
    """A docstring of this project, plain text with indented formulas, as Sphinx reads it."""
    blocks = re.split(r"\n\n+", "\n".join(lines).strip())
    lines[:] = [*"\n\n".join(map(_block, blocks)).splitlines(), ""]


def _block(text: str) -> str:
    if all(line.startswith("    ") for line in text.splitlines()):
        return f"::\n\n{text}"
    if text.startswith(">>> "):
        return f".. code-block:: pycon\n\n{indent(text, '   ')}"
    parts = FIXED.split(text)
    parts[::2] = [re.sub(r"([\\*|_])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [part if part[0] == ":" else _code(part.strip("`")) for part in parts[1::2]]
    return "".join(parts)


def _code(text: str) -> str:
    """Code with nothing that is seen on both sides, since a bracket may follow."""
    linked = re.fullmatch(r"srhm(\.\w+)+", text)
    return f"\\ :py:obj:`{text}`\\ " if linked else f"\\ ``{text}``\\ "


def short_types(
    app: Sphinx, what: str, name: str, of: Any, options: Any, signature: str, returned: str
) -> tuple[str | None, str | None]:
    """Types of arrays as they stand in the sources."""
    arguments, result = (one and ARRAY.sub(r"NDArray[\1]", one) for one in (signature, returned))
    return arguments, result


def with_indices(app: Sphinx, document: nodes.document) -> None:
    """Sets indices and powers in prose: a signature has names, and so has a list of arguments."""
    for part in list(document.findall(nodes.Element)):
        if isinstance(part, (nodes.paragraph, nodes.title)):
            for name in list(part.findall(addnodes.literal_strong)):
                name.replace_self(nodes.strong("", "", nodes.literal("", name.astext())))
            set_indices(part)


def setup(app: Sphinx) -> None:
    app.connect("source-read", as_markdown)
    app.connect("autodoc-process-docstring", as_restructured_text, priority=600)
    app.connect("autodoc-process-signature", short_types)
    app.connect("doctree-read", with_indices, priority=400)  # before titles are collected
