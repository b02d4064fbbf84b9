"""Predictions on networks that are taught invariances of digits; no source has them.

Fixed before any curve of this study was trained (README). Bounds are where teaching does nothing.
"""

from functools import partial

from srhm.scorecard.claims import Claim, predictions
from srhm.scorecard.estimators import Mean, Ratio
from srhm.scorecard.expectations import Above, Below
from srhm_studies.smoothness.taught_digits.analysis import (
    BOTH,
    DEFORMATIONS,
    NETS,
    NOTHING,
    PLACES,
    R,
    at_largest,
    savings,
    stars,
)

OTHER = {PLACES: DEFORMATIONS, DEFORMATIONS: PLACES}
claim = partial(Claim, figure="taught_digits", place="prediction of this project")
points = partial(claim, topic="Points that teaching saves on digits")
stable = partial(claim, topic="Relative stability of taught networks, largest P")
NO_EFFECT = "the bound is where teaching does nothing"


def of_net(net: str) -> list[Claim]:
    """Claims on one net."""
    return [
        *(
            points(
                f"points-{taught}-{net}", f"{NETS[net]}: P* with {taught} taught over P* untaught",
                expected=Below(1), why=NO_EFFECT,
                measure=Ratio("P_star", where={"net": net, "taught": taught},
                              over={"taught": NOTHING}, on=("net", "seed"), rows=stars,
                              what="seeds"),
            )
            for taught in (PLACES, DEFORMATIONS, BOTH)
        ),
        points(
            f"overlap-{net}",
            f"{NETS[net]}: factor that both save over the product of what each saves",
            expected=Below(1),
            why="the bound is independent invariances; the lowest modes of a field move the middle"
            " of the image as a shift does, so that both teach some of the same",
            measure=Mean("over_product", scale="ratio", where={"net": net}, rows=savings,
                         what="seeds"),
        ),
        *(
            stable(
                f"own-{taught}-{net}",
                f"{NETS[net]}: R to {taught}, {taught} taught over nothing taught",
                expected=Below(1), why=NO_EFFECT,
                measure=Ratio(R[taught], where={"net": net, "taught": taught},
                              over={"taught": NOTHING}, on=("net", "P", "seed"), rows=at_largest,
                              what="seeds"),
            )
            for taught in OTHER
        ),
        *(
            stable(
                f"part-{taught}-{net}",
                f"{NETS[net]}: R to {taught}, {taught} taught over {other} taught",
                expected=Below(1),
                why="the bound is where the one invariance teaches the other",
                measure=Ratio(R[taught], where={"net": net, "taught": taught},
                              over={"taught": other}, on=("net", "P", "seed"), rows=at_largest,
                              what="seeds"),
            )
            for taught, other in OTHER.items()
        ),
    ]  # fmt: skip


STATED = (
    *(one for net in NETS for one in of_net(net)),
    points(
        "places-fc-lenet", "Factor that places save: FC over LeNet", expected=Above(1),
        why="the bound is equality: LeNet shares weights over places, as a CNN does on the SRHM",
        measure=Ratio(PLACES, where={"net": "fc2"}, over={"net": "lenet"}, on=("seed",),
                      rows=savings, what="seeds"),
    ),
)  # fmt: skip

CLAIMS = predictions(
    STATED,
    {
        "*": "2026-11-26, bb4e4b1e",
    },
)
