"""Tables of the page: this run and the paper, widths, curves of the paper's figures."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd

from srhm.paper.sparse_hierarchy.analysis import in_words, width_check
from srhm.paper.sparse_hierarchy.coverage import coverage
from srhm.report.page_table import NONE, PageTable, complexity, interval, net_name, net_order
from srhm.statistics.publications import Publication, read_publications
from srhm.training.configuration import HierarchySection

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
    rows = [[words, *_ours(own)] for words, own in kinds.items() if len(own)]
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


def _ours(cells: pd.DataFrame) -> list[str]:
    """What networks of the same kind have, in the columns of the table."""
    seeds = cells.groupby(["curve", "P"], dropna=False)["seed"].nunique()
    width, v, batch, rate, loss = (
        _values(cells[name])
        for name in ("width", "v", "batch_size", "learning_rate", "loss_threshold")
    )
    return [width, v, _values(seeds), batch, f"{rate} H", f"loss < {loss}"]


def _values(column: pd.Series) -> str:
    return ", ".join(f"{value:g}" for value in sorted(column.dropna().unique())) or NONE


def _rate(rate: float) -> str:
    return f"{rate:g} H" if isfinite(rate) else NONE


def _of_figures(
    tables: Mapping[str, pd.DataFrame], section: Mapping[str, Any] | None
) -> list[PageTable]:
    """Curves of each figure of the paper, ours and its own; none without a configuration."""
    published = tables.get("published_values", pd.DataFrame())
    if section is None or published.empty:
        return []
    asked = HierarchySection.model_validate(section)
    found = coverage(tables["sample_complexity"], published, asked)
    return [
        PageTable(
            title="Curves of the paper's figures",
            note=CURVES,
            columns=("Figure", "Ours", "In the paper", "Missing"),
            rows=[
                [row["figure"], row["ours"], row["published"], row["missing"] or NONE]
                for row in found.to_dict("records")
            ],
            words={"Missing"},
            main="Ours",
        )
    ]


def _of_widths(
    tables: Mapping[str, pd.DataFrame], published: Sequence[Publication], *, threshold: float
) -> list[PageTable]:
    """P* at several widths, of this run and of published ones; none without such curves."""
    own = tables["sample_complexity"]
    others = [(run.sample_complexity, run.cells) for run in published]
    runs = [(own, tables.get("cells", pd.DataFrame())), *others]
    usual = own[own["net"].isin(("lcn", "cnn"))].drop_duplicates("curve")["width"].mode()
    if usual.empty:
        return []
    check = width_check(runs, reference=int(usual.max()), threshold=threshold)
    if check is None:
        return []
    heads = {int(width): f"P* at H = {width}" for width in sorted(check.rows["width"].unique())}
    curves: dict[tuple[Any, ...], dict[int, str]] = {}
    names = ("L", "s", "v", "n_c", "m", "s0", "sparsity")
    for row in sorted(check.rows.to_dict("records"), key=lambda row: net_order(row["net"])):
        rate = _rate(row["rate"])
        curve = (net_name(row["net"]), *(row[name] for name in names), rate)
        ends = interval(row)
        words = f"{complexity(row)} ({ends})" if ends else complexity(row)
        curves.setdefault(curve, {})[row["width"]] = words
    return [
        PageTable(
            title="What the width does",
            note=WIDTHS.format(reference=check.reference, ratios=in_words(check)),
            columns=(
                *("Net", "L", "s", "v", "n_c", "m", "s_0", SPARSITY, "Rate"),
                *heads.values(),
            ),
            rows=[
                [*curve, *(found.get(width, NONE) for width in heads)]
                for curve, found in curves.items()
            ],
            words={"Net", SPARSITY},
        )
    ]
