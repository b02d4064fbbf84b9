"""Cells of any output scale: data, training of every kind, the store, and resuming bit for bit."""

import numpy as np
import pytest
import torch
from flow_kinds import (
    KINDS,
    SRHM,
    assert_same,
    cells_of,
    entries_of,
    interrupted,
    undisturbed,
)
from train_curves import StopsAfter, train_flow

from srhm.flow.cell import (
    data_of,
    initial_weights_of,
    loss_of,
    predictor_of,
    train_members,
)
from srhm.flow.cost import BATCH_BYTES
from srhm.flow.descents import NetworkSystem
from srhm.flow.inputs import inputs
from srhm.flow.networks import flattened
from srhm.flow.trainer import batches
from srhm.jobs.stopping import STOPPED, Stopped
from srhm.measure.trained import members_of
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm.networks.geometry import initial_weights as geometry_weights
from srhm.store.records import read_table, write_table
from srhm.store.tables import FLOW_CELLS
from srhm.training.loop import result_rows


@pytest.fixture(params=KINDS)
def kind(request):
    """Cells of one kind, and their undisturbed training."""
    return undisturbed(request.param)


def test_rows_belong_to_the_stored_weights(kind):
    cells, trained = kind
    predictor = predictor_of(cells, trained.weights)
    for e, (cell, row) in enumerate(zip(cells, trained.rows, strict=True)):
        data, loss = data_of(cell), loss_of(cell)
        F_train = predictor(trained.weights, data.x_train)[e : e + 1].detach()
        F_test = predictor(trained.weights, data.x_test)[e : e + 1].detach()
        torch.testing.assert_close(F_test[0], trained.test_outputs[e])
        mean_loss = float(loss.values(F_train, data.y_train).mean())
        assert row["mean_loss"] == pytest.approx(mean_loss)
        alpha = cell["alpha_tilde"] / cell["width"] ** 0.5
        squared = sum(float(w[e].square().sum()) for w in trained.weights.values())
        expected = mean_loss / alpha**2 + cell["weight_decay"] * squared
        assert row["trained_loss"] == pytest.approx(expected)
        assert row["n_unsatisfied"] == int(loss.unsatisfied(F_train, data.y_train).sum())
        assert row["test_error"] == float(loss.wrong(F_test, data.y_test).double().mean())
        start = flattened(initial_weights_of([cell]))[0]
        end = flattened(trained.weights)[e]
        assert row["weight_change"] == pytest.approx(float((end - start).norm() / start.norm()))
        assert row["status"] in ("fitted", "budget" if cell["weight_decay"] else "capped")
        if row["status"] == "fitted":
            assert bool(loss.fitted(F_train, data.y_train)[0])
        else:
            n_stages = 2 if cell["training"] == "layerwise" else 1
            budget = cell["optimiser"]["max_evaluations"]
            assert budget <= row["evaluations"] <= n_stages * budget


@pytest.mark.parametrize("call", [1, 7, 20])
def test_a_resumed_training_gives_the_bits_of_an_undisturbed_one(kind, call):
    cells, expected = kind
    if cells[0]["training"] == "layerwise" and call == 20:
        call = 75  # in the second layer, whose first has spent its 60 evaluations
    taken = interrupted(cells, call)
    assert_same(train_members(cells, start=taken), expected)
    again = interrupted(cells, 3, start=taken)  # interrupted twice
    assert_same(train_members(cells, start=again), expected)


def test_members_do_not_depend_on_each_other(kind, tolerance):
    cells, together = kind
    for e, cell in enumerate(cells):
        alone = train_members([cell])
        assert alone.rows[0]["status"] == together.rows[e]["status"]
        assert alone.rows[0]["evaluations"] == together.rows[e]["evaluations"]
        np.testing.assert_allclose(
            alone.test_outputs[0], together.test_outputs[e], rtol=1e-6, atol=1e-8
        )


