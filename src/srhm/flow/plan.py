"""From a section to its curves of networks of any output scale. Imports no torch."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from srhm.declare.study import ConfigError, Curve, Planned
from srhm.flow.configuration import MEASUREMENTS, FlowSection
from srhm.flow.task import IMAGES, image_set
from srhm.images.readers import SETS
from srhm.model.grammar import GrammarError, parameters_of
from srhm.model.sampling import MIN_TEST, SampleError, largest_training_set, n_test_points
from srhm.networks.geometry import geometry
from srhm.store.provenance import canonical_json, short_hash
from srhm.store.sources import digest_of
from srhm.training.any_trainer import decided_by
from srhm.training.trainers import FLOW

# Measured of every curve whose seeds have several members.
ENSEMBLES = "ensembles"
# Measured of every curve that keeps them.
HISTORIES = "histories"
# In the order of the declaration; what a study measures of its own comes after.
ORDER = (*MEASUREMENTS, ENSEMBLES, HISTORIES)


def plan(
    section: FlowSection, directory: Path, *, study: str, measured: Sequence[str] = ()
) -> Planned:
    """All curves of a study's section by their names, with cells and keys, and its settings.

    Groups that share a curve are joined in it: their P, alpha_tilde, seeds, members and
    measurements are united. A key covers the coordinates of the cell and the sources, and not the
    study: cells of two studies that are equal are trained once.

    measured: what is measured of groups that do not say. Groups of MNIST are left out where its
    files are not; those of `mnist5k` and `fashion` are planned, and cannot be computed then.

    Raises:
        ConfigError: naming the group, the key, its value and what is allowed.
    """
    notice = SETS["mnist"].notice(directory)
    absent = notice if any(image_set(group.data) == "mnist" for group in section.curves) else None
    without = {name: SETS[name].notice(directory) for name in ("mnist5k", "fashion")}
    joined: dict[str, tuple[dict[str, Any], int, set[tuple[int, float, int, int]], set[str]]] = {}
    for number, group in enumerate(section.curves):
        if absent and image_set(group.data) == "mnist":
            continue
        most = group.n_test or section.n_test
        for shared in group.coordinates():
            curve_key = canonical_json([shared, most])
            _, _, points, measure = joined.setdefault(curve_key, (shared, most, set(), set()))
            scales = group.scales(width=shared["width"])
            points |= set(product(group.P, scales, range(group.seeds), range(group.members)))
            measure |= set(measured if group.measure is None else group.measure)
            _check(shared, points, f"curves.{number}", n_test=most)
    curves, missing = {}, dict[str, str]()
    for shared, most, points, measure in joined.values():
        n_test = _n_test(shared, points, n_test=most)
        entries: list[dict[str, Any]] = []
        source = digest_of(*decided_by(FLOW.module, shared))
        for P, alpha_tilde, seed, member in sorted(points):
            place = {"alpha_tilde": alpha_tilde, "P": P, "seed": seed, "member": member}
            cell = {**shared, **place, "n_test": n_test}
            # "plane" is a part of all keys: another word would train all of them again.
            key = short_hash(["plane", cell, source], length=24)
            entries.append({"key": key, "source": source, "cell": cell})
        if any(entry["cell"]["member"] for entry in entries):
            measure.add(ENSEMBLES)
        if "history" in shared:
            measure.add(HISTORIES)
        label = f"{study}_{_task(shared)}_h{shared['width']}"
        name = f"{label}-{short_hash([study, [entry['key'] for entry in entries]])}"
        curves[name] = Curve(
            name=name,
            trainer=FLOW,
            entries=tuple(entries),
            measured=tuple(kind for kind in ORDER if kind in measure)
            + tuple(kind for kind in measured if kind in measure and kind not in ORDER),
            columns={"study": study},
        )
        if why := without.get(image_set(shared["data"])):
            missing[name] = why
    return Planned(curves=curves, absent=absent or "", missing=missing)


def _task(cell: Mapping[str, Any]) -> str:
    if cell["data"] != "srhm":
        return f"{cell['net']}_{cell['data']}_d{cell['d']}_layers{cell['hidden_layers']}"
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
        raise ConfigError(f"  {where}: {error}") from error
    except SampleError as error:
        raise ConfigError(f"  {where}.P: {error}") from error
    if shared["data"] == "srhm":
        shape = geometry(shared["net"], parameters_of(shared), width=shared["width"])
        if any(layer.tied for layer in shape.layers):
            raise ConfigError(
                f"  {where}.net = {shared['net']!r}: allowed are networks each layer of which has"
                " one filter for all positions, or separate weights for each"
            )


def _n_test(
    shared: Mapping[str, Any], points: set[tuple[int, float, int, int]], *, n_test: int
) -> int:
    if shared["data"] in IMAGES:
        return min(n_test, IMAGES[shared["data"]].n_test)
    if shared["data"] != "srhm":
        return n_test
    parameters, largest = parameters_of(shared), max(P for P, *_ in points)
    if largest_training_set(parameters) < 1:
        raise SampleError(
            f"P = {largest}: this grammar has {parameters.n_distinct} distinct data, of which"
            f" {MIN_TEST} are kept for testing: none is left; allowed are larger s0, m, n_c or L"
        )
    return n_test_points(parameters, n_train=largest, n_test=n_test)
