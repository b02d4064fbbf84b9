"""Sections of a configuration whose networks have any output scale. Imports no torch.

A study takes `FlowSection` as its section; `srhm.flow.plan` makes cells of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

from pydantic import Field, model_validator

from srhm.declare.keys import (
    GRAMMAR,
    Absent,
    Counts,
    Keys,
    Positive,
    PositiveInt,
    Scales,
    Seeds,
    Several,
    Sizes,
    combinations,
)
from srhm.flow.task import IMAGES
from srhm.model.grammar import DATA_MODEL
from srhm.networks.registry import HIERARCHICAL

# Of a CNN on digits: 8 x 8 pixels are 2^3 x 2^3.
CNN_LAYERS = 3
MEASUREMENTS = ("kernels", "hessians", "singular_values", "sensitivities", "frozen_kernels")
# Keys of `optimiser` that each optimiser takes, with their defaults. The gradient of ReLU jumps at
# its kinks, see `srhm.flow.descents`: other activations have a kink of 0.
OPTIMISERS: dict[str, dict[str, float | None]] = {
    "flow": {"max_output_change": 0.1, "max_gradient_change": 1e-2, "kink": 1e-2,
             "momentum_time": None},
    "adam": {"first_rate": 1e-2, "last_rate": 1e-4},
    "sgd": {"learning_rate": 0.01, "batch_size": 4, "momentum": 0.9, "check_every": 100},
}  # fmt: skip
# Keys that one loss alone takes, with their defaults.
LOSSES: dict[str, dict[str, float]] = {
    "cross_entropy": {"loss_threshold": 1e-3},
    "soft_hinge": {},
    "quadratic_hinge": {"slack": 0.0},
    "logistic": {},
}
NO_GRAMMAR = ("random", *IMAGES, "stripe")
MANY, ABSENT, BINARY = 2**31, (None,), ("parity", "shuffled")
Allowed = Mapping[str, Sequence[Any]]
# Where each key on the left has one of its values, each on the right has none but those given.
TOGETHER: list[tuple[Allowed, Allowed]] = [
    ({"data": ("srhm",)}, {"d": ABSENT, **dict.fromkeys(("L", "v"), range(1, MANY)),
                           "s0": range(MANY)}),
    ({"data": ("srhm",), "net": ("lcn", "cnn")}, {"hidden_layers": ABSENT}),
    ({"data": NO_GRAMMAR}, {**dict.fromkeys(("L", "v", "s0", "n_c", "m", "squared_norm"), ABSENT),
                            "hidden_layers": range(1, MANY)}),
    ({"data": ("digits",)}, {"net": ("fcn", "cnn")}),
    ({"data": ("digits",), "net": ("cnn",)}, {"hidden_layers": (CNN_LAYERS,)}),
    ({"data": [name for name in NO_GRAMMAR if name != "digits"]}, {"net": ("fcn",)}),
    ({"data": tuple(IMAGES)}, {"labels": BINARY, "d": ABSENT}),
    *(({"data": (name,)}, {"P": range(1, one.n_train + 1)}) for name, one in IMAGES.items()),
    ({"data": ("random", "stripe")}, {"labels": ("parity",), "d": range(1, MANY)}),
    # The stripe is off centre.
    ({"data": ("stripe",)}, {"d": range(2, MANY), "bias": (True,)}),
    *(({"loss": (loss,)}, {"labels": ("classes",) if loss == "cross_entropy" else BINARY,
                           **{key: ABSENT for other, keys in LOSSES.items() if other != loss
                              for key in keys}}) for loss in LOSSES),
    ({"training": ("layerwise",)},
     {"initialisation": ("gaussian",), "bias": (False,), "weight_decay": (0,), "history": (False,),
      "subtract_initial": (True,), "optimiser.momentum_time": ABSENT}),
    ({"newton_steps": range(1, MANY)},
     {"data": NO_GRAMMAR, "net": ("fcn",), "loss": ("quadratic_hinge",),
      "activation": ("relu", "tanh"), "parametrisation": ("ntk",), "bias": (True,), "alpha": (1,),
      "subtract_initial": (False,), "training": ("end_to_end",), "weight_decay": (0,)}),
]  # fmt: skip


class Optimiser(Keys):
    """How the members are trained, and when they end if they never fit."""

    name: Literal["flow", "adam", "sgd"] = Field(
        "flow", description="flow: gradient flow; adam: full-batch Adam; sgd: SGD with momentum"
    )
    max_evaluations: int = Field(
        10_000, ge=1, strict=True,
        description="budget: gradients computed for a member at most (of each layer in layerwise"
        " training); batches for sgd",
    )  # fmt: skip
    max_output_change: Positive | None = Field(
        None, description="flow: no training output moves further in a step; absent: 0.1"
    )
    max_gradient_change: Positive | None = Field(
        None, description="flow: squared relative change of the gradient in a step; absent: 0.01"
    )
    kink: float | None = Field(
        None, ge=0, allow_inf_nan=False,
        description="flow: a step that moves no output by more is accepted whatever the gradient"
        " does; absent: 0.01 for relu, 0 for softplus and tanh",
    )  # fmt: skip
    momentum_time: Positive | None = Field(
        None,
        description="flow: time tau of the momentum, in units of alpha_tilde; absent: no momentum",
    )
    first_rate: Positive | None = Field(None, description="adam: first rate; absent: 0.01")
    last_rate: Positive | None = Field(
        None, description="adam: rate at the end of the budget; absent: 0.0001"
    )
    learning_rate: Positive | None = Field(
        None, description="sgd: rate divided by H, at any alpha_tilde; absent: 0.01"
    )
    batch_size: PositiveInt | None = Field(None, description="sgd: points of a batch; absent: 4")
    momentum: float | None = Field(None, ge=0, lt=1, description="sgd: momentum; absent: 0.9")
    check_every: PositiveInt | None = Field(
        None, description="sgd: batches between two looks at the training set; absent: 100"
    )

    @model_validator(mode="after")
    def _own_keys(self) -> "Optimiser":
        own = OPTIMISERS[self.name]
        keys = sorted(key for keys in OPTIMISERS.values() for key in keys if key not in own)
        if foreign := [key for key in keys if getattr(self, key) is not None]:
            allowed = ", ".join(["name", "max_evaluations", *own])
            raise ValueError(f"{', '.join(foreign)}: allowed for {self.name} are {allowed}")
        return self

    def settings(self, *, activation: str) -> dict[str, Any]:
        """Name, budget and the parameters of this optimiser; without a momentum none of it."""
        defaults = {"name": self.name, "max_evaluations": None, **OPTIMISERS[self.name]}
        if "kink" in defaults and activation != "relu":
            defaults["kink"] = 0.0
        given = {key: value for key in defaults if (value := getattr(self, key)) is not None}
        # Keys of cells without a momentum are older than it.
        return {key: value for key, value in (defaults | given).items() if value is not None}


class FlowCurves(Keys):
    """Curves: one for each combination of the lists but P, alpha_tilde and seeds."""

    data: Literal["srhm", "random", *IMAGES, "stripe"] = Field(  # type: ignore[valid-type]
        "srhm",
        description="all but srhm and digits for an fcn. random: points of squared norm d with"
        " labels of plus and minus one in turn; digits: 1797 handwritten digits of 64 pixels, at"
        " most 1200 of them for training, labels even or odd; digits_pca: their first ten principal"
        " components;"
        " mnist, mnist_pca: the same of MNIST's 784 pixels, at most 60000 for training, left out"
        " aloud where its files are not (make mnist); mnist5k, mnist5k_pca: 5000 of them (make"
        " env-images), at most 4000 for training; fashion, fashion_pca: Fashion-MNIST (make"
        " fashion);"
        " stripe: Gaussian points whose labels depend on their first coordinate",
    )
    net: Several[Literal[tuple(HIERARCHICAL)]] = Field(  # type: ignore[valid-type]
        description="lcn, cnn, fcn; with digits fcn, or cnn with filters of 2 x 2 and stride 2",
    )
    L: Sizes | None = Field(
        None, description="depth of the hierarchy; required with data srhm, as v and s0 are"
    )
    s: Sizes = Field([2], description="branching")
    v: Sizes | None = Field(None, description="features")
    s0: Counts | None = Field(None, description="empty places for each informative one")
    n_c: Sizes | None = Field(None, description="classes; absent: v")
    m: Sizes | None = Field(None, description="synonyms; absent: v^(s-1)")
    sparsity: Several[Literal["A", "B"]] = Field(["A"], description="kind of sparsity")
    d: Sizes | None = Field(
        None, description="inputs; required with data random and stripe, and allowed with no other"
    )
    hidden_layers: Sizes | None = Field(
        None,
        description="hidden layers of an fcn; absent: L; required with all data but srhm, and 3 for"
        " a cnn on digits",
    )
    width: Sizes = Field(description="channels H")
    alpha_tilde: Scales | None = Field(
        None, description="scale of F; absent: 1, the paper's; large: lazy learning"
    )
    alpha: Scales | None = Field(
        None, description="alpha_tilde/sqrt(H), in its place; 1 with subtract_initial false: F = f"
    )
    P: Sizes = Field(description="sizes of the training set")
    n_test: int | None = Field(
        None, ge=50, strict=True, description="test points of these curves; absent: the section's"
    )
    seeds: Seeds = Field(2, description="seeds 0, 1, ...: grammars, data and weights")
    members: int = Field(
        1, ge=1, le=1000, strict=True,
        description="initialisations of each seed on the same data: an ensemble",
    )  # fmt: skip
    labels: Literal["classes", "parity", "shuffled"] = Field(
        "classes", description="shuffled: parities of the classes in random order"
    )
    loss: Literal[tuple(LOSSES)] = Field(  # type: ignore[valid-type]
        "cross_entropy",
        description="cross_entropy needs classes, the others parity or shuffled; logistic: the"
        " cross-entropy of two classes, training ends when no point is misclassified",
    )
    loss_threshold: Positive | None = Field(
        None, description="cross_entropy: training ends at a mean below; absent: 0.001"
    )
    slack: float | None = Field(
        None, ge=0, lt=1,
        description="quadratic_hinge: points with Delta up to it count as satisfied; absent: 0;"
        " gradient flow needs more than 0",
    )  # fmt: skip
    activation: Literal["relu", "softplus", "tanh"] = Field("relu", description="sigma")
    parametrisation: Literal["ntk", "mean_field"] = Field(
        "ntk", description="output divided by the root of H, or by H; the same F at one alpha_tilde"
    )
    bias: bool = Field(False, description="biases, zero at first")
    initialisation: Literal["gaussian", "orthogonal"] = Field(
        "gaussian",
        description="orthogonal: random orthogonal matrices, one for each filter, chapters 1 and 2"
        " of the thesis",
    )
    subtract_initial: bool = Field(
        True, description="F = alpha (f(w) - f(w0)); false: F = alpha f(w)"
    )
    squared_norm: Literal["inputs"] | None = Field(
        None, description="inputs: data scaled to a squared norm of d v, the number of inputs"
    )
    training: Literal["end_to_end", "layerwise"] = Field(
        "end_to_end", description="layerwise: a layer at a time, under a readout of its own"
    )
    optimiser: Optimiser = Optimiser()  # type: ignore[call-arg]
    weight_decay: float = Field(
        0.0, ge=0, allow_inf_nan=False,
        description="lambda, which multiplies the squared norm of w in the Loss; a cell with it"
        " ends at its budget",
    )  # fmt: skip
    history: bool = Field(
        False,
        description="keep loss, training and test error against time, about ten rows for each"
        " decade of evaluations; without it the cell is another one, with a key of its own",
    )
    newton_steps: PositiveInt | None = Field(
        None,
        description="after the optimiser a second-order end: Newton steps, at most, to a minimum of"
        " the quadratic hinge loss, for an fcn of relu or tanh with biases, alpha 1 and"
        " subtract_initial false; absent: none",
    )
    measure: list[Literal[MEASUREMENTS]] | None = Field(  # type: ignore[valid-type]
        None, description="any of " + ", ".join(MEASUREMENTS) + "; absent: those of the study"
    )

    @model_validator(mode="after")
    def _go_together(self) -> "FlowCurves":
        if self.alpha is not None and self.alpha_tilde is not None:
            raise ValueError("alpha, alpha_tilde: allowed is one of them")
        for when, then in TOGETHER:
            if all(any(self._among(values, key)) for key, values in when.items()):
                for key, allowed in then.items():
                    if not all(self._among(allowed, key)):
                        where = ", ".join(f"{name} = {self._said(name)}" for name in when)
                        raise ValueError(
                            f"{key} = {self._said(key)}: allowed is {_words(allowed)} for {where}"
                        )
        flows = self.optimiser.name == "flow" and not self.weight_decay
        if self.loss == "quadratic_hinge" and flows and not self.slack:
            raise ValueError(
                "slack = 0: gradient flow never ends at Delta = 0 of the quadratic hinge; allowed"
                " are above 0 to 1, or the optimisers adam and sgd"
            )
        batch = self.optimiser.settings(activation=self.activation).get("batch_size", 1)
        if min(self.P) < batch:
            raise ValueError(
                f"P = {min(self.P)}: allowed are {batch} (optimiser.batch_size) or more"
            )
        return self

    def _among(self, allowed: Sequence[Any], key: str) -> Iterator[bool]:
        """Whether each value of a key is one of those."""
        value = attrgetter(key)(self)
        for one in value if isinstance(value, list) else [value]:
            numbers = isinstance(allowed, range)  # in which to look for something else takes long
            yield isinstance(one, int) and one in allowed if numbers else one in allowed

    def _said(self, key: str) -> str:
        return json.dumps(attrgetter(key)(self)).replace('"', "")

    def scales(self, *, width: int) -> list[float]:
        """alpha_tilde of the cells of a width."""
        if self.alpha is not None:
            return [float(width**0.5 * alpha) for alpha in self.alpha]
        return [float(tilde) for tilde in self.alpha_tilde or [1.0]]

    def coordinates(self) -> Iterator[dict[str, Any]]:
        """What the cells of each curve share, but for n_test; what is absent has no name."""
        names = ("labels", "loss", "loss_threshold", "slack", "activation", "parametrisation",
                 "bias", "initialisation", "subtract_initial", "squared_norm", "training",
                 "optimiser", "weight_decay", "history", "newton_steps")  # fmt: skip
        shared: dict[str, Any] = {name: getattr(self, name) for name in names}
        shared["optimiser"] = self.optimiser.settings(activation=self.activation)
        for key, default in LOSSES[self.loss].items():
            if shared[key] is None:
                shared[key] = default
        for key in ("history", "newton_steps"):
            if not shared[key]:  # keys of cells without it are older than it
                del shared[key]
        absent: Absent = {**GRAMMAR, "hidden_layers": lambda cell: cell["L"]}
        if self.data != "srhm":
            sizes = [IMAGES[self.data].n_inputs] if self.data in IMAGES else self.d
            absent, shared = {}, {**shared, **dict.fromkeys(DATA_MODEL), "d": sizes}
        task = ("data", "net", "L", "s", "s0", "v", "sparsity", "n_c", "m", "d", "hidden_layers")
        yield from combinations(self, *task, "width", absent=absent, **shared)


def _words(allowed: Sequence[Any]) -> str:
    """Values for people."""
    if isinstance(allowed, range):
        end = "or more" if allowed.stop == MANY else f"to {allowed[-1]}"
        return f"{allowed.start} {end}"
    return " or ".join(json.dumps(value).replace('"', "") for value in allowed)


class FlowSection(Keys):
    """Curves of networks of any output scale."""

    n_test: int = Field(1000, ge=50, strict=True, description="test points of a curve, at most")
    curves: list[FlowCurves] = Field(min_length=1, description="groups of curves")
