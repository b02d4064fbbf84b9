"""What all figures share: style, page, tiles, and files without a date in them."""

import re
from collections.abc import Sequence
from pathlib import Path

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

STYLE = Path(__file__).with_name("paper.mplstyle")
PAGE_WIDTH = 6.75  # inches, the text width of the journal

# Okabe and Ito's colours, which the common kinds of colour blindness tell apart. A tile also
# carries the number of its feature.
CLASS_COLOURS = ("#E69F00", "#3C3C3C")
LATENT_COLOURS = ("#D55E00", "#0072B2", "#CC79A7")
INPUT_COLOURS = ("#56B4E9", "#F0E442", "#009E73")
EMPTY_COLOUR = "white"
OUTLINE = "#4D4D4D"

# Runs a function under the paper's style alone; the settings of the caller come back. A file
# `matplotlibrc` of the user's own is not part of it.
styled = matplotlib.style.context(STYLE, after_reset=True)


class NotedFigure(Figure):
    """A figure with what its caption adds: preset, how networks were trained, n."""

    notes: tuple[str, ...] = ()
    # Of a figure that is a table: its cells, the first row being the heads.
    cells: tuple[Sequence[str], ...] = ()


def notes_of(figure: Figure) -> list[str]:
    """What the caption of a figure adds, sentence by sentence."""
    return list(figure.notes) if isinstance(figure, NotedFigure) else []


def caption_with_notes(caption: str, figure: Figure) -> str:
    """A caption in reStructuredText, the cells of a table, and the notes as its last paragraph."""
    ended = [note if note.endswith((".", "!", "?")) else f"{note}." for note in notes_of(figure)]
    words = " ".join(ended).replace("$", "")
    plain = re.sub(r"([*`|_\\])", r"\\\1", words)
    cells = figure.cells if isinstance(figure, NotedFigure) else ()
    lines = [", ".join(f'"{" ".join(cell.split())}"' for cell in row) for row in cells]
    table = "\n   ".join([".. csv-table::", "   :header-rows: 1", "", *lines]) if lines else ""
    parts = [part for part in (caption.rstrip(), table, plain) if part]
    return "\n\n".join(parts) + "\n"


def page(height: float, *, preset: str, notes: Sequence[str] = ()) -> NotedFigure:
    """An empty page of journal width, height in inches; its notes begin with the preset.

    Not made by pyplot, which would keep it in memory and choose a backend for the whole process.
    """
    figure = NotedFigure(figsize=(PAGE_WIDTH, height))
    figure.notes = (f"Rows of preset {preset}.", *notes)
    return figure


def laid_out_page(
    height: float, *, preset: str, foot: Sequence[str] = ()
) -> tuple[NotedFigure, SubFigure]:
    """A page whose layout matplotlib computes, and the part of it that holds the panels.

    height is that of the panels with their titles and labels, in inches. foot: for the caption: how
    networks were trained, n.
    """
    figure = page(height, preset=preset, notes=foot)
    figure.set_layout_engine("constrained")
    return figure, figure.add_subfigure(figure.add_gridspec(1, 1)[0])


@styled
def save(figure: Figure, *, pdf: str | Path, png: str | Path, command: str, commit: str) -> None:
    """Writes a figure to two files whose bytes depend on what is given only, not on the day.

    command, commit: what made it, for the metadata: text chunks of the PNG, information of the PDF.
    """
    made = {"Source": command, "Comment": f"commit {commit}"}
    figure.savefig(png, format="png", metadata={"Software": None, **made})
    figure.set_layout_engine("none")  # it is laid out, which takes as long as to draw it
    subject = f"{command}, commit {commit}"
    figure.savefig(pdf, format="pdf", metadata={
        "CreationDate": None, "ModDate": None, "Subject": subject})  # fmt: skip


def canvas(figure: Figure | SubFigure, *, width: float, height: float) -> Axes:
    """Axes without frame at the top of the page or of a part of it; a unit is a tile, y grows down.

    They are as wide as the page.
    """
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal", anchor="N")
    axes.axis("off")
    return axes


def text_colour(background: str) -> str:
    """Black or white, whichever stands out."""
    red, green, blue = to_rgb(background)
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"


def tile(axes: Axes, x: float, y: float, feature: int | None, colours: Sequence[str]) -> None:
    """A square centred at x, y, in its feature's colour and with its number; None is empty."""
    colour = EMPTY_COLOUR if feature is None else colours[feature]
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor=OUTLINE,
                             linewidth=0.5, zorder=3,
                             gid="empty" if feature is None else "feature"))  # fmt: skip
    if feature is not None:
        _number(axes, x, y, feature, colour)


def disc(axes: Axes, x: float, y: float, label: int, *, radius: float = 0.6) -> None:
    """A disc centred at x, y, in the colour of a class and with its number."""
    colour = CLASS_COLOURS[label]
    axes.add_patch(
        Circle((x, y), radius, facecolor=colour, edgecolor=OUTLINE, linewidth=0.5, zorder=3)
    )
    _number(axes, x, y, label, colour)


def row_of_tiles(
    axes: Axes, x: float, y: float, symbols: Sequence[int], colours: Sequence[str]
) -> None:
    """Tiles side by side from x on: 0 for an empty place, f + 1 for feature f, as in encoding."""
    for i, symbol in enumerate(symbols):
        tile(axes, x + i + 0.5, y, None if symbol == 0 else int(symbol) - 1, colours)


def frame(axes: Axes, x: float, y: float, *, width: float, pad: float = 0.18) -> None:
    """A black frame around a row of tiles that starts at x and is centred at y."""
    axes.add_patch(
        FancyBboxPatch((x, y - 0.5), width, 1, boxstyle=f"square,pad={pad}", facecolor="none",
                       edgecolor="black", linewidth=1.3, zorder=4)
    )  # fmt: skip


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A thin arrow, "produces"."""
    axes.annotate("", xy=end, xytext=start,
                  arrowprops={"arrowstyle": "->", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0,
                              "color": OUTLINE, "mutation_scale": 6})  # fmt: skip


def _number(axes: Axes, x: float, y: float, feature: int, background: str) -> None:
    axes.text(x, y, str(feature + 1), ha="center", va="center_baseline", fontsize=7,
              color=text_colour(background), zorder=5)  # fmt: skip
