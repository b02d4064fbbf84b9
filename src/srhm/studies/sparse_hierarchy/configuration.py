"""From a configuration to the cells of every learning curve, before anything is computed.

The models below are the one source of the configuration's keys, defaults and ranges:
config/schema.json and the table in config/README.md are written from them. Only the Snakefile and
the launcher import this module; it imports neither torch nor numba.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from srhm.flow.configuration import FirstStep, Optimiser, Plane, PlaneCurves
from srhm.flow.plan import PlaneCurve, PlaneError, plane_curves
from srhm.model import theory
from srhm.model.grammar import GrammarError, GrammarParameters
from srhm.model.sampling import MIN_TEST, SampleError, largest_training_set, n_test_points
from srhm.networks.geometry import NETS
from srhm.networks.names import NAMED
from srhm.results.provenance import PACKAGE, canonical_json, cells_digest, short_hash, source_digest
from srhm.studies.images.configuration import Images, ImageStability, ImageTraining
from srhm.training.cell import parameters_of, points_of_a_step
from srhm.training.curve import ENGINES, NAMED_ENGINE


class ConfigError(Exception):
    """A configuration that cannot be run: names the key, its value and what is allowed."""


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


PositiveInt = Annotated[int, Field(ge=1, strict=True)]
Net = Literal[(*NETS, *NAMED)]  # type: ignore[valid-type]
# What holds for named nets unless their own group says otherwise (appendix B); the preset's own
# values are meant for the networks of Eq. 9, whose rate is one for each channel.
NAMED_TRAINING = {"engine": NAMED_ENGINE, "learning_rate": 1e-4, "loss_threshold": 1e-2}
# Channels of the 64-channel stage: 64 is the published size.
NAMED_WIDTH = 64
OneOrMore = BeforeValidator(_as_list)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Window(_Model):
    """Sizes of the training set around the predicted sample complexity (Eq. 3, Eq. 4)."""

    low: float = Field(gt=0, le=1000, description="first P, as a multiple of the predicted P*")
    high: float = Field(gt=0, le=1000, description="largest P, as a multiple of the predicted P*")
    per_octave: float = Field(gt=0, le=16, description="points for each factor 2 of P")

    @model_validator(mode="after")
    def _ordered(self) -> "Window":
        if self.low > self.high:
            raise ValueError(f"low = {self.low} is above high = {self.high}")
        return self


class Training(_Model):
    """How networks are trained; the defaults are the paper's text."""

    engine: Literal["sparse", "reference", "torch"] = Field(
        "sparse",
        description="sparse: fast, exact to rounding; reference: dense PyTorch autograd; named nets"
        " are always trained by torch, and nothing else is",
    )
    dtype: Literal["float32", "float64"] = Field("float32", description="precision of training")
    whitening: bool = Field(
        False, description="input x(1 + c) - c, c = 1/sqrt(v - 1), as in the published figures"
    )
    bias: bool = Field(False, description="biases 0.1 b for each place, as in the published code")
    batch: Literal["shuffled", "balanced"] = Field(
        "shuffled",
        description="shuffled: batch_size points, reshuffled each epoch; balanced: batch_size"
        " points of each class, composed once",
    )
    batch_size: int = Field(4, ge=1, le=4096, description="points in a batch (of each class)")
    learning_rate: float | Literal["table"] = Field(
        0.01,
        description="rate of SGD divided by the width H; of named nets: the rate itself, 1e-4 if"
        " their group has none; table: the published rates by cell",
    )
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of SGD")
    loss_threshold: float = Field(
        1e-3,
        gt=0,
        allow_inf_nan=False,
        description="training ends when the mean loss of an epoch is below; 0.01 for named nets"
        " if their group has none",
    )
    max_steps: int = Field(2_000_000, ge=1, description="training is capped at so many steps")
    n_checks: int = Field(30, ge=0, le=30, description="looks at the test error on the way")
    fcn_scale: Literal["dv", "v"] = Field(
        "dv",
        description="FCN: its first layer is divided by the root of d v, its inputs, or of v, the"
        " channels, as in an LCN; the paper does not say",
    )

    @model_validator(mode="after")
    def _consistent(self) -> "Training":
        rate = self.learning_rate
        if rate != "table" and not 0 < float(rate) <= 10:
            raise ValueError(f"learning_rate = {rate}: allowed are above 0 to 10, or 'table'")
        if self.engine == "sparse" and (self.bias or self.whitening):
            raise ValueError(
                "bias and whitening need engine = 'reference': an empty patch is then not zero"
            )
        return self


