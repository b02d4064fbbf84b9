"""Table 1: the structure of VGG, ResNet and EfficientNet, ours beside what the paper prints."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from srhm.figures import looks
from srhm.figures.drawing import laid_out_page, styled
from srhm.networks.inspection import table1

HEADINGS = (
    "",
    "depth",
    "M parameters\n2-D, 1-D",
    "FC\nlayers",
    "acti-\nvation",
    "pooling\n(2-D; 1-D if another)",
    "drop-\nout",
    "drop-\nconnect",
    "batch\nnorm",
    "skips",
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
LINE = 0.18  # inches
# Words of the paper that do not fit into their column, shortened.
SHORT = {
    "yes (inv. residuals)": "yes",
    "yes + dropconnect": "yes",
    "if 'bn' in name": "if ‘bn’",
    "average (last layer only)": "average (last layer)",
    "avg. (last layer only)": "average (last layer)",
}
NONE, PAPER = "–", "paper"


@styled
def draw_own(*, preset: str) -> Figure:
    """The table of the networks as their modules are."""
    return draw(table1(), preset=preset)


@styled
def draw(rows: Sequence[Mapping[str, Any]], *, preset: str) -> Figure:
    """The table as a page; `rows` are those of `architectures.inspection.table1`.

    A line for each network, a grey line with the paper's words for each family, below them the
    notes of what differs.
    """
    families = [(name, list(part)) for name, part in groupby(rows, key=lambda row: row["family"])]
    notes = [note for _, part in families for note in _notes(part)]
    lines = []
    for _, part in families:
        for net, pair in groupby(part, key=lambda row: row["net"]):
            lines.append(_ours(net, {row["dimensions"]: row for row in pair}))
        lines.append(_paper(part[0]))
    figure, page = laid_out_page(LINE * (len(lines) + 2), preset=preset, foot=notes)
    figure.cells = (tuple(head.replace("-\n", "") for head in HEADINGS), *map(tuple, lines))
    axes = page.subplots()
    axes.axis("off")
    table = axes.table([list(HEADINGS), *lines], cellLoc="left", edges="open", bbox=Bbox.unit())
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    table.auto_set_column_width(list(range(len(HEADINGS))))
    for (row, _), cell in table.get_celld().items():
        cell.PAD = 0.03
        if row == 0:
            cell.set_height(2 * cell.get_height())
            cell.set_text_props(weight="bold")
        elif lines[row - 1][0] == PAPER:
            cell.set_text_props(color="0.45", style="italic")
        if row == 0 or lines[row - 1][0] == PAPER:
            cell.visible_edges = "B"
            cell.set(edgecolor="0.6", linewidth=0.5)
    return figure


def _ours(net: str, by_dimensions: Mapping[int, Mapping[str, Any]]) -> list[str]:
    two, one = by_dimensions[2], by_dimensions[1]
    pooling = SHORT.get(two["pooling"], two["pooling"])
    if one["pooling"] != two["pooling"]:
        pooling += f"; {SHORT.get(one['pooling'], one['pooling'])}"
    return [
        looks.net(net).label,
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
    return [PAPER, *(SHORT.get(word, word) for word in words)]


def _notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of "VGG11, VGG16: depth 9: ...": equal notes of a family once; those on 1-D once."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in filter(None, row["note"].split("; ")):
            if row["dimensions"] == 2:
                found.setdefault(note, []).append(looks.net(row["net"]).label)
    return [f"{', '.join(names)}: {note}" for note, names in found.items()]
