"""What a flow cell is: network, loss, data, initial weights; and how its members are trained.

All that decides a trained cell is here or in what this module imports; storing is in `cells`.
Members are cells of equal shape and P that are trained at once; none depends on the others. A seed
has the grammar, the nested training sets and, as member 0, the stream of initial weights of the
core's seed.

Shapes: E member, B point, O output.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow import descents, losses
from srhm.flow.descents import Arrays, Evaluation, FlowStep, NetworkSystem, Observe, Pause, Trained
from srhm.flow.inputs import digits, inputs, parity, stripe
from srhm.flow.kernels import gram_matrix, relative_change, tangent_kernel
from srhm.flow.layerwise import train_layerwise
from srhm.flow.losses import CrossEntropy, Logistic, Loss, QuadraticHinge, SoftHinge
from srhm.flow.minima import second_order_end
from srhm.flow.networks import (
    Network,
    Predictor,
    Weights,
    alpha_from_tilde,
    flattened,
    fully_connected_network,
    hierarchical_network,
    image_network,
    initial_weights,
    moved,
    quarters,
    selected,
)
from srhm.flow.task import IMAGES, n_inputs
from srhm.model.grammar import Grammar, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Layer

# Test points of the kernel whose change is in the row of a cell.
KERNEL_POINTS = 100
# Test points, and members, of which the pre-activations or the kernels are in memory at once.
POINTS_AT_ONCE = 250
MEMBERS_AT_ONCE = 8
# Columns of a history, as those of a row are called; by the second names a training gives them.
HISTORY = {
    **{"evaluations": "evaluation", "time": "time", "mean_loss": "mean_loss"},
    **{"n_unsatisfied": "n_unsatisfied", "train_norm": "output_norm"},
    **{"train_error": "train_error", "test_error": "test_error"},
}


@dataclass(frozen=True)
class PlaneData:
    """Training and test data of a cell.

    x_train (P, d, v), x_test (n_test, d, v); of data without a grammar (P, 1, d), (n_test, 1, d);
    float64. y_train (P,), y_test (n_test,): classes (int64), or plus and minus one (float64).
    grammar and test: what the test data come from; None without a grammar.
    """

    x_train: Tensor
    y_train: Tensor
    x_test: Tensor
    y_test: Tensor
    grammar: Grammar | None = None
    test: Derivations | None = None

    def to(self, device: torch.device | str) -> Self:
        """The same data, their inputs and labels on a device."""
        names = ("x_train", "y_train", "x_test", "y_test")
        return replace(self, **{name: getattr(self, name).to(device) for name in names})


@dataclass(frozen=True)
class TrainedMembers:
    """Members at the end of their training.

    rows: what is measured of each, without coordinates; weights: float64, (E, ...) by name;
    test_outputs: F on the test set, (E, n_test, O); histories: of cells that ask for it, from the
    start to the end, some ten rows for each decade of evaluations, columns HISTORY; else None.
    """

    rows: list[dict[str, Any]]
    weights: Weights
    test_outputs: Tensor
    histories: list[NDArray[np.float64] | None]


def network_of(cell: Mapping[str, Any]) -> Network:
    """Network of a cell: an output for each class, or one for labels of plus and minus one."""
    shared = {
        "width": cell["width"],
        "n_outputs": cell["n_c"] if cell["labels"] == "classes" else 1,
        "parametrisation": cell["parametrisation"],
        "activation": cell["activation"],
        "biased": cell["bias"],
    }
    depth, width = cell["hidden_layers"], cell["width"]
    if cell["data"] != "srhm":
        if cell["net"] == "cnn":
            return image_network(cell["d"], **shared)
        return fully_connected_network(cell["d"], depth=depth, **shared)
    network = hierarchical_network(cell["net"], parameters_of(cell), **shared)
    if cell["net"] != "fcn":
        return network
    above = Layer((0,), width, 1, 1, width**-0.5)
    return replace(network, layers=(network.layers[0], *[above] * (depth - 1)))


def loss_of(cell: Mapping[str, Any]) -> Loss:
    """Loss of a cell, l as a function of F."""
    if cell["loss"] == "cross_entropy":
        return CrossEntropy(threshold=cell["loss_threshold"])
    if cell["loss"] == "soft_hinge":
        return SoftHinge()
    if cell["loss"] == "logistic":
        return Logistic()
    return QuadraticHinge(slack=cell["slack"])


def data_of(cell: Mapping[str, Any]) -> PlaneData:
    """Training and test data of a cell's seed; all members of a seed share them."""
    if cell["data"] in IMAGES:
        return _images(cell)
    if cell["data"] != "srhm":
        return _drawn_points(cell)
    parameters, seed = parameters_of(cell), cell["seed"]
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    train, test = draw_sample(
        grammar,
        n_train=cell["P"],
        n_test=cell["n_test"],
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    norm = None
    if cell["squared_norm"] == "inputs":
        norm = float(n_inputs(cell))
    labels = [torch.from_numpy(part.labels.astype(np.int64)) for part in (train, test)]
    if cell["labels"] != "classes":
        labels = [parity(part.labels) for part in (train, test)]
    if cell["labels"] == "shuffled":
        labels[0] = _shuffled(labels[0], cell)
    return PlaneData(
        x_train=inputs(train, parameters, squared_norm=norm),
        y_train=labels[0],
        x_test=inputs(test, parameters, squared_norm=norm),
        y_test=labels[1],
        grammar=grammar,
        test=test,
    )


def _shuffled(labels: Tensor, cell: Mapping[str, Any]) -> Tensor:
    """Labels (P,) in random order; only those for training: of others nothing can be learnt."""
    order = generator(cell["seed"], role="train", member=1).permutation(cell["P"])
    return labels[torch.from_numpy(order)]


def _drawn_points(cell: Mapping[str, Any]) -> PlaneData:
    """Random data (chapter 1), or the stripe model (chapter 3b).

    Random data are Gaussian directions on the sphere of radius sqrt(d), labels +1, -1, +1, ....
    """

    def part(n: int, role: str) -> tuple[Tensor, Tensor]:
        stream = generator(cell["seed"], role=role)
        if cell["data"] == "stripe":
            points, labels = stripe(n, cell["d"], generator=stream)
            return torch.from_numpy(points)[:, None], torch.from_numpy(labels)
        x = stream.standard_normal((n, cell["d"]))
        x *= np.sqrt(cell["d"]) / np.linalg.norm(x, axis=1, keepdims=True)
        return torch.from_numpy(x)[:, None], parity(np.arange(n))

    (x_train, y_train), (x_test, y_test) = part(cell["P"], "train"), part(cell["n_test"], "test")
    return PlaneData(x_train, y_train, x_test, y_test)


def _images(cell: Mapping[str, Any]) -> PlaneData:
    """Images in a random order of the seed: the first P train, the last n_test test.

    So training sets are nested, and the test set is the same for each P.
    """
    x, labels = digits(cell["data"])
    order = generator(cell["seed"], role="train").permutation(len(x))
    train, test = order[: cell["P"]], order[len(x) - cell["n_test"] :]
    y = parity(labels)
    y_train = y[torch.from_numpy(train)]
    # An FCN has one place of d channels, a CNN d places of one.
    x = x[:, quarters(cell["d"]), None] if cell["net"] == "cnn" else x[:, None]
    return PlaneData(
        x_train=torch.from_numpy(x[train]),
        y_train=_shuffled(y_train, cell) if cell["labels"] == "shuffled" else y_train,
        x_test=torch.from_numpy(x[test]),
        y_test=y[torch.from_numpy(test)],
    )


def training_set_of(
    cells: Sequence[Mapping[str, Any]], data: Mapping[int, PlaneData]
) -> tuple[Tensor, Tensor]:
    """Inputs and labels of members by the data of their seeds.

    (B, d, v) and (B,) where all members are of one seed, else (E, B, d, v) and (E, B).
    """
    return _of_members(cells, data, "x_train"), _of_members(cells, data, "y_train")


def _of_members(
    cells: Sequence[Mapping[str, Any]], data: Mapping[int, PlaneData], name: str
) -> Tensor:
    seeds = [cell["seed"] for cell in cells]
    if len(set(seeds)) == 1:
        return getattr(data[seeds[0]], name)
    return torch.stack([getattr(data[seed], name) for seed in seeds])


def initial_weights_of(cells: Sequence[Mapping[str, Any]]) -> Weights:
    """w0 of members of equal shape, (E, ...) by name, float64."""
    return initial_weights(
        network_of(cells[0]),
        generators=_initial_streams(cells),
        initialisation=cells[0]["initialisation"],
    )


def predictor_of(
    cells: Sequence[Mapping[str, Any]],
    trained: Weights | None = None,
    *,
    device: torch.device | str = "cpu",
) -> Predictor:
    """F of members of equal shape, which may differ in alpha_tilde, seed, member and P.

    trained: final weights (E, ...), for layerwise training alone: what its F is measured from has
    the trained layers below the last, and the last layer and the readout as they were.
    device: where alpha and w0 are, and `trained` is.

    Raises:
        ValueError: if there are no final weights of layerwise cells.
    """
    network = network_of(cells[0])
    initial = None
    if cells[0]["subtract_initial"]:
        initial = moved(initial_weights_of(cells), device)
    if cells[0]["training"] == "layerwise":
        if trained is None or initial is None:
            raise ValueError("the F of layerwise cells is known with their final weights only")
        last = f"layer{len(network.layers)}"
        initial = {**trained, last: initial[last], "readout": initial["readout"]}
    return Predictor(network, alpha_of(cells).to(device), initial)


def alpha_of(cells: Sequence[Mapping[str, Any]]) -> Tensor:
    """alpha of each member, (E,): alpha_tilde/sqrt(h)."""
    values = [alpha_from_tilde(cell["alpha_tilde"], width=cell["width"]) for cell in cells]
    return torch.tensor(values, dtype=torch.float64, device="cpu")


def outputs_at(predictor: Predictor, weights: Weights, x: Tensor) -> Tensor:
    """F (E, n, O) on points (n, d, v) or (E, n, d, v), some points at a time."""
    with torch.no_grad():
        parts = x.split(POINTS_AT_ONCE, dim=-3)
        return torch.cat([predictor(weights, part) for part in parts], dim=1)


def train_members(
    cells: Sequence[Mapping[str, Any]],
    *,
    device: torch.device | str = "cpu",
    pause: Pause | None = None,
    start: Mapping[str, NDArray[Any]] | None = None,
) -> TrainedMembers:
    """Trains cells of equal coordinates but alpha_tilde, seed and member, all at once.

    device: where they are trained, and their rows computed; what is returned is on the CPU.
    pause, start: as in `flow.gradient_flow`; what `pause` is given goes on under `start`.
    """
    torch.set_num_threads(1)  # sums in one order, whatever the machine
    first = cells[0]
    seeds = {c["seed"] for c in cells}
    data = {seed: data_of({**first, "seed": seed}).to(device) for seed in seeds}
    x, y = training_set_of(cells, data)
    loss = loss_of(first)
    if first["training"] == "layerwise":
        trained, weights = _layerwise(cells, x, y, loss, pause=pause, start=start)
        predictor = predictor_of(cells, weights, device=device)
    else:
        predictor = predictor_of(cells, device=device)
        system = NetworkSystem.of(predictor, x, y, loss, weight_decay=first["weight_decay"])
        begin = predictor.initial
        if begin is None:
            begin = moved(initial_weights_of(cells), device)
        observe = _errors_of(cells, data, predictor) if first.get("history") else None
        trained = _optimised(cells, system, begin, pause=pause, start=start, observe=observe)
        if "newton_steps" in first:
            trained = _at_minima(trained, system, max_steps=first["newton_steps"])
        weights = trained.state
    rows, outputs = [], []
    for e, cell in enumerate(cells):
        row, test_outputs = _row(
            cell,
            trained,
            e,
            data[cell["seed"]],
            predictor.select(slice(e, e + 1)),
            selected(weights, slice(e, e + 1)),
        )
        rows.append(row)
        outputs.append(test_outputs.cpu())
    changes = kernel_changes(cells, data, weights)
    rows = [{**row, **change} for row, change in zip(rows, changes, strict=True)]
    asked = bool(first.get("history"))
    histories = [_history(trained, e, row) if asked else None for e, row in enumerate(rows)]
    return TrainedMembers(rows, moved(weights, "cpu"), torch.cat(outputs), histories)


def _errors_of(
    cells: Sequence[Mapping[str, Any]], data: Mapping[int, PlaneData], predictor: Predictor
) -> Observe:
    """What looks at the training and test errors of the members in training."""
    loss = loss_of(cells[0])
    y, x_test, y_test = (_of_members(cells, data, n) for n in ("y_train", "x_test", "y_test"))
    per_member = y.ndim == 2  # each member has data of its own

    def observe(weights: Weights, now: Evaluation, members: Tensor) -> dict[str, Tensor]:
        x, labels, test_labels = (a[members] if per_member else a for a in (x_test, y, y_test))
        F = outputs_at(predictor.select(members), weights, x)
        return {
            "train_error": losses.errors(loss, now.F, labels),
            "test_error": losses.errors(loss, F, test_labels),
        }

    return observe


def _history(trained: Trained, e: int, row: Mapping[str, Any]) -> NDArray[np.float64]:
    """Of one member, (R, 7): columns HISTORY; the last row is its end."""
    columns = [trained.history[name] for name in HISTORY.values()]
    kept = np.isfinite(trained.history["time"][:, e])
    states = np.stack([column if column.ndim == 1 else column[:, e] for column in columns], axis=1)
    states = states[kept & (states[:, 0] < row["evaluations"])]
    return np.vstack([states, [[float(row[name]) for name in HISTORY]]])


def kernel_changes(
    cells: Sequence[Mapping[str, Any]], data: Mapping[int, PlaneData], weights: Weights
) -> list[dict[str, float]]:
    """|Theta - Theta_0|/|Theta_0| and |Theta_0| on the first test points, for each member.

    With all outputs of a point, in the Frobenius norm; NaN where the weights are not finite.
    Computed where the final weights are, and so the data.
    """
    network = network_of(cells[0])
    start = moved(initial_weights_of(cells), weights["readout"].device)
    rows: list[dict[str, float]] = []
    for first in range(0, len(cells), MEMBERS_AT_ONCE):
        part = slice(first, first + MEMBERS_AT_ONCE)
        x = torch.stack([data[cell["seed"]].x_test[:KERNEL_POINTS] for cell in cells[part]])
        before = gram_matrix(tangent_kernel(network, selected(start, part), x))
        after = gram_matrix(tangent_kernel(network, selected(weights, part), x))
        change, norm = relative_change(after, before), before.flatten(1).norm(dim=1)
        rows += [
            {"kernel_change": float(c), "initial_kernel_norm": float(n)}
            for c, n in zip(change.cpu(), norm.cpu(), strict=True)
        ]
    return rows


def _row(
    cell: Mapping[str, Any],
    trained: Trained,
    e: int,
    data: PlaneData,
    predictor: Predictor,
    weights: Weights,
) -> tuple[dict[str, Any], Tensor]:
    """Results of one member, and its F on the test set (1, n_test, O)."""
    loss, status = loss_of(cell), str(trained.status[e])
    if status == "capped" and cell["weight_decay"]:
        status = "budget"
    train_outputs = outputs_at(predictor, weights, data.x_train)
    test_outputs = outputs_at(predictor, weights, data.x_test)
    finite = bool(test_outputs.isfinite().all()) and bool(train_outputs.isfinite().all())
    errors = [
        float(losses.errors(loss, F, y)[0]) if finite else float("nan")
        for F, y in ((train_outputs, data.y_train), (test_outputs, data.y_test))
    ]
    start, end = flattened(initial_weights_of([cell]))[0], flattened(weights)[0]
    start = start.to(end.device)
    mean_loss = float(trained.mean_loss[e])
    alpha = float(predictor.alpha[0])
    row = {
        "status": status,
        "evaluations": int(trained.evaluations[e]),
        "time": float(trained.time[e]),
        "half_time": float(trained.half_time[e]),
        "mean_loss": mean_loss,
        "trained_loss": mean_loss / alpha**2 + cell["weight_decay"] * float(end.square().sum()),
        "n_unsatisfied": int(trained.n_unsatisfied[e]),
        "train_error": errors[0],
        "test_error": errors[1],
        "train_norm": float(losses.output_norm(train_outputs)[0]),
        "test_norm": float(losses.output_norm(test_outputs)[0]),
        "weight_change": float((end - start).norm() / start.norm()),
    }
    return row, test_outputs


def _optimised(
    cells: Sequence[Mapping[str, Any]],
    system: NetworkSystem,
    state: Weights,
    *,
    pause: Pause | None,
    start: Mapping[str, NDArray[Any]] | None,
    observe: Observe | None = None,
) -> Trained:
    settings = dict(cells[0]["optimiser"])
    name, budget = settings.pop("name"), settings.pop("max_evaluations")
    shared: dict[str, Any] = {"pause": pause, "start": start, "observe": observe}

    def scaled(number: float) -> Tensor:
        numbers = [number * cell["alpha_tilde"] for cell in cells]
        return torch.tensor(numbers, dtype=torch.float64, device="cpu")

    if name == "flow":
        if "momentum_time" in settings:
            shared["momentum_time"] = scaled(settings.pop("momentum_time"))
        step = FlowStep(**settings)
        return descents.gradient_flow(system, state, max_evaluations=budget, step=step, **shared)
    if name == "adam":
        return descents.adam(system, state, max_evaluations=budget, **settings, **shared)
    return descents.stochastic_gradient_descent(
        system,
        state,
        rate=scaled(settings.pop("learning_rate")),
        generators=[generator(c["seed"], role="order", member=c["member"]) for c in cells],
        max_evaluations=budget,
        **settings,
        **shared,
    )


def _at_minima(trained: Trained, system: NetworkSystem, *, max_steps: int) -> Trained:
    """Members after a second-order end; its steps count as evaluations.

    Members that fit or diverged stay as they are. Computed on the processor.
    """
    device, state = system.x.device, moved(trained.state, "cpu")
    evaluations, network = trained.evaluations.copy(), system.predictor.network
    for e in np.flatnonzero(trained.status == "capped"):
        x, y = (a[e] if split else a for a, split in ((system.x, system.x.ndim == 4),
                                                       (system.y, system.y.ndim == 2)))  # fmt: skip
        weights, end = second_order_end(
            network, selected(state, slice(e, e + 1)), x.cpu(), y.cpu(), max_steps=max_steps
        )
        state = {name: array.clone() for name, array in state.items()}
        for name, array in weights.items():
            state[name][e] = array[0]
        evaluations[e] += end.n_steps
    state = moved(state, device)
    now = system.evaluate(state)
    ended = (trained.status == "capped") & now.fitted.cpu().numpy()
    return replace(
        trained,
        state=state,
        status=np.where(ended, "fitted", trained.status),
        mean_loss=now.mean_loss.double().cpu().numpy(),
        n_unsatisfied=now.n_unsatisfied.cpu().numpy(),
        evaluations=evaluations,
    )


def _layerwise(
    cells: Sequence[Mapping[str, Any]],
    x: Tensor,
    y: Tensor,
    loss: Loss,
    *,
    pause: Pause | None,
    start: Mapping[str, NDArray[Any]] | None,
) -> tuple[Trained, Weights]:
    """Results of the last stage, with the evaluations and times of all, and the whole network.

    A member is fitted if its last stage is, diverged if any stage is.
    """
    network = network_of(cells[0])
    streams = _initial_streams(cells)
    whole = moved(initial_weights(network, generators=streams), x.device)
    # Readouts of the stages below the last come from the same streams, after the whole network.
    starts: list[Weights] = []
    for k, layer in enumerate(network.layers, start=1):
        readout = whole["readout"]
        if k < len(network.layers):
            stage = replace(network, layers=(layer,))
            readout = initial_weights(stage, generators=streams)["readout"].to(x.device)
        starts.append({"layer1": whole[f"layer{k}"], "readout": readout})
    done: list[Trained] = []
    finished = 0 if start is None else int(start["stage"][0])

    def optimise(system: NetworkSystem, state: Weights) -> Trained:
        k = len(done)
        if start is not None and k < finished:
            trained = _stored_stage(start, k, state)
        else:
            kept = start if k == finished else None
            trained = _optimised(cells, system, state, pause=_stage_pause(pause, done), start=kept)
        done.append(trained)
        return trained

    alpha = alpha_of(cells).to(x.device)
    train_layerwise(network, x, y, loss, alpha=alpha, starts=starts, optimise=optimise)
    weights = {f"layer{k}": stage.state["layer1"] for k, stage in enumerate(done, start=1)}
    last = done[-1]
    diverged = np.any([stage.status == "diverged" for stage in done], axis=0)
    sums = {name: np.sum([getattr(stage, name) for stage in done], axis=0)
            for name in ("time", "evaluations", "steps")}  # fmt: skip
    status = np.where(diverged, "diverged", last.status)
    trained = replace(last, status=status, half_time=np.full(len(cells), np.nan), **sums)
    return trained, {**weights, "readout": last.state["readout"]}


RESULTS = ("mean_loss", "n_unsatisfied", "time", "half_time", "steps", "evaluations")


def _stage_pause(pause: Pause | None, done: list[Trained]) -> Pause | None:
    """Pause within a stage: the finished stages are part of what training depends on."""
    if pause is None:
        return None

    def with_stages(arrays: Callable[[], Arrays]) -> None:
        def whole() -> Arrays:
            kept = {**arrays(), "stage": np.array([len(done)])}
            for k, stage in enumerate(done):
                kept |= {f"stage{k}.{name}": getattr(stage, name) for name in RESULTS}
                kept |= {f"stage{k}.state.{n}": a.cpu().numpy() for n, a in stage.state.items()}
                kept[f"stage{k}.budget"] = np.array([stage.budget])
                codes = [descents.STATUSES.index(status) for status in stage.status]
                kept[f"stage{k}.status"] = np.array(codes)
            return kept

        pause(whole)

    return with_stages


def _stored_stage(arrays: Mapping[str, NDArray[Any]], k: int, state: Weights) -> Trained:
    raw = {n.removeprefix(f"stage{k}."): a for n, a in arrays.items() if n.startswith(f"stage{k}.")}
    return Trained(
        state={
            name: torch.from_numpy(np.array(raw[f"state.{name}"])).to(array.device)
            for name, array in state.items()
        },
        status=np.array([descents.STATUSES[code] for code in raw["status"]]),
        budget=int(raw["budget"][0]),
        history={},
        **{name: raw[name] for name in RESULTS},
    )


def _initial_streams(cells: Sequence[Mapping[str, Any]]) -> list[np.random.Generator]:
    return [generator(c["seed"], role="initialisation", member=c["member"]) for c in cells]
