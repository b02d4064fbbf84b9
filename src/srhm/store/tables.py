"""The tables: their columns, in order. A column has one type, whatever table it is in.

`records.py` writes and reads them. Letters of the paper: L depth, s branching, s0 (s_0) empty
places, v features, m synonyms, n_c classes, P training points, P_star sample complexity.
"""

import pyarrow as pa

from srhm.declare.names import resolved
from srhm.model.grammar import GRAMMAR, NET_AND_DATA

_TYPES = {
    pa.string(): """
        curve key net sparsity engine dtype batch fcn_scale status source versions started host
        processor criterion kind variant layer claim figure statement place tolerance_reason scale
        fixed verdict note data schedule device average study labels loss activation parametrisation
        initialisation squared_norm training optimiser settings when quantity target part method
        kernel""",
    pa.int64(): """
        L s s0 v m n_c width P seed n_test batch_size max_steps n_checks epochs steps best_step
        threads n_seeds n_seeds_reached n_cells n_diverged n_capped dof k l n n_draws n_points
        cutoff n_folded n_inputs hidden_layers n_parameters n_weights member budget evaluations
        n_unsatisfied rank N n_zero n_negative n_positive n_eigenvalues filter n_values
        n_members""",
    pa.float64(): """
        alpha n_distinct learning_rate momentum loss_threshold train_loss test_error best_test_error
        seconds threshold P_star P_star_low P_star_high log_sd log_se prediction value
        standard_error expected low high tolerance weight_decay displacement temperature noise_norm
        D G relative_sensitivity initial_relative_sensitivity alpha_tilde time half_time mean_loss
        trained_loss train_error train_norm test_norm weight_change kernel_change
        initial_kernel_norm eigenvalue negative_fraction participation_ratio n_above_half mean_error
        error_se ensemble_error variance signal noise n_equal synonym_noise placement_noise
        latent_signal all_synonym_noise all_latent_signal""",
    pa.bool_(): "whitening bias log_sd_pooled small_pool augmentation subtract_initial",
}
_TYPE_OF = {name: kind for kind, names in _TYPES.items() for name in names.split()}


# Metadata of the schema of a table in which a cell may have no row, and of one in which a column
# that a row lacks is null.
OF_SOME_CELLS = {b"rows": b"of some cells"}
LACKING_IS_NULL = {b"lacking": b"null"}


def may_lack_cells(schema: pa.Schema) -> bool:
    """Whether cells may have no row in a table of this schema."""
    return (schema.metadata or {}).items() >= OF_SOME_CELLS.items()


def may_lack_columns(schema: pa.Schema) -> bool:
    """Whether a column that a row of this schema lacks is null."""
    return (schema.metadata or {}).items() >= LACKING_IS_NULL.items()


def _schema(*names: str) -> pa.Schema:
    """Columns by their names, of which several may stand in a text."""
    return pa.schema([(name, _TYPE_OF[name]) for text in names for name in text.split()])


CELLS = _schema(
    "curve key",
    *NET_AND_DATA,
    "width alpha P seed n_test n_distinct",
    "engine dtype whitening bias batch batch_size learning_rate momentum loss_threshold max_steps",
    "n_checks fcn_scale",
    "epochs steps train_loss test_error best_test_error best_step status source versions",
)
_RUN = "started host processor threads"
TIMINGS = _schema("curve key steps seconds", _RUN)
_P_STAR = "criterion threshold P_star P_star_low P_star_high status"
_INTERVAL = "log_sd log_se dof log_sd_pooled n_distinct small_pool prediction"
SAMPLE_COMPLEXITY = _schema(
    "curve",
    *NET_AND_DATA,
    "width alpha engine whitening bias batch",
    _P_STAR,
    "n_seeds n_seeds_reached n_cells n_diverged n_capped",
    _INTERVAL,
)
SENSITIVITIES = _schema(
    "curve key",
    *NET_AND_DATA,
    "width alpha engine whitening bias batch P seed",
    "kind variant layer k l value standard_error n n_draws",
)
SCORECARD = _schema(
    "claim figure statement place expected value low high n tolerance tolerance_reason scale fixed",
    "verdict note",
)
IMAGE_CELLS = _schema(
    "curve key net width P seed n_test data batch_size learning_rate schedule momentum",
    "weight_decay augmentation loss_threshold max_steps",
    "epochs steps train_loss test_error status device source versions",
)
IMAGES = _schema(
    *IMAGE_CELLS.names,
    "n_points n_draws cutoff displacement temperature average noise_norm n_folded",
    "D G relative_sensitivity initial_relative_sensitivity",
)

