"""Pictures of the studies' READMEs, small, of the shipped rows.

PYTHONPATH=docs python tests/guard/pictures.py [STUDY ...] draws those whose rows have changed, or
these. A new study's is drawn when it is named; figures that would fill more than a screen are left
to the study's page.
"""

import hashlib
import io
import json
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from pages.readme import PICTURES, shown_figure
from PIL import Image, PngImagePlugin
from stored import ROOT, SHIPPED, drawn_of_shipped_rows, stored_scores

from srhm.declare.study import Figure
from srhm.figures.drawing import styled
from srhm.planning.registry import STUDIES

ROWS = "rows"  # entry of a picture that holds the digest of its rows
DPI, WIDTH, COLOURS = 150, 900, 256
PRESETS = ("grid", "laptop", "quick", "paper")  # the first that a study has rows of
DRAWN = {study: preset for preset in reversed(PRESETS) for one, study in SHIPPED if one == preset}
MORE = {"teaching": "shortcut"}  # a further figure that a README shows, in a picture of its own


def picture(study: str) -> Path:
    """File of the picture."""
    return ROOT / PICTURES / f"{study}.png"


def pictures(study: str) -> list[Path]:
    """Files of all pictures of a study."""
    more = [ROOT / PICTURES / f"{study}_{MORE[study]}.png"] if study in MORE else []
    return [picture(study), *more]


def rows_of(study: str) -> str:
    """Digest of the shipped rows of a study; of its scorecard where no rows are shipped."""
    file = ROOT / "published" / DRAWN[study] / study / "provenance.json"
    if file.is_file():
        text = json.dumps(json.loads(file.read_text("utf-8"))["sha256"], sort_keys=True)
    else:
        text = stored_scores(DRAWN[study], study).read_text("utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def drawn_rows(file: Path) -> str:
    """The digest that a picture holds; empty if it holds none."""
    with Image.open(file) as image:
        return str(image.info.get(ROWS, ""))


def draw(study: str) -> None:
    """Draws the pictures of a study."""
    shown = [shown_figure(study)]
    shown += [one for one in STUDIES[study].figures if one.name == MORE.get(study)]
    for figure, file in zip(shown, pictures(study), strict=True):
        _draw(study, figure, file)


def _draw(study: str, declared: Figure, file: Path) -> None:
    figure, whole = drawn_of_shipped_rows(DRAWN[study], study, declared), io.BytesIO()
    styled(figure.savefig)(whole, dpi=DPI)
    plt.close(figure)
    image = Image.open(whole).convert("RGB")
    image.thumbnail((WIDTH, 2 * WIDTH))
    # Fewer colours, or those that cover most, make curves alike that the legend tells apart.
    few = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    told = PngImagePlugin.PngInfo()
    told.add_text(ROWS, rows_of(study))
    few.save(file, optimize=True, pnginfo=told)


if __name__ == "__main__":
    if unknown := sorted(set(sys.argv[1:]) - set(DRAWN)):
        sys.exit(f"no rows are shipped of {', '.join(unknown)}; of: {', '.join(sorted(DRAWN))}")
    mpl.use("Agg")
    for study in sys.argv[1:] or [one for one in DRAWN if picture(one).is_file()]:
        if sys.argv[1:] or drawn_rows(picture(study)) != rows_of(study):
            draw(study)
            print(*pictures(study))
