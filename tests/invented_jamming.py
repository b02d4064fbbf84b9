"""Invented cells, ensembles and spectra around a jamming transition at N = P/2."""

import numpy as np
import pandas as pd

SIZES = (128, 256, 512)
WIDTHS = (2, 4, 8, 16, 32)
N_MEMBERS = 3
WEIGHTS = 16.0  # of each channel


def cell(**changes: object) -> dict[str, object]:
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


def cells(*, power: float = 1.0, n_star: float = 0.5, **changes: object) -> pd.DataFrame:
    """Cells of all P and widths, jammed with N_Delta = 0.75 N where N is below n_star P^power.

    P in units of the smallest.
    """
    rows = []
    for P in SIZES:
        for width in WIDTHS:
            N = int(WEIGHTS * width)
            threshold = n_star * SIZES[0] * (P / SIZES[0]) ** power
            jammed = threshold > N
            distance = abs(np.log(N / threshold))
            for member in range(N_MEMBERS):
                rows.append(
                    cell(
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


def ensembles(table: pd.DataFrame, *, gain: float = 0.02) -> pd.DataFrame:
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
