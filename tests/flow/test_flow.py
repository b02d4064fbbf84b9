"""Training of many members: the same by plain loops, by other solvers, and by other engines."""

from math import sqrt

import numpy as np
import pytest
import torch
from frozen_kernel import kernel_gradient_flow, predicted
from scipy.integrate import solve_ivp

from srhm.flow.descents import (
    RELU_STEP,
    FlowStep,
    NetworkSystem,
    adam,
    gradient_flow,
    stochastic_gradient_descent,
)
from srhm.flow.inputs import inputs, parity
from srhm.flow.kernels import tangent_kernel
from srhm.flow.losses import CrossEntropy, QuadraticHinge, SoftHinge
from srhm.flow.networks import (
    Predictor,
    flattened,
    fully_connected_network,
    hierarchical_network,
    initial_weights,
    selected,
    unflattened,
)
from srhm.networks import geometry as shapes
from srhm.training.reference import ReferenceEngine


def prepared(
    make_sample,
    *,
    net="cnn",
    width=5,
    tilde=(1.0, 1.0),
    loss=None,
    n_train=12,
    parametrisation="ntk",
    activation="softplus",
):
    """A system of one member for each alpha_tilde, and where it starts."""
    grammar, data, _ = make_sample(n_train=n_train)
    network = hierarchical_network(
        net,
        grammar.parameters,
        width=width,
        n_outputs=1,
        parametrisation=parametrisation,
        activation=activation,
    )
    streams = [np.random.default_rng(seed) for seed in range(len(tilde))]
    start = initial_weights(network, generators=streams)
    alpha = torch.tensor(tilde, dtype=torch.float64) / sqrt(width)
    x, y = inputs(data, grammar.parameters), parity(data.labels)
    system = NetworkSystem.of(Predictor(network, alpha, start), x, y, loss or SoftHinge())
    return system, start


def flow_by_loop(system, start, member, *, max_evaluations, step):
    """The rule of the adaptive step for one member alone: weights, time, accepted steps."""
    one = system.select(torch.tensor([member]))
    network, alpha = one.predictor.network, float(one.predictor.alpha[0])
    w = flattened(selected(start, slice(member, member + 1)))[0]

    def evaluate(vector):
        vector = vector.clone().requires_grad_()
        F = one.predictor(unflattened(network, vector[None]), one.x)[0, :, 0]
        gaps = 1 - one.y * F
        loss = (torch.log1p(torch.exp(20 * gaps)) / 20).mean() / alpha**2
        loss.backward()
        return F.detach(), vector.grad, bool((gaps < 0).all())

    F, g, fitted = evaluate(w)
    dt, time, steps, evaluations = step.first_step, 0.0, 0, 1
    while not fitted and evaluations < max_evaluations:
        new_F, new_g, new_fitted = evaluate(w - dt * g)
        evaluations += 1
        moved = float((new_F - F).abs().max())
        bend = float((new_g - g).square().sum() / (new_g.norm() * g.norm()))
        if moved < step.max_output_change and bend < step.max_gradient_change:
            w, F, g, fitted = w - dt * g, new_F, new_g, new_fitted
            time, steps = time + dt, steps + 1
            if moved < step.max_output_change / 2 and bend < step.max_gradient_change / 2:
                dt *= 1.1
        else:
            dt /= 10
    return w, time, steps, evaluations


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_each_member_follows_the_rule_as_a_plain_loop_does(make_sample, net):
    system, start = prepared(make_sample, net=net, tilde=(0.1, 1.0, 100.0))
    step = FlowStep(max_gradient_change=1e-2)
    found = gradient_flow(system, start, max_evaluations=300, step=step)
    assert "fitted" in found.status  # members end at different times
    for member in range(3):
        w, time, steps, evaluations = flow_by_loop(
            system, start, member, max_evaluations=300, step=step
        )
        assert (found.steps[member], found.evaluations[member]) == (steps, evaluations)
        assert found.time[member] == pytest.approx(time, rel=1e-9)
        ordered = {name: found.state[name] for name in start}
        np.testing.assert_allclose(flattened(ordered)[member], w, rtol=1e-8, atol=1e-10)


def test_the_flow_is_that_of_another_solver_and_closer_with_shorter_steps(make_sample):
    system, start = prepared(make_sample, tilde=(1.0,))
    network = system.predictor.network

    def velocity(_, vector):
        state = unflattened(network, torch.tensor(vector)[None])
        return -flattened(system.evaluate(state).gradient)[0].numpy()

    distances = []
    for limit in (1e-3, 1e-5):
        step = FlowStep(first_step=1e-2, max_gradient_change=limit)
        found = gradient_flow(system, start, max_evaluations=10**4, step=step)
        assert found.status.tolist() == ["fitted"]
        first = flattened(start)[0].numpy()
        exact = solve_ivp(
            velocity, (0, found.time[0]), first, method="LSODA", rtol=1e-9, atol=1e-11
        ).y[:, -1]
        last = flattened({name: found.state[name] for name in start})[0].numpy()
        distances.append(np.linalg.norm(last - exact) / np.linalg.norm(exact - first))
    # The step is first order, and its length goes as the root of the limit: a factor 10.
    assert distances[1] < distances[0] / 5
    assert distances[1] < 1e-2


