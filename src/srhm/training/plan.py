"""From a section to its curves on the SRHM: cells, keys, samples. Imports no torch."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from math import log, log2, sqrt
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from srhm.declare.keys import combinations, refusals
from srhm.declare.search import PER_OCTAVE, Search, lattice
from srhm.declare.study import ConfigError, Curve, Planned, Sample
from srhm.model import theory
from srhm.model.grammar import DATA_MODEL, GrammarError, GrammarParameters, parameters_of
from srhm.model.sampling import MIN_TEST, SampleError, largest_training_set, n_test_points
from srhm.networks.registry import CONNECTED, NAMED, stand_in
from srhm.store.provenance import canonical_json, short_hash
from srhm.store.sources import digest_of
from srhm.training.any_trainer import SAMPLES, decided_by
from srhm.training.cell import points_of_a_step
from srhm.training.configuration import (
    HierarchyCurves,
    HierarchySection,
    NoPublishedRate,
    Training,
    Window,
    published_rate,
)
from srhm.training.engines import AUTOGRAD, ENGINES, NAMED_ENGINES
from srhm.training.trainers import HIERARCHY, NAMED_NETS

# What is measured of each curve unless a study says otherwise.
SENSITIVITIES = "sensitivities"
# Net and grammar of a curve, in the order of the curves of a group.
COORDINATES = ("net", "L", "s", "v", "s0", "sparsity", "n_c", "m")


def plan(
    section: HierarchySection, directory: Path, *, measured: tuple[str, ...] = (SENSITIVITIES,)
) -> Planned:
    """Curves of a section with their cells and keys, the samples that they learn from, settings.

    Groups that differ in P and seeds alone are one curve, unless P is searched. measured: names of
    the study's measurements, which are made of each curve.

    Raises:
        ConfigError: naming the group of curves, the key, its value and the allowed range.
    """
    sizes: dict[
        str, tuple[dict[str, Any], GrammarParameters, set[tuple[int, int]], Search | None]
    ] = {}
    for number, group in enumerate(section.curves):
        where = f"curves.{number}"
        training = _training(section, group, where)
        for coordinates in combinations(group, *COORDINATES):
            with _refused_as(f"{where}: "):
                parameters = parameters_of(coordinates)
            shared = {
                **coordinates,
                "width": group.width or section.width,
                "alpha": group.alpha,
                **training.model_dump(exclude={"fcn_scale"}),
            }
            if coordinates["net"] == "fcn":  # the cells of all others do not know of it
                shared["fcn_scale"] = training.fcn_scale
            if training.learning_rate == "table":
                with _refused_as(f"{where}.training.learning_rate = 'table': "):
                    shared["learning_rate"] = published_rate(coordinates)
            shared["learning_rate"] = float(shared["learning_rate"])
            points = _sizes(group.P, coordinates, parameters, where)
            search = _search(group.P, coordinates, points)
            if training.whitening and parameters.n_features == 1:
                raise _refusal(where, "v", "1: with training.whitening allowed are 2 or more")
            if training.engine in NAMED_ENGINES:
                _check_named(shared, points, where)
            key = canonical_json([shared, search and vars(search)])
            _, _, cells, _ = sizes.setdefault(key, (shared, parameters, set(), search))
            seeds = range(section.first_seed, section.first_seed + (group.seeds or section.seeds))
            cells |= set(product(points, seeds))
    curves: dict[str, Curve] = {}
    samples: dict[str, Sample] = {}
    for shared, parameters, cells, search in sizes.values():
        curve, sample = _curve(section, shared, parameters, sorted(cells), measured, search)
        curves[curve.name], samples[sample.name] = curve, sample
    settings = {"width": section.width, SENSITIVITIES: section.measurement.model_dump()}
    return Planned(curves=curves, samples=samples, settings=settings)


def _training(section: HierarchySection, group: HierarchyCurves, where: str) -> Training:
    try:
        training = Training.model_validate(section.training_keys | group.training)
    except ValidationError as error:
        raise ConfigError(refusals(error, Training, where=f"{where}.training")) from error
    nets, named = ", ".join(group.net), group.net[0] in NAMED
    kinds = {net if net in CONNECTED else "" for net in group.net}
    if len(kinds) > 1:
        raise _refusal(where, "net", f"{nets}: {max(kinds)} needs a group of its own")
    engines = [engine for engine in ENGINES if (engine in NAMED_ENGINES) == named]
    if named and not all(NAMED[net].taped for net in group.net):
        engines = [AUTOGRAD]
    engines = [name for name in engines if name not in CONNECTED] if kinds == {""} else list(kinds)
    if training.engine not in engines:
        allowed = " or ".join(map(repr, engines))
        raise _refusal(where, "training.engine", f"{training.engine!r}: for {nets} it is {allowed}")
    if named and training.bias:
        raise _refusal(where, "training.bias", f"True: allowed is False for {nets}")
    if training.fcn_scale != "dv" and set(group.net) != {"fcn"}:
        raise _refusal(where, "training.fcn_scale", f"'v': for {nets} it has no meaning, leave it")
    return training


@contextmanager
def _refused_as(words: str) -> Iterator[None]:
    """What grammars, samples or the table of rates refuse, after these words."""
    try:
        yield
    except (GrammarError, SampleError, NoPublishedRate) as error:
        raise ConfigError(f"  {words}{error}") from error


def _refusal(where: str, key: str, message: str) -> ConfigError:
    return ConfigError(f"  {where}.{key} = {message}")


def _check_named(cell: Mapping[str, Any], points: list[int], where: str) -> None:
    """What the sizes of a named net must be.

    Raises:
        ConfigError: if a batch has one point, or P makes no whole batch.
    """
    batch = points_of_a_step(cell)
    if batch < 2:
        message = f"{batch}: allowed are 2 or more for {cell['net']}, as batch norm compares points"
        raise _refusal(where, "training.batch_size", message)
    if min(points) < batch:
        message = f"{min(points)}: allowed are {batch} or more for {cell['net']}, which is trained"
        raise _refusal(where, "P", f"{message} on whole batches only")


def _sizes(
    wanted: Window | list[int],
    coordinates: Mapping[str, Any],
    parameters: GrammarParameters,
    where: str,
) -> list[int]:
    available = largest_training_set(parameters)
    if isinstance(wanted, list):
        with _refused_as(f"{where}.P: "):
            n_test_points(parameters, n_train=max(wanted), n_test=MIN_TEST)
        return sorted(set(wanted))
    predicted = theory.predicted(coordinates, stand_in(coordinates["net"]))
    sizes = set()
    if wanted.per_octave is None:
        # By the net and the grammar alone: channels and rates leave P as they are.
        phase = int(short_hash(coordinates), 16) / 16 ** len(short_hash(coordinates))
        points = lattice(predicted, low=wanted.low, high=wanted.high, phase=phase)
        sizes = {size for size in points if size <= available}
    else:
        size = wanted.low
        while size <= wanted.high * (1 + 1e-9):
            if round(size * predicted) <= available:
                sizes.add(max(1, round(size * predicted)))
            size *= 2 ** (1 / wanted.per_octave)
    if not sizes:
        raise ConfigError(
            f"  {where}.P: the window starts at"
            f" {wanted.low * predicted:.0f} points, but only {parameters.n_distinct} data are"
            f" distinct, of which {MIN_TEST} are kept for testing"
        )
    return sorted(sizes)


def _search(
    wanted: Window | list[int], coordinates: Mapping[str, Any], points: Sequence[int]
) -> Search | None:
    if isinstance(wanted, list) or wanted.search is None:
        return None
    start = wanted.start or sqrt(wanted.low * wanted.high)
    at = log(start * theory.predicted(coordinates, stand_in(coordinates["net"])))
    first = min(range(len(points)), key=lambda k: abs(log(points[k]) - at))
    if wanted.search == "error":
        return Search(first)
    return Search(first, below=PER_OCTAVE, above=round(PER_OCTAVE * log2(wanted.beyond)))


def _curve(
    section: HierarchySection,
    shared: Mapping[str, Any],
    parameters: GrammarParameters,
    cells: list[tuple[int, int]],
    measured: tuple[str, ...],
    search: Search | None,
) -> tuple[Curve, Sample]:
    largest = max(size for size, _ in cells)
    n_test = n_test_points(parameters, n_train=largest, n_test=section.n_test)
    trainer = NAMED_NETS if shared["net"] in NAMED else HIERARCHY
    source = digest_of(*decided_by(trainer.module, shared))
    entries = []
    for size, seed in cells:
        cell = {**shared, "P": size, "seed": seed, "n_test": n_test}
        key = short_hash([cell, source], length=24)
        entries.append({"key": key, "source": source, "cell": cell})
    spec = {
        **{name: shared[name] for name in DATA_MODEL},
        "n_train": largest,
        "n_test": n_test,
        "seeds": sorted({seed for _, seed in cells}),
        "source": digest_of(*SAMPLES),
    }
    text = f"L{shared['L']}_s{shared['s']}_s0-{shared['s0']}_v{shared['v']}_m{shared['m']}"
    text += f"_nc{shared['n_c']}_{shared['sparsity']}"
    sample = Sample(name=f"{text}-{short_hash(spec)}", spec=spec)
    # The hash of all keys in the name: a curve file that exists is the one that is wanted, even
    # when Snakemake's own records are lost, and a change taken back finds the old file again.
    name = f"{shared['net']}_{text}_h{shared['width']}"
    keys = [entry["key"] for entry in entries]
    curve = Curve(
        name=f"{name}-{short_hash([*keys, vars(search)] if search else keys)}",
        trainer=trainer,
        sample=sample.name,
        entries=tuple(entries),
        measured=measured,
        keep_weights=section.keep_weights,
        search=search,
    )
    return curve, sample
