"""P* of each grammar alone, powers of s_0+1, and the place in Figure 1 at P*."""

import pandas as pd

from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.sheet import rows_of
from srhm_studies.learning_curves.attention.configuration import LEARNER
from srhm_studies.learning_curves.learner import powers_of_places, uncensored

BLIND = "transformer"  # the net without positions
sample_complexities = LEARNER.sample_complexities


def seed_stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each curve and seed; S, D: at P*."""
    return LEARNER.of_seeds(cells, threshold=THRESHOLD, at_star=("S", "D"))


@rows_of("cells", what="grammars and s_0")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each grammar; those that are censored are left out."""
    return uncensored(seed_stars(cells))


@rows_of("cells", nothing="no grammar with P* at s0 = 0", what="P* of grammars")
def stars_from_zero(cells: pd.DataFrame) -> pd.DataFrame:
    """The same of grammars, of a net, v and seed, that have P* at s0 = 0, too."""
    rows = stars.function(cells)
    has_zero = rows["s0"].eq(0) & rows["status"].eq("reached")
    return rows[has_zero.groupby([rows["net"], rows["v"], rows["seed"]]).transform("any")]


@rows_of("cells", nothing="no grammar with both P*", what="grammars")
def exponents(cells: pd.DataFrame) -> pd.DataFrame:
    """Slope of log P* against log (s_0+1), s_0 > 0, of each grammar without a censored P*."""
    return powers_of_places(seed_stars(cells), "net")


@rows_of("cells", nothing="no net without positions", what="grammars and s_0")
def bags(cells: pd.DataFrame) -> pd.DataFrame:
    """Nets without positions at the largest P of their curve: excess, error less that of bags."""
    blind = cells[cells["net"] == BLIND]
    blind = blind[blind["P"] == blind.groupby([*LEARNER.curve, "seed"])["P"].transform("max")]
    return blind.assign(excess=blind["test_error"] - blind["bag_error"])
