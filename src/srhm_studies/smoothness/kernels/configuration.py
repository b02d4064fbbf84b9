"""Section of the study, its cells, and how long they take. Imports no scikit-learn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from srhm.declare.keys import Counts, Keys, Positive, Scales, Seeds, Several, Sizes, combinations
from srhm.declare.study import ConfigError, Planned, Trainer
from srhm.experiments.groups import CurveCells, planned
from srhm.images.readers import N_DIGITS as N_MNIST5K
from srhm.images.readers import SETS
from srhm.model.grammar import GrammarError, parameters_of
from srhm.model.sampling import SampleError, n_test_points

HERE = "srhm_studies.smoothness.kernels"
FUNCTIONS = {
    "teacher_student": f"{HERE}.experiment:squared_errors_at_random",
    "digits": f"{HERE}.experiment:parity_of_digits",
    "mnist": f"{HERE}.experiment:parity_of_mnist",
    "spectrum": f"{HERE}.experiment:gram_spectrum",
    "neighbours": f"{HERE}.experiment:nearest_neighbours",
    "srhm": f"{HERE}.experiment:class_error",
    "stripe": f"{HERE}.experiment:stripe_error",
}
ON_LATTICE = f"{HERE}.experiment:squared_errors_on_lattice"
# On the 5,000 digits of MNIST, whose rows are shipped.
OF_MNIST5K = {
    "mnist5k": f"{HERE}.experiment:parity_of_mnist5k",
    "spectrum": f"{HERE}.experiment:spectrum_of_mnist5k",
    "neighbours": f"{HERE}.experiment:neighbours_of_mnist5k",
}
N_DIGITS = {"digits": 1797, "mnist5k": N_MNIST5K}
# Digits for testing, where the section does not say how many.
N_TEST = {"digits": 597, "mnist5k": 1000, "mnist": 2000}
# Digits of MNIST for training.
N_MNIST = 60_000
# Error that a kernel has to fall below on the SRHM, as a network at its P*.
THRESHOLD = 0.1

ImagesOrSphere = Literal["digits", "mnist5k", "sphere"]
Kernel = Literal["laplace", "gauss"]
Teacher = Literal["laplace", "matern-1", "matern-3/2", "matern-2", "matern-5/2", "gauss"]
Kernels = Several[Kernel]
Teachers = Several[Teacher]
# The intrinsic dimension itself, or a number.
Sigmas = Several[Literal["d"] | Positive]


class TeacherStudent(Keys):
    """Students that learn fields drawn from teachers, on spheres, cubes or lattices."""

    data: Several[Literal["sphere", "cube", "lattice"]] = Field(
        ["sphere"],
        description="sphere (radius 1), cube (side 1), lattice on a torus of d circles (radius 1)",
    )
    d: Sizes = Field(description="intrinsic dimension: of the sphere S^d, of the cube, the torus")
    teacher: Teachers = Field(description="kernel that the targets are drawn from")
    kernel: Kernels = Field(["laplace"], description="kernel of the student: laplace, gauss")
    sigma: Sigmas = Field(["d"], description="width of both kernels; d: the dimension")
    P: Sizes = Field(description="training points; of a lattice n^d for a whole n")
    seeds: Seeds = Field(10, description="seeds 0, 1, ...: points, fields")
    n_test: Annotated[int, Field(ge=1, strict=True)] = Field(200, description="test points")
    n_fields: Annotated[int, Field(ge=1, strict=True)] = Field(8, description="drawn fields")
    jitter: Annotated[float, Field(ge=0, le=1e-6)] = Field(
        0.0, description="added to the diagonal of the student's Gram matrix"
    )


class Digits(Keys):
    """Parity of digits."""

    method: Several[Literal["regression", "svm"]] = Field(
        ["regression"], description="regression without ridge, soft-margin svm"
    )
    kernel: Kernels = Field(description="laplace, gauss")
    sigma: Scales = Field([1.0], description="width over the mean distance between two digits")
    P: Sizes = Field(description="training points, of mnist at most 60000")
    seeds: Seeds = Field(10, description="seeds 0, 1, ...: digits for training and testing")
    n_test: Annotated[int, Field(ge=1, le=1700, strict=True)] | None = Field(
        None, description="test points; absent: 597 of digits, 1000 of mnist5k, 2000 of mnist"
    )


class Spectra(Keys):
    """Gram spectra and kernel PCA."""

    data: ImagesOrSphere = Field(description="digits, mnist5k, sphere (radius 1)")
    d: Sizes | None = Field(None, description="dimensions of the spheres; digits: absent")
    teacher: Teachers | None = Field(None, description="of the spheres' target; digits: absent")
    kernel: Kernels = Field(["laplace"], description="laplace, gauss")
    sigma: Sigmas = Field(description="width; d: the dimension; digits: as above")
    P: Sizes = Field(description="points of the Gram matrix")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...")


class Neighbours(Keys):
    """Distances to the nearest neighbour."""

    data: ImagesOrSphere = Field(description="digits, mnist5k, sphere (radius 1)")
    d: Sizes | None = Field(None, description="dimensions of the spheres; digits: absent")
    P: Sizes = Field(description="points")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...")


class Stripes(Keys):
    """Support vector machines on the stripe model."""

    data: Several[Literal["stripe", "stripe_compressed"]] = Field(
        ["stripe", "stripe_compressed"],
        description="stripe; stripe_compressed: directions that do not matter are over sqrt(P)",
    )
    kernel: Several[Literal["laplace", "tangent"]] = Field(
        ["laplace", "tangent"], description="laplace; tangent: of one hidden layer, infinitely wide"
    )
    d: Sizes = Field(description="inputs")
    sigma: Scales = Field([1.0], description="width of laplace; of tangent the input of the bias")
    P: Sizes = Field(description="training points")
    seeds: Seeds = Field(5, description="seeds 0, 1, ...: points")
    n_test: Annotated[int, Field(ge=50, strict=True)] = Field(4000, description="test points")


class Hierarchy(Keys):
    """Kernel regression on one-hot classes of the SRHM."""

    kernel: Kernels = Field(["laplace", "gauss"], description="laplace, gauss")
    sigma: Scales = Field([1.0], description="width over the distance of unrelated inputs")
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
    mnist5k: list[Digits] = Field(
        [], description="5000 digits of MNIST, which `make env-images` installs; without them only"
        " their published rows are drawn",
    )  # fmt: skip
    mnist: list[Digits] = Field([], description="MNIST, left out where its files are not")
    spectra: list[Spectra] = Field([], description="Gram spectra")
    neighbours: list[Neighbours] = Field([], description="nearest neighbours")
    stripes: list[Stripes] = Field([], description="the stripe model")
    hierarchies: list[Hierarchy] = Field([], description="the SRHM")


def plan(section: KernelsSection, directory: Path, *, trainer: Trainer) -> Planned:
    """A curve for each family: all P and seeds of otherwise equal coordinates.

    Raises:
        ConfigError: naming the group, the key and what is allowed.
    """
    notice = SETS["mnist"].notice(directory) if section.mnist else None
    families = [
        *_fields(section), *_parities(section.digits, "digits"),
        *_parities(section.mnist5k, "mnist5k"), *_others(section),
        *([] if notice else _parities(section.mnist, "mnist")), *_spectra(section),
    ]  # fmt: skip
    return planned(trainer, families, settings={"threshold": THRESHOLD}, absent=notice or "")


def _fields(section: KernelsSection) -> Iterator[CurveCells]:
    """Of teachers and students."""
    names = ("data", "d", "teacher", "kernel", "sigma", "jitter", "n_test", "n_fields")
    for number, group in enumerate(section.teacher_student):
        for shared in combinations(group, *names):
            d = shared["d"]
            wrong = [P for P in group.P if round(P ** (1 / d)) ** d != P]
            if shared["data"] == "lattice" and wrong:
                raise ConfigError(
                    f"  teacher_student.{number}.P = {wrong[0]}: a lattice of d = {d} has n^{d}"
                    " points, n whole"
                )
            yield _family("teacher_student", shared, group)


def _parities(groups: Sequence[Digits], data: str) -> Iterator[CurveCells]:
    """Of one kind of digits."""
    for number, group in enumerate(groups):
        n_test = group.n_test or N_TEST[data]
        # Of MNIST the test points are others by themselves.
        most = N_DIGITS[data] - n_test if data in N_DIGITS else N_MNIST
        _among(f"{data}.{number}", group.P, most)
        names = ("method", "kernel", "sigma", "jitter", "n_test")
        for shared in combinations(group, *names, data=data, jitter=0.0, n_test=n_test):
            yield _family(data, shared, group)


def _spectra(section: KernelsSection) -> Iterator[CurveCells]:
    for number, group in enumerate(section.spectra):
        where = f"spectra.{number}"
        _check_dimensions(where, group)
        if (group.data == "sphere") == (group.teacher is None):
            raise ConfigError(f"  {where}.teacher: digits have none, spheres need one")
        if group.data != "sphere" and "d" in group.sigma:
            raise ConfigError(f"  {where}.sigma: 'd' is not allowed for digits: numbers above 0")
        for shared in combinations(group, "data", "d", "teacher", "kernel", "sigma"):
            yield _family("spectrum", shared, group, long=True)


def _others(section: KernelsSection) -> Iterator[CurveCells]:
    """Of neighbours, stripes and the SRHM."""
    for number, neighbours in enumerate(section.neighbours):
        _check_dimensions(f"neighbours.{number}", neighbours)
        for shared in combinations(neighbours, "data", "d"):
            yield _family("neighbours", shared, neighbours)
    for stripes in section.stripes:
        for shared in combinations(stripes, "data", "d", "kernel", "sigma", "n_test", method="svm"):
            yield _family("stripe", shared, stripes)
    absent = dict.fromkeys(("m", "n_c"), lambda cell: cell["v"])
    names = ("kernel", "sigma", "L", "s", "s0", "v", "m", "n_c", "n_test")
    given = {"data": "srhm", "m": None, "n_c": None}
    for number, group in enumerate(section.hierarchies):
        for shared in combinations(group, *names, absent=absent, **given):
            sizes = [P for P in group.P if _has(shared, P, f"hierarchies.{number}")]
            if not sizes:
                raise ConfigError(
                    f"  hierarchies.{number}.P: no grammar with s0 = {shared['s0']}, v ="
                    f" {shared['v']} has these training and {group.n_test} test points"
                )
            yield _family("srhm", shared, group, sizes=sizes)


def _has(cell: Mapping[str, Any], P: int, where: str) -> bool:
    """Whether a grammar has P training points beside all test points."""
    try:
        parameters = parameters_of(cell)
    except GrammarError as error:
        raise ConfigError(f"  {where}: {error}") from error
    try:
        return n_test_points(parameters, n_train=P, n_test=cell["n_test"]) == cell["n_test"]
    except SampleError:
        return False


def _family(
    experiment: str, shared: Mapping[str, Any], group: Any, *, sizes: Iterable[int] | None = None,
    long: bool = False,
) -> CurveCells:  # fmt: skip
    """All P and seeds of one family; the cells lack the coordinates that are None.

    Where the section has the dimension for a width, they have its number.
    """
    named = {name: value for name, value in shared.items() if value is not None}
    if "sigma" in named:
        named["sigma"] = float(named["d"] if named["sigma"] == "d" else named["sigma"])
    P = sorted({*(group.P if sizes is None else sizes)})
    cells = combinations(group, "P", "seed", P=P, experiment=experiment, **named)
    words = [experiment, *(named.get(name, "") for name in ("data", "teacher", "kernel", "method"))]
    words += [f"{name}{named[name]:g}" for name in ("d", "s0", "v", "sigma") if name in named]
    name = "-".join(word for word in dict.fromkeys(words) if word).replace("/", "_")
    kept = named.get("data") == "mnist5k"
    function = (OF_MNIST5K if kept else FUNCTIONS)[experiment]
    function = ON_LATTICE if named.get("data") == "lattice" else function
    missing = (SETS["mnist5k"].notice(Path()) or "") if kept else ""
    return CurveCells(name=name, function=function, cells=cells, long=long, missing=missing)


def _check_dimensions(where: str, group: Spectra | Neighbours) -> None:
    if group.data in N_DIGITS:
        _among(where, group.P, N_DIGITS[group.data])
    if (group.data == "sphere") == (group.d is None):
        raise ConfigError(f"  {where}.d: digits have none, spheres need one")


def _among(where: str, sizes: Iterable[int], most: int) -> None:
    if max(sizes) > most:
        raise ConfigError(f"  {where}.P = {max(sizes)}: allowed are 1 to {most}")


# Seconds of a cell on one core: a constant, and a factor of the cube of P in thousands.
SECONDS = {
    "teacher_student": (0.01, 0.15),
    "digits": (0.02, 0.15),
    "mnist5k": (0.1, 0.1),
    "mnist": (0.5, 0.3),
    "spectrum": (0.05, 0.5),
    "neighbours": (0.02, 0.0005),
    "srhm": (0.04, 0.08),
    "stripe": (0.05, 0.05),
}


def seconds(cell: Mapping[str, Any]) -> float:
    """Expected seconds of a cell on one core."""
    constant, cube = SECONDS[cell["experiment"]]
    return constant + cube * (cell["P"] / 1000) ** 3
