"""Figures of a page: their images inside it, their captions, their order."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from markupsafe import Markup

from srhm.report import prose

# Figures of the paper in the order of its argument: the model, P*, invariances, sparsity B, images;
# those of its text end with LAST_OF_TEXT.
ARGUMENT = (2, 4, 6, 7, 8, 1, 9)
LAST_OF_TEXT = 9


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A figure by name ("fig04"). image: a data address; it and caption are None if missing.

    explore: where the explorer shows its rows, function: what draws it ("package.module:name"),
    data: name of the CSV with its rows, explored_by: what makes both where the page alone does not;
    each may be empty. caption: what is seen; reading: how to read it, which is folded.
    """

    name: str
    label: str
    title: str
    alt: str
    caption: Markup | None
    image: str | None
    explore: str = ""
    function: str = ""
    data: str = ""
    explored_by: str = ""
    reading: Markup | None = None

    @property
    def number(self) -> int | None:
        """The number of a figure of the paper."""
        return number_of(self.name)

    @property
    def module(self) -> str:
        """File of the module that draws it, from the folder of the repository."""
        return f"src/{self.function.partition(':')[0].replace('.', '/')}.py"

    @property
    def short(self) -> str:
        """Its label in a list of figures: 4, Table 1, Kernel change."""
        return self.label.removeprefix("Figure ")


def number_of(name: str) -> int | None:
    """The number of a figure of the paper, by its name ("fig04")."""
    match = re.fullmatch(r"fig0*(\d+)", name)
    return int(match[1]) if match else None


def shown_figures(declared: Sequence[Mapping[str, Any]]) -> list[Shown]:
    """The figures in the order of the paper's argument, then others in their own.

    declared: {"name", "title", "caption", "png"}, the last two being files.

    Raises:
        prose.CaptionError: if a caption is no reStructuredText.
    """
    figures = []
    for figure in declared:
        caption, image = None, None
        file, png = Path(figure["caption"]), Path(figure["png"])
        if file.is_file():
            caption = prose.caption(file.read_text(encoding="utf-8"), source=file.name)
        if png.is_file():
            image = "data:image/png;base64," + base64.b64encode(png.read_bytes()).decode("ascii")
        label = label_of(figure["name"])
        heading = (caption.title if caption else "") or f"{label}: {figure['title']}"
        links = ("explore", "function", "data", "explored_by")
        figures.append(
            Shown(
                name=figure["name"],
                label=label,
                title=heading,
                alt=f"{heading} {caption.first_sentence}" if caption else heading,
                caption=None if caption is None else caption.html,
                reading=None if caption is None else caption.rest,
                image=image,
                **{name: figure.get(name, "") for name in links},
            )
        )

    def place(figure: Shown) -> tuple[float, float]:
        """The paper's argument, the rest of its text, appendices, others."""
        number = figure.number or inf
        return ARGUMENT.index(number) if number in ARGUMENT else len(ARGUMENT), number

    return sorted(figures, key=place)


def label_of(name: str) -> str:
    """Figure 4 of "fig04", Table 1 of "table1", else the name."""
    words = re.sub(r"^fig0*(?=\d)", "figure", name).replace("_", " ")
    return re.sub(r"(?<=[a-z])(?=\d)", " ", words).capitalize()
