"""Structure of the weights of networks that have learnt maps of known rank.

Letters: s_i(W_l) singular values, V_l semi-orthogonal matrices, c_1 = ||theta||^2 - k L, |Jf|_+
product of the k largest singular values of the Jacobian, Sigma_l Gram matrix of layer l.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, SKY, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law
from srhm.figures.scales import by_name, graded
from srhm.studies.representation_cost.figures.by_layer import maps, singular_values
from srhm.studies.representation_cost.figures.depth import by_stability
from srhm.studies.representation_cost.readings import (
    deepest,
    finished,
    of_cells,
    stable,
    two_parts,
)

RANKS = ("rank 1", "rank 2", "rank 3")
PARTS = {"below": Look("layers below the cut", BLACK, "o"),
         "above": Look("layers above the cut", SKY, "x")}  # fmt: skip


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A-C: singular values; D, E: bound; F: geodesic; G: directions; H: two parts."""
    own, linear = finished(cells, "maps"), finished(cells, "linear")
    deep, by = deepest(own[stable(own)], by="map"), maps(own)
    known = own.dropna(subset=["structure", "structure_bound"])
    both = known[["structure", "structure_bound"]].to_numpy(dtype=float)
    ends = [0.8 * float(both.min()), 1.2 * float(both.max())] if len(both) else []
    of_maps, of_linear = of_cells(layers, deep, "map"), of_cells(layers, linear)
    by_map = of_maps.groupby(["map", "L", "k"])[["distance", "n_visible"]].mean().reset_index()
    worst = of_linear.groupby(["L", "k"])["geodesic_distance"].max().reset_index()
    cut = two_parts(layers, linear) if len(of_linear) else pd.DataFrame()
    parts = pd.DataFrame([
        {"part": part, "cost": row[f"cost_{part}"], "norm": row[f"norm_{part}"]}
        for row in cut.to_dict("records") for part in PARTS
    ], columns=["part", "cost", "norm"])  # fmt: skip
    most = float(parts["cost"].max())
    return mosaic([
        *(_of_rank(name, deep[deep["map"] == name], values) for name in RANKS),
        Panel(title="bound on the sum", x=Axis("$c_1-2\\,\\log|Jf|_+$", log=True),
              y=Axis(r"$\min\,\Sigma_l\|W_l-V_lV_{l-1}^T\|_F^2$", log=True),
              marks=[*by_stability(known, "structure_bound", "structure", by),
                     law(ends, ends, "equal (D, H)", name="equal")]),
        Panel(title="by layer", x=Axis("layer $l$"),
              y=Axis(r"$\|W_l-V_lV_{l-1}^T\|_F^2$", log=True),
              marks=[Marks(rows=by_map.dropna(subset=["distance"]), x="k", y="distance", by=[by],
                           line="-", size=2.5, width=0.8)]),
        Panel(title=r"linear: $\Sigma_l$", x=Axis("$l/L$"),
              y=Axis(r"$\|\Sigma_l-(A^TA)^{l/L}\|/\|(A^TA)^{l/L}\|$", log=True),
              marks=[Marks(rows=worst.assign(part=worst["k"] / worst["L"]), x="part", size=2,
                           y="geodesic_distance", name="geodesic", line="-", width=0.7,
                           by=[graded("L", worst["L"], "$L$ (F)")])]),
        Panel(title="representations", x=Axis("$l/L$"),
              y=Axis(r"directions of $\alpha_l$", limits=(0, None)),
              marks=[Marks(rows=by_map.assign(part=by_map["k"] / by_map["L"]), x="part", size=2.5,
                           y="n_visible", name="directions", by=[by], line="-", width=0.8)]),
        Panel(title="linear: two parts", x=Axis("$R$ of $(A^TA)^{l/2L}$, of the rest"),
              y=Axis(r"$\Sigma\,\|W_l\|^2$ of the part"),
              marks=[Marks(rows=parts, x="cost", y="norm", name="part", size=3, filled=False,
                           by=[by_name("part", parts["part"], PARTS)]),
                     law([0, most], [0, most], "equal (D, H)", name="equal parts")]),
    ], columns=3, preset=preset, height=2.0)  # fmt: skip


def _of_rank(name: str, cells: pd.DataFrame, values: pd.DataFrame) -> Panel:
    depth = f", $L={cells['L'].iloc[0]}$" if len(cells) else ""
    return singular_values(f"{name}{depth}", of_cells(values, cells))
