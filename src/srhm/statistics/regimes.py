"""What networks of several widths h and output scales alpha_tilde say: lazy and feature learning.

Kernel change, half time, error and variance of F of networks that were trained on the same data
(thesis, chapters 3a and 3b). Figures and claims read the same numbers from here. Only tables are
needed: no torch.

A member is one network: an initialisation `member` on the data of a `seed`. A family is all cells
that agree in everything but h, alpha_tilde, seed and member.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from srhm.model.grammar import DATA_MODEL
from srhm.statistics.jamming import smallest_that_fit
from srhm.statistics.regression import CONFIDENCE, Fit, mean, slope_with_group_intercepts

# Windows of alpha_tilde, ours: from LAZY on lazy learning, up to FEATURE feature learning, up to
# SHORT half times that should be constant.
LAZY, FEATURE, SHORT = 1e2, 1.0, 1e-2
# Widths from which on h Var F is expected to be constant.
WIDE = 40
# Eigenvectors that count as the first ones where targets are projected on them.
N_TOP = 10
# Level sets of the kernel change in the diagram, chapter 3b.
LEVELS = (0.1, 1.0, 10.0)
# Of what a member is, but h and alpha_tilde: `family_of` tells families apart by these.
TASK = ("data", *DATA_MODEL, "n_inputs", "P", "labels")
TRAINING = ("loss", "parametrisation", "bias", "initialisation", "subtract_initial",
            "squared_norm", "training", "optimiser", "settings", "weight_decay",
            "budget")  # fmt: skip
NETWORK = ("net", "hidden_layers", "activation")
MEMBER = ("curve", "P", "seed", "member")
RESAMPLES = 1000
# Grid values are typed numbers: equal ones differ by rounding at most.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Family:
    """Cells that differ in h, alpha_tilde, seed and member only.

    cells: rows of FLOW_CELLS; ensembles: rows of ENSEMBLES of the same curves and P.
    """

    data: str
    net: str
    activation: str
    hidden_layers: int
    P: int
    cells: pd.DataFrame
    ensembles: pd.DataFrame

    @property
    def widths(self) -> list[int]:
        """All h, ascending."""
        return sorted({int(h) for h in self.cells["width"]})

    @property
    def tildes(self) -> list[float]:
        """All alpha_tilde, ascending."""
        return sorted({float(a) for a in self.cells["alpha_tilde"]})


def families(
    cells: pd.DataFrame, ensembles: pd.DataFrame | None = None, *, study: str
) -> list[Family]:
    """The families of a study: data, CNN, LCN, FCN, softplus, ReLU, tanh, hidden layers, P."""
    rows = cells[cells["study"] == study]
    if rows.empty:
        return []
    curve_ensembles = pd.DataFrame(columns=["curve", "P"]) if ensembles is None else ensembles
    known = []
    for _, part in rows.groupby([*NETWORK, *TASK, *TRAINING], dropna=False, sort=False):
        first = part.iloc[0]
        mask = curve_ensembles["curve"].isin(part["curve"]) & (curve_ensembles["P"] == first["P"])
        known.append(
            Family(
                data=str(first["data"]),
                net=str(first["net"]),
                activation=str(first["activation"]),
                hidden_layers=int(first["hidden_layers"]),
                P=int(first["P"]),
                cells=part,
                ensembles=curve_ensembles[mask],
            )
        )
    order = {name: i for i, name in enumerate(("cnn", "lcn", "fcn", "softplus", "relu", "tanh"))}
    return sorted(known, key=lambda one: (one.data, order[one.net], order[one.activation],
                                          one.hidden_layers, one.P))  # fmt: skip


def at_most(tildes: pd.Series, end: float) -> Any:
    """Rows with alpha_tilde <= end."""
    return tildes <= end * (1 + ROUNDING)


def at_least(tildes: pd.Series, end: float) -> Any:
    """Rows with alpha_tilde >= end."""
    return tildes >= end * (1 - ROUNDING)


def feature_slope(hidden_layers: int) -> float:
    """-2/(1 + 1/L): slope of the kernel change against alpha_tilde in feature learning."""
    return -2 / (1 + 1 / hidden_layers)


def weight_slope(hidden_layers: int) -> float:
    """-1/(L + 1): slope of ‖w - w0‖/‖w0‖ against alpha_tilde in feature learning."""
    return -1 / (hidden_layers + 1)


def averages(
    rows: pd.DataFrame, column: str, *, by: str | Sequence[str], logarithmic: bool = False
) -> pd.DataFrame:
    """Mean over members for each value of `by`, with its 95 % Student t interval.

    Columns: `by`, value, low, high (NaN with one member), n, n_capped, n_diverged. Members without
    a finite value (diverged ones; a half time that is not reached) are left out of the mean.
    Logarithmic: geometric mean, and the interval of the logarithm.
    """
    names, means = [by] if isinstance(by, str) else list(by), []
    for at, part in rows.groupby(names):
        y = part[column].to_numpy(dtype=float)
        y = y[np.isfinite(y) & ((y > 0) | (not logarithmic))]
        fit = mean(np.log(y) if logarithmic else y)
        numbers = np.array([fit.slope, fit.low, fit.high])
        numbers[np.isinf(numbers)] = np.nan
        value, low, high = np.exp(numbers) if logarithmic else numbers
        status = part["status"]
        means.append(
            {**dict(zip(names, at, strict=True)), "value": value, "low": low, "high": high,
             "n": len(y), "n_capped": int((status == "capped").sum()),
             "n_diverged": int((status == "diverged").sum())}
        )  # fmt: skip
    columns = [*names, "value", "low", "high", "n", "n_capped", "n_diverged"]
    return pd.DataFrame(means, columns=columns)


def slope_in_scale(cells: pd.DataFrame, column: str, *, lazy: bool) -> Fit:
    """Slope of log column against log alpha_tilde in one regime, each member its own intercept.

    Of the kernel change |dTheta|/|Theta_0|, or of ‖w - w0‖/‖w0‖. Fitted members enter, at
    alpha_tilde >= LAZY or (not lazy) at alpha_tilde <= FEATURE. A member has the same initial
    weights at each alpha_tilde. The error is that of the scatter.
    """
    rows = fitted_in(cells, lazy=lazy)
    rows = rows[rows[column] > 0]
    members = rows.groupby(list(MEMBER), sort=False).ngroup().to_numpy()
    return slope_with_group_intercepts(log_of(rows, "alpha_tilde"), log_of(rows, column), members)


def width_fit(cells: pd.DataFrame, tilde: float) -> Fit:
    """Slope of log kernel change against log h at one alpha_tilde, of fitted members."""
    rows = cells[(cells["status"] == "fitted") & np.isclose(cells["alpha_tilde"], tilde, rtol=1e-6)]
    rows = rows[rows["kernel_change"] > 0]
    return slope_with_group_intercepts(
        log_of(rows, "width"), log_of(rows, "kernel_change"), np.zeros(len(rows))
    )


def fitted_in(cells: pd.DataFrame, *, lazy: bool) -> pd.DataFrame:
    """Fitted members of one of the two regimes."""
    return cells[_inside(cells, lazy=lazy) & (cells["status"] == "fitted")]


def _inside(rows: pd.DataFrame, *, lazy: bool) -> Any:
    """Rows in the window of one of the two regimes."""
    tildes = rows["alpha_tilde"]
    return at_least(tildes, LAZY) if lazy else at_most(tildes, FEATURE)


def level_set(cells: pd.DataFrame, level: float) -> pd.DataFrame:
    """alpha_tilde at which the kernel change is `level`, for each width: width, alpha_tilde.

    The kernel change is the geometric mean over members that did not diverge, linear in logarithms
    between the values of alpha_tilde. Taken is the first crossing from the lazy side. Widths
    without one are left out.
    """
    crossings = []
    for width, part in by_width(cells):
        mean = averages(part, "kernel_change", by="alpha_tilde", logarithmic=True)
        mean = mean[mean["value"] > 0].sort_values("alpha_tilde", ascending=False)
        x, y = log_of(mean, "alpha_tilde"), log_of(mean, "value") - np.log(level)
        for i in np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))[:1]:
            at = x[i] + (x[i + 1] - x[i]) * y[i] / (y[i] - y[i + 1])
            crossings.append({"width": width, "alpha_tilde": float(np.exp(at))})
    return pd.DataFrame(crossings, columns=["width", "alpha_tilde"])


def jamming_line(cells: pd.DataFrame) -> pd.DataFrame:
    """h* at each alpha_tilde by the rule of `srhm.statistics.jamming`.

    Columns alpha_tilde, h_low, h_star, h_high. It depends on the budget of the cells. Where no
    width of the grid is jammed, or the widest one is, alpha_tilde is left out.
    """
    columns = ["alpha_tilde", "h_low", "h_star", "h_high"]
    stars = smallest_that_fit(cells, each=["alpha_tilde"])
    if stars.empty:
        return pd.DataFrame(columns=columns)
    first = stars.drop_duplicates("alpha_tilde")
    reached = first[(first["status"] == "reached") & first["alpha_tilde"].notna()]
    return reached[columns].astype(float).reset_index(drop=True)


def wholly_fitted(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of the pairs (h, alpha_tilde) at which every member fitted.

    Where only some fit, as near the jamming line, those that fit are a selection.
    """
    pair = [cells["width"], cells["alpha_tilde"]]
    whole = (cells["status"] == "fitted").groupby(pair).transform("all")
    return cells[whole.astype(bool)]


