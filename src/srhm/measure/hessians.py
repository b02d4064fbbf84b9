"""Spectra of the Hessian of the training loss and of its two parts, H = H0 + Hp.

The loss is taken without the term of the weight decay. Networks of few weights have all
eigenvalues, others the largest and smallest by Lanczos iteration. Those of H0 come from the tangent
kernel of the points of nonzero curvature if these are fewer than the weights.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import torch
from scipy.sparse.linalg import ArpackNoConvergence
from torch import Tensor

from srhm.flow.hessian import (
    LossAt,
    Part,
    exact_h0,
    exact_hp,
    h0_spectrum_from_kernel,
    lanczos,
    signs,
)
from srhm.flow.kernels import tangent_kernel
from srhm.flow.networks import Weights
from srhm.measure.trained import WHEN, Member, members_of
from srhm.model.seeding import generator

# Weights of a network all of whose eigenvalues are computed, and rows of a kernel likewise.
MAX_EXACT = 1500
# Eigenvalues at either end that Lanczos iteration is asked for.
N_LANCZOS = 20
PARTS: tuple[Part, ...] = ("H", "H0", "Hp")
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues, largest first, their ranks among all N, and how they were found."""

    method: Literal["exact", "lanczos"]
    eigenvalues: Tensor
    ranks: Sequence[int]

    @classmethod
    def exact(cls, eigenvalues: Tensor) -> Self:
        """The largest, all others being zero."""
        return cls("exact", eigenvalues, range(1, len(eigenvalues) + 1))


def measure_hessians(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> tuple[Rows, Rows]:
    """Rows of HESSIANS and of HESSIAN_SUMMARIES, without the curve.

    method "exact": all eigenvalues that are not zero are among the rows, and the summary counts
    all; "lanczos": some at either end (none of an end that has not converged), n_zero empty, and
    counts of these alone. rank: 1 for the largest, N for the smallest. A part that is zero has no
    rows, as at the end of a cell whose hinge is satisfied. A cell that diverged has its initial
    spectra only.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    table: Rows = []
    summaries: Rows = []
    for member in members_of(entries, store=store):
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                continue
            spectra_of = spectra(member, weights)
            for part, spectrum in spectra_of.items():
                name = {"key": member.key, "when": when, "part": part, "method": spectrum.method}
                table += [
                    {**name, "rank": rank, "eigenvalue": value}
                    for rank, value in zip(
                        spectrum.ranks, spectrum.eigenvalues.tolist(), strict=True
                    )
                ]
                summaries.append({**name, **_summary(member, weights, spectrum)})
    log.info("Hessians of %d cells, %d eigenvalues", len(entries), len(table))
    return table, summaries


def spectra(member: Member, weights: Weights) -> dict[Part, Spectrum]:
    """Spectra of each part at some weights, without eigenvalues that are zero by rule."""
    at = loss_at(member, weights)
    if not bool(at.slopes().any()) and not bool(at.curvatures().any()):
        return dict.fromkeys(PARTS, Spectrum.exact(torch.empty(0, dtype=torch.float64)))
    n = len(at.vector)
    if n <= MAX_EXACT:
        h0, hp = exact_h0(at), exact_hp(at)
        matrices: dict[Part, Tensor] = {"H": h0 + hp, "H0": h0, "Hp": hp}
        return {
            part: Spectrum.exact(torch.linalg.eigvalsh(h).flip(0)) for part, h in matrices.items()
        }
    known: dict[Part, Spectrum] = {}
    curvatures = at.curvatures()
    # Rows of the kernel of points with l'' not zero.
    n_curved = int(curvatures.flatten(1).any(dim=1).sum()) * curvatures.shape[1]
    for part in PARTS:
        if part == "H0" and n_curved <= MAX_EXACT:
            known[part] = Spectrum.exact(h0_of_curved_points(member, weights, at))
        else:
            known[part] = _ends(at, part, min(N_LANCZOS, (n - 1) // 2), member)
    return known


def loss_at(member: Member, weights: Weights) -> LossAt:
    """The training loss of a member at its weights."""
    data = member.data
    return LossAt.of(member.predictor, weights, data.x_train, data.y_train, member.loss, member=0)


def h0_of_curved_points(member: Member, weights: Weights, at: LossAt) -> Tensor:
    """Eigenvalues of H0 that are not zero by rule, from the kernel of points with l'' not zero."""
    curved = at.curvatures().flatten(1).any(dim=1)
    if not bool(curved.any()):
        return torch.empty(0, dtype=torch.float64)
    x, y = at.x[curved], at.y[curved]
    at_curved = LossAt.of(member.predictor, weights, x, y, at.loss, member=0)
    theta = tangent_kernel(member.network, weights, x)[0]
    # Both are means over points: over the curved ones here, over all in H0.
    return h0_spectrum_from_kernel(theta, at_curved) * (len(x) / len(at.x))


def _ends(at: LossAt, part: Part, n_eigenvalues: int, member: Member) -> Spectrum:
    """The largest and, but for H0, the smallest eigenvalues."""
    cell, n = member.cell, len(at.vector)
    ends = {"LA": range(1, n_eigenvalues + 1), "SA": range(n - n_eigenvalues + 1, n + 1)}
    values: list[float] = []
    ranks: list[int] = []
    for which, places in ends.items():
        if part == "H0" and which == "SA":  # zeros of high multiplicity
            continue
        first = generator(cell["seed"], role="drawing", member=cell["member"])
        try:
            values_there = lanczos(
                at,
                part,
                n_eigenvalues=n_eigenvalues,
                which=which,  # type: ignore[arg-type]
                generator=first,
            )
        except ArpackNoConvergence:
            continue
        values += values_there[::-1].tolist()
        ranks += places
    return Spectrum("lanczos", torch.tensor(values, dtype=torch.float64), ranks)


def _summary(member: Member, weights: Weights, spectrum: Spectrum) -> dict[str, Any]:
    at = loss_at(member, weights)
    F, n = at.outputs(at.vector)[None], len(at.vector)
    counts: dict[str, Any] = dict(signs(spectrum.eigenvalues, n=n))
    signed, fraction = counts["n_negative"] + counts["n_positive"], float("nan")
    if spectrum.method == "lanczos":
        counts["n_zero"] = None
    elif signed:
        fraction = counts["n_negative"] / signed
    return {
        "N": n,
        "n_unsatisfied": int(member.loss.unsatisfied(F, at.y).sum()),
        "mean_loss": float(member.loss.values(F, at.y).mean()),
        **counts,
        "negative_fraction": fraction,
        "n_eigenvalues": len(spectrum.eigenvalues),
    }
