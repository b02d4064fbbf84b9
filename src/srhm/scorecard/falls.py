"""When the sensitivities of a curve count as having fallen, for several studies."""

from math import nan
from typing import Any

import numpy as np

from srhm.statistics.sample_complexity import lasting_crossing

# A curve shows a fall of its sensitivities if its test error falls in the measured window from
# above the first to below the second: before and after the task is learnt.
UNLEARNT, LEARNT = 0.30, 0.10
# A sensitivity that falls by less has no half-way that would stand out of its noise.
MIN_FALL = 1.5
# A sensitivity of zero, of a network that is exactly invariant, has no logarithm.
LEAST_RATIO = 1e-6
# Why claims expect a fall to below one half.
FALL_REASON = (
    "1/2: the paper gives no number for 'significantly lower'; the smallest fall that its own"
    " thresholds ask for is that to S_2 = 50 % from the 100 % of an insensible representation"
)


def log_half_way(sizes: Any, values: Any) -> float:
    """log P at which a sensitivity has fallen to the geometric mean of its first and last value.

    sizes, values: shape (n,), by P. NaN where it falls by less than MIN_FALL.
    """
    finite = np.isfinite(values)
    sizes, values = sizes[finite], values[finite]
    if not values.size or values[0] <= 0 or values[-1] * MIN_FALL > values[0]:
        return nan
    last = max(values[-1], LEAST_RATIO * values[0])
    return lasting_crossing(sizes, values, float(np.sqrt(values[0] * last))).log_size
