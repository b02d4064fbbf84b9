"""The first look at a figure: drawn of the curves that it shows, while the others are trained.

A figure is drawn of the tables of a study, which hold all of its curves and what is measured of
them. A figure that says which curves it shows (`Figure.first`) is drawn of these alone before, as
soon as they are trained; they are trained before all others, the longest first. The figure itself
takes the place of its first look.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from srhm.preset import Plan
from srhm.results import places
from srhm.rules.curves import spec_text
from srhm.rules.pages import command_of
from srhm.rules.tables import repository_files
from srhm.studies.registry import STUDIES
from srhm.study import Curve, Figure

# Before all jobs of other priorities.
PRIORITY = 1000
# Tables, and figures that have a first look, before the other figures of a study.
EARLY = 5


def looks_of(plan: Plan) -> dict[str, tuple[str, Figure]]:
    """Study and figure of each first look, by the name of its rule; none of published rows."""
    return {
        f"{figure.name}_first_look": (study, figure)
        for study, planned in plan.studies.items()
        for figure in STUDIES[study].figures
        if figure.first and not planned.published and curves_of_look(plan, study, figure)
    }


def curves_of_look(plan: Plan, study: str, figure: Figure) -> dict[str, Curve]:
    """The curves of a study whose cells agree with what a figure says that it shows."""
    return {
        name: curve
        for name, curve in plan.studies[study].curves.items()
        if all(curve.entries[0]["cell"].get(key) in values for key, values in figure.first.items())
    }


def files_of_look(plan: Plan, figure: Figure) -> dict[str, str]:
    """Files of a first look; none for a figure that has none."""
    if f"{figure.name}_first_look" not in looks_of(plan):
        return {}
    file = Path(places.figure_files(plan.name, figure.name)["png"])
    own = file.with_name(f"{file.stem}_first_look.png")
    return {"png": str(own), "pdf": str(own.with_suffix(".pdf"))}


def priorities(plan: Plan, seconds: Callable[[Curve], float]) -> Mapping[str, float]:
    """Priorities of the curves of first looks, and of the samples that they learn from, by name.

    seconds: expected of the training of a curve: the longest go first.
    """
    found: dict[str, float] = {}
    for study, figure in looks_of(plan).values():
        for name, curve in curves_of_look(plan, study, figure).items():
            found[name] = PRIORITY + seconds(curve)
            if curve.sample is not None:
                found[curve.sample] = max(found.get(curve.sample, 0.0), found[name])
    return found


def rows_of_look(plan: Plan, study: str, figure: Figure) -> list[str]:
    """Files of the rows of its curves."""
    curves = curves_of_look(plan, study, figure).values()
    return [places.rows_of_curve(one.trainer, one.name) for one in curves]


def look_spec(plan: Plan, study: str, figure: Figure) -> str:
    """For the script that draws a first look."""
    declared, known = STUDIES[study], plan.settings(study)
    curves = curves_of_look(plan, study, figure)
    chosen = {name: known[name] for name in figure.settings}
    n_all = len(plan.studies[study].curves)
    stamp = f"first look: {len(curves)} of {n_all} curves"
    return spec_text(
        {
            "planned": [
                [one.name, [entry["key"] for entry in one.entries]] for one in curves.values()
            ],
            "schemas": declared.schemas,
            "derived": [
                {
                    "name": table.name,
                    "function": table.function,
                    "uses": table.uses,
                    "named": {name: known[name] for name in table.settings}
                    | repository_files(table),
                }
                for table in declared.tables
            ],
            "function": figure.function,
            "uses": figure.uses,
            "named": {
                **chosen,
                "preset": f"{plan.name}, {stamp}",
                **figure.options,
                **repository_files(figure),
            },
            "stamp": stamp,
            "command": command_of(plan, study),
        }
    )
