"""Tables as a person reads them: numbers rounded, censored values as bounds, nothing hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite, log10
from typing import Any

import pandas as pd

from srhm.networks.names import NAMED
from srhm.results.coordinates import DATA_MODEL, GRAMMAR
from srhm.studies.named_nets.error_and_sensitivity import DEPTHS, Place, side_by_side

VERDICTS = ("holds", "does not hold", "not enough data")
NETS = ("lcn", "cnn", "fcn", *NAMED)
# Where sensitivities of named nets are given, with their headings.
PLACES: tuple[tuple[str, Place], ...] = (
    *((f"{100 * depth:.0f}\u00a0%", depth) for depth in DEPTHS),
    ("output", "output"),
)
STATUSES = ("fitted", "capped", "diverged")
# What is said of a curve only where it differs: (column, usual value, words for another).
OPTIONS = (
    ("engine", "sparse", "{} engine"),
    ("whitening", False, "whitened inputs"),
    ("bias", False, "biases"),
    ("batch", "shuffled", "{} batches"),
    ("alpha", 1.0, "α = {}"),
)
NONE = "–"
NO_BREAK = "\u00a0"
THIN_SPACE = "\u202f"  # narrow, and no line breaks there


@dataclass(frozen=True)
class Strip:
    """Where value and interval lie, in tolerances from what is expected, cut at ±EXTENT."""

    value: float
    low: float
    high: float
    cut_low: bool
    cut_high: bool

    EXTENT = 3.0


def verdict_counts(scorecard: pd.DataFrame) -> dict[str, int]:
    """Number of claims by verdict, the three usual ones always among them."""
    verdicts = list(scorecard["verdict"])
    words = [*VERDICTS, *sorted(set(verdicts) - {*VERDICTS})]
    return {word: verdicts.count(word) for word in words}


def scorecard_topics(
    scorecard: pd.DataFrame, topics: Mapping[str, str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Headings with the rows below them, in the order of the scorecard; "" for other claims."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in scorecard_rows(scorecard):
        found.setdefault(topics.get(row["claim"], ""), []).append(row)
    return list(found.items())


def scorecard_rows(scorecard: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of the scorecard, with numbers as text and, where one can be drawn, `strip`."""
    return [_scored(row) for row in scorecard.to_dict("records")]


def _scored(row: dict[Any, Any]) -> dict[str, Any]:
    expected, tolerance, value = row["expected"], row["tolerance"], row["value"]
    low, high = row["low"], row["high"]
    known = tolerance if isfinite(tolerance) and tolerance > 0 else 1.0
    digits = max(2, 1 - floor(log10(known)))  # the tolerance to two digits, at least hundredths
    interval = ""
    if isfinite(value):
        bounded = isfinite(low) and isfinite(high)
        interval = f"{_fixed(low, digits)} to {_fixed(high, digits)}" if bounded else "unknown"
    has_strip = isfinite(value) and isfinite(expected) and isfinite(tolerance)
    return {
        **row,
        "expected_text": _expected(expected, one_sided=not isfinite(tolerance)),
        "tolerance_text": f"{tolerance:g}" if isfinite(tolerance) else "",
        "measured_text": _fixed(value, digits) if isfinite(value) else "not measured",
        "interval_text": interval,
        "strip": _strip(*((x - expected) / tolerance for x in (value, low, high)))
        if has_strip
        else None,
    }


def _expected(expected: float, *, one_sided: bool) -> str:
    if not isfinite(expected):
        return NONE
    return f"< {expected:g}" if one_sided else f"{expected:g}"


def _strip(value: float, low: float, high: float) -> Strip:
    low = low if isfinite(low) else -inf
    high = high if isfinite(high) else inf
    low_end, value, high_end = (
        max(-Strip.EXTENT, min(Strip.EXTENT, x)) for x in (low, value, high)
    )
    return Strip(value, low_end, high_end, low < low_end, high > high_end)


