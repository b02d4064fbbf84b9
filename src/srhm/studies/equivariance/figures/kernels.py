"""The basis of equivariant kernels between vectors, as a picture (thesis, Fig. 2)."""

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from srhm.figures.drawing import laid_out_page, styled
from srhm.figures.mosaic import mosaic

HEIGHT = 2.5  # inches
TITLES = ("$J = 0$: identity", "$J = 1$: curl", "$J = 2$: gradient of div")
PALETTE = "PuOr"


@styled
def draw(basis: pd.DataFrame, *, preset: str) -> Figure:
    """For each J a matrix of 3 x 3 discs: the half of the sphere that one sees along (1, 1, 1)."""
    if basis.empty:
        return mosaic([], columns=1, preset=preset)
    figure, page = laid_out_page(HEIGHT, preset=preset)
    largest = float(basis["value"].abs().max())
    grid = page.subplots(3, 11, width_ratios=[1, 1, 1, 0.4, 1, 1, 1, 0.4, 1, 1, 1])
    for axes in grid.ravel():
        axes.set_axis_off()
    for J, i, j in np.ndindex(3, 3, 3):
        own = basis[(basis["J"] == J) & (basis["row"] == i) & (basis["column"] == j)]
        picture = own.pivot_table(index="v", columns="u", values="value")
        grid[i, 4 * J + j].imshow(picture, origin="lower", cmap=PALETTE, vmin=-largest,
                                  vmax=largest, extent=(-1, 1, -1, 1), interpolation="bilinear",
                                  gid=f"kernel {J} {i} {j}")  # fmt: skip
        if (i, j) == (0, 1):
            grid[i, 4 * J + j].set_title(f"$\\bf{{{'ABC'[J]}}}$  {TITLES[J]}", fontsize=8)
    scale = ScalarMappable(Normalize(-largest, largest), PALETTE)
    page.colorbar(scale, ax=grid, shrink=0.8, label="$Q^J Y^J(x)$")
    return figure
