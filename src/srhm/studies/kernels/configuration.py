"""Section of the study, its cells, and how long they take. Imports no scikit-learn."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from srhm.experiments.declaration import experiments
from srhm.experiments.planning import Batch, curves_of
from srhm.images import mnist
from srhm.keys import Counts, Keys, Kinds, OneOrMore, Positive, Sizes
from srhm.model.grammar import GrammarError, GrammarParameters
from srhm.model.sampling import SampleError, n_test_points
from srhm.study import ConfigError, Planned

HERE = "srhm.studies.kernels"
TRAINER = experiments(
    "kernels",
    title="kernel methods",
    cells=f"{HERE}.tables:CELLS",
    seconds=f"{HERE}.configuration:seconds",
)
FUNCTIONS = {
    "teacher_student": f"{HERE}.teacher_student:run",
    "digits": f"{HERE}.classification:run",
    "mnist": f"{HERE}.mnist:run",
    "spectrum": f"{HERE}.spectrum:run",
    "neighbours": f"{HERE}.neighbours:run",
    "srhm": f"{HERE}.hierarchy:run",
}
N_DIGITS = 1797
# Digits of MNIST for training.
N_MNIST = 60_000
# Error that a kernel has to fall below on the SRHM, as a network at its P*.
THRESHOLD = 0.1

Kernel = Literal["laplace", "gauss"]
Teacher = Literal["laplace", "matern-1", "matern-3/2", "matern-2", "matern-5/2", "gauss"]
Seeds = Annotated[int, Field(ge=1, le=1000, strict=True)]
Kernels = Annotated[list[Kernel], OneOrMore, Field(min_length=1)]
Teachers = Annotated[list[Teacher], OneOrMore, Field(min_length=1)]
# The intrinsic dimension itself, or a number.
Sigmas = Annotated[list[Literal["d"] | Positive], OneOrMore, Field(min_length=1)]
Numbers = Annotated[list[Positive], OneOrMore, Field(min_length=1)]


class TeacherStudent(Keys):
    """Students that learn fields drawn from teachers, on spheres or cubes."""

    data: Annotated[list[Literal["sphere", "cube"]], OneOrMore] = Field(
        ["sphere"], min_length=1, description="sphere (radius 1), cube (side 1)"
    )
    d: Sizes = Field(description="intrinsic dimension: of the sphere S^d, of the cube")
    teacher: Teachers = Field(description="kernel that the targets are drawn from")
    kernel: Kernels = Field(["laplace"], description="kernel of the student: laplace, gauss")
    sigma: Sigmas = Field(["d"], description="width of both kernels; d: the dimension")
    P: Sizes = Field(description="training points")
    seeds: Seeds = Field(10, description="seeds 0, 1, ...: points, fields")
    n_test: Annotated[int, Field(ge=1, strict=True)] = Field(200, description="test points")
    n_fields: Annotated[int, Field(ge=1, strict=True)] = Field(8, description="drawn fields")
    jitter: Annotated[float, Field(ge=0, le=1e-6)] = Field(
        0.0, description="added to the diagonal of the student's Gram matrix"
    )


class Digits(Keys):
    """Parity of handwritten digits."""

    method: Annotated[list[Literal["regression", "svm"]], OneOrMore] = Field(
        ["regression"], min_length=1, description="regression without ridge, soft-margin svm"
    )
    kernel: Kernels = Field(description="laplace, gauss")
    sigma: Numbers = Field([1.0], description="width over the mean distance between two digits")
    P: Sizes = Field(description="training points")
    seeds: Seeds = Field(10, description="seeds 0, 1, ...: order of the digits")
    n_test: Annotated[int, Field(ge=1, le=N_DIGITS - 1, strict=True)] = Field(
        597, description="test points"
    )


class Mnist(Keys):
    """Parity of the digits of MNIST, where its files are."""

    method: Annotated[list[Literal["regression", "svm"]], OneOrMore] = Field(
        ["regression"], min_length=1, description="regression without ridge, soft-margin svm"
    )
    kernel: Kernels = Field(description="laplace, gauss")
    sigma: Numbers = Field([1.0], description="width over the mean distance between two digits")
    P: Sizes = Field(description="training points, at most 60000")
    seeds: Seeds = Field(10, description="seeds 0, 1, ...: digits for training and testing")
    n_test: Annotated[int, Field(ge=1, le=10_000, strict=True)] = Field(
        2000, description="test points"
    )


class Spectra(Keys):
    """Gram spectra and kernel PCA."""

    data: Literal["digits", "sphere"] = Field(description="digits, sphere (radius 1)")
    d: Sizes | None = Field(None, description="dimensions of the spheres; digits: absent")
    teacher: Teachers | None = Field(None, description="of the spheres' target; digits: absent")
    kernel: Kernels = Field(["laplace"], description="laplace, gauss")
    sigma: Sigmas = Field(description="width; d: the dimension; digits: as above")
    P: Sizes = Field(description="points of the Gram matrix")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...")


class Neighbours(Keys):
    """Distances to the nearest neighbour."""

    data: Literal["digits", "sphere"] = Field(description="digits, sphere (radius 1)")
    d: Sizes | None = Field(None, description="dimensions of the spheres; digits: absent")
    P: Sizes = Field(description="points")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...")


class Hierarchy(Keys):
    """Kernel regression on one-hot classes of the SRHM."""

    kernel: Kernels = Field(["laplace", "gauss"], description="laplace, gauss")
    sigma: Numbers = Field([1.0], description="width over the distance of unrelated inputs")
    L: Sizes = Field([2], description="depth of the hierarchy")
    s: Sizes = Field([2], description="branching")
    s0: Counts = Field(description="empty places for each informative one")
    v: Sizes = Field(description="features; synonyms and classes are as many")
    P: Sizes = Field(description="training points; those that a grammar has not are left out")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...: grammars, data")
    n_test: Annotated[int, Field(ge=50, strict=True)] = Field(500, description="test points")


class KernelsSection(Keys):
    """Learning curves of kernel methods."""

    teacher_student: list[TeacherStudent] = Field([], description="teachers and students")
    digits: list[Digits] = Field([], description="digits")
    mnist: list[Mnist] = Field([], description="MNIST, left out where its files are not")
    spectra: list[Spectra] = Field([], description="Gram spectra")
    neighbours: list[Neighbours] = Field([], description="nearest neighbours")
    hierarchies: list[Hierarchy] = Field([], description="the SRHM")


def plan(section: KernelsSection, directory: Path) -> Planned:
    """A curve for each family: all P and seeds of otherwise equal coordinates.

    Raises:
        ConfigError: naming the group, the key and what is allowed.
    """
    notice = mnist.notice(directory / mnist.FOLDER) if section.mnist else None
    batches = [*_teachers(section), *_digits(section), *_neighbours(section),
               *_hierarchies(section)]  # fmt: skip
    batches += [] if notice else _mnist(section)
    try:
        curves = curves_of(TRAINER, batches, measured=())
        # These alone have a long table.
        curves |= curves_of(TRAINER, list(_spectra(section)))
    except ValueError as error:
        raise ConfigError(f"  two groups ask for one cell: {error}") from error
    return Planned(curves=curves, settings={"threshold": THRESHOLD}, absent=notice or "")


def _teachers(section: KernelsSection) -> Iterator[Batch]:
    for group in section.teacher_student:
        for data, d, teacher, kernel, sigma in product(
            group.data, group.d, group.teacher, group.kernel, group.sigma
        ):
            yield _batch(
                "teacher_student",
                {"data": data, "d": d, "teacher": teacher, "kernel": kernel,
                 "sigma": _width(sigma, d), "jitter": group.jitter, "n_test": group.n_test,
                 "n_fields": group.n_fields},
                group.P, group.seeds,
            )  # fmt: skip


def _digits(section: KernelsSection) -> Iterator[Batch]:
    for number, group in enumerate(section.digits):
        _among_digits(f"digits.{number}", group.P, N_DIGITS - group.n_test)
        for method, kernel, sigma in product(group.method, group.kernel, group.sigma):
            yield _batch(
                "digits",
                {"data": "digits", "method": method, "kernel": kernel, "sigma": float(sigma),
                 "jitter": 0.0, "n_test": group.n_test},
                group.P, group.seeds,
            )  # fmt: skip


def _mnist(section: KernelsSection) -> Iterator[Batch]:
    for number, group in enumerate(section.mnist):
        if max(group.P) > N_MNIST:
            raise ConfigError(f"  mnist.{number}.P = {max(group.P)}: allowed are 1 to {N_MNIST}")
        for method, kernel, sigma in product(group.method, group.kernel, group.sigma):
            yield _batch(
                "mnist",
                {"data": "mnist", "method": method, "kernel": kernel, "sigma": float(sigma),
                 "jitter": 0.0, "n_test": group.n_test},
                group.P, group.seeds,
            )  # fmt: skip


def _spectra(section: KernelsSection) -> Iterator[Batch]:
    for number, group in enumerate(section.spectra):
        where = f"spectra.{number}"
        dimensions = _dimensions(where, group.data, group.d, group.P)
        teachers: list[Teacher | None] = [None] if group.teacher is None else [*group.teacher]
        if (group.data == "digits") != (group.teacher is None):
            raise ConfigError(f"  {where}.teacher: digits have none, spheres need one")
        if group.data == "digits" and "d" in group.sigma:
            raise ConfigError(f"  {where}.sigma: 'd' is not allowed for digits: numbers above 0")
        for d, teacher, kernel, sigma in product(dimensions, teachers, group.kernel, group.sigma):
            named = {"d": d, "teacher": teacher, "kernel": kernel}
            cell = {"data": group.data, **named, "sigma": _width(sigma, d)}
            yield _batch("spectrum", cell, group.P, group.seeds)


def _neighbours(section: KernelsSection) -> Iterator[Batch]:
    for number, group in enumerate(section.neighbours):
        for d in _dimensions(f"neighbours.{number}", group.data, group.d, group.P):
            yield _batch("neighbours", {"data": group.data, "d": d}, group.P, group.seeds)


def _hierarchies(section: KernelsSection) -> Iterator[Batch]:
    for number, group in enumerate(section.hierarchies):
        for kernel, sigma, L, s, s0, v in product(
            group.kernel, group.sigma, group.L, group.s, group.s0, group.v
        ):
            cell = {"data": "srhm", "kernel": kernel, "sigma": float(sigma), "L": L, "s": s,
                    "s0": s0, "v": v, "m": v, "n_c": v, "n_test": group.n_test}  # fmt: skip
            sizes = [P for P in group.P if _has(cell, P, f"hierarchies.{number}")]
            if not sizes:
                raise ConfigError(
                    f"  hierarchies.{number}.P: no grammar with s0 = {s0}, v = {v} has these"
                    f" training and {group.n_test} test points"
                )
            yield _batch("srhm", cell, sizes, group.seeds)


def _has(cell: Mapping[str, Any], P: int, where: str) -> bool:
    """Whether a grammar has P training points beside all test points."""
    try:
        parameters = GrammarParameters(
            depth=cell["L"], branching=cell["s"], n_features=cell["v"], n_synonyms=cell["m"],
            n_classes=cell["n_c"], n_empty=cell["s0"],
        )  # fmt: skip
    except GrammarError as error:
        raise ConfigError(f"  {where}: {error}") from error
    try:
        return n_test_points(parameters, n_train=P, n_test=cell["n_test"]) == cell["n_test"]
    except SampleError:
        return False


def _batch(experiment: str, cell: Mapping[str, Any], sizes: Iterable[int], n_seeds: int) -> Batch:
    """All P and seeds of one family; the cells lack the coordinates that are None."""
    named = {name: value for name, value in cell.items() if value is not None}
    cells = [
        {"experiment": experiment, **named, "P": P, "seed": seed}
        for P in sorted(set(sizes))
        for seed in range(n_seeds)
    ]
    words = [experiment, named.get("data", ""), named.get("teacher", ""), named.get("kernel", ""),
             named.get("method", "")]  # fmt: skip
    words += [f"{name}{named[name]:g}" for name in ("d", "s0", "v", "sigma") if name in named]
    name = "-".join(word for word in dict.fromkeys(words) if word).replace("/", "_")
    return Batch(name=name, function=FUNCTIONS[experiment], cells=cells)


def _width(sigma: float | str, d: int | None) -> float:
    """A number, or that of the dimension."""
    if isinstance(sigma, str):
        assert d is not None  # refused before
        return float(d)
    return float(sigma)


def _dimensions(where: str, data: str, d: list[int] | None, sizes: Kinds) -> list[int | None]:
    if data == "digits":
        _among_digits(where, sizes, N_DIGITS)
    if (data == "digits") != (d is None):
        raise ConfigError(f"  {where}.d: digits have none, spheres need one")
    return [None] if d is None else list(d)


def _among_digits(where: str, sizes: Iterable[int], most: int) -> None:
    if max(sizes) > most:
        raise ConfigError(f"  {where}.P = {max(sizes)}: allowed are 1 to {most}")


# Seconds of a cell on one core: a constant, and a factor of the cube of P in thousands.
SECONDS = {
    "teacher_student": (0.01, 0.15),
    "digits": (0.02, 0.15),
    "mnist": (0.5, 0.3),
    "spectrum": (0.05, 0.5),
    "neighbours": (0.02, 0.0005),
    "srhm": (0.04, 0.08),
}


def seconds(cell: Mapping[str, Any]) -> float:
    """Expected seconds of a cell on one core."""
    constant, cube = SECONDS[cell["experiment"]]
    return constant + cube * (cell["P"] / 1000) ** 3
