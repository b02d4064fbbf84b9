"""Predictions on networks that are taught invariances of digits; no source has them.

Fixed before any curve of this study was trained (README). Bounds are where teaching does nothing.
"""

from srhm.scorecard.expectations import Above, Below
from srhm.scorecard.sheet import Sheet
from srhm_studies.smoothness.taught_digits.analysis import (
    BOTH,
    DEFORMATIONS,
    NOTHING,
    PLACES,
    R,
    at_largest,
    savings,
    stars,
)

NAMES = {"lenet": "LeNet", "fc2": "Fully connected network"}
WORDS = {PLACES: "shifts", DEFORMATIONS: "deformations", BOTH: "shifts and deformations"}
OTHER = {PLACES: DEFORMATIONS, DEFORMATIONS: PLACES}
NO_EFFECT = "the bound is where teaching does nothing"

sheet = Sheet()
points, stable = (
    sheet.topic(topic, "taught_digits", place="prediction of this project", expected=Below(1),
                why=NO_EFFECT)
    for topic in ("Points that teaching saves on digits",
                  "Relative stability of taught networks, largest P")
)  # fmt: skip
for net, name in NAMES.items():
    for taught in (PLACES, DEFORMATIONS, BOTH):
        points(f"points-{taught}-{net}",
               f"{name}: P* with {WORDS[taught]} taught divided by untaught P*",
               stars.ratio("P_star", net=net, taught=taught, over={"taught": NOTHING},
                           on=("net", "seed")))  # fmt: skip
    points(f"overlap-{net}",
           f"{name}: factor that teaching both saves divided by the product of the factors of each",
           savings.mean("over_product", scale="ratio", net=net),
           why="the bound holds for independent invariances; the lowest modes of a field move the"
               " middle of the image as a shift does, so that each teaches some of the other",
           )  # fmt: skip
    for taught in OTHER:
        stable(f"own-{taught}-{net}",
               f"{name}, response R to {WORDS[taught]}: {WORDS[taught]} taught / untaught",
               at_largest.ratio(R[taught], net=net, taught=taught, over={"taught": NOTHING},
                                on=("net", "P", "seed")))  # fmt: skip
    for taught, other in OTHER.items():
        stable(f"part-{taught}-{net}",
               f"{name}, response R to {WORDS[taught]}: {WORDS[taught]} / {WORDS[other]} taught",
               at_largest.ratio(R[taught], net=net, taught=taught, over={"taught": other},
                                on=("net", "P", "seed")),
               why="the bound is where either invariance teaches the other fully")  # fmt: skip
points("places-fc-lenet",
       "Factor in P* that teaching shifts saves: fully connected network divided by LeNet",
       savings.ratio(PLACES, net="fc2", over={"net": "lenet"}, on="seed"), Above(1),
       "the bound is equality: LeNet shares weights among positions, as a CNN does on the SRHM"
       )  # fmt: skip

CLAIMS = sheet.finished(committed={"*": "2026-11-26, bb4e4b1e"})
