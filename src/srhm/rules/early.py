"""A figure that says which curves it shows is made of these, while the others are trained.

These curves are trained, measured and gathered into tables of their own before all others, the
longest first.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from srhm.preset import Plan
from srhm.studies.registry import STUDIES
from srhm.study import Curve, Figure

# Before all jobs of other priorities.
PRIORITY = 1000
# Tables, and figures that are early, before the other figures of a study.
EARLY = 5


def parts_of(plan: Plan) -> dict[str, Plan]:
    """By the name of a figure, its study with the curves alone that it shows; none if published."""
    found = {}
    for study, planned in plan.studies.items():
        for figure in STUDIES[study].figures:
            if figure.first and not planned.published:
                own = {name: one for name, one in planned.curves.items() if _shows(figure, one)}
                if own:
                    part = {study: replace(planned, curves=own)}
                    found[figure.name] = replace(plan, studies=part, part=figure.name)
    return found


def _shows(figure: Figure, curve: Curve) -> bool:
    cell = curve.entries[0]["cell"]
    return all(cell.get(key) in values for key, values in figure.first.items())


def priorities(plan: Plan, seconds: Callable[[Curve], float]) -> Mapping[str, float]:
    """Priorities of the curves of early figures, and of the samples that they learn from, by name.

    seconds: expected of the training of a curve: the longest go first.
    """
    found: dict[str, float] = {}
    for part in parts_of(plan).values():
        for name, curve in part.curves.items():
            found[name] = PRIORITY + seconds(curve)
            if curve.sample is not None:
                found[curve.sample] = max(found.get(curve.sample, 0.0), found[name])
    return found
