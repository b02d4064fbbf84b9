"""Tables of the page: this run and the paper, widths, curves of the paper's figures."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.figures.selection import trained_as
from srhm.model.grammar import GRAMMAR, NET_AND_DATA
from srhm.paper.sparse_hierarchy.analysis import in_words, width_check
from srhm.report.page_table import NONE, PageTable, complexity, interval, net_name, net_order
from srhm.statistics.publications import Publication, read_publications
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan

SPARSITY = "Spar\u00adsity"
# Of training as the text says, by column.
USUAL = {"engine": "sparse", "whitening": False, "bias": False, "batch": "shuffled", "alpha": 1.0}
CURVES = (
    "Of the learning curves that a figure of the paper shows, how many this run has by the text's"
    " protocol, at any width, and why the others are missing."
)
WIDTHS = (
    "P* of curves of the text's protocol that have three widths or more, in this run or in the"
    " archive, with its interval. Geometric mean over those at H = {reference}, the scatter"
    " over the curves as its error: {ratios}. The paper has H = 512."
)


def tables(tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> list[PageTable]:
    """How this run differs from the paper; P* by width; the paper's curves.

    settings: threshold; publications: files of published runs; section: the configuration.

    Raises:
        PublicationError: if a file of a published run is missing or damaged, naming it.
    """
    published = read_publications(settings.get("publications", ()))
    return [
        *_this_run(*(tables.get(name, pd.DataFrame()) for name in ("cells", "published_values"))),
        *_of_widths(tables, published, threshold=settings["threshold"]),
        *_of_figures(tables, settings.get("section")),
    ]


def _this_run(cells: pd.DataFrame, published: pd.DataFrame) -> list[PageTable]:
    """How the networks of this run differ from the paper's; none without a network."""
    if cells.empty:
        return []

    usual = pd.Series(True, index=cells.index)
    for name, value in USUAL.items():
        usual &= cells[name].isna() | (cells[name] == value)
    kinds = {"this run": cells[usual], "this run, other ways to train": cells[~usual]}
    rows = []
    for words, group in kinds.items():
        seeds = group.groupby(["curve", "P"], dropna=False)["seed"].nunique()
        width, batch, rate, loss = (
            _values(group[name])
            for name in ("width", "batch_size", "learning_rate", "loss_threshold")
        )
        ways = [width, _values(group["v"]), _values(seeds), batch, f"{rate} H", f"loss < {loss}"]
        rows += [[words, *ways]] if len(group) else []
    v = _values(published["v"]) if len(published) else NONE
    rows.append(["the paper", "512", v, "1", "4", "0.01 H, 0.003 H", "loss < 0.001"])
    return [
        PageTable(
            title="This run and the paper",
            note="",
            columns=("Networks of", "Width H", "v", "Seeds", "Batch", "Rate", "Training ends at"),
            rows=rows,
            words={"Networks of"},
            on_top=True,
        )
    ]


def _values(column: pd.Series) -> str:
    return ", ".join(f"{value:g}" for value in sorted(column.dropna().unique())) or NONE


def _of_figures(
    tables: Mapping[str, pd.DataFrame], section: Mapping[str, Any] | None
) -> list[PageTable]:
    """Curves of each figure of the paper, ours and its own; none without a configuration.

    Ours are trained by the text's protocol, at any width, and measured where the figure shows
    sensitivities.
    """
    published = tables.get("published_values", pd.DataFrame())
    if section is None or published.empty:
        return []
    errors, measured = (
        _present(tables["sample_complexity"], criterion) for criterion in ("test_error", "S_2")
    )
    curves = plan(HierarchySection.model_validate(section), Path()).curves.values()
    planned = {
        tuple(cell[name] for name in NET_AND_DATA)
        for cell in (curve.cells[0] for curve in curves)
        if cell["batch"] == "shuffled" and not cell["whitening"] and not cell["bias"]
    }
    rows = []
    for figure, shown in curves_of_figures(published).items():
        there = errors & measured if figure in MEASURED else errors
        absent = [curve for curve in shown if curve not in there]
        reasons: dict[str, list[Coordinates]] = {}
        for curve in absent:
            reason = "planned, not there yet" if curve in planned else "not in this preset"
            if curve in errors:
                reason = "trained, sensitivities not kept"
            reasons.setdefault(reason, []).append(curve)
        missing = "; ".join(f"{len(gaps)} {why} ({_listed(gaps)})" for why, gaps in reasons.items())
        rows.append([figure, len(shown) - len(absent), len(shown), missing or NONE])
    return [
        PageTable(
            title="Curves of the paper's figures",
            note=CURVES,
            columns=("Figure", "Ours", "In the paper", "Missing"),
            rows=rows,
            words={"Missing"},
            main="Ours",
        )
    ]