class Curves(_Model):
    """Learning curves: one for each combination of the lists."""

    net: Annotated[list[Net], OneOrMore] = Field(
        description="lcn, cnn, fcn; or named nets: " + ", ".join(NAMED)
    )
    L: Annotated[list[PositiveInt], OneOrMore] = Field(description="depth of the hierarchy")
    s: Annotated[list[PositiveInt], OneOrMore] = Field([2], description="branching")
    v: Annotated[list[PositiveInt], OneOrMore] = Field(description="features")
    s0: Annotated[list[Annotated[int, Field(ge=0, strict=True)]], OneOrMore] = Field(
        description="empty places for each informative one"
    )
    n_c: Annotated[list[PositiveInt], OneOrMore] | None = Field(
        None, description="classes; absent: v"
    )
    m: Annotated[list[PositiveInt], OneOrMore] | None = Field(
        None, description="synonyms; absent: v^(s-1)"
    )
    sparsity: Annotated[list[Literal["A", "B"]], OneOrMore] = Field(
        ["A"], description="kind of sparsity, section 3"
    )
    P: Window | list[PositiveInt] = Field(
        description="sizes of the training set: a list, or a window around the predicted P*;"
        " a window ends where the distinct data do; named nets have no prediction: a list"
    )
    seeds: int | None = Field(None, ge=1, le=1000, description="absent: the preset's")
    width: int | None = Field(
        None,
        ge=1,
        le=8192,
        description="channels H; absent: the preset's; of named nets: channels of the stage that"
        " has 64 in the published net, absent: 64",
    )
    alpha: float = Field(1.0, ge=1, le=1, description="output scale; 1 is the paper's")
    training: dict[str, Any] = Field({}, description="keys of training that differ here")

    @model_validator(mode="after")
    def _of_one_kind(self) -> "Curves":
        if 0 < sum(net in NAMED for net in self.net) < len(self.net):
            raise ValueError(
                f"net = {self.net}: named nets have a learning rate and a width of another meaning,"
                " so that they need a group of their own"
            )
        return self

    @property
    def named(self) -> bool:
        """Whether the nets are named ones (VGG, ResNet, EfficientNet)."""
        return self.net[0] in NAMED


class Jobs(_Model):
    """How long a training job may be. Part of no cell: other limits train nothing again."""

    minutes: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="a curve that is expected to train longer on one core is split into jobs of"
        " about so many minutes; absent: one job a curve",
    )
    cells: int | None = Field(
        None, ge=1, description="a curve of more cells is split into jobs of so many at most"
    )
    limit: int | None = Field(
        None,
        ge=5,
        description="minutes that a cluster allows a job; one that needs more goes on from its"
        " checkpoints at the next attempt",
    )


class Analysis(_Model):
    """Sample complexities."""

    threshold: float = Field(0.1, gt=0, lt=1, description="test error that defines P*")
    other_thresholds: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        [0.05, 0.2, 0.3],
        description="thresholds at which P* is measured again; the scorecard's claims are about"
        " 10 %, and 5, 20, 30 %",
    )

    @model_validator(mode="after")
    def _distinct(self) -> "Analysis":
        thresholds = [self.threshold, *self.other_thresholds]
        if len(set(thresholds)) < len(thresholds):
            raise ValueError(f"thresholds {thresholds}: each may stand once")
        return self


class Measurement(_Model):
    """Sensitivities of the trained networks (Eq. 13, 14)."""

    n_points: int = Field(500, ge=2, description="test points of which a sensitivity is an average")
    n_draws: int = Field(4, ge=1, le=100, description="transformations drawn for each point")
    variants: list[Literal["text", "practice"]] = Field(
        ["text"],
        min_length=1,
        description="text: the new synonym is another one, lower places are kept; practice: the"
        " level and all below are drawn anew",
    )


class Preset(_Model):
    """A whole study."""

    preset: str = Field(pattern=r"^[a-z][a-z0-9_-]*$", description="name; results/<preset>/")
    description: str = Field("", description="what it is for, and how long it takes")
    seeds: int = Field(3, ge=1, le=1000, description="seeds 0, 1, ... of each curve")
    width: int = Field(64, ge=1, le=8192, description="channels H of every layer")
    n_test: int = Field(2000, ge=MIN_TEST, description="test points of a curve, at most")
    keep_weights: bool = Field(True, description="store final weights, for later measurements")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "cpu",
        description="where networks are trained: cpu: processors, the default, as the forms for"
        " GPUs have been checked without a GPU only; cuda: a GPU for each training job; auto: cuda"
        " where the machine that starts the run shows a GPU, else cpu. Part of no cell or table",
    )
    training: Training = Training()  # type: ignore[call-arg]
    measurement: Measurement = Measurement()  # type: ignore[call-arg]
    analysis: Analysis = Analysis()  # type: ignore[call-arg]
    jobs: Jobs = Jobs()  # type: ignore[call-arg]
    images: Images = Images()  # type: ignore[call-arg]
    plane: Plane = Plane()  # type: ignore[call-arg]
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


