"""Captions (reStructuredText), documents (Markdown) and formulas in plain text, as HTML.

Everything that is returned as Markup is safe to put into a page: what was not markup is escaped.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.utils import SystemMessage
from docutils.writers import get_writer_class
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

# A letter (perhaps with a star), an index; a power. P*_LCN, n_c, S_{k,l}, s^(L/2), (s_0+1)^-L. The
# base of an index is one letter, so that names of columns (test_error) stay as they are.
FORMULA = re.compile(
    r"(?<!\w)(?P<base>[^\W\d_]\*?)"
    r"_(?P<index>\{[^{}]*\}|\([^()]*\)|[A-Za-z0-9]+,[a-z0-9](?!\w)|[A-Za-z0-9]+|[∥⊥Δ])(?![A-Za-z0-9_])"
    r"|\^(?P<power>\{[^{}]*\}|\([^()]*\)|[-−+]?(?:\d+\.\d+|[A-Za-z0-9]+))"
)
# Where a sentence ends: not after an abbreviation ("Eq. 3").
ABBREVIATIONS = ("Eq.", "Eqs.", "Fig.", "Figs.", "e.g.", "i.e.", "vs.", "cf.")
SENTENCE_END = re.compile(
    "".join(rf"(?<!\b{re.escape(word)})" for word in ABBREVIATIONS) + r"(?<=[.!?])\s+"
)


class CaptionError(ValueError):
    """A caption that is no reStructuredText; the message says where and why."""


# Of a study's prose: beside its README, and where its question and its answer begin and end.
METHODS, QUESTION, RUN_IT = "methods.md", "**Question.** ", "**Run it.**"
# With its line, where it is alone on it.
COMMENT = re.compile(r"^<!--(?:(?!-->).)*-->\n|<!--(?:(?!-->).)*-->", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?")
# Words of a caption that stand below its figure; how to read it follows, folded.
MOST_WORDS = 60


@dataclass(frozen=True, kw_only=True)
class Caption:
    """A caption: its title in bold, its first sentence as plain text, and all but the title.

    html: sentences of MOST_WORDS words, or one; rest: what follows, empty without more.
    """

    title: str
    first_sentence: str
    html: Markup
    rest: Markup


@dataclass(frozen=True, kw_only=True)
class StudyProse:
    """The prose of a study in the order of its page; parts that it lacks are empty.

    question, found: of its README; conventions: its methods.
    """

    question: Markup
    found: Markup
    conventions: Markup


def of_study(file: str) -> StudyProse:
    """The prose of a study: of its README, without how to run it, and of methods.md beside it."""
    pages = (Path(file), Path(file).with_name(METHODS))
    readme, methods = (page.read_text("utf-8") if page.is_file() else "" for page in pages)
    question, _, answer = COMMENT.sub("", readme).partition("\n\n")[2].partition("\n\n")
    return StudyProse(
        question=markup(question.removeprefix(QUESTION), top_heading=3),
        found=markup(answer.partition(RUN_IT)[0], top_heading=2),
        conventions=markup(methods, top_heading=3),
    )


def typeset(text: str) -> Markup:
    """Plain text with its indices and powers set as such."""
    tags = {"index": "sub", "power": "sup"}
    return Markup().join(
        Markup("<{0}>{1}</{0}>").format(tags[kind], part) if kind in tags else escape(part)
        for kind, part in _formula_parts(text)
    )


def commands(text: str) -> Markup:
    """Plain text of which what stands between two backticks is set as code."""
    return Markup().join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part)
        for i, part in enumerate(re.split(r"`([^`]+)`", text))
    )


def caption(text: str, *, source: str) -> Caption:
    """A caption whose first words, in bold, are its title ("**Figure 2. The model.** ...").

    Raises:
        CaptionError: naming `source`, where the text cannot be read.
    """
    settings = {
        "report_level": 2,
        "halt_level": 2,  # a warning is an error: what cannot be read must not reach a reader
        "warning_stream": False,
        "raw_enabled": False,
        "file_insertion_enabled": False,
        "math_output": "MathML",
        "_disable_config": True,
    }
    try:
        document = publish_doctree(text, source_path=source, settings_overrides=settings)
    except SystemMessage as problem:
        raise CaptionError(f"caption {problem}") from problem
    title = ""
    first = next(iter(document.findall(nodes.paragraph)), None)
    if first is not None and isinstance(first[0], nodes.strong):
        title = _one_line(first[0].astext())
        first.remove(first[0])
        first[0:1] = [nodes.Text(first[0].astext().lstrip())] if len(first) else []
    plain = "" if first is None else _one_line(first.astext())
    if first is not None:
        _split_after(first, MOST_WORDS)
    set_indices(document)
    following = document.deepcopy()
    document.children = document.children[:1]
    following.children = following.children[1:]
    parts = []
    for part in (document, following):
        writer = get_writer_class("html5")()
        publish_from_doctree(part, writer=writer, settings_overrides=settings)
        parts.append(Markup(writer.parts["body"].strip()))
    return Caption(
        title=title, first_sentence=SENTENCE_END.split(plain)[0], html=parts[0], rest=parts[1]
    )


def _split_after(paragraph: nodes.paragraph, most: int) -> None:
    """Moves what follows the last sentence within `most` words to a paragraph of its own."""
    words, cut = 0, None
    for index, part in enumerate(paragraph.children):
        text = part.astext()
        if isinstance(part, nodes.Text):
            for end in SENTENCE_END.finditer(text):
                if cut is None or words + len(text[: end.start()].split()) <= most:
                    cut = index, end
        words += len(text.split())
    if cut is None or words <= most:
        return
    index, end = cut
    text = paragraph[index].astext()
    rest = nodes.paragraph("", "", nodes.Text(text[end.end() :]), *paragraph[index + 1 :])
    paragraph.children = [*paragraph[:index], nodes.Text(text[: end.start()])]
    for child in paragraph.children:
        child.parent = paragraph
    paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, rest)


def set_indices(part: nodes.Element) -> None:
    """Sets indices and powers in the text of a document, or a part of it, not in its code."""
    for leaf in list(part.findall(nodes.Text)):
        if not isinstance(leaf.parent, (nodes.literal, nodes.literal_block, nodes.math)):
            kinds = {"index": nodes.subscript, "power": nodes.superscript}
            parts = [
                kinds[kind]("", part) if kind in kinds else nodes.Text(part)
                for kind, part in _formula_parts(leaf.astext())
            ]
            leaf.parent.replace(leaf, parts)


def markup(text: str, *, top_heading: int, sections: Mapping[str, str] | None = None) -> Markup:
    """A document, its headings moved down to start at h<top_heading>.

    Links stay where they lead into the web; those to other files become plain text, and images
    are not shown, because the page must do without other files. sections: headings of documents of
    this page with the names that they get, to which links lead.
    """
    named = sections or {}
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(IMAGE.sub("", COMMENT.sub("", text)))
    for i, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + top_heading - 1)}"
            if token.type == "heading_open" and (name := named.get(tokens[i + 1].content)):
                token.attrSet("id", name)
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        inside_file_link = False
        for child in token.children or []:
            if child.type == "link_open":
                href = str(child.attrGet("href"))
                section = href.partition("#")[2]
                inside_file_link = not href.startswith("https://")
                if inside_file_link and section in named.values():
                    child.attrSet("href", f"#{section}")
                    inside_file_link = False
            if child.type in ("link_open", "link_close") and inside_file_link:
                child.tag, child.attrs = "span", {}
    reader.add_render_rule("text", lambda _, tokens, i, *__: str(typeset(tokens[i].content)))
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def _formula_parts(text: str) -> list[tuple[str, str]]:
    """The text in parts: ("text", ...), ("index", ...), ("power", ...)."""
    parts, end = [], 0
    for match in FORMULA.finditer(text):
        kind = "index" if match["index"] else "power"
        part = match[kind]
        if part[0] in "{(":
            part = part[1:-1]
        parts.append(("text", text[end : match.start()] + (match["base"] or "")))
        parts.append((kind, part.replace("-", "−")))
        end = match.end()
    parts.append(("text", text[end:]))
    return [(kind, part) for kind, part in parts if part]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def environment(folder: str = "") -> Environment:
    """The templates of this package; folder: one of it whose templates come first."""
    places = [PackageLoader("srhm.report", package_path=path) for path in (folder, "")]
    templates = Environment(
        loader=ChoiceLoader(places),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["typeset"] = typeset
    templates.filters["commands"] = commands
    templates.filters["anchor"] = anchor
    return templates


def anchor(title: str) -> str:
    """A title as the name of a section: its words with hyphens."""
    return "-".join(re.findall(r"\w+", title.lower()))


def hashes(*scripts: str) -> Markup:
    """What a Content-Security-Policy calls these scripts of a page, which alone may run."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return Markup(" ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests))
