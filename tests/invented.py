"""Invented learning curves for tests of figures: sigmoids in log P, and what the analysis of the
package makes of them."""

import numpy as np
import pandas as pd

from srhm.model.theory import predicted_sample_complexity, sensitivity_threshold
from srhm.statistics.sample_complexity import all_sample_complexities

WIDTH = 64
MULTIPLES = 2.0 ** np.arange(-1.5, 2.6, 0.5)  # of the predicted P*


def curve(net: str, L: int, v: int, s0: int, **other: object) -> dict[str, object]:
    """A curve as the paper's main ones, but for what is given."""
    s = int(str(other.get("s", 2)))
    row = {"net": net, "L": L, "s": s, "s0": s0, "v": v, "m": v ** (s - 1), "n_c": v,
           "sparsity": "A", "width": WIDTH, "alpha": 1.0, "whitening": False, "bias": False,
           "batch": "shuffled", "engine": "sparse", **other}  # fmt: skip
    return {"curve": "-".join(str(value) for value in row.values()), **row}


def falling(P: float, P_star: float, *, start: float, threshold: float, floor: float) -> float:
    """A sigmoid in log P from start to floor, at the threshold at P_star."""
    height = (start - floor) / (threshold - floor) - 1
    return floor + (start - floor) / (1 + height * (P / P_star) ** 2.5)


def cells_and_sensitivities(
    curves: list[dict[str, object]], *, constant: float = 1.5, n_seeds: int = 3
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of cells and of sensitivities, P* near constant times the prediction."""
    random = np.random.default_rng(2)
    cells, sensitivities = [], []
    for one in curves:
        net, L, s, s0, n_c = (one[name] for name in ("net", "L", "s", "s0", "n_c"))
        prediction = predicted_sample_complexity(
            net, depth=L, branching=s, n_synonyms=one["m"], n_classes=n_c, n_empty=s0
        )  # type: ignore[arg-type]
        practice = 1.3 ** (
            bool(one["whitening"]) + bool(one["bias"]) + (one["batch"] != "shuffled")
        )
        for seed in range(n_seeds):
            own = constant * practice * prediction * np.exp(0.15 * random.standard_normal())
            for P in (MULTIPLES * prediction).astype(int).tolist():
                error = falling(P, own, start=1 - 1 / n_c, threshold=0.1, floor=0.001)
                row = {**one, "key": f"{one['curve']}-{P}-{seed}", "P": P, "seed": seed}
                cells.append({**row, "test_error": error, "best_test_error": 0.9 * error})
                for kind in "SD":
                    threshold = sensitivity_threshold(kind, net, depth=L, branching=s)
                    for k in range(1, L + 2):
                        for level in range(1, L + 1):
                            seen = k > level
                            value = falling(
                                P, own * 1.1, start=1.1 if kind == "S" else 0.6,
                                threshold=threshold, floor=0.02 if kind == "D" else 0.15,
                            ) if seen else 0.9 - 0.1 * level  # fmt: skip
                            possible = kind == "S" or s0 > 0
                            sensitivities.append(
                                {**row, "kind": kind, "variant": "text", "k": k, "l": level,
                                 "layer": str(k) if k <= L else "output",
                                 "value": value if possible else np.nan,
                                 "standard_error": 0.01, "n": 500 if possible else 0,
                                 "n_draws": 4}
                            )  # fmt: skip
    table = pd.DataFrame(cells).assign(status="fitted")
    return table, pd.DataFrame(sensitivities)


def complexities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """What the workflow makes of them."""
    return all_sample_complexities(cells, sensitivities, thresholds=[0.1, 0.2])


# Activation layers of the named nets on a sequence.
N_LAYERS = {"vgg11": 8, "vgg16": 13, "resnet18": 17, "resnet34": 33, "efficientnetb0": 49}
SIZES = (100, 300, 900, 2700, 8100)


def named_networks(
    nets: dict[str, float] | None = None, *, n_seeds: int = 2, v: int = 4
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of cells and sensitivities of networks at SIZES, which learn at the P that is given.

    The deeper a layer, the more its sensitivities follow the test error: with depth 0 they stay.
    """
    nets = dict(zip(N_LAYERS, (500.0, 700.0, 1100.0, 1600.0, 2600.0), strict=True)) if (
        nets is None) else nets  # fmt: skip
    random = np.random.default_rng(7)
    cells, sensitivities = [], []
    for net, P_star in nets.items():
        one = curve(net, 2, v, 2, engine="torch", width=16)
        for P in SIZES:
            for seed in range(n_seeds):
                own = P_star * np.exp(0.1 * random.standard_normal())
                error = falling(P, own, start=1 - 1 / v, threshold=0.1, floor=0.004)
                row = {**one, "key": f"{one['curve']}-{P}-{seed}", "P": P, "seed": seed}
                cells.append({**row, "test_error": error, "best_test_error": error})
                for kind in "SD":
                    start = 1.0 if kind == "S" else 0.7
                    end = falling(P, own, start=start, threshold=0.3, floor=0.03)
                    for k in range(1, N_LAYERS[net] + 2):
                        part = min(k / (0.75 * N_LAYERS[net]), 1.0) ** 3
                        for level in (1, 2):
                            sensitivities.append(
                                {**row, "kind": kind, "variant": "text", "k": k, "l": level,
                                 "layer": f"act{k}" if k <= N_LAYERS[net] else "output",
                                 "value": start * (end / start) ** part * 1.05 ** (level - 1),
                                 "standard_error": 0.01, "n": 200, "n_draws": 2}
                            )  # fmt: skip
    return trained(pd.DataFrame(cells), batch_size=32, rate=0.01, max_steps=2000), pd.DataFrame(
        sensitivities
    )


def trained(cells: pd.DataFrame, *, batch_size: int, rate: float, max_steps: int) -> pd.DataFrame:
    """The cells with the columns of their training; all fitted."""
    return cells.assign(
        status="fitted", batch_size=batch_size, learning_rate=rate, loss_threshold=1e-2,
        max_steps=max_steps, n_test=2000,
    )  # fmt: skip


def beside_named_networks() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of LCN and CNN on the grammar of `named_networks`, at its P and at others."""
    cells, sensitivities = cells_and_sensitivities([curve(net, 2, 4, 2) for net in ("lcn", "cnn")])
    own = sorted(set(cells["P"]))
    renamed = dict(zip(own, [*SIZES, *(10 * SIZES[-1] + i for i in range(len(own)))], strict=False))
    cells["P"], sensitivities["P"] = (t["P"].map(renamed) for t in (cells, sensitivities))
    return trained(cells, batch_size=4, rate=0.01, max_steps=500_000), sensitivities
