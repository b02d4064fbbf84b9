"""Table 1: the structure of VGG, ResNet and EfficientNet, ours beside what the paper prints."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import look
from srhm.figures.drawing import PAGE_WIDTH, page, styled

# Heading, and where the column begins, in inches.
COLUMNS = (
    ("", 0.08),
    ("depth", 1.08),
    ("M parameters\n2-D, 1-D", 1.55),
    ("FC\nlayers", 2.4),
    ("acti-\nvation", 2.8),
    ("pooling\n(2-D; 1-D if another)", 3.25),
    ("drop-\nout", 4.72),
    ("drop-\nconnect", 5.1),
    ("batch\nnorm", 5.56),
    ("skips", 6.14),
)
PAPER_KEYS = (
    "paper_depth",
    "paper_parameters",
    "paper_fc_layers",
    "paper_activation",
    "paper_pooling",
    "paper_dropout",
    None,  # the paper's column of dropout holds drop-connect too
    "paper_batch_norm",
    "paper_skip_connections",
)
LINE, NOTE_LINE = 0.17, 0.135  # inches
TOP, CHARACTERS = 0.45, 120
# Words of the paper that do not fit into their column, shortened.
SHORT = {
    "yes (inv. residuals)": "yes",
    "yes + dropconnect": "yes",
    "if 'bn' in name": "if ‘bn’",
    "average (last layer only)": "average (last layer)",
    "avg. (last layer only)": "average (last layer)",
}
NONE = "–"


@styled
def draw(rows: Sequence[Mapping[str, Any]], *, preset: str) -> Figure:
    """The table as a page; `rows` are those of `architectures.inspection.table1`.

    A line for each network, a grey line with the paper's words for each family, below them the
    notes of what differs.
    """
    families = [(name, list(part)) for name, part in groupby(rows, key=lambda row: row["family"])]
    notes = [note for _, part in families for note in _notes(part)]
    n_lines = sum(len(part) // 2 + 1.4 for _, part in families)
    height = TOP + LINE * n_lines + 0.2 + NOTE_LINE * len(notes) + 0.2
    figure = page(height, preset=preset)

    def write(words: Sequence[str], y: float, **style: Any) -> None:
        for word, (_, x) in zip(words, COLUMNS, strict=True):
            figure.text(x / PAGE_WIDTH, 1 - y / height, word, va="baseline", **style)

    write([name for name, _ in COLUMNS], 0.3, weight="bold", fontsize=7)
    y = TOP - 0.05
    _rule(figure, y - 0.03, height)
    for _, part in families:
        for net, pair in groupby(part, key=lambda row: row["net"]):
            y += LINE
            write(_ours(net, {row["dimensions"]: row for row in pair}), y, fontsize=7)
        y += LINE
        write(_paper(part[0]), y, fontsize=7, color="0.45", style="italic")
        y += 0.4 * LINE
        _rule(figure, y, height)
    figure.text(COLUMNS[0][1] / PAGE_WIDTH, 1 - (y + 0.1) / height, "\n".join(notes), va="top",
                fontsize=7, linespacing=1.25, color="0.25")  # fmt: skip
    return figure


def _ours(net: str, by_dimensions: Mapping[int, Mapping[str, Any]]) -> list[str]:
    two, one = by_dimensions[2], by_dimensions[1]
    pooling = SHORT.get(two["pooling"], two["pooling"])
    if one["pooling"] != two["pooling"]:
        pooling += f"; {SHORT.get(one['pooling'], one['pooling'])}"
    return [
        look(net).label,
        str(two["depth"]),
        f"{two['n_parameters'] / 1e6:.2f}, {one['n_parameters'] / 1e6:.2f}",
        str(two["n_linear"]),
        two["activation"],
        pooling,
        f"{two['dropout']:g}" if two["dropout"] else NONE,
        f"{two['drop_connect']:.2g}" if two["drop_connect"] else NONE,
        "yes" if two["batch_norm"] else NONE,
        str(two["n_skips"]) if two["n_skips"] else NONE,
    ]


def _paper(row: Mapping[str, Any]) -> list[str]:
    words = [NONE if row[key] == "/" else row[key] if key else "" for key in PAPER_KEYS if key]
    words.insert(PAPER_KEYS.index(None), "yes" if "connect" in row["paper_dropout"] else NONE)
    return ["paper", *(SHORT.get(word, word) for word in words)]


def _notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of "VGG11, VGG16: depth 9: ...": equal notes of a family once; those on 1-D once."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in filter(None, row["note"].split("; ")):
            if row["dimensions"] == 2:
                found.setdefault(note, []).append(look(row["net"]).label)
    lines = [f"{', '.join(names)}: {note}" for note, names in found.items()]
    return [part for one in lines for part in textwrap.wrap(one, CHARACTERS)]


def _rule(figure: Figure, y: float, height: float) -> None:
    figure.add_artist(
        Line2D([0.01, 0.99], [1 - y / height] * 2, color="0.6", linewidth=0.5,
               transform=figure.transFigure)
    )  # fmt: skip
