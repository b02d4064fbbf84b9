"""Rows of the explorer's views: what the tables of runs hold along each learning curve.

A curve is what has one P* for each criterion: all that is equal but for P, the seed and the member.
Views hold the number of their row's curve. Letters of the paper: P training points, P_star sample
complexity, k layer, l level; the others are those of `srhm.model.grammar`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.grammar import NET_AND_DATA
from srhm.networks.registry import HIERARCHICAL
from srhm.report.explorer.names import AUTHORS, PAPER_VALUES, PRACTICE, TEXT
from srhm.report.page_table import net_name, percent
from srhm.scorecard.complexity_rows import THRESHOLD, as_sample_complexities, of_the_paper

CURVE = ("run", "study", "curve", *NET_AND_DATA, "width", "alpha_tilde", "protocol")
# Of curves of gradient flow: what their protocol is called by.
FLOW = ("training", "optimiser", "loss", "labels", "activation")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A table: of which run (for people) and study, its schema by name, its rows."""

    run: str
    study: str
    schema: str
    rows: pd.DataFrame


def explored(sources: Sequence[Source]) -> dict[str, pd.DataFrame]:
    """Tables by name: curves, then points, complexities and sensitivities along them."""
    by_view: dict[str, list[pd.DataFrame]] = {view: [] for view, _ in MAKERS.values()}
    for source in sources:
        view, make = MAKERS[source.schema]
        rows = source.rows[source.rows["net"].notna() & source.rows["L"].notna()]
        if len(rows):
            by_view[view].append(make(_with_curve(rows, source)))
    tables = {view: pd.concat(parts, ignore_index=True) for view, parts in by_view.items() if parts}
    with_rates = [source.rows for source in sources if "learning_rate" in source.rows]
    rates = {
        name: rate
        for rows in with_rates
        for name, rate in zip(rows["curve"], rows["learning_rate"], strict=True)
    }
    return _numbered(tables, rates)


def _with_curve(rows: pd.DataFrame, source: Source) -> pd.DataFrame:
    """The rows with all columns of CURVE."""
    of_paper = source.schema == PAPER_VALUES
    names = "Figure " + rows["figure"] + " " + rows["panel"] if of_paper else rows["curve"]
    return rows.assign(
        run=AUTHORS if of_paper else source.run,
        study=source.study,
        curve=names,
        net=rows["net"].map(net_name),
        sparsity="A" if of_paper else rows["sparsity"],
        width=np.nan if of_paper else rows["width"],
        alpha_tilde=rows.get("alpha_tilde", np.nan),
        protocol=PRACTICE if of_paper else _protocol(rows),
    )


def _protocol(rows: pd.DataFrame) -> pd.Series:
    """How a curve was trained, in words that differ between curves of equal coordinates."""
    if set(FLOW) <= set(rows):
        return rows[list(FLOW)].agg(", ".join, axis=1).str.replace("_", " ")
    if "whitening" not in rows:
        return pd.Series(TEXT, rows.index)
    words = [
        pd.Series(np.where(column != usual, text, ""), rows.index)
        for column, usual, text in (
            (rows["whitening"].astype(bool), False, "whitened, "),
            (rows["bias"].astype(bool), False, "biases, "),
            (rows["batch"], "shuffled", rows["batch"] + " batches, "),
            # Named nets have another engine, which is theirs.
            (rows["engine"].mask(~rows["net"].isin(HIERARCHICAL), "sparse"), "sparse",
             rows["engine"] + " engine, "),
        )
    ]  # fmt: skip
    joined: Any = reduce(add, words)
    return joined.str.rstrip(", ").replace("", TEXT)


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean, least and largest test error of the networks of each line at each P."""
    groups = _with_lines(rows).groupby([*CURVE, "line", "P"], dropna=False, sort=False)
    means = groups["test_error"].agg(error="mean", low="min", high="max", n="count")
    means["status"] = groups["status"].agg(
        lambda statuses: ", ".join(f"{n} {word}" for word, n in statuses.value_counts().items())
    )
    return means.reset_index().dropna(subset="error")


def _with_lines(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `line`: the mean of a curve whose seeds have equal P, else one for each seed.

    A mean over seeds that differ from P to P would zigzag.
    """
    seeds = rows.groupby([*CURVE], dropna=False)["seed"].nunique()
    at_one_P = rows.groupby([*CURVE, "P"], dropna=False)["seed"].nunique()
    least = at_one_P.groupby([*CURVE], dropna=False).min()
    differ = (least < seeds).rename("differ").reset_index()
    rows = rows.merge(differ, on=[*CURVE], how="left")
    return rows.assign(line=("seed " + rows["seed"].astype(str)).where(rows["differ"], "mean"))


