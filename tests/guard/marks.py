"""What figures of shipped rows draw: name, number of points and sums of each mark.

python tests/guard/marks.py [FIGURE ...] writes those of these figures, or of all, after a change
that is meant to move some of them: the commit names which, and why.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import Collection, PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation
from stored import HERE, ROOT, SHIPPED, drawn_of_shipped_rows

from srhm.planning.registry import STUDIES

# The preset whose rows show most of each study.
PRESETS = ("grid", "laptop", "quick", "paper")
FIGURES = {
    figure.name: (preset, study, figure)
    for preset in reversed(PRESETS)
    for study in STUDIES
    if (ROOT / "published" / preset / study).is_dir() or (preset, study) in SHIPPED
    for figure in STUDIES[study].figures
}
DIGITS = 9
# Panel, its name, number of numbers, their sums along x and y.
Mark = tuple[int, str, int, float, float]


def marks_of(figure: Figure) -> list[Mark]:
    """The named marks of a drawn figure, panel by panel, in the order of their names."""
    found: dict[tuple[int, str], list[np.ndarray]] = {}
    for panel, axes in enumerate(figure.axes):
        for artist in axes.get_children():
            if artist.get_gid() and len(drawn := _numbers(artist)):
                found.setdefault((panel, str(artist.get_gid())), []).append(drawn)
    marks = []
    for (panel, name), parts in sorted(found.items()):
        points = np.concatenate(parts)
        x, y = np.where(np.isfinite(points), points, 0).sum(axis=0)
        marks.append((panel, name, len(points), float(x), float(y)))
    return marks


def _numbers(artist: Any) -> np.ndarray:
    """What a mark shows, (n, 2): its points, or for colours its values twice."""
    if isinstance(artist, Line2D):
        return np.column_stack([np.atleast_1d(one).astype(float) for one in artist.get_data()])
    if isinstance(artist, AxesImage | QuadMesh):
        values = np.ma.filled(artist.get_array().astype(float), np.nan).ravel()
        return np.column_stack([values, values])
    if isinstance(artist, PathCollection):
        return np.ma.filled(artist.get_offsets().astype(float), np.nan)
    if isinstance(artist, Collection):
        return np.concatenate([np.zeros((0, 2)), *(path.vertices for path in artist.get_paths())])
    if isinstance(artist, Patch):
        return np.asarray(artist.get_patch_transform().transform(artist.get_path().vertices))
    return np.atleast_2d(artist.xy) if isinstance(artist, Annotation) else np.zeros((0, 2))


def stored_marks(study: str) -> Path:
    """File of the marks of a study's figures."""
    return HERE / "marks" / f"{study}.tsv"


def read(study: str) -> dict[str, list[Mark]]:
    """The stored marks of a study, by figure."""
    found: dict[str, list[Mark]] = {}
    if stored_marks(study).is_file():
        for line in stored_marks(study).read_text(encoding="utf-8").splitlines():
            name, panel, gid, n, x, y = line.split("\t")
            found.setdefault(name, []).append((int(panel), gid, int(n), float(x), float(y)))
    return found


def write(study: str, marks: dict[str, list[Mark]]) -> None:
    """Writes the marks of a study, a line each."""
    lines = [
        f"{name}\t{panel}\t{gid}\t{n}\t{x:.{DIGITS}g}\t{y:.{DIGITS}g}\n"
        for name, drawn in sorted(marks.items())
        for panel, gid, n, x, y in drawn
    ]
    stored_marks(study).parent.mkdir(exist_ok=True)
    stored_marks(study).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    mpl.use("Agg")
    for name in sys.argv[1:] or sorted(FIGURES):
        preset, study, declared = FIGURES[name]
        figure = drawn_of_shipped_rows(preset, study, declared)
        write(study, {**read(study), name: marks_of(figure)})
        plt.close(figure)
