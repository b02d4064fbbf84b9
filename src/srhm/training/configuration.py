"""Sections whose cells are networks on the SRHM. Imports neither torch nor numba.

`HierarchySection`: LCN, CNN and FCN; `NamedSection`: VGG, ResNet, EfficientNet. A study takes one
of them as its section; `srhm.training.plan` makes cells of them.
"""

from collections.abc import Container, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from srhm.declare.keys import LIST, MAPPING, Counts, Keys, PositiveInt, Several, Sizes, kind_of
from srhm.model.sampling import MIN_TEST
from srhm.networks.registry import CONNECTED, HIERARCHICAL, NAMED
from srhm.training.engines import NAMED_ENGINE

Hierarchical: TypeAlias = Literal[(*HIERARCHICAL, *CONNECTED)]  # type: ignore[valid-type]
Named: TypeAlias = Literal[tuple(NAMED)]  # type: ignore[valid-type]
# How named nets are trained unless their section or group says otherwise (appendix B).
NAMED_TRAINING = {"engine": NAMED_ENGINE, "learning_rate": 1e-4, "loss_threshold": 1e-2}

PointList = Annotated[list[PositiveInt], Field(min_length=1)]


class Window(Keys):
    """Sizes of the training set around the predicted sample complexity (Eq. 3, Eq. 4)."""

    low: float = Field(gt=0, le=1000, description="first P, as a multiple of the predicted P*")
    high: float = Field(gt=0, le=1000, description="largest P, as a multiple of the predicted P*")
    per_octave: float | None = Field(
        None, ge=0.05, le=16,
        description="points for each factor 2 of P, each of which every seed trains; absent where"
        " there is `search`",
    )  # fmt: skip
    search: Literal["error", "sensitivities"] | None = Field(
        None,
        description="each seed trains those P alone that its own P* asks for, four for each factor"
        " 2; error: P* of the test error to a factor 2^(1/4); sensitivities: then P"
        " from P*/2 to `beyond` P* in steps of sqrt(2), for P*_S and P*_D",
    )
    beyond: float = Field(
        2.8, ge=1, le=16, description="largest P for sensitivities, as a multiple of P*"
    )
    start: float | None = Field(
        None, gt=0,
        description="where the search starts, as a multiple of the predicted P*; absent: the"
        " geometric mean of low and high",
    )  # fmt: skip

    @model_validator(mode="after")
    def _consistent(self) -> "Window":
        if self.low > self.high:
            raise ValueError(f"low = {self.low} is above high = {self.high}")
        if (self.per_octave is None) == (self.search is None):
            raise ValueError("either per_octave or search is needed, and not both")
        if self.start is not None and (
            self.search is None or not self.low <= self.start <= self.high
        ):
            raise ValueError(
                f"start = {self.start}: allowed are low to high, where there is search"
            )
        return self


class Training(Keys):
    """How networks are trained; the defaults are the paper's text."""

    engine: Literal["sparse", "dense", "reference", "torch", "autograd", "fcn2"] = Field(
        "sparse",
        description="sparse: fast, exact to rounding; dense: as exact, for whitening and biases;"
        " reference: dense PyTorch autograd, the oracle of both; named nets alone: torch, gradients"
        " by hand, or autograd, of PyTorch, slower, for nets that have none by hand; the net fcn2"
        " alone: fcn2",
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
        1e-3, gt=0, allow_inf_nan=False,
        description="training ends when the mean loss of an epoch is below; 0.01 for named nets"
        " if their group has none",
    )  # fmt: skip
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
                "bias and whitening need engine = 'dense' or 'reference': an empty patch is then"
                " not zero"
            )
        return self


class HierarchyCurves(Keys):
    """Learning curves: one for each combination of the lists."""

    net: Several[Hierarchical] = Field(description=", ".join((*HIERARCHICAL, *CONNECTED)))
    L: Sizes = Field(description="depth of the hierarchy")
    s: Sizes = Field([2], description="branching")
    v: Sizes = Field(description="features")
    s0: Counts = Field(description="empty places for each informative one")
    n_c: Sizes | None = Field(None, description="classes; absent: v")
    m: Sizes | None = Field(None, description="synonyms; absent: v^(s-1)")
    sparsity: Several[Literal["A", "B"]] = Field(["A"], description="kind of sparsity, section 3")
    P: Annotated[
        Annotated[Window, Tag(MAPPING)] | Annotated[PointList, Tag(LIST)], Discriminator(kind_of)
    ] = Field(
        description="sizes of the training set: a list, or a window around the predicted P*;"
        " a window ends where the distinct data do"
    )
    seeds: int | None = Field(None, ge=1, le=1000, description="absent: the section's")
    width: int | None = Field(
        None, ge=1, le=8192, description="channels H; absent: the section's",
    )  # fmt: skip
    alpha: float = Field(1.0, ge=1, le=1, description="output scale; 1 is the paper's")
    training: dict[str, Any] = Field({}, description="keys of training that differ here")


class NamedCurves(HierarchyCurves):
    """Learning curves of VGG, ResNet, EfficientNet."""

    net: Several[Named] = Field(description=", ".join(NAMED))
    # no window: there is no prediction
    P: PointList = Field(description="sizes of the training set")
    width: int | None = Field(
        None, ge=1, le=8192, description="channels of the stage that has 64 in the published net"
    )