@dataclass(frozen=True)
class Sample:
    """Derivations that one curve needs: grammar parameters, seeds, sizes; `name` is its file's."""

    name: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class Curve:
    """One learning curve: its cells with their keys, and the sample they learn from."""

    name: str
    sample: str
    entries: tuple[dict[str, Any], ...]

    @property
    def label(self) -> str:
        """One line for people."""
        return self.name.rsplit("-", 1)[0]


@dataclass(frozen=True)
class Plan:
    """All that a configuration asks for: curves of LCN, CNN and FCN, those of named nets, data.

    plane: curves of the section `plane`, which have a store of their own.
    """

    preset: Preset
    core: dict[str, Curve]
    networks: dict[str, Curve]
    samples: dict[str, Sample]
    plane: dict[str, PlaneCurve]

    @property
    def curves(self) -> dict[str, Curve]:
        """All curves, the core ones first."""
        return {**self.core, **self.networks}


def validate(config: Mapping[str, Any]) -> Preset:
    """The configuration as a model.

    Raises:
        ConfigError: one line for each key that is unknown or out of range.
    """
    try:
        return Preset.model_validate(dict(config))
    except ValidationError as error:
        lines = []
        for detail in error.errors():
            key = ".".join(str(part) for part in detail["loc"]) or "configuration"
            message = detail["msg"].removeprefix("Value error, ")
            if detail["type"] == "extra_forbidden":
                message = f"unknown key; {_allowed_keys(detail['loc'])}"
            elif detail["type"] != "missing" and not isinstance(detail["input"], dict):
                message = f"{detail['input']!r} is not allowed: {message}"
            lines.append(f"  {key}: {message}")
        raise ConfigError("the configuration is refused:\n" + "\n".join(lines)) from error


def _allowed_keys(location: tuple[int | str, ...]) -> str:
    model: type[BaseModel] = Preset
    for part in location[:-1]:
        if part == "plane":
            model = Plane
        elif part == "curves":
            model = PlaneCurves if model is Plane else Curves
        elif part == "first_step":
            model = FirstStep
        elif part == "optimiser":
            model = Optimiser
        elif part == "training":
            model = ImageTraining if model is Images else Training
        elif part == "analysis":
            model = Analysis
        elif part == "measurement":
            model = Measurement
        elif part == "jobs":
            model = Jobs
        elif part == "images":
            model = Images
        elif part == "stability":
            model = ImageStability
        elif part in ("P", "Window"):
            model = Window
    return "allowed are " + ", ".join(model.model_fields)


def plan(config: Mapping[str, Any]) -> Plan:
    """Curves, cells, keys and samples of a configuration.

    Raises:
        ConfigError: naming the group of curves, the key, its value and the allowed range.
    """
    preset = validate(config)
    sizes: dict[str, tuple[dict[str, Any], GrammarParameters, set[tuple[int, int]]]] = {}
    for number, group in enumerate(preset.curves):
        where = f"curves.{number}"
        training = _training(preset, group, where)
        for coordinates in _coordinates(group):
            parameters = _parameters(coordinates, where)
            shared = {
                **coordinates,
                "width": group.width or (NAMED_WIDTH if group.named else preset.width),
                "alpha": group.alpha,
                **training.model_dump(exclude={"fcn_scale"}),
            }
            if coordinates["net"] == "fcn":  # the cells of all others do not know of it
                shared["fcn_scale"] = training.fcn_scale
            if training.learning_rate == "table":
                shared["learning_rate"] = published_rate(coordinates)
            shared["learning_rate"] = float(shared["learning_rate"])
            points = _sizes(group.P, coordinates, parameters, where)
            if group.named:
                _check_named(shared, points, where)
            key = canonical_json(shared)
            _, _, cells = sizes.setdefault(key, (shared, parameters, set()))
            cells |= set(product(points, range(group.seeds or preset.seeds)))
    core: dict[str, Curve] = {}
    networks: dict[str, Curve] = {}
    samples: dict[str, Sample] = {}
    for shared, parameters, cells in sizes.values():
        curve, sample = _curve(preset, shared, parameters, sorted(cells))
        part = networks if shared["net"] in NAMED else core
        part[curve.name], samples[sample.name] = curve, sample
    try:
        plane = plane_curves(preset.plane)
    except PlaneError as error:
        raise ConfigError(f"the configuration is refused:\n  {error}") from error
    return Plan(preset, core, networks, samples, plane)


