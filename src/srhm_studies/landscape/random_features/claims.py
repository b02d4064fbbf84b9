"""Claims on random features without ridge (thesis, chapter 8, and the articles it cites)."""

import pandas as pd

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_of

SET = ["data", "P", "seed"]  # one data set
# N/P from which on the decay with N is fitted, and between which the members' variance, which
# diverges at N = P, leaves the mean over members of no use.
WIDE, BELOW, ABOVE = 4.0, 0.7, 1.5


@rows_of("cells", nothing=f"no two N from {WIDE:g} P on", what="cells")
def decay(cells: pd.DataFrame, *, column: str) -> pd.DataFrame:
    """Cells from WIDE P on, of data sets of which the column is positive in all of them.

    excess: squared error of single members minus that of the kernel; beyond: N - P.
    """
    single = cells["mse_limit"] + cells["variance"]
    rows = cells.assign(excess=single - cells["mse_kernel"], beyond=cells["N"] - cells["P"])
    rows = rows[rows["N_over_P"] >= WIDE]
    return rows[(rows[column] > 0).groupby([rows[name] for name in SET]).transform("all")]


@rows_of("cells", what="cells")
def limits(cells: pd.DataFrame, *, over: str) -> pd.DataFrame:
    """`ratio` of the squared error of infinitely many members to that of a kernel.

    over: mse_kernel, without ridge, from ABOVE P on; mse_ridge, with the effective one, to BELOW P.
    """
    is_far = cells["N_over_P"] <= BELOW if over == "mse_ridge" else cells["N_over_P"] >= ABOVE
    rows = cells[is_far & (cells["mse_limit"] > 0) & (cells[over] > 0)]
    return rows.assign(ratio=rows["mse_limit"] / rows[over])


sheet = Sheet()
say = sheet.topic(
    "Random features", "random_features",
    why="0.1, ours, for 1/(N − P), the mean of an inverse Wishart matrix, which has −1.16 in N from"
        " 4 P to 16 P",
)  # fmt: skip
for column, what in (("variance", "variance between members of an ensemble"),
                     ("excess", "squared error minus the kernel's")):  # fmt: skip
    say(f"random-features-{column}", f"Random features, N ≥ 4 P: exponent of N − P in the {what}",
        decay.given(column=column).slope(column, "beyond", within=SET), Within(-1, 0.1),
        place="thesis, ch. 2b: fluctuations of relative size 1/√N")  # fmt: skip
for name, which, source, over, tolerance, why in (
    ("flat", "the kernel's, N ≥ 1.5 P", "d'Ascoli et al. 2020", "mse_kernel", 0.05,
     "0.05, ours: the mean over members and data is known to a few percent"),
    ("ridge", "the kernel's with effective ridge, N ≤ 0.7 P", "Jacot et al. 2020", "mse_ridge", 0.1,
     "0.1, ours: the law is for large N, and N is as small as 60"),
):  # fmt: skip
    say(f"random-features-{name}",
        f"Random features: error of the infinite ensemble divided by {which}",
        limits.given(over=over).mean("ratio", scale="ratio", per=SET, note_by="data"),
        Within(1, tolerance), why, place=f"thesis, ch. 8.1; {source}")  # fmt: skip

CLAIMS = sheet.finished(
    changed={"random-features-variance random-features-excess": "in N − P, before in N"}
)
