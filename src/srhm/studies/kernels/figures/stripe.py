"""Learning curves of support vector machines in the stripe model, compressed or not."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel
from srhm.figures.scales import by_name
from srhm.studies.kernels.figures.curves import SIZE, curve, drawn, guides, runs
from srhm.studies.kernels.laws import stripe_exponent
from srhm.studies.kernels.stripe import COMPRESSED

INPUTS = {
    "stripe": Look("as they are", BLUE, "o"),
    COMPRESSED: Look("compressed by $\\sqrt{P}$", VERMILION, "s"),
}


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """Test error against P by inputs. A: the Laplace kernel. B: the tangent kernel of a net."""
    rows = cells[(cells["experiment"] == "stripe") & (cells["status"] == "done")]
    by = by_name("data", rows["data"], INPUTS, "Inputs")
    panels = []
    for kernel, name in (("laplace", "Laplace"), ("tangent", "tangent")):
        own = rows[rows["kernel"] == kernel]
        d = int(own["d"].max()) if len(own) else 1

        def law(data: str, d: int = d) -> float:
            return stripe_exponent(d, compressed=data == COMPRESSED)

        panels.append(Panel(
            title=f"{name} kernel{runs(own)}", x=SIZE, y=Axis("test error", log=True),
            marks=[drawn(own, "error", [by]), guides(curve(own, "error", ["data"]), "error", by,
                                                     law)],
        ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset)