def published_rate(cell: Mapping[str, Any]) -> float:
    """Rate divided by H of the published figures, which belongs to balanced batches of 4 n_c.

    Read off the authors' practice; the paper's sentence on it (appendix D) contradicts itself. Of
    named nets it is the rate itself, 64 times that of appendix B.
    """
    net, depth, s, s0, v = (cell[name] for name in ("net", "L", "s", "s0", "v"))
    if net in NAMED:
        return 64e-4
    if net == "fcn":
        return 0.01 if depth == 2 else 0.003
    if net == "lcn":
        return 0.01 if s == 2 and s0 < 4 else 0.003
    if s > 2:
        return 0.003 if v == 4 or s0 == 4 else 0.01
    by_emptiness = (0.1, 0.03, 0.01) if depth == 2 else (0.01, 0.003, 0.001)
    return by_emptiness[0 if s0 < 4 else 1 if s0 == 4 else 2]


def _training(preset: Preset, group: Curves, where: str) -> Training:
    merged = preset.training.model_dump(exclude_unset=True)
    merged |= (NAMED_TRAINING if group.named else {}) | group.training
    try:
        training = Training.model_validate(merged)
    except ValidationError as error:
        detail = error.errors()[0]
        key = ".".join(["training", *(str(part) for part in detail["loc"])])
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            message = "unknown key; " + _allowed_keys(("training", ""))
        raise ConfigError(f"the configuration is refused:\n  {where}.{key}: {message}") from error
    nets = ", ".join(group.net)
    if group.named != (training.engine == NAMED_ENGINE):
        allowed = f"'{NAMED_ENGINE}' alone" if group.named else "'sparse' and 'reference'"
        raise _refusal(where, "training.engine", f"{training.engine!r}: for {nets} it is {allowed}")
    if group.named and training.bias:
        raise _refusal(where, "training.bias", f"True: allowed is False for {nets}")
    if training.fcn_scale != "dv" and set(group.net) != {"fcn"}:
        raise _refusal(where, "training.fcn_scale", f"'v': for {nets} it has no meaning, leave it")
    return training


def _refusal(where: str, key: str, message: str) -> ConfigError:
    return ConfigError(f"the configuration is refused:\n  {where}.{key} = {message}")


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


def _coordinates(group: Curves) -> Iterable[dict[str, Any]]:
    for net, depth, s, v, s0, sparsity in product(
        group.net, group.L, group.s, group.v, group.s0, group.sparsity
    ):
        for n_c, m in product(group.n_c or [v], group.m or [v ** (s - 1)]):
            yield {
                "net": net,
                "L": depth,
                "s": s,
                "s0": s0,
                "v": v,
                "m": m,
                "n_c": n_c,
                "sparsity": sparsity,
            }


def _parameters(coordinates: Mapping[str, Any], where: str) -> GrammarParameters:
    try:
        return parameters_of(coordinates)
    except GrammarError as error:
        raise ConfigError(f"the configuration is refused:\n  {where}: {error}") from error


def _sizes(
    wanted: Window | list[int],
    coordinates: Mapping[str, Any],
    parameters: GrammarParameters,
    where: str,
) -> list[int]:
    available = largest_training_set(parameters)
    if isinstance(wanted, list):
        try:
            n_test_points(parameters, n_train=max(wanted), n_test=MIN_TEST)
        except SampleError as error:
            raise ConfigError(f"the configuration is refused:\n  {where}.P: {error}") from error
        return sorted(set(wanted))
    if coordinates["net"] in NAMED:
        raise _refusal(
            where, "P", f"a window: there is no prediction for {coordinates['net']}, give a list"
        )
    predicted = theory.predicted_sample_complexity(
        coordinates["net"],
        depth=parameters.depth,
        branching=parameters.branching,
        n_synonyms=parameters.n_synonyms,
        n_classes=parameters.n_classes,
        n_empty=parameters.n_empty,
    )
    found, size = set(), wanted.low
    while size <= wanted.high * (1 + 1e-9):
        if round(size * predicted) <= available:
            found.add(max(1, round(size * predicted)))
        size *= 2 ** (1 / wanted.per_octave)
    if not found:
        raise ConfigError(
            f"the configuration is refused:\n  {where}.P: the window starts at"
            f" {wanted.low * predicted:.0f} points, but only {parameters.n_distinct} data are"
            f" distinct, of which {MIN_TEST} are kept for testing"
        )
    return sorted(found)


