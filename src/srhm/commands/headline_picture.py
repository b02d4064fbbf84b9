"""The picture of README.md: the paper's two statements in the shipped rows of `grid`.

What it shows was written down here before it was drawn. A reviewer's draft had been seen: it chose
curves of its own, had the output in place of layer 2, and left out v below 5 and all networks that
stopped at the step limit.

Left: P* against Eq. 3 (LCN) or Eq. 4 (CNN). The points are those of the claim
`slope-against-prediction`, all of them and no others, because its slope stands in the picture: s =
2, sparsity A, both L, every v and s_0. A mark is a curve, the geometric mean of P* over its
grammars. Crosses are the authors' points in the same claim. The dashed line is P* = prediction.

Right: the curves of the left panel, every v and s_0. Test error, S_2 and D_2, which are the
sensitivities of layer 2 to level 1 whose P the paper compares with P*. P is divided by P* of the
curve. A thin line has the medians over grammars of a curve. A thick line is the median of the
curves, where at least half of them have points on both sides. Dead networks are left out, as of P*;
networks that stopped at the step limit count. No line is a fit. The error is near 10 % at P = P* by
definition.
"""