def complexity_table(
    table: pd.DataFrame, *, threshold: float
) -> tuple[list[str], list[dict[str, Any]]]:
    """Names of the further columns, and a row for each learning curve.

    Each row has the curve's letters, P* at the main threshold with its interval, its ratio to the
    prediction, `others` (P* by the further columns: other thresholds, sensitivities), seeds, and
    remarks, unusual options of training first.
    """
    if table.empty:
        return [], []
    table = table.assign(column=[_criterion(row) for row in table.to_dict("records")])
    main = f"ε ≤ {_percent(threshold)}"
    names = sorted(set(table["column"]) - {main}, key=_order_of_criteria)
    rows = []
    for _, curve in table.groupby("curve", sort=False):
        by_name = {name: part.to_dict("records") for name, part in curve.groupby("column")}
        first = by_name.get(main, curve.to_dict("records"))[0]
        measured = main in by_name
        rows.append(
            {
                **{name: first[name] for name in DATA_MODEL},
                "net": first["net"],
                "width": first["width"],
                "options": _options(first),
                "P_star": complexity(first) if measured else NONE,
                "interval": interval(first) if measured else "",
                "ratio": _ratio(first) if measured else NONE,
                "others": [
                    "; ".join(_other(row) for row in by_name.get(n, [])) or NONE for n in names
                ],
                "seeds": f"{first['n_seeds_reached']} of {first['n_seeds']}" if measured else NONE,
                "remarks": ", ".join([*_options(first), *_remarks(first)]),
            }
        )
    letters = ("sparsity", "options", "L", "s", "width", "v", "n_c", "m", "s0")
    rows.sort(key=lambda row: (_position(row["net"], NETS), *(row[name] for name in letters)))
    return names, rows


def _criterion(row: Mapping[Any, Any]) -> str:
    if row["criterion"] == "test_error":
        return f"ε ≤ {_percent(row['threshold'])}"
    return str(row["criterion"])  # its thresholds differ between curves and stand in the cells


def _order_of_criteria(name: str) -> tuple[bool, float, str]:
    is_error = name.startswith("ε")
    return (not is_error, float(name.split()[2]) if is_error else 0.0, name)


def _options(row: Mapping[Any, Any]) -> list[str]:
    return [words.format(row[name]) for name, usual, words in OPTIONS if row[name] != usual]


def complexity(row: Mapping[Any, Any]) -> str:
    """P* of a row, a censored one as a bound."""
    if row["status"] == "not_reached":
        return f"> {grouped(int(row['P_star_low']))}"  # a size that was trained: in full
    if row["status"] == "below_range":
        return f"< {grouped(int(row['P_star_high']))}"
    return grouped(row["P_star"])


def interval(row: Mapping[Any, Any]) -> str:
    """The 95 % interval of P* of a row; empty if it is censored."""
    if row["status"] != "reached":
        return ""
    low, high = row["P_star_low"], row["P_star_high"]
    known = isfinite(low) and isfinite(high)
    return f"{grouped(low)} to {grouped(high)}" if known else "unknown"


def _ratio(row: Mapping[Any, Any]) -> str:
    ratio = row["P_star"] / row["prediction"] if row["prediction"] else inf
    return f"{ratio:.2f}" if row["status"] == "reached" and isfinite(ratio) else NONE


def _other(row: Mapping[Any, Any]) -> str:
    sensitivity = row["criterion"] != "test_error"
    return complexity(row) + (f" ({_percent(row['threshold'])})" if sensitivity else "")


def _remarks(row: Mapping[Any, Any]) -> list[str]:
    remarks = []
    if row["small_pool"]:
        remarks.append("small pool")
    if row["n_diverged"]:
        remarks.append(f"{row['n_diverged']} of {row['n_cells']} networks diverged")
    if row["n_capped"]:
        remarks.append(f"{row['n_capped']} of {row['n_cells']} networks not fitted at the cap")
    return remarks


