"""Fits the cost model of networks on images: seconds of a step, memory and parameters by width.

`python benchmarks/fit_image_cost.py` times training steps of each named net in two dimensions in
CPU time, counts the bytes that its backward pass keeps, and writes the part "images" of
src/srhm/cost_model.json.
"""

import json
import time

import numpy as np
import torch
from scipy.optimize import nnls

from srhm.images.readers import CHANNELS, N_CLASSES, SIZE, Images
from srhm.images.training import ImageEngine
from srhm.model.seeding import generator
from srhm.networks.registry import NAMED
from srhm.training.cell import processor
from srhm.training.cost import MODEL, image_step_features

WIDTHS, BATCHES, N_STEPS = (8, 16, 64), (16, 64), 2
CELL = {
    **{"seed": 0, "learning_rate": 1e-3, "momentum": 0.9, "weight_decay": 5e-4},
    **{"schedule": "constant", "augmentation": False, "max_steps": 100},
}


def kept_bytes(engine: ImageEngine, order: np.ndarray) -> int:
    """Bytes that one step keeps for its backward pass, parameters excepted."""
    own = {parameter.data_ptr() for parameter in engine.network.parameters()}
    found: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if tensor.data_ptr() not in own:
            found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        engine.steps(order)
    return sum(found.values())


def main() -> None:
    """Writes the part "images" of src/srhm/cost_model.json."""
    draws = generator(0, role="train")
    pixels = draws.integers(0, 256, (max(BATCHES), CHANNELS, SIZE, SIZE), dtype=np.uint8)
    images = Images(pixels, draws.integers(0, N_CLASSES, max(BATCHES)))
    nets, residuals = {}, []
    for net in NAMED:
        features, seconds, sizes, kept = [], [], [], []
        for width in WIDTHS:
            for batch in BATCHES:
                cell = {**CELL, "net": net, "width": width, "batch_size": batch}
                engine = ImageEngine(cell, images, images, images)
                if batch == BATCHES[0]:
                    kept.append(kept_bytes(engine, np.arange(batch)) / batch)
                engine.steps(np.arange(batch))
                begun = time.process_time()
                engine.steps(np.tile(np.arange(batch), N_STEPS))
                seconds.append((time.process_time() - begun) / N_STEPS)
                features.append(image_step_features(cell))
            sizes.append(sum(p.numel() for p in engine.network.parameters()))
        relative = np.array(features) / np.array(seconds)[:, None]  # relative errors count
        coefficients, _ = nnls(relative, np.ones(len(seconds)))
        residuals += np.log(relative @ coefficients).tolist()
        powers = np.vander(np.array(WIDTHS) / 64, 3, increasing=True)
        nets[net] = {
            "seconds_per_step": coefficients.tolist(),
            "parameters": np.linalg.solve(powers, sizes).tolist(),
            "kept_per_image": np.linalg.solve(powers, kept).tolist(),
        }
        print(net, sizes, (1e3 * np.array(seconds)).round().tolist(), kept, flush=True)
    model = json.loads(MODEL.read_text())
    model["images"] = {
        "machine": processor(),
        "residual_log_sd": float(np.std(residuals)),
        "nets": nets,
    }
    MODEL.write_text(json.dumps(model, indent=2) + "\n")


if __name__ == "__main__":
    main()
