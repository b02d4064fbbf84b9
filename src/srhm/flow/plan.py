"""From the section `plane` to the curves of the plane, their cells and keys; loads no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from srhm.flow.configuration import MEASUREMENTS, Plane, PlaneCurves
from srhm.flow.task import parameters_of
from srhm.model.grammar import GrammarError
from srhm.model.sampling import MIN_TEST, SampleError, largest_training_set, n_test_points
from srhm.results.provenance import PACKAGE, canonical_json, cells_digest, short_hash
from srhm.studies.first_step.table import check_sizes


class PlaneError(ValueError):
    """A section `plane` that cannot be run; the message names the key and the allowed range."""


@dataclass(frozen=True)
class PlaneCurve:
    """Cells that one job trains: equal in all but P, alpha_tilde, seed and member.

    measure: what is measured of them; entries: {"key", "source", "cell"} each, in the order of
    P, alpha_tilde, seed, member.
    """

    name: str
    study: str
    measure: tuple[str, ...]
    entries: tuple[dict[str, Any], ...]

    @property
    def label(self) -> str:
        """One line for people."""
        return self.name.rsplit("-", 1)[0]


def training_digest() -> str:
    """Digest of the sources that decide a trained cell."""
    return cells_digest(PACKAGE / "plane" / "members.py")


def plane_curves(plane: Plane) -> dict[str, PlaneCurve]:
    """All curves of a section by their names, with cells and keys.

    Groups of one study that share a curve are joined in it: their P, alpha_tilde, seeds, members
    and measurements are united. A key covers the coordinates of the cell and the sources, and not
    the study: cells of two studies that are equal are trained once.

    Raises:
        PlaneError: naming the group, the key, its value and what is allowed; of the first step too.
    """
    for number, entry in enumerate(plane.first_step):
        try:
            check_sizes(entry.model_dump())
        except (GrammarError, SampleError) as error:
            raise PlaneError(f"plane.first_step.{number}: {error}") from error
    joined: dict[str, tuple[str, dict[str, Any], set[tuple[int, float, int, int]], set[str]]] = {}
    for number, group in enumerate(plane.curves):
        for shared in group.coordinates():
            key = canonical_json([group.study, shared])
            _, _, points, measure = joined.setdefault(key, (group.study, shared, set(), set()))
            points |= set(_points(group, width=shared["width"]))
            measure |= set(group.measured)
            _check(shared, points, f"plane.curves.{number}", n_test=plane.n_test)
    source = training_digest()
    curves = {}
    for study, shared, points, measure in joined.values():
        n_test = _n_test(shared, points, n_test=plane.n_test)
        entries = []
        for P, alpha_tilde, seed, member in sorted(points):
            place = {"alpha_tilde": alpha_tilde, "P": P, "seed": seed, "member": member}
            cell = {**shared, **place, "n_test": n_test}
            key = short_hash(["plane", cell, source], length=24)
            entries.append({"key": key, "source": source, "cell": cell})
        label = f"{study}_{_task(shared)}_h{shared['width']}"
        name = f"{label}-{short_hash([study, [entry['key'] for entry in entries]])}"
        wanted = tuple(name for name in MEASUREMENTS if name in measure)
        curves[name] = PlaneCurve(name, study, wanted, tuple(entries))
    return curves


def _points(group: PlaneCurves, *, width: int) -> list[tuple[int, float, int, int]]:
    scales = group.scales(width=width)
    return list(product(group.P, scales, range(group.seeds), range(group.members)))


def _task(cell: Mapping[str, Any]) -> str:
    if cell["data"] == "random":
        return f"{cell['net']}_random_d{cell['d']}_layers{cell['hidden_layers']}"
    return f"{cell['net']}_L{cell['L']}_s{cell['s']}_s0{cell['s0']}_v{cell['v']}"


def _check(
    shared: Mapping[str, Any],
    points: set[tuple[int, float, int, int]],
    where: str,
    *,
    n_test: int,
) -> None:
    try:
        _n_test(shared, points, n_test=n_test)
    except GrammarError as error:
        raise PlaneError(f"{where}: {error}") from error
    except SampleError as error:
        raise PlaneError(f"{where}.P: {error}") from error


def _n_test(
    shared: Mapping[str, Any], points: set[tuple[int, float, int, int]], *, n_test: int
) -> int:
    if shared["data"] == "random":
        return n_test
    parameters, largest = parameters_of(shared), max(P for P, *_ in points)
    if largest_training_set(parameters) < 1:
        raise SampleError(
            f"P = {largest}: this grammar has {parameters.n_distinct} distinct data, of which"
            f" {MIN_TEST} are kept for testing: none is left; allowed are larger s0, m, n_c or L"
        )
    return n_test_points(parameters, n_train=largest, n_test=n_test)
