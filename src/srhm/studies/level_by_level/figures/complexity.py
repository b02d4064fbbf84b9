"""P* of the algorithm against m and against n_c m^L, beside networks trained by SGD.

Letters of the paper: P training points, P* sample complexity, L depth, m synonyms, v features, n_c
classes, ε test error.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, law, laws, level
from srhm.studies.level_by_level.analysis import (
    LEAST_GAP,
    curves,
    diagonal,
    differing,
    identifiable,
)
from srhm.studies.level_by_level.analysis import (
    laws as laws_of,
)
from srhm.studies.level_by_level.figures.parts import depths, line_of, means, networks, stars

ASIDE = 1.15  # factor by which separate is moved to the right, so that shared is seen


@styled
def draw(
    cells: pd.DataFrame,
    complexity: pd.DataFrame,
    references: pd.DataFrame,
    *,
    threshold: float,
    preset: str,
) -> Figure:
    """P* of weakly identifiable grammars, from the tables of the study.

    A: ε against P over n_c m^L at the largest v = m = n_c of each L. B: P* against m at fixed v and
    n_c. C: P* against n_c m^L for v = m = n_c, with the P* of networks of the same grammars.
    """
    n = cells["seed"].nunique()
    notes = [f"{n} grammars a curve, of which those with a gap of {LEAST_GAP} or more enter."]
    panels = [
        _learning_curves(cells, threshold),
        _against_m(complexity),
        _against_law(complexity, references),
    ]
    return mosaic(panels, columns=3, preset=preset, notes=notes)


def _learning_curves(cells: pd.DataFrame, threshold: float) -> Panel:
    own = cells[(cells["net"] == "shared") & (cells["draws"] == "independent")]
    own = diagonal(own[identifiable(own)])
    own = own[own["v"] == own.groupby("L")["v"].transform("max")]
    rows = means(own.assign(x=own["P"] / laws_of(own)), ["L"], "x", "test_error")
    return Panel(
        title="largest $v=m=n_c$ of each $L$", x=Axis("$P / (n_c m^L)$", log=True),
        y=Axis("test error $\\varepsilon$", limits=(0, 1)),
        marks=[
            line_of(rows, "x", [depths(rows["L"])], name="curve"),
            level(threshold, f"{100 * threshold:.3g} %, defines $P^*$"),
        ],
    )  # fmt: skip


def _against_m(complexity: pd.DataFrame) -> Panel:
    rows = differing(curves(complexity, net="shared"), "m")
    rows = rows[rows["s0"] == 0]
    features = "/".join(str(v) for v in sorted(set(rows["v"].tolist())))
    ticks = {m: str(m) for m in sorted(set(rows["m"]))}
    known = rows[rows["status"] == "reached"]
    power = known["m"].astype(float) ** known["L"]
    logs = (known["P_star"] / power).astype(float).map(np.log)
    unit = logs.groupby(known["L"]).transform("mean")
    guide = known.assign(law=np.exp(unit) * power)
    return Panel(
        title=f"$v=n_c={features}$", x=Axis("synonyms $m$", log=True, ticks=ticks),
        y=Axis("sample complexity $P^*$", log=True),
        marks=[stars(rows, "m"),
               laws(guide, "m", "law", "$m^L$", by=[depths(rows["L"])], name="guide")],
    )  # fmt: skip


def _against_law(complexity: pd.DataFrame, references: pd.DataFrame) -> Panel:
    rows = pd.concat([diagonal(curves(complexity, net=net)) for net in ("shared", "separate")])
    other = references[(references["status"] == "reached") & references["net"].isin(["cnn", "lcn"])]
    other = diagonal(other).merge(rows[["L", "s", "v"]].drop_duplicates())
    other = other.assign(place=laws_of(other.assign(net="shared")))
    aside = rows["net"].map({"shared": 1.0, "separate": ASIDE}).astype(float)
    ends = [float(rows["law"].min()), float(rows["law"].max())] if len(rows) else []
    return Panel(
        title="$v=m=n_c$", x=Axis("$n_c m^L$", log=True),
        y=Axis("sample complexity $P^*$", log=True),
        marks=[networks(other, "place"), stars(rows.assign(place=rows["law"] * aside), "place"),
               law(ends, ends, "$n_c m^L$", name="guide")],
    )  # fmt: skip