def test_a_cell_that_cannot_fit_ends_at_its_budget_with_what_is_unsatisfied():
    # Twenty random labels of a network of six weights.
    stream = np.random.default_rng(0)
    network = fully_connected_network(2, depth=1, width=2, n_outputs=1)
    x = torch.tensor(stream.standard_normal((20, 1, 2)))
    y = torch.tensor(stream.choice([-1.0, 1.0], size=20))
    start = initial_weights(network, generators=[stream, stream])
    predictor = Predictor(network, torch.ones(2).double(), None)
    for loss in (SoftHinge(), QuadraticHinge()):
        system = NetworkSystem.of(predictor, x, y, loss)
        for found in (
            gradient_flow(system, start, max_evaluations=200, step=RELU_STEP),
            adam(system, start, max_evaluations=200),
            stochastic_gradient_descent(
                system,
                start,
                rate=0.01,
                batch_size=4,
                generators=[np.random.default_rng(e) for e in range(2)],
                max_evaluations=200,
            ),
        ):
            assert found.status.tolist() == ["capped", "capped"]
            assert found.evaluations.tolist() == [200, 200]
            assert found.budget == 200
            gaps = 1 - y * predictor(found.state, x)[..., 0]
            assert found.n_unsatisfied.tolist() == (gaps > 0).sum(dim=1).tolist()
            assert (found.n_unsatisfied > 0).all()


def test_a_member_that_is_no_number_diverges_and_the_others_fit(make_sample):
    system, start = prepared(make_sample, tilde=(10.0, 10.0))
    start["layer1"][0, 0, 0, 0] = torch.nan
    for train in (gradient_flow, adam):
        found = train(system, start, max_evaluations=3000)
        assert found.status.tolist() == ["diverged", "fitted"]
    assert (found.n_unsatisfied[1], found.evaluations[0]) == (0, 1)


def test_a_lazy_network_follows_its_kernel_at_initialisation(make_sample):
    grammar, _, test = make_sample(n_train=12)
    system, start = prepared(make_sample, width=60, tilde=(1e6,))
    network = system.predictor.network
    step = FlowStep(max_gradient_change=1e-3)
    trained = gradient_flow(system, start, max_evaluations=4000, step=step)
    kernel = tangent_kernel(network, start, system.x)
    frozen = kernel_gradient_flow(kernel, system.y, SoftHinge(), max_evaluations=4000, step=step)
    assert trained.status.tolist() == frozen.status.tolist() == ["fitted"]
    assert abs(int(trained.steps[0]) - int(frozen.steps[0])) <= 1
    np.testing.assert_allclose(trained.time, frozen.time, rtol=1e-2)
    x = inputs(test, grammar.parameters)
    expected = predicted(tangent_kernel(network, start, x, system.x), frozen.state["coefficients"])
    found = system.predictor(trained.state, x)
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_sgd_at_alpha_tilde_one_is_that_of_the_paper(make_sample, tolerance, net):
    grammar, train, test = make_sample(n_train=20)
    width, rate, momentum = 6, 0.03, 0.9
    network = hierarchical_network(
        net, grammar.parameters, width=width, n_outputs=3, parametrisation="mean_field"
    )
    start = initial_weights(network, generators=[np.random.default_rng(e) for e in range(2)])
    alpha = torch.full((2,), 1 / sqrt(width), dtype=torch.float64)
    x, y = inputs(train, grammar.parameters), torch.from_numpy(train.labels.astype(np.int64))
    system = NetworkSystem.of(Predictor(network, alpha, None), x, y, CrossEntropy())
    found = stochastic_gradient_descent(
        system,
        start,
        rate=rate,
        batch_size=4,
        generators=[np.random.default_rng(10 + e) for e in range(2)],
        max_evaluations=25,
        momentum=momentum,
        check_every=7,
    )
    for member in range(2):
        engine = ReferenceEngine(
            shapes.geometry(net, grammar.parameters, width=width),
            {name: array[member].numpy() for name, array in start.items()},
            train,
            test,
            batch_size=4,
            rate=rate * width,
            momentum=momentum,
            dtype=np.float64,
        )
        stream = np.random.default_rng(10 + member)
        engine.steps(np.concatenate([stream.permutation(20) for _ in range(5)]))
        for name, array in engine.weights().items():
            np.testing.assert_allclose(found.state[name][member], array, **tolerance(np.float64))


def test_adam_is_that_of_torch(make_sample, tolerance):
    system, start = prepared(make_sample, activation="tanh")
    found = adam(system, start, max_evaluations=40, first_rate=1e-2, last_rate=1e-3)
    for member in range(2):
        one = system.select(torch.tensor([member]))
        weights = {name: a[member : member + 1].clone() for name, a in start.items()}
        leaves = {name: torch.nn.Parameter(array) for name, array in weights.items()}
        optimiser = torch.optim.Adam(leaves.values())
        for count in range(39):
            optimiser.param_groups[0]["lr"] = 1e-2 * 0.1 ** (count / 39)
            optimiser.zero_grad()
            F = one.predictor(leaves, one.x)
            (SoftHinge().values(F, one.y).mean() / one.predictor.alpha[0] ** 2).backward()
            optimiser.step()
        for name, array in leaves.items():
            expected = array.detach()[0]
            np.testing.assert_allclose(found.state[name][member], expected, **tolerance(np.float64))