def network_rows(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each named network and P: ε, and S and D at each of PLACES, averaged over seeds.

    The grammar, the training and how it ended are among them; a network has a row at each P, its
    cells without an error (diverged) are counted in `remarks`.
    """
    points = {
        name: side_by_side(cells, sensitivities, place).set_index(["curve", "P", "kind"])["value"]
        for name, place in PLACES
    }
    by = ["net", *GRAMMAR, "width", "batch_size", "learning_rate"]
    rows: list[dict[str, Any]] = []
    for values, part in cells.groupby([*by, "curve", "P"]):
        row: dict[str, Any] = dict(zip([*by, "curve", "P"], values, strict=True))
        error = part["test_error"].mean()
        row["error"] = f"{error:.3f}" if isfinite(error) else NONE
        for kind in "SD":
            found = [points[name].get((row["curve"], row["P"], kind), inf) for name, _ in PLACES]
            row[kind] = [f"{value:.3f}" if isfinite(value) else NONE for value in found]
        n = len(part)
        counts = part["status"].value_counts()
        row["seeds"] = n
        row["learning_rate"] = f"{row['learning_rate']:g}"
        row["remarks"] = ", ".join(
            f"{counts[word]} of {n} {word}" for word in counts.index if word != "fitted"
        )
        rows.append(row)
    letters = ("v", "width", "batch_size", "P")
    rows.sort(key=lambda row: (_position(row["net"], NETS), *(row[name] for name in letters)))
    return rows


def training_rows(cells: pd.DataFrame, timings: pd.DataFrame) -> list[dict[str, Any]]:
    """Networks by status, steps and training time, for each net, depth, width and engine.

    The last row is the sum over all.
    """
    by = ["net", "L", "width", "engine"]
    table = cells.merge(timings[["curve", "key", "seconds"]], on=["curve", "key"], how="left")
    groups: list[tuple[dict[str, Any], pd.DataFrame]]
    groups = [(dict(zip(by, values, strict=True)), part) for values, part in table.groupby(by)]
    groups.sort(key=lambda group: (_position(group[0]["net"], NETS), *list(group[0].values())[1:]))
    groups.append((dict.fromkeys(by, ""), table))
    return [{**group, **_training(part, statuses(cells))} for group, part in groups]


def statuses(cells: pd.DataFrame) -> list[str]:
    """The statuses that trained networks can have, and any other that is found."""
    return [*STATUSES, *sorted(set(cells["status"]) - {*STATUSES})]


def _training(part: pd.DataFrame, words: list[str]) -> dict[str, Any]:
    seconds, timed = part["seconds"].sum(), part["seconds"].notna()
    steps = part.loc[timed, "steps"].sum()
    return {
        "networks": grouped(len(part)),
        "statuses": [grouped(int((part["status"] == word).sum())) for word in words],
        "steps": grouped(part["steps"].sum()),
        "time": duration(seconds),
        "rate": grouped(steps / seconds) if seconds > 0 else NONE,
        "untimed": int((~timed).sum()),
    }


def machine_rows(timings: pd.DataFrame) -> list[dict[str, Any]]:
    """On what the networks were trained: their number and time by host, processor and threads."""
    groups = timings.groupby(["host", "processor", "threads"])
    return [
        {"host": host, "processor": processor, "threads": threads,
         "networks": grouped(len(part)), "time": duration(part["seconds"].sum())}
        for (host, processor, threads), part in groups
    ]  # fmt: skip


def version_rows(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """With which versions and source the networks were trained, and how many of them."""
    groups = cells.groupby(["versions", "source"])
    return [
        {"versions": versions, "source": source, "networks": grouped(len(part))}
        for (versions, source), part in groups
    ]


def grouped(number: float) -> str:
    """A number to three digits, thousands apart; integers below a million in full."""
    if not isfinite(number):
        return "unknown"
    if isinstance(number, float) or abs(number) >= 1_000_000:
        number = float(f"{number:.3g}")
    return f"{number:,.0f}".replace(",", THIN_SPACE)


def duration(seconds: float) -> str:
    """A time with its unit: 12.3 s, 4.5 min, 6.7 h."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def _fixed(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g}{NO_BREAK}%"


def _position(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)