def _of_widths(
    tables: Mapping[str, pd.DataFrame], published: Sequence[Publication], *, threshold: float
) -> list[PageTable]:
    """P* at several widths, of this run and of published ones; none without such curves."""
    table = tables["sample_complexity"]
    others = [(run.sample_complexity, run.cells) for run in published]
    runs = [(table, tables.get("cells", pd.DataFrame())), *others]
    usual = table[table["net"].isin(("lcn", "cnn"))].drop_duplicates("curve")["width"].mode()
    if usual.empty:
        return []
    check = width_check(runs, reference=int(usual.max()), threshold=threshold)
    if check is None:
        return []
    heads = {int(width): f"P* at H = {width}" for width in sorted(check.rows["width"].unique())}
    curves: dict[tuple[Any, ...], dict[int, str]] = {}
    names = ("L", "s", "v", "n_c", "m", "s0", "sparsity")
    for row in sorted(check.rows.to_dict("records"), key=lambda row: net_order(row["net"])):
        rate = f"{row['rate']:g} H" if isfinite(row["rate"]) else NONE
        curve = (net_name(row["net"]), *(row[name] for name in names), rate)
        ends = interval(row)
        words = f"{complexity(row)} ({ends})" if ends else complexity(row)
        curves.setdefault(curve, {})[row["width"]] = words
    return [
        PageTable(
            title="What the width does",
            note=WIDTHS.format(reference=check.reference, ratios=in_words(check)),
            columns=("Net", "L", "s", "v", "n_c", "m", "s_0", SPARSITY, "Rate", *heads.values()),
            rows=[[*curve, *(stars.get(width, NONE) for width in heads)]
                  for curve, stars in curves.items()],
            words={"Net", SPARSITY},
        )
    ]  # fmt: skip


# Curves of the paper's figures. Those of Figures 4, 10 and 13 are the authors' points (reference/);
# Figures 6, 11 and 14 show the same. Those of Figures 7, 8, 12, 15 and 16 are what their captions
# say. By figure: the figures whose points they are, and the net.
POINTS = {"4": ("4", None), "6": ("4", "lcn"), "10": ("10", "lcn"), "11": ("10", "lcn"),
          "13": ("13", "cnn"), "14": ("4, 13", "cnn")}  # fmt: skip
# net, L, v, s_0, sparsity of the others; s = 2.
CAPTIONS: dict[str, tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], str], ...]]
CAPTIONS = {
    "7": (("lcn", (2, 3), (6,), (1, 2, 4), "B"),),
    "8": (("cnn", (2, 3), (6,), (1, 2, 4), "B"),),
    "12": (("lcn", (2,), (8,), (0, 1, 2, 4), "A"),),
    "15": (("cnn", (2,), (8,), (0, 1, 2, 4), "A"),),
    "16": (("fcn", (2,), (6, 8), (0, 1, 2), "A"), ("fcn", (3,), (4, 6, 8), (0, 1, 2), "A")),
}
FIGURES = sorted({*POINTS, *CAPTIONS}, key=int)
# Those that show sensitivities: of their curves these must have been measured.
MEASURED = ("6", "11", "12", "14", "15", "16")
FEW = 3  # curves of one net, L and s that are named; of more their number
Coordinates = tuple[Any, ...]  # in the order of NET_AND_DATA


def curves_of_figures(published: pd.DataFrame) -> dict[str, list[Coordinates]]:
    """Net and data of each curve that the paper shows, by figure; published: the paper's points."""
    curves: dict[str, list[Coordinates]] = {}
    for figure in FIGURES:
        if figure in POINTS:
            sources, net = POINTS[figure]
            rows = published[published["figure"].isin(sources.split(", "))]
            rows = rows if net is None else rows[rows["net"] == net]
            points = rows[["net", *GRAMMAR]].drop_duplicates().itertuples(index=False, name=None)
            curves[figure] = [(*point, "A") for point in points]
        else:
            curves[figure] = [
                (net, L, 2, s0, v, v, v, sparsity)
                for net, depths, features, empty, sparsity in CAPTIONS[figure]
                for L, v, s0 in product(depths, features, empty)
            ]
    return curves


def _present(table: pd.DataFrame, criterion: str) -> set[Coordinates]:
    """Net and data of the curves of the text's protocol that have this criterion."""
    if table.empty:
        return set()
    usual = trained_as(table, batch="shuffled", corrected=False)
    rows = table[usual & (table["criterion"] == criterion)]
    return set(rows[list(NET_AND_DATA)].itertuples(index=False, name=None))


def _listed(curves: list[Coordinates]) -> str:
    """Curves in short: CNN, L = 2: 14; CNN, L = 3, s = 3: (s_0, v) = (1, 4), (2, 4)."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for curve in curves:
        cell = dict(zip(NET_AND_DATA, curve, strict=True))
        key = (cell["net"], cell["L"], cell["s"])
        groups.setdefault(key, []).append(f"({cell['s0']}, {cell['v']})")
    parts = []
    for (net, L, s), places in groups.items():
        which = f"(s_0, v) = {', '.join(places)}" if len(places) <= FEW else str(len(places))
        parts.append(f"{net.upper()}, L = {L}{'' if s == 2 else f', s = {s}'}: {which}")
    return "; ".join(parts)
