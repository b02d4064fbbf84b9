"""Sections of a configuration whose networks have any output scale. Imports no torch.

A study takes `FlowSection` as its section; `srhm.flow.plan` makes cells of it.
"""

from collections.abc import Iterator
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
# What the activations' flows need: that of ReLU jumps at its kinks, see `srhm.flow.descents`.
FLOW_STEPS = {
    "relu": {"max_gradient_change": 1e-2, "kink": 1e-2},
    "softplus": {"max_gradient_change": 1e-2, "kink": 0.0},
    "tanh": {"max_gradient_change": 1e-2, "kink": 0.0},
}
# Keys of `optimiser` that each optimiser takes, with their defaults; None: from FLOW_STEPS.
OPTIMISERS: dict[str, dict[str, Any]] = {
    "flow": {"max_output_change": 0.1, "max_gradient_change": None, "kink": None},
    "adam": {"first_rate": 1e-2, "last_rate": 1e-4},
    "sgd": {"learning_rate": 0.01, "batch_size": 4, "momentum": 0.9, "check_every": 100},
}
# Keys that one loss alone takes, with their defaults.
LOSSES: dict[str, dict[str, float]] = {
    "cross_entropy": {"loss_threshold": 1e-3},
    "soft_hinge": {},
    "quadratic_hinge": {"slack": 0.0},
    "logistic": {},
}


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
        foreign = sorted(
            key
            for name, keys in OPTIMISERS.items()
            for key in keys
            if name != self.name and getattr(self, key) is not None
        )
        if self.name != "flow" and self.momentum_time is not None:
            foreign.append("momentum_time")
        if foreign:
            allowed = ", ".join(["name", "max_evaluations", *OPTIMISERS[self.name]])
            raise ValueError(f"{', '.join(foreign)}: allowed for {self.name} are {allowed}")
        return self

    def settings(self, *, activation: str) -> dict[str, Any]:
        """Name, budget and the parameters of this optimiser, none of them absent."""
        settings: dict[str, Any] = {"name": self.name, "max_evaluations": self.max_evaluations}
        for key, default in OPTIMISERS[self.name].items():
            value = getattr(self, key)
            if value is None:
                value = FLOW_STEPS[activation][key] if default is None else default
            settings[key] = value
        if self.momentum_time is not None:  # absent otherwise: keys without it are older than it
            settings["momentum_time"] = float(self.momentum_time)
        return settings


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
    def _of_data_and_scale(self) -> "FlowCurves":
        if self.alpha is not None and self.alpha_tilde is not None:
            raise ValueError("alpha, alpha_tilde: allowed is one of them")
        if self.data != "srhm":
            self._without_grammar()
            return self
        if self.d is not None:
            raise ValueError(f"d = {self.d}: allowed with data = random or stripe only")
        missing = [key for key in ("L", "v", "s0") if getattr(self, key) is None]
        if missing:
            raise ValueError(f"{', '.join(missing)} required for data = srhm")
        if self.hidden_layers is not None and set(self.net) != {"fcn"}:
            raise ValueError(
                f"hidden_layers = {self.hidden_layers}: allowed for net = fcn only; those of lcn"
                " and cnn are the L of the hierarchy"
            )
        return self

    def _without_grammar(self) -> None:
        data = self.data
        nets = {"fcn", "cnn"} if data == "digits" else {"fcn"}
        if not set(self.net) <= nets:
            names = " or ".join(sorted(nets))
            raise ValueError(f"net = {self.net}: allowed is {names} for data = {data}")
        given = [k for k in ("L", "v", "s0", "n_c", "m") if getattr(self, k) is not None]
        if given:
            raise ValueError(f"{', '.join(given)}: allowed with data = srhm only")
        if self.hidden_layers is None:
            raise ValueError(f"hidden_layers is required for data = {data}: 1 or more")
        if "cnn" in self.net and self.hidden_layers != [CNN_LAYERS]:
            raise ValueError(
                f"hidden_layers = {self.hidden_layers}: allowed is {CNN_LAYERS} for a cnn on"
                f" {data}, each of which halves the sides of 8 x 8 pixels"
            )
        allowed = ("parity", "shuffled") if data in IMAGES else ("parity",)
        if self.labels not in allowed:
            raise ValueError(
                f"labels = {self.labels}: allowed is {' or '.join(allowed)} for data = {data}"
            )
        if self.squared_norm is not None:
            raise ValueError(f"squared_norm: allowed is null for data = {data}, which need none")
        if data in IMAGES:
            if self.d is not None:
                raise ValueError(f"d = {self.d}: allowed with data = random or stripe only")
            if max(self.P) > IMAGES[data].n_train:
                raise ValueError(
                    f"P = {max(self.P)}: allowed are 1 to {IMAGES[data].n_train} for data = {data}"
                )
            return
        least = 2 if data == "stripe" else 1
        if self.d is None or min(self.d) < least:
            raise ValueError(f"d is required for data = {data}: {least} or more")
        if data == "stripe" and not self.bias:
            raise ValueError("bias = false: allowed is true for data = stripe, which is off centre")

    @model_validator(mode="after")
    def _of_the_loss(self) -> "FlowCurves":
        allowed = ("classes",) if self.loss == "cross_entropy" else ("parity", "shuffled")
        if self.labels not in allowed:
            raise ValueError(
                f"loss = {self.loss} with labels = {self.labels}: allowed labels are"
                f" {' and '.join(allowed)}"
            )
        for loss, keys in LOSSES.items():
            for key in keys:
                if loss != self.loss and getattr(self, key) is not None:
                    raise ValueError(f"{key}: allowed for loss = {loss} only, not {self.loss}")
        flows = self.optimiser.name == "flow" and not self.weight_decay
        if self.loss == "quadratic_hinge" and flows and not self.slack:
            raise ValueError(
                "slack = 0: gradient flow never ends at Delta = 0 of the quadratic hinge; allowed"
                " are above 0 to 1, or the optimisers adam and sgd"
            )
        return self

    @model_validator(mode="after")
    def _of_the_training(self) -> "FlowCurves":
        layerwise = self.training == "layerwise"
        if layerwise and self.initialisation != "gaussian":
            raise ValueError(
                f"initialisation = {self.initialisation}: allowed with layerwise training is"
                " gaussian"
            )
        if layerwise and (self.bias or self.weight_decay or not self.subtract_initial):
            raise ValueError(
                "layerwise training: allowed are bias = false, weight_decay = 0 and"
                " subtract_initial = true"
            )
        if layerwise and self.optimiser.momentum_time is not None:
            raise ValueError("momentum_time: allowed with training = end_to_end only")
        if layerwise and self.history:
            raise ValueError("history = true: allowed with training = end_to_end only")
        batch = self.optimiser.settings(activation=self.activation).get("batch_size", 1)
        if min(self.P) < batch:
            raise ValueError(
                f"P = {min(self.P)}: allowed are {batch} (optimiser.batch_size) or more"
            )
        return self

    @model_validator(mode="after")
    def _of_the_end(self) -> "FlowCurves":
        if self.newton_steps is None:
            return self
        needs: dict[str, tuple[Any, tuple[Any, ...]]] = {
            "net": (self.net, (["fcn"],)),
            "loss": (self.loss, ("quadratic_hinge",)),
            "activation": (self.activation, ("relu", "tanh")),
            "parametrisation": (self.parametrisation, ("ntk",)),
            "bias": (self.bias, (True,)),
            "alpha": (self.alpha, ([1.0],)),
            "subtract_initial": (self.subtract_initial, (False,)),
            "training": (self.training, ("end_to_end",)),
            "weight_decay": (self.weight_decay, (0,)),
        }
        for key, (value, allowed) in needs.items():
            if value not in allowed:
                names = " or ".join(str(choice) for choice in allowed)
                raise ValueError(f"newton_steps with {key} = {value}: allowed is {names}")
        return self

    def scales(self, *, width: int) -> list[float]:
        """alpha_tilde of the cells of a width."""
        if self.alpha is not None:
            return [float(width**0.5 * alpha) for alpha in self.alpha]
        return [float(tilde) for tilde in self.alpha_tilde or [1.0]]

    def coordinates(self) -> Iterator[dict[str, Any]]:
        """What the cells of each curve share, but for n_test; what is absent has no name."""
        shared: dict[str, Any] = {
            "labels": self.labels,
            "loss": self.loss,
            "loss_threshold": None,
            "slack": None,
            "activation": self.activation,
            "parametrisation": self.parametrisation,
            "bias": self.bias,
            "initialisation": self.initialisation,
            "subtract_initial": self.subtract_initial,
            "squared_norm": self.squared_norm,
            "training": self.training,
            "optimiser": self.optimiser.settings(activation=self.activation),
            "weight_decay": float(self.weight_decay),
        }
        for key, default in LOSSES[self.loss].items():
            value = getattr(self, key)
            shared[key] = float(default if value is None else value)
        if self.history:  # absent otherwise: keys of cells without it are older than it
            shared["history"] = True
        if self.newton_steps is not None:  # absent otherwise, too
            shared["newton_steps"] = self.newton_steps
        absent: Absent = {**GRAMMAR, "hidden_layers": lambda cell: cell["L"]}
        if self.data != "srhm":
            sizes = [IMAGES[self.data].n_inputs] if self.data in IMAGES else self.d
            absent, shared = {}, {**shared, **dict.fromkeys(DATA_MODEL), "d": sizes}
        task = ("data", "net", "L", "s", "s0", "v", "sparsity", "n_c", "m", "d", "hidden_layers")
        yield from combinations(self, *task, "width", absent=absent, **shared)


class FlowSection(Keys):
    """Curves of networks of any output scale."""

    n_test: int = Field(1000, ge=50, strict=True, description="test points of a curve, at most")
    curves: list[FlowCurves] = Field(min_length=1, description="groups of curves")
