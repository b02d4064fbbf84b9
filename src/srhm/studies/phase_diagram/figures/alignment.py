"""Labels along the first eigenvectors of the tangent kernel, before and after (chapter 3b)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import REGIMES, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import by_name
from srhm.statistics.output_scale import fitted_in
from srhm.studies.phase_diagram.analysis import DIGITS, PATCHES, STRIPE, of_kind

STATES = {
    "before": Look("before training", "0.45", "o", "-"),
    "feature": Look("after, feature ($\\tilde\\alpha=0.1$)", REGIMES["feature"].colour, "s", "-"),
    "lazy": Look("after, lazy ($\\tilde\\alpha=10^3$)", REGIMES["lazy"].colour, "^", "-"),
}
KINDS = {"stripes": STRIPE, "digits, FCN": DIGITS, "digits, CNN": PATCHES}
LABELS = {"omega": "part of labels $\\omega_\\rho$", "information": "$I(\\phi_\\rho; y)$ (nats)"}
# Bars of the three states stand beside each other.
ASIDE = {"before": -0.15, "feature": 0.0, "lazy": 0.15}


@styled
def draw(cells: pd.DataFrame, alignment: pd.DataFrame, *, preset: str) -> Figure:
    """Columns: omega and mutual information of each eigenvector; rows: stripes, digits by net.

    cells, alignment: rows of FLOW_CELLS and ALIGNMENT of the study. Means over the fitted networks
    at the largest P, bars from the least to the most.
    """
    panels: list[Panel] = []
    for name, kind in KINDS.items() if len(alignment) else ():
        own = of_kind(cells, kind)
        own = own[own["P"] == own["P"].max()] if len(own) else own
        if own.empty:
            panels += [Panel(title=name)] * len(LABELS)
            continue
        keys = {lazy: fitted_in(own, lazy=lazy)["key"] for lazy in (False, True)}
        n = ", ".join(str(len(some)) for some in keys.values())
        for column, label in LABELS.items():
            rows = pd.concat([
                _states(alignment, keys[lazy], column, when).assign(state=state)
                for state, lazy, when in (("before", False, "initial"), ("feature", False, "end"),
                                          ("lazy", True, "end"))
            ])  # fmt: skip
            rows["at"] = rows["rank"] + rows["state"].map(ASIDE).astype(float)
            panels.append(Panel(
                title=f"{name}, $P={own['P'].max()}$, $n={n}$", y=Axis(label),
                x=Axis("rank $\\rho$ of the eigenvector",
                       ticks={k: str(k) for k in range(1, int(alignment["rank"].max()) + 1, 3)}),
                marks=[Marks(rows=rows, x="at", y="mean", low="min", high="max", name=column,
                             by=[by_name("state", rows["state"], STATES)], line="-", size=3.6,
                             bar_label="least to most")],
            ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, height=1.7)


def _states(alignment: pd.DataFrame, keys: pd.Series, column: str, when: str) -> pd.DataFrame:
    """Mean, least and most of a column at each rank, in one state of the networks."""
    rows = alignment[alignment["key"].isin(keys) & (alignment["when"] == when)]
    return rows.groupby("rank")[column].agg(["mean", "min", "max"]).reset_index()
