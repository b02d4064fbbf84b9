"""Policies with little memory: the probability q of the worse arm, closed forms and learning.

Letters: r probability of a reset, mu gap of the arms, M states of a RAM, m plays of a Memento,
M_eff effective memory, q* limit of q at r -> 0, t time of the gradient flow.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws, level, levels
from srhm.figures.scales import Scale, by_name, coloured, filled, parted, shaped
from srhm.figures.words import GUIDE, power
from srhm_studies.beyond.memory import analysis
from srhm_studies.beyond.memory.analysis import effective_memory, of_experiment, with_best_columns

STARTS = {
    "random": Look("random", BLUE),
    "linear": Look("linear", ORANGE),
    "columns": Look("columns", GREEN),
    "ccp": Look("columns of confidence $+ 10^{-4}$", VERMILION),
    "cycles": Look("cycles", PURPLE),
    "necklace": Look("necklace", BLACK),
}
MEMORIES = {"ram": Look("RAM, $M$ states", BLUE), "memento": Look("Memento, $m$ plays", VERMILION)}
SIZES = {"ram": "RAM $M", "memento": "Memento $m"}
WORSE = Axis("probability of the worse arm $q$", log=True)
RESET = Axis("probability of a reset $r$", log=True)
MOST_LINES = 5  # M of the panel against r: so many at most
PRIMES = (2, 3, 5)


def memory_columns(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A row of panels for each mu: q against r at some M, q against M at some r."""
    best, learnt = of_experiment(cells, "columns"), with_best_columns(cells, ["ccp"])
    # The M of the panels against r: those that are learnt, then the others, evenly.
    known = sorted(set(learnt["size"].astype(int)))
    rest = [size for size in sorted(set(best["size"].astype(int))) if size not in known]
    n_more = max(0, MOST_LINES - len(known))
    some = rest[:: max(1, -(-len(rest) // n_more))] if n_more else []
    sizes = coloured("size", sorted([*known, *some][:MOST_LINES]), "At $M$")
    resets = coloured("r", sorted(set(learnt["r"])) or sorted(set(best["r"]))[:3], "At $r$",
                      label=lambda r: f"${power(r)}$")  # fmt: skip
    panels = []
    for mu, at_mu in parted(best, "mu"):
        ours = learnt[learnt["mu"] == mu]
        M = np.arange(1, int(best["size"].max()) + 1)
        limits = pd.DataFrame({"size": list(sizes.looks)})
        limits["q"] = [analysis.column_of_confidence(size, mu) for size in limits["size"]]
        panels += [
            Panel(title=f"$\\mu = {mu:g}$, against $r$", y=WORSE,
                  x=RESET, marks=[*_both(at_mu, ours, "r", sizes),
                         levels(limits, "q", "$r \\to 0$: Eq. 7", by=[sizes], name="limit")]),
            Panel(title=f"$\\mu = {mu:g}$, against $M$", y=WORSE, x=Axis("memory states $M$"),
                  marks=[*_both(at_mu, ours, "size", resets),
                         law(M, [analysis.column_of_confidence(int(m), mu) for m in M],
                             "$r \\to 0$: Eq. 7", name="limit"),
                         law(M, [analysis.hellman_cover(int(m), mu) for m in M],
                             "Hellman and Cover, state alone", name="bound", line="-.")]),
        ]  # fmt: skip
    ratio = learnt["q"] / learnt["q_best"]
    notes = [f"{len(learnt)} learnt policies, q from {ratio.min():.4f} to {ratio.max():.4f} of that"
             " of the best columns."] if len(learnt) else []  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, notes=notes)


def _both(best: pd.DataFrame, learnt: pd.DataFrame, x: str, by: Scale) -> list[Marks]:
    """The best columns as lines, what was learnt as rings, at the values of the scale."""
    return [
        Marks(rows=best[best[by.column].isin(by.looks)], x=x, y="q", by=[by], name="columns",
              label="columns, best exit rate", marker="", line="-"),
        Marks(rows=learnt[learnt[by.column].isin(by.looks)], x=x, y="q", by=[by], name="learnt",
              label="learnt from these $+ 10^{-4}$", filled=False),
    ]  # fmt: skip


def memory_exit_rate(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: the best exit rate eps against r; B: the same over Eq. 6 (mended), one mu a marker."""
    best = of_experiment(cells, "columns")
    best = best[best["size"] > 1]
    best = best.assign(ratio=best["exit_rate"] / best["exit_rate_limit"])
    first = best["mu"].min()
    sizes, mus = coloured("size", best["size"], "$M$"), filled("mu", best["mu"], "$\\mu$")
    r = np.geomspace(best["r"].min(), best["r"].max(), 50) if len(best) else np.array([])
    mended = pd.DataFrame([
        {"size": size, "r": reset, "eps": analysis.exit_rate(int(size), first, reset)}
        for size in sizes.looks for reset in r
    ])  # fmt: skip
    return mosaic([
        Panel(title="best exit rate", x=RESET, y=Axis("rate $\\varepsilon$", log=True), marks=[
            Marks(rows=best, x="r", y="exit_rate", by=[sizes, mus]),
            laws(mended, "r", "eps", f"Eq. 6, $\\mu = {first:g}$", by=[sizes], name="Eq. 6",
                 line="-"),
            law(r, lambda at: analysis.exit_rate_of_many(first, at), "Eq. 23, many states",
                line=":"),
        ]),
        Panel(title="divided by Eq. 6", x=RESET, y=Axis("$\\varepsilon$ / Eq. 6"), marks=[
            Marks(rows=best, x="r", y="ratio", by=[sizes, mus]), level(1, "1: Eq. 6", line="-"),
        ]),
    ], columns=2, preset=preset)  # fmt: skip


def memory_necklaces(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: q/q* - 1 of the exact chain against eps_1; B: least q against M_eff, Table 1."""
    exact = of_experiment(cells, "necklaces")
    exact = exact.assign(excess=exact["q"] / exact["q_limit"] - 1, M_eff=4.0 ** exact["size"])
    mu = exact["mu"].min()
    least = exact["exit_inside"] == exact.groupby(["size", "mu"])["exit_inside"].transform("min")
    necklace, columns = MEMORIES["memento"].colour, MEMORIES["ram"].colour
    states = np.unique(np.geomspace(1, 4.0 ** max(PRIMES) / 4, 40).round()).astype(int)
    limits = [analysis.necklace(m, mu) for m in PRIMES]
    return mosaic([
        Panel(title="necklaces towards $q^*$", y=Axis("$q/q^* - 1$", log=True),
              x=Axis("exit rate inside $\\varepsilon_1$", log=True),
              marks=[Marks(rows=exact, x="exit_inside", y="excess", line="-", filled=False, by=[
                  coloured("size", exact["size"], "$m$"), shaped("mu", exact["mu"], "$\\mu$")])]),
        Panel(title=f"Table 1, $\\mu = {mu:g}$",
              x=Axis("effective memory $M_\\mathrm{eff}$", log=True),
              y=Axis("least $q$ at $r \\to 0$", log=True, limits=(min(limits) / 30, 1)),
              marks=[
                  Marks(rows=exact[least & (exact["mu"] == mu)], x="M_eff", y="q", name="exact",
                        label="necklaces, exact chain", colour=necklace, filled=False),
                  law(4 * states, [analysis.column_of_confidence(int(M), mu) for M in states],
                      "columns, $\\alpha^{2M-1}$", line="-", colour=columns),
                  law([4.0**m for m in PRIMES], limits, "necklaces, $\\alpha^{m(n(m)-1)}$",
                      line="-", colour=necklace),
                  law(4 * states, [analysis.hellman_cover(4 * int(M), mu) for M in states],
                      "Hellman and Cover, $M_\\mathrm{eff}$ states", line="-.", colour=GUIDE),
              ]),
    ], columns=2, preset=preset)  # fmt: skip


def memory_starts(cells: pd.DataFrame, history: pd.DataFrame, *, preset: str) -> Figure:
    """q against time by start: a panel for each setting with several random starts."""
    learnt = of_experiment(cells, "learning")
    starts = by_name("start", learnt["start"], STARTS)
    places = parted(learnt, "memory", "size", "mu", "r")
    chosen, panels = [], []
    for (memory, size, mu, r), rows in sorted(places, key=lambda one: one[0][0] != "ram"):
        if rows.loc[rows["start"] != "ccp", "start"].nunique() < 2:
            continue
        best = of_experiment(cells, "columns" if memory == "ram" else "best_necklaces")
        best = best[(best["size"] == size) & (best["mu"] == mu) & (best["r"] == r)]
        guide = levels(best, "q", "best columns, best necklaces at $r$", name="best")
        chosen.append(rows)
        panels.append(_in_time(f"{SIZES[memory]} = {size}$, $r = {power(r)}$, $\\mu = {mu:g}$",
                               rows, history, starts, guide))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, notes=_seeds(chosen))


def memory_architectures(cells: pd.DataFrame, history: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each M_eff, mu and r at which both memories learn from random starts."""
    learnt = of_experiment(cells, "learning")
    learnt = learnt[learnt["start"] == "random"]
    learnt = learnt.assign(M_eff=effective_memory(learnt))
    memories = by_name("memory", learnt["memory"], MEMORIES)
    best = pd.concat([of_experiment(cells, "columns"), of_experiment(cells, "best_necklaces")])
    chosen, panels = [], []
    for (size, mu, r), rows in parted(learnt, "M_eff", "mu", "r"):
        if rows["memory"].nunique() < 2:
            continue
        known = best.merge(rows[["memory", "size", "mu", "r"]].drop_duplicates())
        guide = levels(known, "q", "best policy known", by=[memories], name="best")
        chosen.append(rows)
        panels.append(_in_time(f"$M_\\mathrm{{eff}} = {size}$, $r = {power(r)}$, $\\mu = {mu:g}$",
                               rows, history, memories, guide))  # fmt: skip
    return mosaic(panels, columns=max(1, len(panels)), preset=preset, notes=_seeds(chosen))


def _in_time(
    title: str, cells: pd.DataFrame, history: pd.DataFrame, by: Scale, guide: Marks
) -> Panel:
    """q against t of each seed, thin, and their median, thick, up to where all of them came."""
    rows = cells[["key", by.column]].merge(history, on="key")
    n = cells.groupby(by.column)["key"].nunique()
    medians = rows.groupby([by.column, "t"])["q"].agg(["median", "size"]).reset_index()
    whole = medians[medians["size"] == medians[by.column].map(n)]
    return Panel(title=title, x=Axis("time $t$", log=True), y=WORSE, marks=[
        Marks(rows=rows, x="t", y="q", by=[by], each=["key"], name="seed", label="seeds",
              marker="", line="-", width=0.5, alpha=0.4),
        Marks(rows=whole, x="t", y="median", by=[by], label="median of the seeds", marker="",
              line="-", width=1.6), guide,
    ])  # fmt: skip


def _seeds(parts: list[pd.DataFrame]) -> list[str]:
    """How many seeds each start has, and how many cells were capped."""
    if not parts:
        return []
    cells = pd.concat(parts)
    n = int(cells.groupby(["memory", "size", "start"])["seed"].nunique().max())
    capped = int((cells["status"] == "capped").sum())
    ended = f"; {capped} of {len(cells)} flows ended at their budget" if capped else ""
    return [f"{n} seeds of each random start{ended}."]
