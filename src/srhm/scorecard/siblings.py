"""Sibling claims: means of few values of one kind, whose scatter is estimated together.

Three seeds give a 95 % interval of 2.5 standard deviations, each side, because they hardly know
their own scatter. Claims of one study that take a mean of one quantity of the same kind of rows are
a family, whatever their numbers are. Where Bartlett's test does not tell their variances apart, the
interval of each is that of the family's variance, with the degrees of freedom of all.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import exp, isclose, sqrt

import numpy as np

from srhm.scorecard.claims import MIN_POINTS, Measurement
from srhm.statistics.regression import NO_FIT, of_error

# With more values a mean knows its own scatter.
MOST_VALUES = 9
# Level of the test that variances are equal.
EQUAL_VARIANCES = 0.05


@dataclass(frozen=True)
class FewValues:
    """Independent values of which a measurement is the mean.

    family: equal for means of one quantity of one kind of rows. geometric: the values are
    logarithms, and the measurement is the exponential of their mean.
    """

    family: Hashable
    values: tuple[float, ...]
    geometric: bool

    def ends(self, variance: float, dof: int) -> tuple[float, float]:
        """The 95 % interval of the mean with this variance of a value."""
        error = sqrt(variance / len(self.values))
        fit = of_error(NO_FIT, float(np.mean(self.values)), error, dof)
        return (exp(fit.low), exp(fit.high)) if self.geometric else (fit.low, fit.high)


def with_pooled_scatter(measured: Sequence[Measurement]) -> list[Measurement]:
    """Measurements of a scorecard, those of a family with the interval of their common scatter.

    A measurement that is not the mean of its values as they are, but computed of it, stays.
    """
    from scipy.stats import bartlett  # slow to load, and no figure needs it

    families = defaultdict(list)
    for place, measurement in enumerate(measured):
        few = measurement.few_values
        if few is not None and MIN_POINTS <= len(few.values) <= MOST_VALUES:
            ends = few.ends(float(np.var(few.values, ddof=1)), len(few.values) - 1)
            if ends[0] < ends[1] and all(map(isclose, ends, (measurement.low, measurement.high))):
                families[few.family].append(place)
    result = list(measured)
    for places in families.values():
        samples = [measured[place].few_values.values for place in places]
        if len(places) < 2 or not bartlett(*samples).pvalue > EQUAL_VARIANCES:
            continue
        dof = sum(len(sample) - 1 for sample in samples)
        pooled = sum(float(np.var(sample) * len(sample)) for sample in samples) / dof
        note = f"; scatter pooled across {len(places)} sibling claims ({dof} degrees of freedom)"
        for place in places:
            low, high = measured[place].few_values.ends(pooled, dof)
            words = f"{measured[place].note}{note}"
            result[place] = replace(measured[place], low=low, high=high, note=words)
    return result
