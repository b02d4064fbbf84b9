"""An estimator whose interval is that of a statistic of fewer seeds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan

import numpy as np
import pandas as pd
from scipy import special

from srhm.scorecard.claims import Measurement
from srhm.scorecard.estimators import Estimator, Scale, as_ratio, no_points
from srhm.statistics.regression import CONFIDENCE

Statistic = Callable[[pd.DataFrame], float]


@dataclass(frozen=True)
class Jackknife(Estimator):
    """A statistic of all rows, its interval by leaving out one seed after another (Student t).

    over: column of what is left out. Unknown where the statistic fails for one. scale: of a ratio
    the interval is that of its logarithm. words: what the note says of the rows besides.
    """

    statistic: Statistic = field(kw_only=False)
    over: str = field(default="seed", kw_only=True)
    scale: Scale = field(default="plain", kw_only=True)
    words: Callable[[pd.DataFrame], str] = field(default=lambda rows: "", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        value, kept = self._taken(table), sorted(set(table[self.over]))
        if not np.isfinite(value):
            return no_points("not enough points")
        n, half = len(kept), nan
        if n > 1:
            left = np.array([self._taken(table[table[self.over] != one]) for one in kept])
            error = np.sqrt((n - 1) / n * np.square(left - left.mean()).sum())
            half = float(special.stdtrit(n - 1, (1 + CONFIDENCE) / 2) * error)
        note = f"{n} {self.over}s, jackknife over them{self.words(table)}"
        found = Measurement(value=value, low=value - half, high=value + half, n=n, note=note)
        return as_ratio(found) if self.scale == "ratio" else found

    def _taken(self, table: pd.DataFrame) -> float:
        value = self.statistic(table)
        return value if self.scale == "plain" else float(np.log(value))
