"""Columns of the tables of the plane; `srhm.results.records` writes and reads them."""

import pyarrow as pa

# Coordinates of a cell. n_inputs: d v numbers of one datum; L, s, s0, v, m, n_c, sparsity are empty
# for random data.
COORDINATES = {
    "data": pa.string(),
    "net": pa.string(),
    "L": pa.int64(),
    "s": pa.int64(),
    "s0": pa.int64(),
    "v": pa.int64(),
    "m": pa.int64(),
    "n_c": pa.int64(),
    "sparsity": pa.string(),
    "n_inputs": pa.int64(),
    "hidden_layers": pa.int64(),
    "width": pa.int64(),
    "n_parameters": pa.int64(),
    "n_weights": pa.int64(),
    "alpha": pa.float64(),
    "alpha_tilde": pa.float64(),
    "P": pa.int64(),
    "seed": pa.int64(),
    "member": pa.int64(),
    "n_test": pa.int64(),
    "labels": pa.string(),
    "loss": pa.string(),
    "activation": pa.string(),
    "parametrisation": pa.string(),
    "bias": pa.bool_(),
    "initialisation": pa.string(),
    "subtract_initial": pa.bool_(),
    "squared_norm": pa.string(),
    "training": pa.string(),
    "optimiser": pa.string(),
    "settings": pa.string(),
    "weight_decay": pa.float64(),
    "budget": pa.int64(),
}
# mean_loss: mean of l over training points; trained_loss: mean_loss/alpha^2 + weight_decay |w|^2.
RESULTS = {
    "status": pa.string(),
    "evaluations": pa.int64(),
    "time": pa.float64(),
    "half_time": pa.float64(),
    "mean_loss": pa.float64(),
    "trained_loss": pa.float64(),
    "n_unsatisfied": pa.int64(),
    "train_error": pa.float64(),
    "test_error": pa.float64(),
    "train_norm": pa.float64(),
    "test_norm": pa.float64(),
    "weight_change": pa.float64(),
    "kernel_change": pa.float64(),
    "initial_kernel_norm": pa.float64(),
    "source": pa.string(),
    "versions": pa.string(),
}
PLANE_CELLS = pa.schema(
    {
        "study": pa.string(),
        "curve": pa.string(),
        "key": pa.string(),
        **COORDINATES,
        **RESULTS,
    }
)
PLANE_TIMINGS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "seconds": pa.float64(),
        "evaluations": pa.int64(),
        "started": pa.string(),
        "host": pa.string(),
        "processor": pa.string(),
        "threads": pa.int64(),
    }
)
KERNELS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "quantity": pa.string(),
        "target": pa.string(),
        "rank": pa.int64(),
        "value": pa.float64(),
    }
)
HESSIANS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "part": pa.string(),
        "method": pa.string(),
        "rank": pa.int64(),
        "eigenvalue": pa.float64(),
    }
)
HESSIAN_SUMMARIES = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "part": pa.string(),
        "N": pa.int64(),
        "method": pa.string(),
        "n_unsatisfied": pa.int64(),
        "mean_loss": pa.float64(),
        "n_zero": pa.int64(),
        "n_negative": pa.int64(),
        "n_positive": pa.int64(),
        "negative_fraction": pa.float64(),
        "n_eigenvalues": pa.int64(),
    }
)
SINGULAR_VALUES = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "layer": pa.string(),
        "k": pa.int64(),
        "kind": pa.string(),
        "filter": pa.int64(),
        "rank": pa.int64(),
        "value": pa.float64(),
    }
)
SINGULAR_SUMMARIES = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "layer": pa.string(),
        "k": pa.int64(),
        "kind": pa.string(),
        "participation_ratio": pa.float64(),
        "n_above_half": pa.float64(),
        "n_values": pa.int64(),
    }
)
PLANE_SENSITIVITIES = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "when": pa.string(),
        "kind": pa.string(),
        "layer": pa.string(),
        "k": pa.int64(),
        "l": pa.int64(),
        "value": pa.float64(),
        "standard_error": pa.float64(),
        "n": pa.int64(),
    }
)
FROZEN_KERNELS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "kernel": pa.string(),
        "status": pa.string(),
        "evaluations": pa.int64(),
        "test_error": pa.float64(),
        "train_error": pa.float64(),
    }
)
# Over the members of one seed, which share grammar and data; variance: Var F.
ENSEMBLES = pa.schema(
    {
        "study": pa.string(),
        "curve": pa.string(),
        "width": pa.int64(),
        "P": pa.int64(),
        "alpha_tilde": pa.float64(),
        "seed": pa.int64(),
        "n_members": pa.int64(),
        "mean_error": pa.float64(),
        "error_se": pa.float64(),
        "ensemble_error": pa.float64(),
        "variance": pa.float64(),
        "test_norm": pa.float64(),
        "n_capped": pa.int64(),
        "n_diverged": pa.int64(),
    }
)
PLANE_COMPLEXITY = pa.schema(
    {
        "study": pa.string(),
        "curve": pa.string(),
        "net": pa.string(),
        "L": pa.int64(),
        "s": pa.int64(),
        "s0": pa.int64(),
        "v": pa.int64(),
        "m": pa.int64(),
        "n_c": pa.int64(),
        "sparsity": pa.string(),
        "hidden_layers": pa.int64(),
        "width": pa.int64(),
        "alpha_tilde": pa.float64(),
        "training": pa.string(),
        "optimiser": pa.string(),
        "labels": pa.string(),
        "loss": pa.string(),
        "activation": pa.string(),
        "criterion": pa.string(),
        "threshold": pa.float64(),
        "P_star": pa.float64(),
        "P_star_low": pa.float64(),
        "P_star_high": pa.float64(),
        "status": pa.string(),
        "n_seeds": pa.int64(),
        "n_seeds_reached": pa.int64(),
        "n_cells": pa.int64(),
        "n_capped": pa.int64(),
        "n_diverged": pa.int64(),
        "log_sd": pa.float64(),
        "log_se": pa.float64(),
        "dof": pa.int64(),
        "log_sd_pooled": pa.bool_(),
        "n_distinct": pa.float64(),
        "small_pool": pa.bool_(),
        "prediction": pa.float64(),
    }
)
FIRST_STEP = pa.schema(
    {
        "net": pa.string(),
        "L": pa.int64(),
        "s": pa.int64(),
        "s0": pa.int64(),
        "v": pa.int64(),
        "m": pa.int64(),
        "n_c": pa.int64(),
        "seed": pa.int64(),
        "P": pa.int64(),
        "n_distinct": pa.float64(),
        "signal": pa.float64(),
        "noise": pa.float64(),
        "n_equal": pa.float64(),
        "synonym_noise": pa.float64(),
        "placement_noise": pa.float64(),
        "latent_signal": pa.float64(),
        "all_synonym_noise": pa.float64(),
        "all_latent_signal": pa.float64(),
    }
)
# By the name of the file in results/<preset>/tables/.
TABLES: dict[str, pa.Schema] = {
    "plane_cells": PLANE_CELLS,
    "plane_timings": PLANE_TIMINGS,
    "plane_ensembles": ENSEMBLES,
    "plane_kernels": KERNELS,
    "plane_hessians": HESSIANS,
    "plane_hessian_summaries": HESSIAN_SUMMARIES,
    "plane_singular_values": SINGULAR_VALUES,
    "plane_singular_summaries": SINGULAR_SUMMARIES,
    "plane_sensitivities": PLANE_SENSITIVITIES,
    "plane_frozen_kernels": FROZEN_KERNELS,
    "plane_first_step": FIRST_STEP,
    "plane_complexity": PLANE_COMPLEXITY,
}
