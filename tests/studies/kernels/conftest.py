"""Invented tables of the study: power laws without noise, but for a factor of each seed."""

import numpy as np
import pandas as pd
import pytest

from srhm.studies.kernels.laws import (
    density_exponent,
    learning_exponent,
    neighbour_distance,
    stripe_exponent,
)
from srhm.studies.kernels.networks import NETWORKS
from srhm.studies.kernels.tables import CELLS, SPECTRA

SIZES = (64, 128, 256, 512, 1024)
SEEDS = 4
STRETCH = 1 / 3


def factor(seed):
    """Of a seed, the same at every P: it moves no exponent."""
    return 1 + 0.01 * seed


def rows(experiment, sizes=SIZES, seeds=SEEDS, **family):
    name = "-".join(str(value) for value in (experiment, *family.values()))
    return [
        {"experiment": experiment, "curve": name, "key": f"{name}-{P}-{seed}", "P": P,
         "seed": seed, "status": "done", **family}
        for P in sizes
        for seed in range(seeds)
    ]  # fmt: skip


def teachers():
    for data, d, teacher, kernel, sigma in (
        *(("sphere", d, teacher, "laplace", d) for d in (1, 2, 3, 5, 6)
          for teacher in ("laplace", "gauss")),
        *((data, d, teacher, "laplace", d) for data in ("cube", "lattice") for d in (1, 2, 3)
          for teacher in ("laplace", "gauss")),
        ("sphere", 2, "laplace", "laplace", 10),
        *(("sphere", 1, teacher, "laplace", 2) for teacher in
          ("laplace", "matern-1", "matern-3/2", "matern-2", "matern-5/2")),
        ("sphere", 6, "laplace", "gauss", 6),
        ("sphere", 6, "gauss", "gauss", 6),
    ):  # fmt: skip
        beta = learning_exponent(teacher, kernel, d)
        for row in rows("teacher_student", data=data, d=d, teacher=teacher, kernel=kernel,
                        sigma=float(sigma)):  # fmt: skip
            P = row["P"]
            law = np.exp(-3 * P**STRETCH) if beta == np.inf else P**-beta
            error = law * factor(row["seed"])
            yield {**row, "expected_mse": error, "mse": error * 1.01}


def digits(data="digits"):
    for method in ("regression", "svm"):
        for kernel in ("laplace", "gauss"):
            for sigma in (0.1, 1.0, 10.0):
                for row in rows(data, data=data, method=method, kernel=kernel,
                                sigma=sigma):  # fmt: skip
                    error = row["P"] ** -0.4 * factor(row["seed"])
                    mse = np.nan if method == "svm" else error
                    yield {**row, "mse": mse, "error": error / 2}


def stripes():
    for data in ("stripe", "stripe_compressed"):
        for kernel, sigma in (("laplace", 5.0), ("tangent", 1.0)):
            for row in rows("stripe", data=data, d=5, kernel=kernel, sigma=sigma, method="svm"):
                beta = stripe_exponent(5, compressed=data != "stripe")
                yield {**row, "error": row["P"] ** -beta * factor(row["seed"])}


def neighbours():
    for data in ("digits", "mnist5k"):
        for row in rows("neighbours", data=data):
            yield {**row, "distance": row["P"] ** (-1 / 15) * factor(row["seed"])}
    for d in (1, 2, 3, 5, 15):
        for row in rows("neighbours", data="sphere", d=d):
            yield {**row, "distance": neighbour_distance(d, row["P"]) * factor(row["seed"])}


def hierarchies():
    for kernel in ("laplace", "gauss"):
        for s0 in (0, 1, 2):
            for row in rows("srhm", data="srhm", kernel=kernel, sigma=1.0, L=2, s=2, s0=s0, v=4,
                            m=4, n_c=4):  # fmt: skip
                # 0.1 at P = 320 (s0 + 1)^2
                error = min(0.7, 32 * (s0 + 1) ** 2 / row["P"] * factor(row["seed"]))
                yield {**row, "error": error, "mse": error}


def spectrum_rows():
    for data in ("digits", "mnist5k"):
        yield from rows("spectrum", (256, 512, 1024), data=data, kernel="laplace", sigma=1.0)
    for d in (1, 2, 3):
        yield from rows("spectrum", (512, 1024), data="sphere", d=d, teacher="laplace",
                        kernel="laplace", sigma=float(d))  # fmt: skip


@pytest.fixture(scope="session")
def cells():
    found = [
        *teachers(),
        *digits(),
        *digits("mnist"),
        *digits("mnist5k"),
        *neighbours(),
        *stripes(),
        *hierarchies(),
        *spectrum_rows(),
    ]
    return pd.DataFrame(found).reindex(columns=CELLS.names)


@pytest.fixture(scope="session")
def spectra(cells):
    tables = []
    for row in cells[cells["experiment"] == "spectrum"].itertuples():
        ranks = np.arange(1, row.P + 1)
        decay, tail = 1.1, 0.4
        if row.data == "sphere":
            decay = 1 / (density_exponent("laplace", int(row.d)) - 1)
            tail = 1 / row.d
        tables.append(pd.DataFrame({
            "curve": row.curve, "key": row.key, "rank": ranks, "tail": ranks**-tail,
            "eigenvalue": ranks**-decay * (1 + 0.01 * row.seed) * (1 + 100 / row.P),
        }))  # fmt: skip
    return pd.concat(tables, ignore_index=True)[SPECTRA.names]


@pytest.fixture(scope="session")
def networks():
    """P* before that of the invented kernels, 320 (s_0 + 1)^2; none of the LCN at s_0 = 2."""
    found = [
        {"net": net, "L": 2, "s": 2, "s0": s0, "v": 4, "m": 4, "n_c": 4, "n_seeds": 3,
         "P_star": size, "P_star_low": 0.9 * size, "P_star_high": 1.1 * size,
         "status": "reached" if s0 < 2 or net == "cnn" else "not_reached", "origin": "x"}
        for s0 in (0, 1, 2)
        for net, size in (("cnn", 100.0 * (s0 + 1) ** 2), ("lcn", 160.0 * (s0 + 1) ** 2))
    ]  # fmt: skip
    return pd.DataFrame(found)[NETWORKS.names]