def test_a_seed_has_the_data_and_the_weights_of_the_core(make_sample):
    (cell,) = cells_of({**SRHM, "seeds": 1})
    parameters, data = parameters_of(cell), data_of(cell)
    core = draw_samples(parameters, [0], n_train=30, n_test=60)
    assert torch.equal(data.x_train, inputs(core[0, "train"][:12], parameters))
    assert data.test.features.tolist() == core[0, "test"].features.tolist()
    expected = draw_grammar(parameters, generator=generator(0, role="grammar"))
    assert [r.tolist() for r in data.grammar.rules] == [r.tolist() for r in expected.rules]
    shape = geometry("cnn", parameters, width=5)
    own = initial_weights_of([cell])
    for name, array in geometry_weights(
        shape, generator=generator(0, role="initialisation"), dtype=np.float64
    ).items():
        np.testing.assert_array_equal(own[name][0], array)


def test_weight_decay_is_part_of_the_trained_loss(tolerance):
    cells = cells_of(KINDS["decay"])
    data = data_of(cells[0])
    predictor, state = predictor_of(cells[:1]), initial_weights_of(cells[:1])
    loss = loss_of(cells[0])
    system = NetworkSystem.of(predictor, data.x_train, data.y_train, loss, weight_decay=0.3)
    found = system.evaluate(state)
    leaves = {name: array.clone().requires_grad_() for name, array in state.items()}
    value = loss.values(predictor(leaves, data.x_train), data.y_train).mean()
    value = value / predictor.alpha[0] ** 2 + 0.3 * sum(w.square().sum() for w in leaves.values())
    value.backward()
    for name, gradient in found.gradient.items():
        np.testing.assert_allclose(gradient, leaves[name].grad, **tolerance(np.float64))
    assert not found.fitted.any()


def test_a_cell_that_diverges_is_a_row_with_its_status(tmp_path):
    sgd = {"name": "sgd", "learning_rate": 1e30, "max_evaluations": 50, "check_every": 10}
    entries = entries_of({**SRHM, "net": "lcn", "optimiser": sgd})
    cells = train_flow(entries, store=tmp_path / "cells")
    assert {cell.row["status"] for cell in cells} == {"diverged"}
    assert all(np.isnan(cell.row["test_error"]) for cell in cells)
    rows, _ = result_rows("c", entries, cells, study="complexity")
    write_table(rows, tmp_path / "rows.parquet", FLOW_CELLS)
    assert read_table(tmp_path / "rows.parquet", FLOW_CELLS)["status"].tolist() == ["diverged"] * 2


@pytest.fixture(scope="module", params=["flow", "adam", "layerwise"])
def stored(request, tmp_path_factory):
    """A trained curve with two sizes: its entries, its cells and its store."""
    group = KINDS[request.param]
    entries = entries_of({**group, "P": [group["P"], group["P"] - 4]})
    store = tmp_path_factory.mktemp("flow") / "cells"
    return entries, train_flow(entries, store=store), store


def test_stored_cells_come_back_whole(stored):
    entries, cells, store = stored
    members = list(members_of(entries, store=store))
    for cell, member in zip(cells, members, strict=True):
        assert repr(member.row) == repr(cell.row)
        F = member.predictor(member.weights["end"], member.data.x_test)[0]
        torch.testing.assert_close(F, member.test_outputs)
        assert list(member.weights["end"]) == list(member.network.weight_shapes())


@pytest.mark.parametrize("looks", [0, 1, 89])
def test_a_stopped_curve_goes_on_and_gives_the_same_cells(stored, tmp_path, looks, caplog):
    entries, cells, _ = stored
    store, checkpoints = tmp_path / "cells", tmp_path / "checkpoints"
    with caplog.at_level("WARNING"), pytest.raises(Stopped) as end:
        train_flow(entries, store=store, checkpoints=checkpoints, stop=StopsAfter(looks))
    assert end.value.code == STOPPED
    assert "stopped (enough looks)" in caplog.text
    firsts = [batch[0]["key"] for batch in batches(entries, room=BATCH_BYTES)]
    kept = [path.stem for path in checkpoints.glob("*")]
    assert len(kept) == (looks > 0)
    assert set(kept) <= set(firsts)
    again = train_flow(entries, store=store, checkpoints=checkpoints)
    assert repr([c.row for c in again]) == repr([c.row for c in cells])
    for one, two in zip(again, cells, strict=True):
        assert all(w.tobytes() == two.weights[name].tobytes() for name, w in one.weights.items())
    assert not list(checkpoints.glob("*"))