# Modules that represent the data by a network, of LCN, CNN and FCN, and of named nets.
MEASURING = ("representations", "network_representations")


def measured_by(measurement: Measurement, module: str) -> str:
    """Digest of what is measured, and of the code that does it on what a module represents."""
    code = source_digest(PACKAGE / "sensitivity_of_cells.py", PACKAGE / f"{module}.py")
    return short_hash([measurement.model_dump(), code])


def engine_sources(engine: str) -> list[Path]:
    """The sources that decide a row of this engine: sampling, protocol and engine."""
    module, *_ = ENGINES[engine]
    own = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    return [PACKAGE / "sampling.py", PACKAGE / "training" / "cell.py", own]


def engine_digest(engine: str) -> str:
    """Digest of the sources that decide a row of this engine."""
    return cells_digest(*engine_sources(engine))


def _curve(
    preset: Preset,
    shared: Mapping[str, Any],
    parameters: GrammarParameters,
    cells: list[tuple[int, int]],
) -> tuple[Curve, Sample]:
    largest = max(size for size, _ in cells)
    n_test = n_test_points(parameters, n_train=largest, n_test=preset.n_test)
    source = engine_digest(shared["engine"])
    entries = []
    for size, seed in cells:
        cell = {**shared, "P": size, "seed": seed, "n_test": n_test}
        entries.append(
            {"key": short_hash([cell, source], length=24), "source": source, "cell": cell}
        )
    names = ("L", "s", "s0", "v", "m", "n_c", "sparsity")
    spec = {
        **{name: shared[name] for name in names},
        "n_train": largest,
        "n_test": n_test,
        "seeds": sorted({seed for _, seed in cells}),
        "source": cells_digest(PACKAGE / "sampling.py"),
    }
    text = f"L{shared['L']}_s{shared['s']}_s0-{shared['s0']}_v{shared['v']}_m{shared['m']}"
    text += f"_nc{shared['n_c']}_{shared['sparsity']}"
    sample = Sample(f"{text}-{short_hash(spec)}", spec)
    # The hash of all keys in the name: a curve file that exists is the one that is wanted, even
    # when Snakemake's own records are lost, and a change taken back finds the old file again.
    name = f"{shared['net']}_{text}_h{shared['width']}"
    return Curve(
        f"{name}-{short_hash([e['key'] for e in entries])}", sample.name, tuple(entries)
    ), sample


def schema() -> dict[str, Any]:
    """JSON schema of a configuration, as stored in config/schema.json."""
    return Preset.model_json_schema()


def key_table() -> str:
    """All keys of a configuration as a Markdown table: key, default, meaning."""
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for prefix, model in (
        ("", Preset),
        ("training.", Training),
        ("measurement.", Measurement),
        ("analysis.", Analysis),
        ("jobs.", Jobs),
        ("images.", Images),
        ("images.training.", ImageTraining),
        ("images.stability.", ImageStability),
        ("plane.", Plane),
        ("plane.curves.", PlaneCurves),
        ("plane.curves.optimiser.", Optimiser),
        ("plane.first_step.", FirstStep),
        ("curves.", Curves),
        ("curves.P.", Window),
    ):
        for name, field in model.model_fields.items():
            if field.description is None:
                continue
            default = "required" if field.is_required() else f"`{field.default}`"
            rows.append(f"| `{prefix}{name}` | {default} | {field.description} |")
    return "\n".join(rows)


KEY_TABLE_MARKS = ("<!-- keys: written by `make schema` -->", "<!-- end of keys -->")


def write_documents(folder: Path) -> None:
    """Writes config/schema.json, and the table of keys into config/README.md."""
    (folder / "schema.json").write_text(json.dumps(schema(), indent=2) + "\n")
    readme = folder / "README.md"
    begin, end = KEY_TABLE_MARKS
    before, rest = readme.read_text().split(begin)
    after = rest.split(end)[1]
    readme.write_text(f"{before}{begin}\n{key_table()}\n{end}{after}")


if __name__ == "__main__":
    write_documents(PACKAGE.parents[1] / "config")