def lazy_half_times(cells: pd.DataFrame) -> pd.DataFrame:
    """Fitted members at alpha_tilde >= LAZY, with `scaled` = half time.

    In lazy learning dF/dt = -(1/P) sum Theta_0 l'(F): neither h nor alpha enters.
    """
    rows = fitted_in(cells, lazy=True)
    rows = rows[rows["half_time"] > 0]
    return rows.assign(scaled=rows["half_time"])


def scaled_half_times(cells: pd.DataFrame) -> pd.DataFrame:
    """Fitted members at alpha_tilde <= SHORT, with `scaled` = half time / alpha_tilde."""
    rows = cells[at_most(cells["alpha_tilde"], SHORT) & (cells["status"] == "fitted")]
    rows = rows[rows["half_time"] > 0]
    return rows.assign(scaled=rows["half_time"] / rows["alpha_tilde"])


def spread_of_half_times(
    rows: pd.DataFrame, generator: np.random.Generator
) -> tuple[float, float, float]:
    """Largest over smallest mean of `scaled` over the pairs (h, alpha_tilde), and its interval.

    Means are geometric, over members; the interval is the 95 % one of members drawn again within
    each pair. NaN without two pairs.
    """
    groups = [np.log(part["scaled"].to_numpy(dtype=float))
              for _, part in rows.groupby(["width", "alpha_tilde"])]  # fmt: skip
    if len(groups) < 2:
        return np.nan, np.nan, np.nan
    value = float(np.ptp([y.mean() for y in groups]))
    drawn = [y[generator.integers(len(y), size=(RESAMPLES, len(y)))].mean(axis=1) for y in groups]
    again = np.ptp(drawn, axis=0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(again, [tail, 1 - tail])
    return float(np.exp(value)), float(np.exp(low)), float(np.exp(high))


def contrast_of_half_times(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Logarithm of `scaled` at the widest h and its largest alpha_tilde over that at the other end.

    The other end is the narrowest h and its smallest alpha_tilde. Means are over members, which
    are other networks at another h; the interval is the 95 % one of Welch. Unlike a largest over a
    smallest mean it is not biased by their scatter. NaN without two widths, or an end of it where a
    width has one member.
    """
    widths = np.sort(rows["width"].unique())
    if len(widths) < 2:
        return np.nan, np.nan, np.nan
    ends = []
    for width, pick in ((widths[-1], "max"), (widths[0], "min")):
        end = rows[rows["width"] == width]
        end = end[end["alpha_tilde"] == getattr(end["alpha_tilde"], pick)()]
        ends.append(np.log(end["scaled"].to_numpy(dtype=float)))
    value = float(ends[0].mean() - ends[1].mean())
    if min(map(len, ends)) < 2:
        return value, np.nan, np.nan
    parts = np.array([y.var(ddof=1) / len(y) for y in ends])
    freedom = parts.sum() ** 2 / (parts**2 / [len(y) - 1 for y in ends]).sum()
    half = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * np.sqrt(parts.sum()))
    return value, value - half, value + half


def variance_ratios(ensembles: pd.DataFrame, *, lazy: bool) -> pd.DataFrame:
    """h Var F at the largest over that at the smallest width, of those from WIDE on.

    For each P, alpha_tilde (of one regime) and seed of one family, ensembles of fitted members
    alone: columns alpha_tilde, seed, narrow, wide, ratio. Widths less than a factor 4 apart have
    none: there a Var F that does not depend on h would pass for one that falls as 1/h.
    """
    rows = all_fitted(ensembles[_inside(ensembles, lazy=lazy) & (ensembles["width"] >= WIDE)])
    ratios = []
    for (tilde, seed), part in rows.groupby(["alpha_tilde", "seed"]):
        part = part.sort_values("width")
        first, last = part.iloc[0], part.iloc[-1]
        if last["width"] < 4 * first["width"]:
            continue
        scaled = [ensemble["width"] * ensemble["variance"] for ensemble in (first, last)]
        ratios.append({"alpha_tilde": tilde, "seed": seed, "narrow": int(first["width"]),
                      "wide": int(last["width"]), "ratio": scaled[1] / scaled[0]})  # fmt: skip
    return pd.DataFrame(ratios, columns=["alpha_tilde", "seed", "narrow", "wide", "ratio"])


def feature_minus_lazy(cells: pd.DataFrame) -> pd.DataFrame:
    """Test error of feature minus that of lazy learning, at the widest h that fits in both.

    Only pairs (h, alpha_tilde) at which all members fitted enter. Each regime is averaged over its
    alpha_tilde. A row for each member: width, seed, member, difference.
    """
    rows = wholly_fitted(cells)
    parts = {
        name: fitted_in(rows, lazy=lazy).groupby(["width", "seed", "member"])["test_error"].mean()
        for name, lazy in (("feature", False), ("lazy", True))
    }
    both = pd.DataFrame(parts).dropna().reset_index()
    both = both[both["width"] == both["width"].max()]
    return both.assign(difference=both["feature"] - both["lazy"])


def alignment(cells: pd.DataFrame, kernels: pd.DataFrame, target: str) -> pd.DataFrame:
    """Part of a target in the first N_TOP eigenvectors of the tangent kernel, for each cell.

    kernels: rows of KERNELS. Columns alpha_tilde, width, status, initial, end, gain = end minus
    initial; cells without both are left out.
    """
    chosen = (kernels["quantity"] == "projection") & (kernels["target"] == target)
    rows = kernels[chosen & (kernels["rank"] <= N_TOP)]
    parts = rows.groupby(["curve", "key", "when"])["value"].sum().unstack("when")
    both = cells.merge(parts.reindex(columns=["initial", "end"]).reset_index(), on=["curve", "key"])
    both = both.dropna(subset=["initial", "end"])
    return both.assign(gain=both["end"] - both["initial"])


def all_fitted(ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensembles of at least two members, none of them capped or diverged."""
    whole = (ensembles["n_capped"] == 0) & (ensembles["n_diverged"] == 0)
    return ensembles[whole & (ensembles["n_members"] > 1)]


def by_width(rows: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
    """Rows of each width, ascending."""
    for width, part in rows.groupby("width"):
        yield int(str(width)), part


def log_of(rows: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Natural logarithm of a column."""
    return np.log(rows[column].to_numpy(dtype=float))