class SensitivityOptions(Keys):
    """Sensitivities of the trained networks (Eq. 13, 14)."""

    n_points: int = Field(500, ge=2, description="test points of which a sensitivity is an average")
    n_draws: int = Field(4, ge=1, le=100, description="transformations drawn for each point")
    variants: list[Literal["text", "practice"]] = Field(
        ["text"], min_length=1,
        description="text: the new synonym is another one, lower places are kept; practice: the"
        " level and all below are drawn anew",
    )  # fmt: skip


class HierarchySection(Keys):
    """Learning curves of LCN, CNN and FCN."""

    seeds: int = Field(3, ge=1, le=1000, description="seeds of each curve")
    first_seed: int = Field(
        0, ge=0, le=1_000_000, description="the first of them; another draws other grammars"
    )
    width: int = Field(64, ge=1, le=8192, description="channels H of every layer")
    n_test: int = Field(2000, ge=MIN_TEST, description="test points of a curve, at most")
    keep_weights: bool = Field(
        True,
        description="store final weights; without them nothing can be measured of the networks: no"
        " sensitivities, no figures of them",
    )
    training: Training = Training()  # type: ignore[call-arg]
    measurement: SensitivityOptions = SensitivityOptions()  # type: ignore[call-arg]
    curves: list[HierarchyCurves] = Field(min_length=1, description="groups of learning curves")

    @property
    def training_keys(self) -> dict[str, Any]:
        """What the section says of training, without defaults."""
        return self.training.model_dump(exclude_unset=True)


class NamedSection(HierarchySection):
    """Learning curves of VGG, ResNet, EfficientNet."""

    width: int = Field(
        64, ge=1, le=8192,
        description="channels of the stage that has 64 in the published net",
    )  # fmt: skip
    training: Training = Training.model_validate(NAMED_TRAINING)
    curves: list[NamedCurves] = Field(min_length=1, description="groups of learning curves")  # type: ignore[assignment]

    @property
    def training_keys(self) -> dict[str, Any]:
        """What the section says of training, with what named nets have by default."""
        return NAMED_TRAINING | self.training.model_dump(exclude_unset=True)


ANY = range(1, 1_000_000)
MORE_THAN_2 = range(3, 1_000_000)
# The authors' own FCN, which the rows of the FCN are of.
THEIR_FCN = "fcn2"
# Of named nets: the rate itself, 64 times that of appendix B.
RATE_OF_NAMED_NETS = 64e-4


class NoPublishedRate(LookupError):
    """The authors' table has no rate for such a net."""


class RateRow(NamedTuple):
    """Rates over H of a net, and of which L, s and v; one rate for each range of s_0."""

    net: str
    L: Container[int]
    s: Container[int]
    v: Container[int]
    none: float
    below_4: float
    at_4: float
    above_4: float


# Source: the function `choice_lr` of the authors' code (`fun_choices.py`; of s = 3, v = 4 that of
# their scripts on sensitivities). The first row that fits counts. Above 4 the authors have s_0 = 6.
PUBLISHED_RATES = (
    #      net,   L,           s,           v,    s_0: 0,    1-3,   4,     more
    RateRow("cnn", ANY,         {3},         {4},   0.003,  0.003, 0.003, 0.0003),
    RateRow("cnn", ANY,         MORE_THAN_2, ANY,   0.01,   0.01,  0.003, 0.0003),
    RateRow("cnn", {1},         {2},         ANY,   0.1,    0.1,   0.03,  0.03),
    RateRow("cnn", {2},         {2},         ANY,   0.01,   0.1,   0.03,  0.01),
    RateRow("cnn", MORE_THAN_2, {2},         ANY,   0.01,   0.01,  0.003, 0.001),
    RateRow("lcn", ANY,         {2},         ANY,   0.01,   0.01,  0.003, 0.003),
    RateRow("lcn", ANY,         MORE_THAN_2, ANY,   0.003,  0.003, 0.003, 0.003),
    RateRow("fcn", {2},         ANY,         ANY,   0.01,   0.01,  0.003, 0.003),
    RateRow("fcn", ANY,         ANY,         ANY,   0.003,  0.003, 0.001, 0.001),
)  # fmt: skip


def published_rate(cell: Mapping[str, Any]) -> float:
    """Rate divided by H of the published figures, which belongs to balanced batches of 4 n_c.

    cell: net, L, s, s0 and v. The paper's sentence on rates (appendix D) contradicts itself; this
    is what the authors' code does. Of named nets it is the rate itself.

    Raises:
        NoPublishedRate: for a net that the table has no row of.
    """
    if cell["net"] in NAMED:
        return RATE_OF_NAMED_NETS
    net, depth, s, v, s0 = (cell[name] for name in ("net", "L", "s", "v", "s0"))
    known = "fcn" if net == THEIR_FCN else net
    for row in PUBLISHED_RATES:
        if row.net == known and depth in row.L and s in row.s and v in row.v:
            above = row.at_4 if s0 == 4 else row.above_4
            return row.none if s0 == 0 else row.below_4 if s0 < 4 else above
    raise NoPublishedRate(f"the table of rates has none for net = {net}, s = {s}")
