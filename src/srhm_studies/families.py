"""The families of further studies, in the order in which they are shown."""

FAMILIES: dict[str, tuple[str, ...]] = {
    "learning_curves": (
        "temperature",
        "weight_sharing",
        "depth",
        "cnn_exponent",
        "optimisers",
        "attention",
        "teaching",
        "own_latents",
        "level_by_level",
        "softmax_outputs",
    ),
    "landscape": (
        "digits_jamming",
        "gaps",
        "minima",
        "fluctuations",
        "random_features",
    ),
    "regimes": (
        "lazy_feature",
        "phase_diagram",
        "early_dynamics",
        "stripe",
    ),
    "smoothness": (
        "kernels",
        "relative_stability",
        "taught_digits",
    ),
    "beyond": (
        "equivariance",
        "memory",
        "representation_cost",
    ),
}
