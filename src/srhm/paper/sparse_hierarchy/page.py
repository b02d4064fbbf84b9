"""Tables of the page: sample complexities, widths, curves of the paper's figures."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite
from typing import Any

import numpy as np
import pandas as pd

from srhm.paper.sparse_hierarchy.analysis import in_words, width_check
from srhm.paper.sparse_hierarchy.coverage import coverage
from srhm.report.page_table import (
    INTERVAL,
    NONE,
    PageTable,
    complexity,
    interval,
    net_name,
    net_order,
    percent,
)
from srhm.scorecard.complexity_rows import with_rates
from srhm.statistics.publications import Publication, read_publications
from srhm.training.configuration import HierarchySection

NOTE = (
    "P* is the number of training points from which on the test error ε, averaged over the seeds,"
    " stays at or below {}. “>” and “<”: never below the threshold, or below it from the smallest P"
    " on. The prediction is Eq. 3 (LCN, with C_0 = s^(L/2)) or Eq. 4 (CNN, with C_1 = 1). A small"
    " pool: P* is above a tenth of the distinct data, and is left out of fits. In columns of"
    " sensitivities the threshold stands in brackets; practice: transformations, and the output, as"
    " the published figures took them (Definitions)."
)
# The letters of a curve with their headings.
LETTERS = {"L": "L", "s": "s", "s0": "s_0", "v": "v", "m": "m", "n_c": "n_c",
           "sparsity": "Spar\u00adsity", "width": "Width"}  # fmt: skip
FIRST_LETTERS = ("L", "v", "s0")  # before P*, which a narrow screen shows
# What is said of a curve only where it differs: (column, usual value, words for another).
OPTIONS = (
    ("engine", "sparse", "{} engine"),
    ("whitening", False, "whitened inputs"),
    ("bias", False, "biases"),
    ("batch", "shuffled", "{} batches"),
    ("alpha", 1.0, "α = {}"),
)
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
    """How this run differs from the paper; P* of every curve, by width; the paper's curves.

    settings: threshold; publications: files of published runs; section: the configuration;
    explorer: its file.

    Raises:
        PublicationError: if a file of a published run is missing or damaged, naming it.
    """
    published = read_publications(settings.get("publications", ()))
    rated = with_rates(tables["sample_complexity"], tables.get("cells", pd.DataFrame()))
    explorer = settings.get("explorer", "")
    complexities = _complexities(
        rated,
        threshold=settings["threshold"],
        explore=f"{explorer}#sample-complexity" if explorer else "",
    )
    return [
        *_this_run(*(tables.get(name, pd.DataFrame()) for name in ("cells", "published_values"))),
        complexities,
        *_of_widths(tables, published, threshold=settings["threshold"]),
        *_of_figures(tables, settings.get("section")),
    ]


def _this_run(cells: pd.DataFrame, published: pd.DataFrame) -> list[PageTable]:
    """How the networks of this run differ from the paper's; none without a network."""
    if cells.empty:
        return []

    usual = pd.Series(True, index=cells.index)
    for name, value, _ in OPTIONS:
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