def _complexities(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of each curve and criterion: at its bound where it is censored, as `bound` says."""
    is_error = rows["criterion"] == "test_error"
    label = np.where(is_error, "test error ≤ " + rows["threshold"].map(percent), rows["criterion"])
    bound = rows["status"].map({"not_reached": "above", "below_range": "below"}).fillna("")
    at = rows["P_star"].where(bound == "", rows["P_star_low"].where(bound == "above"))
    at = at.where(bound != "below", rows["P_star_high"])
    reached = rows["n_seeds_reached"].astype(str) + " of " + rows["n_seeds"].astype(str) + " seeds"
    stars = rows[[*CURVE, "threshold", "prediction", "status"]].assign(
        criterion=label, P_star=at, bound=bound, n=reached,
        low=rows["P_star_low"].where(bound == ""), high=rows["P_star_high"].where(bound == ""),
        remark=np.where(rows["small_pool"], "small pool", ""),
    )  # fmt: skip
    return stars[np.isfinite(stars["P_star"]) & (stars["P_star"] > 0)]


def _paper_values(rows: pd.DataFrame) -> pd.DataFrame:
    """The points of the paper's figures, which have no interval."""
    points = as_sample_complexities(rows.assign(net=rows["net"].str.lower()))
    return rows[[*CURVE, "P_star"]].assign(
        **points[["threshold", "prediction", "rate"]],
        criterion=f"test error ≤ {percent(THRESHOLD)}", status=rows["reading"], bound="", n="",
        low=np.nan, high=np.nan, remark=np.where(points["small_pool"], "small pool", ""),
    )  # fmt: skip


def _sensitivities(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean, least and largest sensitivity of the networks of each line, P, layer and level."""
    by = [*CURVE, "line", "P", "kind", "variant", "layer", "k", "l"]
    values = _with_lines(rows).groupby(by, dropna=False, sort=False)["value"]
    # Without empty positions there are no diffeomorphisms, so that D is no number.
    means = values.agg(value="mean", low="min", high="max", n="count").reset_index()
    return means.dropna(subset="value")


# View and function from the rows of a table, with the columns of CURVE, to those of the view.
Maker = Callable[[pd.DataFrame], pd.DataFrame]
MAKERS: Mapping[str, tuple[str, Maker]] = {
    "CELLS": ("points", _points),
    "FLOW_CELLS": ("points", _points),
    "SAMPLE_COMPLEXITY": ("complexities", _complexities),
    "FLOW_COMPLEXITY": ("complexities", _complexities),
    PAPER_VALUES: ("complexities", _paper_values),
    "SENSITIVITIES": ("sensitivities", _sensitivities),
}


def _numbered(
    tables: Mapping[str, pd.DataFrame], rates: Mapping[str, float]
) -> dict[str, pd.DataFrame]:
    """The same tables with one of all curves, of which the others hold the number.

    rates: learning rates by the name of a curve.
    """
    if not tables:
        return {"curves": pd.DataFrame()}
    every = pd.concat({name: table[[*CURVE]] for name, table in tables.items()})
    number = every.groupby([*CURVE], dropna=False, sort=False).ngroup()
    views = {
        name: table.drop(columns=[*CURVE]).assign(c=number[name]) for name, table in tables.items()
    }
    curves = every[~number.duplicated()].reset_index(drop=True)
    stars = views.get("complexities", pd.DataFrame({"c": [], "prediction": []}))
    # Those of the authors' points are known of the points alone.
    theirs = stars.groupby("c")["rate"].first() if "rate" in stars else pd.Series(dtype=float)
    if "complexities" in views:
        views["complexities"] = stars.drop(columns="rate", errors="ignore")
    curves = curves.assign(
        rate=curves["curve"].map(rates).astype(float).fillna(curves.index.to_series().map(theirs)),
        label=curves["curve"].str.replace(r"-[0-9a-f]{12}$", "", regex=True),
        prediction=curves.index.map(stars.groupby("c")["prediction"].first().to_dict()),
        is_of_paper=of_the_paper(curves),
    )
    return {"curves": curves.drop(columns="curve"), **views}


def figure_rows(
    tables: Mapping[str, pd.DataFrame], figure: Mapping[str, Any], *, others: Collection[str]
) -> pd.DataFrame:
    """What the explorer has of the tables of a figure: over the networks of each curve and P.

    figure: tables: (study, schema) each; net: of which alone, or empty; publications: whether it
    shows the other runs, too. Columns: view, those of the curve, then those of the views.
    """
    parts = []
    for study, schema in figure["tables"]:
        view = MAKERS[schema][0] if schema in MAKERS else ""
        if view not in tables:
            continue
        rows = tables["curves"].drop(columns=["prediction", "is_of_paper"]).merge(
            tables[view], left_index=True, right_on="c"
        ).drop(columns="c")  # fmt: skip
        kept = (rows["study"] == study) & ((rows["run"] == AUTHORS) == (schema == PAPER_VALUES))
        if not figure["publications"]:
            kept &= ~rows["run"].isin(others)
        if figure["net"]:
            kept &= rows["net"] == net_name(figure["net"])
        parts.append(rows[kept].assign(view=view))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"view": []})
    return table[["view", *(name for name in table if name != "view")]]


def json_columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    """The table by column, fit for JSON: floats to four digits, None for what is not finite."""
    return {str(name): [_plain(value) for value in table[name]] for name in table}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        rounded = float(f"{value:.4g}")
        return int(rounded) if rounded.is_integer() else rounded
    return value.item() if isinstance(value, np.generic) else value
