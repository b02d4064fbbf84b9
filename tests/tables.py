"""Invented tables: what the workflow would give if networks followed a law, or sigmoids in log P.

Tables of one study have the names by which its claims know them.
"""

from collections.abc import Callable, Mapping
from itertools import product
from math import log, nan, sqrt

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.networks.registry import stand_in
from srhm.results.tables import SENSITIVITIES
from srhm.statistics.sample_complexity import (
    OUTPUT_OF_FCN,
    RESULT_COLUMNS,
    all_sample_complexities,
    threshold_of_sensitivity,
)
from srhm.statistics.sample_complexity import SENSITIVITIES as SENSITIVITIES_OF
from srhm.studies.sparse_hierarchy.placements import placements_ratio

# LCN, CNN and FCN: learning curves with noise

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
        net = stand_in(str(net))
        prediction = theory.predicted_sample_complexity(
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
                    threshold = theory.sensitivity_threshold(kind, net, depth=L, branching=s)
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
    table = pd.DataFrame(cells).assign(status="fitted", train_loss=1e-3)
    return table, pd.DataFrame(sensitivities)


def published_cells(
    curves: list[dict[str, object]], *, P_star: float, n_seeds: int
) -> pd.DataFrame:
    """Rows of cells of these curves, the root of whose error is linear in log P and 0.1 at P*."""
    rows = [
        {**one, "P": P_star * factor, "seed": seed, "test_error": error, "best_test_error": error,
         "status": "fitted", "train_loss": 1e-3}
        for one in curves for seed in range(n_seeds) for factor, error in ((0.5, 0.4), (2.0, 0.0))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def complexities(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """What the workflow makes of them."""
    return all_sample_complexities(cells, sensitivities, thresholds=[0.1, 0.2])


# VGG, ResNet and EfficientNet

# Activation layers of the named networks on a sequence.
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
        status="fitted", train_loss=1e-3, batch_size=batch_size, learning_rate=rate,
        loss_threshold=1e-2, max_steps=max_steps, n_test=2000,
    )  # fmt: skip


def beside_named_networks() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of LCN and CNN on the grammar of `named_networks`, at its P and at others."""
    cells, sensitivities = cells_and_sensitivities([curve(net, 2, 4, 2) for net in ("lcn", "cnn")])
    own = sorted(set(cells["P"]))
    renamed = dict(zip(own, [*SIZES, *(10 * SIZES[-1] + i for i in range(len(own)))], strict=False))
    cells["P"], sensitivities["P"] = (t["P"].map(renamed) for t in (cells, sensitivities))
    return trained(cells, batch_size=4, rate=0.01, max_steps=500_000), sensitivities


# LCN, CNN and FCN: P* of a law, exactly or with known noise

NETS = ("lcn", "cnn")
# Sizes of the learning curves over P*.
MULTIPLES_OF_P_STAR = np.array([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8])


# Sparsity B follows the laws of A, with one constant: the mean of what the places alone give.
B_OVER_A = np.exp(
    np.mean([np.log(placements_ratio(depth=2, branching=2, n_empty=s0)) for s0 in (1, 2, 4)])
)


def law_of_the_paper(row) -> float:
    constant = 2.3 if row["net"] == "cnn" else 1
    return constant * row["prediction"] * (B_OVER_A if row["sparsity"] == "B" else 1)


def grammar(net, L, v, s0, *, s=2, m=None, n_c=None, sparsity="A"):
    return {
        "net": net,
        "L": L,
        "s": s,
        "s0": s0,
        "v": v,
        "m": m or v ** (s - 1),
        "n_c": n_c or v,
        "sparsity": sparsity,
        "width": 64,
        "alpha": 1.0,
        "whitening": False,
        "bias": False,
        "batch": "shuffled",
        "engine": "sparse",
    }


MAIN = [
    grammar(net, L, v, s0)
    for net in NETS
    for L, features in ((2, (4, 6, 8)), (3, (4, 6)))
    for v in features
    for s0 in (0, 1, 2, 4)
]
SYNONYMS = [grammar(net, 2, 8, 2, m=m) for net in NETS for m in (2, 4, 8)]
CLASSES = [grammar(net, 2, 8, 2, n_c=n_c) for net in NETS for n_c in (2, 4, 8)]
BRANCHINGS = [grammar("lcn", L, 4, 1, s=s, m=4, n_c=4) for s in (2, 3) for L in (2, 3)]
WIDER = [grammar(net, L, v, s0, s=3) for net in NETS for L, v in ((2, 3), (2, 4), (2, 5), (3, 4))
         for s0 in (1, 2, 4)]  # fmt: skip
OTHER_SPARSITY = [grammar(net, 2, 4, s0, sparsity="B") for net in NETS for s0 in (0, 1, 2, 4)]
FIXED_DIMENSION = [grammar("lcn", L, v, s0) for L, s0 in ((2, 3), (3, 1)) for v in (3, 4, 5)]
DENSE = [grammar("fcn", L, v, s0) for L, features in ((2, (6, 7, 8)), (3, (4, 5, 6)))
         for v in features for s0 in (0, 1, 2)]  # fmt: skip
# A third vocabulary, of which intervals need three.
DEEPER = [grammar("cnn", 3, 5, s0) for s0 in (1, 2)]
EVERYTHING = [
    *DENSE,
    *DEEPER,
    *(one for one in MAIN if one not in FIXED_DIMENSION),
    *SYNONYMS,
    *CLASSES,
    *BRANCHINGS[2:],
    *WIDER,
    *OTHER_SPARSITY,
    *FIXED_DIMENSION,
]


def exact_complexities(
    grammars,
    *,
    law: Callable[[dict], float] = law_of_the_paper,
    thresholds=(0.1,),
    others: Mapping[str, Callable[[dict], float]] | None = None,
    log_se=0.05,
    noise=None,
) -> dict[str, pd.DataFrame]:
    """The table that `sample_complexity` would give if P* followed a law, optionally with noise.

    `others` gives the sample complexity of "S_2", "D_2" from the row of the test error.
    """
    rows = []
    for number, coordinates in enumerate(grammars):
        data = {
            "depth": coordinates["L"],
            "branching": coordinates["s"],
            "n_empty": coordinates["s0"],
            "n_synonyms": coordinates["m"],
            "n_classes": coordinates["n_c"],
        }
        for threshold in thresholds:
            row = coordinates | {
                "curve": f"curve {number}",
                "criterion": "test_error",
                "threshold": threshold,
                "status": "reached",
                "n_seeds": 3,
                "n_seeds_reached": 3,
                "n_cells": 15,
                "n_diverged": 0,
                "log_sd": log_se * 3**0.5,
                "log_se": log_se,
                "dof": 20,
                "log_sd_pooled": True,
                "n_distinct": float(theory.n_distinct(**data)),
                "prediction": theory.predicted_sample_complexity(coordinates["net"], **data),
            }
            P_star = law(row) * (np.exp(log_se * noise.standard_normal()) if noise else 1)
            row |= {"P_star": P_star, "P_star_low": P_star / 1.2, "P_star_high": P_star * 1.2}
            row["small_pool"] = P_star > 0.1 * row["n_distinct"]
            rows.append(row)
        for criterion, of_row in (others or {}).items():
            if not criterion.startswith("D_") or coordinates["s0"]:
                rows.append(row | {"criterion": criterion, "P_star": of_row(row)})
    return {"sample_complexity": pd.DataFrame(rows)[list(RESULT_COLUMNS)]}


def fall(x) -> float:
    """A value that falls from 1 to about 1/100 around x = 1."""
    return 0.01 + 0.99 / (1 + x**4)


NOTHING_FELT = {"value": np.nan, "n": 0}


def at_once(x) -> float:
    """A value whose root is linear in the logarithm of x, 0.1 at x = 1."""
    return 0.1 * max(0.1, 1 - log(x) / log(4)) ** 2


def networks(
    table: pd.DataFrame,
    *,
    error: Callable[[float], float] = at_once,
    sensitivity: Callable[[str, str, int, int, float], float] | None = None,
    n_seeds=1,
) -> dict[str, pd.DataFrame]:
    """Tables "cells" and "sensitivities" of networks at MULTIPLES_OF_P_STAR for each curve.

    P* of the error, and of S_2 and D_2, are those of the table. `sensitivity` gives S or D from
    kind, layer, k, level and x, by default `fall` for every other entry.
    """
    cells, rows = [], []
    stars = table.set_index(["curve", "criterion"])["P_star"]
    stars = stars[~stars.index.duplicated()].to_dict()
    main = table[table["criterion"] == "test_error"].drop_duplicates("curve")
    for curve in main.to_dict("records"):
        layers = range(1, curve["L"] + 2)
        for x, seed in product(MULTIPLES_OF_P_STAR, range(n_seeds)):
            key = f"{curve['curve']}-{x}-{seed}"
            cell = curve | {"P": curve["P_star"] * x, "seed": seed, "key": key}
            cells.append(cell | {"test_error": error(x), "status": "fitted", "train_loss": 1e-3})
            cell |= {"standard_error": 0.01, "n_draws": 4}
            for kind, k, level in product("SD", layers, layers[:-1]):
                layer = "output" if k > curve["L"] else str(k)
                entry = {"kind": kind, "layer": layer, "k": k, "l": level}
                possible = kind == "S" or curve["s0"] > 0
                for variant in ("text", "practice"):
                    name = SENSITIVITIES_OF.get((kind, variant), "")
                    if layer == "output":
                        is_fcn = stand_in(curve["net"]) == "fcn" and variant == "practice"
                        name = OUTPUT_OF_FCN[kind] if is_fcn and level == 1 else ""
                    elif (k, level) != (2, 1):
                        name = ""
                    value = sensitivity(kind, layer, k, level, x) if sensitivity else fall(x)
                    if name and not sensitivity:
                        star = stars.get((curve["curve"], name), curve["P_star"])
                        at = threshold_of_sensitivity(name, curve)
                        value = at / 0.1 * at_once(x * curve["P_star"] / star)
                    elif variant == "practice":
                        continue
                    measured = {"value": value, "n": 100} if possible else NOTHING_FELT
                    rows.append(cell | {"variant": variant} | entry | measured)
    return {"cells": pd.DataFrame(cells), "sensitivities": pd.DataFrame(rows)[SENSITIVITIES.names]}


# P* against alpha_tilde

TILDES = (0.1, 10.0, 1000.0)
RELATIVE = (1 / 4, 1 / 2, 1, 2, 4)


def scale_of(alpha_tilde):
    """P* over the prediction: 2 in feature learning, never reached in lazy learning."""
    return {0.1: 2.0, 10.0: 3.0}.get(alpha_tilde, 1e6)


def _value(P, P_star, threshold, largest):
    """Its root is linear in log P, so that the crossing of the threshold is exact."""
    root = sqrt(threshold) * (1 + log(P_star / P) / 2)
    return float(np.clip(root, 0, sqrt(largest))) ** 2


def flow_tables(
    grammars, *, features=(4,), tildes=TILDES, seeds=2, law=scale_of, power=0, late=1.0, spread=0.1,
    optimiser="flow",
):  # fmt: skip
    """Cells, sensitivities, frozen kernels, and no ensembles of the study complexity.

    grammars: (net, s0) of L = s = 2 and v = n_c = m of `features`. power: of s_0 + 1 in P* over law
    and prediction. late: P*_S and P*_D over P*. spread: log P* of the seeds goes from minus to plus
    this.
    """
    cells, felt, frozen = [], [], []
    for (net, s0), v, tilde in product(grammars, features, tildes):
        prediction = theory.predicted_sample_complexity(
            net, depth=2, branching=2, n_synonyms=v, n_classes=v, n_empty=s0
        )
        curve = f"complexity_{net}_s0{s0}_v{v}-{optimiser}"
        for relative, seed in product(RELATIVE, range(seeds)):
            P = round(2 * relative * prediction)
            noise = spread * (2 * seed / max(seeds - 1, 1) - 1)
            P_star = law(tilde) * prediction * (s0 + 1) ** power * np.exp(noise)
            error = _value(P, P_star, 0.1, 0.75)
            key = f"{curve}-{tilde}-{P}-{seed}"
            lazy = tilde > 100
            cells.append(
                {
                    "study": "complexity", "curve": curve, "key": key, "data": "srhm", "net": net,
                    "L": 2, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v, "sparsity": "A",
                    "hidden_layers": 2, "width": 32, "alpha_tilde": tilde, "P": P, "seed": seed,
                    "member": 0, "labels": "classes", "loss": "cross_entropy",
                    "activation": "relu", "training": "end_to_end", "optimiser": optimiser,
                    "budget": 2000, "test_error": error, "kernel_change": 30 / tilde,
                    "status": "capped" if lazy and relative > 1 else "fitted",
                }
            )  # fmt: skip
            for kernel, value in (("initial", 0.6), ("end", error)):
                frozen.append(
                    {"curve": curve, "key": key, "kernel": kernel, "status": "capped",
                     "evaluations": 300, "test_error": value, "train_error": 0.0}
                )  # fmt: skip
            names = {"1": 1, "2": 2, "output": 3}
            for when, kind, layer in product(("initial", "end"), "SDGR", names):
                threshold = {"S": 0.4 if net == "cnn" else 0.3, "D": 0.2 if net == "cnn" else 0.1}
                value = {"G": 1.0, "R": 0.9}.get(kind, 1.0)
                if when == "end" and kind in "SD":
                    value = _value(P, late * P_star, threshold[kind], 1.0)
                elif when == "end" and kind == "R" and not lazy:
                    value = 0.9 / (1 + 3 * relative * names[layer])
                known = s0 > 0 or kind == "S"
                felt.append(
                    {"curve": curve, "key": key, "when": when, "kind": kind, "layer": layer,
                     "k": names[layer], "l": 1, "value": value if known else np.nan,
                     "standard_error": 0.01, "n": 500 if known else 0}
                )  # fmt: skip
    return {
        "cells": pd.DataFrame(cells),
        "sensitivities": pd.DataFrame(felt),
        "frozen_kernels": pd.DataFrame(frozen),
        "ensembles": pd.DataFrame(),
    }


def joined(*tables):
    """Several of `flow_tables` as one."""
    return {name: pd.concat([one[name] for one in tables], ignore_index=True) for name in tables[0]}


# The crossover from feature to lazy learning: the laws of the thesis

CROSSOVER_WIDTHS = (4, 8, 20, 40, 160)
CROSSOVER_TILDES = tuple(10.0**k for k in range(-3, 4))
CROSSING = 10.0


def change_at(tilde, width, *, lazy=-1.0, feature=-4 / 3, of_width=0.0):
    """Kernel change: 1 at alpha_tilde = 10, with a slope on either side."""
    slope = lazy if tilde >= CROSSING else feature
    return (tilde / CROSSING) ** slope * (width / 40) ** of_width


def crossover_tables(
    *, nets=("cnn", "fcn"), widths=CROSSOVER_WIDTHS, tildes=CROSSOVER_TILDES, n_members=4,
    activation="softplus",
    change=change_at, half=lambda tilde, width: 18 * tilde / (1 + tilde), h_power=-1.0,
    jammed_below=6, noise=0.02, gain=0.02,
):  # fmt: skip
    """Tables of cells and of ensembles."""
    random = np.random.default_rng(1)
    cells, together = [], []
    for net in nets:
        for width in widths:
            curve = f"{net}-{activation}-{width}"
            n_weights = 4 * width**2
            jammed = width < jammed_below
            for tilde in tildes:
                errors = (
                    0.35 + 0.02 * np.log10(tilde) / 3 + noise * random.standard_normal(n_members)
                )
                for member in range(n_members):
                    jitter = np.exp(noise * random.standard_normal(2))
                    cells.append(
                        {"study": "crossover", "curve": curve, "key": f"{curve}-{tilde}-{member}",
                         "data": "srhm", "net": net, "L": 2, "s": 2, "s0": 1, "v": 4, "m": 4,
                         "n_c": 4, "sparsity": "A", "n_inputs": 64, "hidden_layers": 2,
                         "width": width, "n_parameters": n_weights, "n_weights": n_weights,
                         "alpha": tilde / width**0.5, "alpha_tilde": tilde, "P": 256, "seed": 0,
                         "member": member, "n_test": 1000, "labels": "parity",
                         "loss": "soft_hinge", "activation": activation,
                         "parametrisation": "ntk", "bias": False,
                         "initialisation": "gaussian", "subtract_initial": True,
                         "squared_norm": None, "training": "end_to_end", "optimiser": "flow",
                         "settings": "{}", "weight_decay": 0.0, "budget": 5000,
                         "status": "capped" if jammed else "fitted", "evaluations": 1000,
                         "time": 10.0, "half_time": half(tilde, width) * jitter[0],
                         "mean_loss": 0.1 if jammed else 0.01,
                         "n_unsatisfied": n_weights // 2 if jammed else 0,
                         "test_error": errors[member],
                         "kernel_change": change(tilde, width) * jitter[1]}
                    )  # fmt: skip
                together.append(
                    {"study": "crossover", "curve": curve, "width": width, "P": 256,
                     "alpha_tilde": tilde, "seed": 0, "n_members": n_members,
                     "mean_error": errors.mean(), "error_se": errors.std() / 2,
                     "ensemble_error": errors.mean() - gain,
                     "variance": 30 * width**h_power * np.exp(noise * random.standard_normal()),
                     "test_norm": 1.0, "n_capped": n_members * jammed, "n_diverged": 0}
                )  # fmt: skip
    return pd.DataFrame(cells), pd.DataFrame(together)


# Jamming at N = P/2, and double descent

JAMMING_SIZES = (128, 256, 512)
JAMMING_WIDTHS = (2, 4, 8, 16, 32)
N_MEMBERS = 3
WEIGHTS = 16.0  # of each channel


def jamming_cell(**changes: object) -> dict[str, object]:
    """A cell of the study jamming that fits, with some columns changed."""
    row = {
        "study": "jamming",
        "data": "srhm",
        "net": "cnn",
        "L": 2,
        "s": 2,
        "s0": 1,
        "v": 4,
        "m": 4,
        "n_c": 4,
        "sparsity": "A",
        "n_inputs": 64,
        "hidden_layers": 2,
        "width": 8,
        "n_weights": 128,
        "alpha": 1.0,
        "alpha_tilde": 1.0,
        "P": 128,
        "seed": 0,
        "member": 0,
        "n_test": 1000,
        "labels": "parity",
        "loss": "quadratic_hinge",
        "activation": "relu",
        "bias": True,
        "initialisation": "gaussian",
        "subtract_initial": False,
        "squared_norm": None,
        "training": "end_to_end",
        "optimiser": "adam",
        "settings": "{}",
        "budget": 4000,
        "weight_decay": 0.0,
        "status": "fitted",
        "mean_loss": 0.0,
        "n_unsatisfied": 0,
        "test_error": 0.1,
        "test_norm": 1.0,
        **changes,
    }
    row["curve"] = "-".join(str(row[name]) for name in ("study", "net", "labels", "activation",
                                                        "data", "width"))  # fmt: skip
    row["key"] = f"{row['curve']}-{row['P']}-{row['seed']}-{row['member']}"
    return row


def jamming_cells(*, power: float = 1.0, n_star: float = 0.5, **changes: object) -> pd.DataFrame:
    """Cells of all P and widths, jammed with N_Delta = 0.75 N where N is below n_star P^power.

    P in units of the smallest.
    """
    rows = []
    for P in JAMMING_SIZES:
        for width in JAMMING_WIDTHS:
            N = int(WEIGHTS * width)
            threshold = n_star * JAMMING_SIZES[0] * (P / JAMMING_SIZES[0]) ** power
            jammed = threshold > N
            distance = abs(np.log(N / threshold))
            for member in range(N_MEMBERS):
                rows.append(
                    jamming_cell(
                        width=width, n_weights=N, P=P, member=member,
                        status="capped" if jammed else "fitted",
                        mean_loss=1e-3 * threshold / N if jammed else 0.0,
                        n_unsatisfied=int(0.75 * N) if jammed else 0,
                        test_error=0.1 + 0.2 / (1 + distance) + 0.01 * member,
                        test_norm=5 / (0.2 + distance),
                        **changes,
                    )
                )  # fmt: skip
    return pd.DataFrame(rows)


def jamming_ensembles(table: pd.DataFrame, *, gain: float = 0.02) -> pd.DataFrame:
    """Ensembles of the members of each width and P, better than their mean by gain."""
    by = ["study", "curve", "width", "P", "alpha_tilde", "seed"]
    rows = table.groupby(by, as_index=False).agg(
        n_members=("member", "size"), mean_error=("test_error", "mean")
    )
    return rows.assign(ensemble_error=rows["mean_error"] - gain)


def spectra(
    table: pd.DataFrame, *, negative: float = 0.5, method: str = "exact"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Eigenvalues and summaries of every cell with unsatisfied points: N - N_Delta zeros of H0.

    As measured: zeros have no rows.
    """
    values, summaries = [], []
    for _, row in table[table["n_unsatisfied"] > 0].iterrows():
        N = int(row["n_weights"])
        random = np.random.default_rng(N)
        rank = min(int(row["n_unsatisfied"]), N)
        h0 = np.concatenate([random.uniform(0.1, 1, rank), np.zeros(N - rank)])
        n_negative = round(negative * N)
        hp = 0.05 * np.abs(random.standard_normal(N))
        hp[:n_negative] *= -1
        place = {"curve": row["curve"], "key": row["key"], "when": "end", "method": method}
        for part, found in (("H0", h0), ("Hp", hp), ("H", h0 + hp)):
            values += [
                {**place, "part": part, "rank": i, "eigenvalue": value}
                for i, value in enumerate(np.sort(found[found != 0])[::-1], start=1)
            ]
            counts = {"n_negative": int((found < 0).sum()), "n_zero": int((found == 0).sum())}
            fraction = counts["n_negative"] / (N - counts["n_zero"])
            summaries.append(
                {**place, "part": part, "N": N, **counts, "negative_fraction": fraction}
            )
    return pd.DataFrame(values), pd.DataFrame(summaries)


def all_kinds() -> pd.DataFrame:
    """Jamming of random data with ReLU and tanh, of labels of the grammar and of shuffled ones."""
    parts = [
        jamming_cells(),
        jamming_cells(labels="shuffled", n_star=1.0),
        jamming_cells(data="random", net="fcn", L=np.nan, sparsity=None),
        jamming_cells(data="random", net="fcn", activation="tanh", L=np.nan, sparsity=None),
    ]
    return pd.concat(parts, ignore_index=True)


# The first step, layerwise training, the bottleneck

FIRST_STEP_GRAMMARS = [
    {"L": L, "s": 2, "s0": s0, "v": 8, "m": m, "n_c": n_c}
    for L in (2, 3)
    for s0, m, n_c in ((0, 8, 8), (1, 8, 8), (2, 8, 8), (1, 4, 8), (1, 2, 8), (1, 8, 2))
]


def first_step_table(*, scatter=0.1, n_seeds=8) -> pd.DataFrame:
    """Noise that meets signal at 1.5 (s_0+1)^L n_c m^L, for the CNN at 1.5 (s_0+1) n_c m^L.

    Latents group synonyms at twice that P for m < v, and never for m = v.
    """
    random, rows = np.random.default_rng(3), []
    for net in ("lcn", "cnn"):
        for grammar in FIRST_STEP_GRAMMARS:
            L, empties = grammar["L"], grammar["s0"] + 1
            law = empties ** (L if net == "lcn" else 1) * grammar["n_c"] * grammar["m"] ** L
            floor = 0.5 if grammar["m"] < grammar["v"] else 2.0
            for seed in range(n_seeds):
                equal = 1.5 * law * np.exp(scatter * random.standard_normal())
                for P in (100, 1000, 10_000, 100_000):
                    rows.append(
                        {
                            "net": net, **grammar, "seed": seed, "P": P, "n_distinct": 1e9,
                            "signal": 0.1, "noise": 0.1 * equal / P, "n_equal": equal,
                            "synonym_noise": 0.01 * (floor + law / P), "latent_signal": 0.01,
                            "placement_noise": 0.01 * law / P if grammar["s0"] else 0.0,
                            "all_synonym_noise": 0.01 * floor, "all_latent_signal": 0.01,
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows)


def layerwise_tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells and P*: layerwise 2 n_c m^L, end to end n_c m^L, shallow m^(2L-1), one not reached."""
    cells, rows = [], []
    exponents = {"end_to_end": 1.0, "layerwise": 2.0}
    grammars = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3)]
    for number, (series, (L, m)) in enumerate(product((*exponents, "shallow"), grammars)):
        name = f"curve {number}"
        shallow = series == "shallow"
        training = "end_to_end" if shallow else series
        P_star = 4.0 * m ** (2 * L - 1) if shallow else exponents[series] * 4 * m**L
        reached = not (shallow and (L, m) == (3, 3))
        shared = {
            "study": "layerwise", "curve": name, "net": "fcn" if shallow else "cnn", "L": L, "s": 2,
            "s0": 0, "v": 4, "m": m, "n_c": 4, "width": 64, "alpha_tilde": 1.0,
            "training": training, "optimiser": "sgd", "labels": "classes", "sparsity": "A",
            "hidden_layers": 1 if shallow else L, "loss": "cross_entropy", "activation": "relu",
        }  # fmt: skip
        rows.append(
            {
                **shared, "criterion": "test_error", "threshold": 0.1,
                "P_star": P_star if reached else nan,
                "P_star_low": P_star / 1.3 if reached else 500.0,
                "P_star_high": P_star * 1.3 if reached else np.inf,
                "status": "reached" if reached else "not_reached", "n_seeds": 2,
                "n_seeds_reached": 2 * reached, "n_capped": 0, "prediction": 4.0 * m**L,
                "n_cells": 6, "n_diverged": 0, "log_sd": 0.14, "log_se": 0.1, "dof": 5,
                "log_sd_pooled": True, "n_distinct": 1e6, "small_pool": False,
            }
        )  # fmt: skip
        for P in (16, 64, 256):
            for seed in range(2):
                cells.append(
                    {
                        **shared, "key": f"{name} {P} {seed}", "P": P, "seed": seed,
                        "weight_decay": 0.0,
                        "status": "capped" if P == 256 and seed else "fitted",
                        "test_error": 0.7 / (1 + (P / P_star) ** 2),
                    }
                )  # fmt: skip
    return pd.DataFrame(cells), pd.DataFrame(rows)


def bottleneck_tables(*, n_seeds=3) -> dict[str, pd.DataFrame]:
    """FCN of 4 hidden layers: with decay 3 values of 1 from layer 3 on, 10 before; without 20.

    Synonyms die at layer 2 and displaced copies at layer 4 with decay, nothing without.
    """
    cells, values, summaries, felt = [], [], [], []
    for decay in (1e-5, 0.0):
        for P in (64, 512):
            for seed in range(n_seeds):
                at = {"curve": f"decay {decay}", "key": f"{decay} {P} {seed}"}
                cells.append(
                    {
                        **at, "study": "bottleneck", "net": "fcn", "P": P, "seed": seed, "L": 2,
                        "s": 2, "v": 4, "m": 2, "n_c": 4, "s0": 1, "width": 32, "hidden_layers": 4,
                        "weight_decay": decay, "optimiser": "adam", "alpha_tilde": 8.0,
                        "status": "budget" if decay else "fitted", "test_error": 0.1,
                    }
                )  # fmt: skip
                for when in ("initial", "end"):
                    for k in range(1, 6):
                        narrow = bool(decay) and when == "end"
                        n = 4 if k == 5 else 20
                        large = min((10, 10, 3, 3, 3)[k - 1] if narrow else 20, n)
                        for kind in ("weights", "representation"):
                            layer = "output" if k == 5 else str(k)
                            place = {**at, "when": when, "layer": layer, "k": k, "kind": kind}
                            summaries.append(
                                {**place, "participation_ratio": float(large),
                                 "n_above_half": float(large), "n_values": n}
                            )  # fmt: skip
                            values += [
                                {**place, "filter": 0, "rank": rank,
                                 "value": 1.0 if rank <= large else 0.1}
                                for rank in range(1, n + 1)
                            ]  # fmt: skip
                        for kind, dies in (("S", 2), ("D", 4)):
                            felt.append(
                                {
                                    **at, "when": when, "kind": kind, "layer": str(k), "k": k,
                                    "l": 1, "value": 0.1 if narrow and k >= dies else 0.9,
                                    "standard_error": 0.01, "n": 100,
                                }
                            )  # fmt: skip
    tables = {
        "cells": cells, "singular_values": values, "singular_summaries": summaries,
        "sensitivities": felt,
    }  # fmt: skip
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}
