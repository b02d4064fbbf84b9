"""Fits the cost model of named nets: seconds of a step and number of parameters by width.

`python benchmarks/fit_network_cost.py` times some training steps of each net in CPU time and writes
the part "networks" of src/srhm/cost_model.json. The epochs that a training takes are a rule of
thumb read off runs, kept below.
"""

import json
import time

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from srhm.model.grammar import GrammarParameters, draw_grammar, parameters_of
from srhm.model.sampling import draw_sample
from srhm.model.seeding import generator
from srhm.networks.registry import NAMED
from srhm.training.autograd import NetworkEngine
from srhm.training.cell import processor
from srhm.training.cost import MODEL, network_step_features
from srhm.training.tape_engine import TapedEngine

WIDTHS, BATCHES, N_STEPS = (8, 16, 64), (4, 32), 8
CELL = {"L": 2, "s": 2, "s0": 2, **dict.fromkeys(("v", "m", "n_c"), 4), "sparsity": "A"}
# Seen in runs at P = 512 and 2048, widths 8 and 16, rates 0.01 and 0.05 at batch 32, to a loss of
# 0.01: VGG and ResNet 17 to 37 epochs, EfficientNet more than 47.
EPOCHS = {"vgg": 30.0, "resnet": 30.0, "efficientnet": 80.0}
# Rate for each point below which epochs grow in inverse proportion.
SLOW_RATE = 3e-4


def step_times(
    net: str, made_by: type[NetworkEngine] = TapedEngine
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int]]:
    """Features and seconds of steps over all widths and batches, and parameters by width."""
    parameters: GrammarParameters = parameters_of(CELL)
    grammar = draw_grammar(parameters, generator=generator(0, role="grammar"))
    train, test = draw_sample(
        grammar,
        n_train=max(BATCHES),
        n_test=50,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    features, seconds, sizes = [], [], []
    for width in WIDTHS:
        for batch in BATCHES:
            engine = made_by(
                net,
                parameters,
                train,
                test,
                width=width,
                generator=generator(0, role="initialisation"),
                batch_size=batch,
                rate=1e-3,
                momentum=0.9,
            )
            order = np.tile(np.arange(batch), N_STEPS)
            engine.steps(order[:batch])
            begun = time.process_time()
            engine.steps(order)
            seconds.append((time.process_time() - begun) / N_STEPS)
            cell = {**CELL, "width": width, "batch": "shuffled", "batch_size": batch}
            features.append(network_step_features(cell))
        sizes.append(sum(p.numel() for p in engine.network.parameters()))
    return np.array(features), np.array(seconds), sizes


def main() -> None:
    """Writes the part "networks" of src/srhm/cost_model.json."""
    nets, residuals, ratios = {}, [], []
    for net in NAMED:
        features, seconds, sizes = step_times(net)
        ratios += np.log(step_times(net, NetworkEngine)[1] / seconds).tolist()
        relative = features / seconds[:, None]  # relative errors count
        coefficients, _ = nnls(relative, np.ones(len(seconds)))
        residuals += np.log(relative @ coefficients).tolist()
        widths = np.array(WIDTHS) / 64
        quadratic = np.linalg.solve(np.vander(widths, 3, increasing=True), sizes)
        nets[net] = {
            "seconds_per_step": coefficients.tolist(),
            "parameters": quadratic.tolist(),
            "epochs": next(n for family, n in EPOCHS.items() if net.startswith(family)),
        }
        print(net, dict(zip(WIDTHS, sizes, strict=True)), (1e3 * seconds).round(1).tolist())
    model = json.loads(MODEL.read_text())
    model["networks"] = {
        "machine": processor(),
        "residual_log_sd": float(np.std(residuals)),
        "slow_rate": SLOW_RATE,
        "autograd_over_torch": float(np.exp(np.mean(ratios))),
        "nets": nets,
    }
    MODEL.write_text(json.dumps(model, indent=2) + "\n")


if __name__ == "__main__":
    main()
