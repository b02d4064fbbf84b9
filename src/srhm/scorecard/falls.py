"""When the sensitivities of a curve count as having fallen: numbers that several studies share."""

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