# Of a flow cell. n_inputs: d v numbers of one datum; the grammar's columns are empty for
# random data.
FLOW_COORDINATES = (
    "data", *NET_AND_DATA, "n_inputs", "hidden_layers", "width", "n_parameters", "n_weights",
    "alpha", "alpha_tilde", "P", "seed", "member", "n_test", "labels", "loss", "activation",
    "parametrisation", "bias", "initialisation", "subtract_initial", "squared_norm", "training",
    "optimiser", "settings", "weight_decay", "budget",
)  # fmt: skip
# mean_loss: mean of l over training points; trained_loss: mean_loss/alpha^2 + weight_decay |w|^2.
FLOW_CELLS = _schema(
    "study curve key",
    *FLOW_COORDINATES,
    "status evaluations time half_time mean_loss trained_loss n_unsatisfied train_error test_error",
    "train_norm test_norm weight_change kernel_change initial_kernel_norm source versions",
)
FLOW_TIMINGS = _schema("curve key seconds evaluations", _RUN)
KERNELS = _schema("curve key when quantity target rank value")
HESSIANS = _schema("curve key when part method rank eigenvalue")
HESSIAN_SUMMARIES = _schema(
    "curve key when part N method n_unsatisfied mean_loss n_zero n_negative n_positive",
    "negative_fraction n_eigenvalues",
)
SINGULAR_VALUES = _schema("curve key when layer k kind filter rank value")
SINGULAR_SUMMARIES = _schema(
    "curve key when layer k kind participation_ratio n_above_half n_values"
)
FLOW_SENSITIVITIES = _schema("curve key when kind layer k l value standard_error n")
FROZEN_KERNELS = _schema("curve key kernel status evaluations test_error train_error")
# Over the members of one seed, which share grammar and data; variance: Var F.
ENSEMBLES = _schema(
    "study curve width P alpha_tilde seed n_members mean_error error_se ensemble_error variance",
    "test_norm n_capped n_diverged",
)
# Of cells that keep it: states of one training, from its start to its end.
HISTORIES = _schema(
    "curve key evaluations time mean_loss n_unsatisfied train_norm train_error test_error"
).with_metadata(OF_SOME_CELLS)
FLOW_COMPLEXITY = _schema(
    "study curve",
    *NET_AND_DATA,
    "hidden_layers width alpha_tilde training optimiser labels loss activation",
    _P_STAR,
    "n_seeds n_seeds_reached n_cells n_capped n_diverged",
    _INTERVAL,
)
FIRST_STEP = _schema(
    "net",
    *GRAMMAR,
    "seed P n_distinct signal noise n_equal synonym_noise placement_noise latent_signal",
    "all_synonym_noise all_latent_signal",
)
EXPERIMENT_TIMINGS = _schema("curve key seconds", _RUN)
# By the names under which declarations of studies know them.
SCHEMAS: dict[str, pa.Schema] = {
    "CELLS": CELLS,
    "TIMINGS": TIMINGS,
    "SAMPLE_COMPLEXITY": SAMPLE_COMPLEXITY,
    "SENSITIVITIES": SENSITIVITIES,
    "SCORECARD": SCORECARD,
    "IMAGE_CELLS": IMAGE_CELLS,
    "IMAGES": IMAGES,
    "FLOW_CELLS": FLOW_CELLS,
    "FLOW_TIMINGS": FLOW_TIMINGS,
    "FLOW_SENSITIVITIES": FLOW_SENSITIVITIES,
    "FLOW_COMPLEXITY": FLOW_COMPLEXITY,
    "KERNELS": KERNELS,
    "HESSIANS": HESSIANS,
    "HESSIAN_SUMMARIES": HESSIAN_SUMMARIES,
    "SINGULAR_VALUES": SINGULAR_VALUES,
    "SINGULAR_SUMMARIES": SINGULAR_SUMMARIES,
    "FROZEN_KERNELS": FROZEN_KERNELS,
    "ENSEMBLES": ENSEMBLES,
    "HISTORIES": HISTORIES,
    "FIRST_STEP": FIRST_STEP,
    "EXPERIMENT_TIMINGS": EXPERIMENT_TIMINGS,
}


def schema_of(name: str) -> pa.Schema:
    """A schema by the name that a declaration gives it.

    A study may bring its own, "package.module:SCHEMA". It then lies in the module that makes the
    table, whose digest sees a change of it.

    Raises:
        KeyError, ModuleNotFoundError, AttributeError: if there is none of this name.
    """
    return resolved(name) if ":" in name else SCHEMAS[name]
