"""The conditions of the article, measured: a clean signal, and weak identifiability.

Letters of the paper: P training points, L depth, m synonyms, n_c classes, v features, ε test error.
"""

import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import by_name
from srhm.studies.level_by_level.analysis import (
    CURVE,
    LEAST_GAP,
    curves,
    diagonal,
    identifiable,
    levels_of,
)
from srhm.studies.level_by_level.figures.parts import depths, line_of, means, nets, synonyms

SHIFT = 0.06  # of the v of L and nets, so that bars do not hide each other
LINES = {2: Look("$L=2$ (A)", line="-"), 3: Look("$L=3$ (A)", line="--")}


@styled
def draw(
    cells: pd.DataFrame, levels: pd.DataFrame, complexity: pd.DataFrame, *, preset: str
) -> Figure:
    """Dense grammars with v = m = n_c, independent draws.

    A: differences of synonyms over those of latents at level 1, against P over P*. B: share of
    grammars that are weakly identifiable. C: test error at the largest P against the gap.
    """
    dense = diagonal(cells[cells["draws"] == "independent"])
    notes = [f"Weakly identifiable: a gap of {LEAST_GAP} or more. Bars of A: standard error over"
             " grammars; of B: 95 %, binomial."]  # fmt: skip
    panels = [_clean(levels_of(cells, levels), complexity), _shares(dense), _errors(dense)]
    return mosaic(panels, columns=3, preset=preset, notes=notes)


def _clean(rows: pd.DataFrame, complexity: pd.DataFrame) -> Panel:
    reached = diagonal(curves(complexity, net="shared"))
    reached = reached[(reached["status"] == "reached") & reached["L"].isin([2, 3])]
    own = rows[(rows["level"] == 1) & (rows["cell_gap"] >= LEAST_GAP)]
    own = own.merge(reached[["curve", "P_star"]], on="curve")
    own = own.assign(x=own["P"] / own["P_star"], ratio=own["within"] / own["between"])
    found = means(own, ["m", "L"], "x", "ratio", geometric=True)
    by = [synonyms(found["m"]), by_name("L", found["L"], LINES)]
    return Panel(
        title="clean signal, level 1", x=Axis("$P/P^*$", log=True),
        y=Axis("variance: synonyms / latents", log=True),
        marks=[
            line_of(found, "x", by, name="clean"),
            level(1, "equal variances; $P^*$", name="as unlike as latents"),
            level(1, "equal variances; $P^*$", name="P*", across="y"),
        ],
    )  # fmt: skip


def _shares(dense: pd.DataFrame) -> Panel:
    own = dense.drop_duplicates([*CURVE, "seed"])
    own = own.assign(found=identifiable(own))
    rows = own.groupby(["L", "net", "v"])["found"].agg(["sum", "count"]).reset_index()
    ends = [
        stats.binomtest(int(k), int(n)).proportion_ci()
        for k, n in rows[["sum", "count"]].to_numpy()
    ]
    place = rows.groupby(["L", "net"]).ngroup()
    rows = rows.assign(
        share=rows["sum"] / rows["count"], low=[one.low for one in ends],
        high=[one.high for one in ends], x=rows["v"] + SHIFT * (2 * place - place.max()),
    )  # fmt: skip
    return Panel(
        title="share of grammars", y=Axis("weakly identifiable", limits=(-0.05, 1.05)),
        x=Axis("$v=m=n_c$", ticks={v: str(v) for v in sorted(set(own["v"]))}),
        marks=[Marks(rows=rows, x="x", y="share", low="low", high="high", line="-", name="share",
                     by=[depths(rows["L"]), nets(rows["net"])], size=4)],
    )  # fmt: skip


def _errors(dense: pd.DataFrame) -> Panel:
    own = dense[dense["P"] == dense.groupby(list(CURVE))["P"].transform("max")]
    rows = own.assign(other=~identifiable(own))
    return Panel(
        title="what the gap decides", x=Axis("gap of the grammar"),
        y=Axis("test error at the largest $P$", limits=(-0.03, 1)),
        marks=[
            Marks(rows=rows, x="gap", y="test_error", by=[depths(rows["L"]), nets(rows["net"])],
                  open="other", size=3.5, name="grammars", open_label="not weakly identifiable"),
            level(LEAST_GAP, f"gap {LEAST_GAP}", name="least gap", across="y"),
        ],
    )  # fmt: skip
