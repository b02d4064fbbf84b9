"""Tables of the page: sample complexities, and the fits of published runs."""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, inf, isfinite
from typing import Any

import numpy as np
import pandas as pd

from srhm.paper.sparse_hierarchy.analysis import (
    STEP,
    in_words,
    practice_points,
    published_over_ours,
    width_check,
)
from srhm.paper.sparse_hierarchy.claims import published_fits
from srhm.paper.sparse_hierarchy.coverage import coverage
from srhm.paper.sparse_hierarchy.practice_fits import practice_fits
from srhm.report.page_table import (
    INTERVAL,
    NO_BREAK,
    NONE,
    PageTable,
    complexity,
    duration,
    grouped,
    interval,
    net_name,
    net_order,
    percent,
)
from srhm.report.scorecard_rows import scorecard_rows
from srhm.scorecard.authors_points import as_sample_complexities
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
PRACTICE = (
    "The paper's P* over ours where ours are learnt and read as the published figures were:"
    " balanced batches with their table of learning rates, the best test error of a training, the P"
    " of the grid whose error is nearest to 10 %. Geometric mean over the points of Figures 4, 10"
    " and 13 that we have; the interval is that of their scatter. Within: of how many points the"
    " authors' P* lies in the prediction interval of the next table."
)
SAME_FITS = (
    "Fits by the rules of the scorecard, all of the grammars of the next tables: our curves by the"
    " text's protocol, by the practice, these read as the published figures were, and the authors'"
    " points. Not judged. A batch that grows as v has less noise, which raises exponents of v;"
    " points of the grid of P lie at fixed multiples of Eq. 3 and 4, so that the nearest of them"
    " pulls exponents to the law. Curves that do not reach 10 % in their window are left out."
)
POINTS = (
    "Ours is the geometric mean over the seeds. Prediction: where 95 % of single readings of"
    " another grammar lie, from the spread of our seeds, each of which draws a grammar, and from"
    f" the largest step, a factor {STEP}, of the authors' grid of P."
    " Curves that do not reach 10 % are left out; of one that does, a seed that does not is read at"
    " the largest P."
)
LAWS = (
    "Fits by the rules of the scorecard of the authors' points (Figures 4, 10 and 13: 512 channels,"
    " one seed, the practice) and of our curves, and whether the two intervals meet. Where they do,"
    " our points agree with the authors', whatever the verdict."
)
WIDTHS = (
    "P* of curves of the text's protocol that have three widths or more, in this run or in the"
    " archive, with its interval. Geometric mean over those at H = {reference}, the scatter"
    " over the curves as its error: {ratios}. The paper has H = 512."
)
PUBLISHED = (
    "{curves} of {planned_curves} curves of LCN, CNN and FCN ({cells} of {planned_cells} networks:"
    " {statuses}); trained {days}{times}; {versions}; source {sources}; published at commit"
    " {commit}. The repository keeps these rows under published/; Figure 4 draws them beside the"
    " points of this run, and they enter no number of the scorecard. The fits are of these rows"
    " alone, of the curves that it has so far, by the same functions, each seed's curves of one"
    " grammar taken together; claims of which it has no point are left out. Of each net, L and s"
    " the width that most curves have enters, which the end of What entered names; exponents"
    " “alone” are of every width."
)


