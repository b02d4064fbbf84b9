"""Tables of the study. Letters: P training images, D, G, R of `srhm.images.stability`."""

from srhm.experiments.cells import schema

# displacement: in pixels, root mean square; noise_norm: of the noise that G_f is measured with;
# squared_displacement: in pixels squared, mean over fields, beside its exact sum; compression:
# median over fields of the largest Xi; part_above_one: of the fields; n_folded: deformations that
# turn a pixel over. d: inputs of the stripe model; L, v, s0: of the SRHM, m = n_c = v, s = 2;
# alpha_tilde, evaluations: of gradient flow.
CELLS = schema(
    {
        "experiment": str, "data": str, "net": str, "width": int, "P": int, "seed": int,
        "batch_size": int, "learning_rate": float, "schedule": str, "momentum": float,
        "weight_decay": float, "augmentation": bool, "loss_threshold": float, "max_steps": int,
        "n_test": int, "n_points": int, "n_draws": int, "scans": bool, "cutoff": int,
        "displacement": float, "size": int, "times_bound": float, "n_fields": int,
        "n_parameters": int, "test_error": float, "train_loss": float, "epochs": int, "steps": int,
        "noise_norm": float, "n_folded": int, "temperature": float, "temperature_bound": float,
        "squared_displacement": float, "exact_squared_displacement": float, "compression": float,
        "part_above_one": float, "d": int, "L": int, "v": int, "s0": int, "alpha_tilde": float,
        "max_evaluations": int, "evaluations": int,
    }
)  # fmt: skip
# part: output; layers (by depth, on fewer points); displacements (of several sizes). when: start
# (before training), end. layer 1 ... n_layers, the last is the output; depth: (k - 1)/(n - 1).
STABILITY = schema(
    {
        "part": str, "when": str, "layer": int, "n_layers": int, "depth": float, "average": str,
        "interpolation": str, "displacement": float, "noise_norm": float, "D": float, "G": float,
        "R": float,
    },
    long=True,
)  # fmt: skip
# times: norm of the noise over that of the standard deformation.
NOISE = schema({"when": str, "times": float, "noise_norm": float, "G": float}, long=True)