def _complexities(table: pd.DataFrame, *, threshold: float, explore: str) -> PageTable:
    """A row for each learning curve: P* at the main threshold, at others, and of sensitivities.

    Of each net, L and s the paper's grammars, n_c = v and m = v^(s-1), stand first, of these the
    width and the rate that most curves have.
    """
    # Thresholds of sensitivities differ between curves, and stand in the cells.
    is_error = table["criterion"] == "test_error"
    errors = [f"ε ≤ {percent(one)}" for one in table["threshold"]]
    table = table.assign(column=np.where(is_error, errors, table["criterion"]))
    main = f"ε ≤ {percent(threshold)}"
    ranked = table[is_error].sort_values("threshold")["column"]
    others = [
        name
        for name in dict.fromkeys([*ranked, *sorted(set(table["column"][~is_error]))])
        if name != main
    ]
    usual = {
        place: tuple(curves[name].mode(dropna=False).iloc[0] for name in ("width", "rate"))
        for place, curves in table.drop_duplicates("curve").groupby(["net", "L", "s"])
    }
    by_curve: dict[str, dict[str, list[Any]]] = {}
    for row in table.to_dict("records"):
        by_curve.setdefault(row["curve"], {}).setdefault(row["column"], []).append(row)
    curves = []
    for by_name in by_curve.values():
        first = by_name.get(main, next(iter(by_name.values())))[0]
        options = [words.format(first[name]) for name, usual, words in OPTIONS
                   if first[name] != usual]  # fmt: skip
        cells = [
            net_name(first["net"]),
            *(first[name] for name in FIRST_LETTERS),
            *(_main(first) if main in by_name else (NONE, "", NONE)),
            *(first[name] for name in LETTERS if name not in FIRST_LETTERS),
            _rate(first["rate"]),
            f"{first['n_seeds_reached']} of {first['n_seeds']}" if main in by_name else NONE,
            ", ".join([*options, *_remarks(first)]),
            *("; ".join(map(_other, by_name.get(name, []))) or NONE for name in others),
        ]
        is_other = first["n_c"] != first["v"] or first["m"] != first["v"] ** (first["s"] - 1)
        width, rate = usual[first["net"], first["L"], first["s"]]
        is_rare = (first["width"] != width, first["rate"] != rate)
        place = (net_order(first["net"]), first["sparsity"], options, first["L"], first["s"])
        letters = ("width", "rate", "v", "n_c", "m", "s0")
        curves.append(((*place, is_other, is_rare, *(first[name] for name in letters)), cells))
    curves.sort(key=lambda curve: curve[0])
    rows = [cells for _, cells in curves]
    jumps: dict[str, int] = {}
    for number, (net, depth, *_others) in enumerate(rows):
        jumps.setdefault(f"{net}, L = {depth}", number)
    return PageTable(
        title="Sample complexities",
        note=NOTE.format(percent(threshold)),
        columns=(
            *("Net", *(LETTERS[name] for name in FIRST_LETTERS)),
            *("P*", INTERVAL, "P* / pre\u00addiction"),
            *(heading for name, heading in LETTERS.items() if name not in FIRST_LETTERS),
            *("Rate", "Seeds that reach it", "Remarks"),
            *(
                f"P* at {name.replace('_output', '_out').replace('_practice', ' (practice)')}"
                for name in others
            ),
        ),
        rows=rows,
        words={"Net", LETTERS["sparsity"], "Remarks"},
        main="P*",
        jumps=jumps,
        explore=explore,
    )


def _rate(rate: float) -> str:
    return f"{rate:g} H" if isfinite(rate) else NONE


def _main(row: Mapping[Any, Any]) -> tuple[str, str, str]:
    ratio = row["P_star"] / row["prediction"] if row["prediction"] else inf
    known = row["status"] == "reached" and isfinite(ratio)
    return complexity(row), interval(row), f"{ratio:.2f}" if known else NONE


def _other(row: Mapping[Any, Any]) -> str:
    sensitivity = row["criterion"] != "test_error"
    return complexity(row) + (f" ({percent(row['threshold'])})" if sensitivity else "")


def _remarks(row: Mapping[Any, Any]) -> Iterator[str]:
    if row["small_pool"]:
        yield "small pool"
    if row["n_diverged"]:
        yield f"{row['n_diverged']} of {row['n_cells']} networks left out (diverged or collapsed)"
    if row["n_capped"]:
        yield f"{row['n_capped']} of {row['n_cells']} networks not fitted at the cap"


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
                *("Net", "L", "s", "v", "n_c", "m", "s_0", LETTERS["sparsity"], "Rate"),
                *heads.values(),
            ),
            rows=[
                [*curve, *(found.get(width, NONE) for width in heads)]
                for curve, found in curves.items()
            ],
            words={"Net", LETTERS["sparsity"]},
        )
    ]