def tables(tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> list[PageTable]:
    """P* of every curve, its laws, widths; the paper's curves and points; published runs.

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
    of_practice = [
        tables.get(name, pd.DataFrame())
        for name in ("sample_complexity", "cells", "published_values")
    ]
    points = practice_points(*of_practice)
    return [
        *_this_run(*(tables.get(name, pd.DataFrame()) for name in ("cells", "published_values"))),
        complexities,
        *_of_laws(tables),
        *_of_widths(tables, published, threshold=settings["threshold"]),
        *_of_figures(tables, settings.get("section")),
        *_of_practice(points, practice_fits(*of_practice)),
        *map(_published, published),
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


def _of_practice(points: pd.DataFrame, fits: pd.DataFrame) -> list[PageTable]:
    """The authors' points over ours by its practice: by net, L and s, then each; none at all."""
    if points.empty:
        return []
    laws = []
    for (net, depth, s), own in points.groupby(["net", "L", "s"], sort=False):
        fit = published_over_ours(own)
        known = isfinite(fit.standard_error)
        ends = f"{exp(fit.low):.2f} to {exp(fit.high):.2f}" if known else "unknown"
        inside = f"{int(own['inside'].sum())} of {len(own)}"
        laws.append([net_name(net), depth, s, len(own), f"{exp(fit.slope):.2f}", ends, inside])
    each = [
        [net_name(row["net"]), *(row[name] for name in ("L", "s", "v", "s0", "n_seeds")),
         grouped(row["ours"]), grouped(row["published"]), f"{exp(row['log_ratio']):.2f}",
         f"{grouped(row['low'])} to {grouped(row['high'])}", "yes" if row["inside"] else "no"]
        for row in points.to_dict("records")
    ]  # fmt: skip
    ratio = "Authors' / ours"
    columns = ("statement", "expected", "n", "text", "practice", "read", "authors")
    return [
        PageTable(
            title="The same fits, by the practice",
            note=SAME_FITS,
            columns=("The paper says", "Expected", "n", "By the text", "By the practice",
                     "Read as theirs", "Authors'"),
            rows=[[fit[name] for name in columns] for fit in fits.to_dict("records")],
            words={"The paper says"},
            main="By the practice",
        ),
        PageTable(
            title="The authors' points over ours, by the practice",
            note=PRACTICE,
            columns=("Net", "L", "s", "Points", ratio, INTERVAL, "Within"),
            rows=sorted(laws, key=lambda row: net_order(str(row[0]).lower())),
            words={"Net"},
            main=ratio,
        ),
        PageTable(
            title="Each of the authors' points, by the practice",
            note=POINTS,
            columns=("Net", "L", "s", "v", "s_0", "Seeds", "Ours", "Authors'", ratio,
                     f"95{NO_BREAK}% prediction", "Within"),
            rows=sorted(each, key=lambda row: net_order(str(row[0]).lower())),
            words={"Net", "Within"},
            main=ratio,
        ),
    ]  # fmt: skip


def _of_laws(tables: Mapping[str, pd.DataFrame]) -> list[PageTable]:
    """The laws of P* in the authors' points and in our curves; none without points."""
    points = tables.get("published_values", pd.DataFrame())
    if points.empty:
        return []
    cells = tables.get("cells", pd.DataFrame())
    ours, theirs = (
        {fit["claim"]: fit for fit in scorecard_rows(published_fits(table, known))}
        for table, known in (
            (tables["sample_complexity"], cells),
            (as_sample_complexities(points), pd.DataFrame()),
        )
    )
    names = ("measured_text", "n", "verdict")
    return [
        PageTable(
            title="The laws in the authors' points and in ours",
            note=LAWS,
            columns=(
                *("The paper says", "Expected"),
                *("Authors' points", "n", "Verdict", "Ours", "Our n", "Our verdict", "Meet"),
            ),
            rows=[
                [
                    fit["statement"],
                    fit["expected_text"],
                    *(fit[name] for name in names),
                    *(ours[claim][name] if claim in ours else NONE for name in names),
                    _meet(fit, ours[claim]) if claim in ours else NONE,
                ]
                for claim, fit in theirs.items()
            ],
            words={"The paper says", "Verdict", "Our verdict", "Meet"},
            main="Ours",
            on_top=True,
        )
    ]


def _meet(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Whether two intervals have a point in common; nothing where one is not known."""
    ends = [fit[end] for fit in (one, other) for end in ("low", "high")]
    if not all(map(isfinite, ends)):
        return NONE
    return "yes" if one["low"] <= other["high"] and other["low"] <= one["high"] else "no"


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


def _published(run: Publication) -> PageTable:
    """The fits of a published run; of what and when in the note."""
    known = run.provenance
    together = sum(one["cells"] for one in known["trained_on"] if one["seconds"] is None)
    alone, days = known["cells"] - together, (known["trained_from"], known["trained_to"])
    times = [f"{alone} networks one by one in {duration(known['seconds'])}, summed over them"]
    times = times if alone > 0 else []
    if together:
        times.append(f"{together} networks in packs, which have no times of their own")
    found = {
        "statuses": ", ".join(f"{count} {word}" for word, count in known["statuses"].items()),
        "days": " to ".join(dict.fromkeys(days)),
        "times": "".join(f", {words}" for words in times),
        "versions": "; ".join(known["versions"]),
        "sources": ", ".join(known["sources"]),
        "commit": known["commit"][:12],
    }
    fits = scorecard_rows(published_fits(run.sample_complexity, run.cells))
    return PageTable(
        title=f"Archive, preset {run.preset}: H = {run.widths}, {run.seeds}, on {run.devices}",
        note=PUBLISHED.format_map({**known, **found}),
        columns=("The paper says", "Expected", "Measured", "n", "Verdict", "What entered"),
        rows=[
            [
                fit["statement"],
                fit["expected_text"],
                *(fit[name] for name in ("measured_text", "n", "verdict", "note")),
            ]
            for fit in fits
        ],
        # Of several nets with the fit of each.
        claims={
            fit["claim"]: ", ".join(
                [fit["measured_text"], fit["verdict"], *([alone] if " alone " in alone else [])]
            )
            for fit in fits
            for alone in [fit["note"].partition(";")[0]]
        },
        words={"The paper says", "Verdict", "What entered"},
        main="Measured",
    )
