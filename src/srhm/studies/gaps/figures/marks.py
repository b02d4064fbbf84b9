"""How the kinds of networks look in the figures of the study."""

from srhm.figures.looks import BLUE, GREEN, PURPLE, SKY, VERMILION, Look
from srhm.studies.gaps.analysis import NAMES

KINDS = {
    kind: Look(name, tint, symbol)
    for (kind, name), tint, symbol in zip(
        NAMES.items(), (SKY, BLUE, PURPLE, VERMILION, GREEN), "vosD^", strict=True
    )
}
