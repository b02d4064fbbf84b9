"""How many networks were trained, how that ended, for how long, on what and with which versions."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from srhm.report.page_table import NONE, PageTable, duration, grouped, net_name, net_order

STATUSES = ("fitted", "capped", "diverged")
# By what networks are counted, as far as their table has it, with its heading.
OF_STEPS = {"net": "Net", "L": "L", "width": "Width", "engine": "Engine"}
OF_FLOW = {"net": "Net", "optimiser": "Optimiser"}
NOTE_OF_STEPS = (
    "Networks by how their training ended. Fitted: the training loss fell below its threshold;"
    " capped: it did not within the largest number of steps; diverged: it has no error and is"
    " counted, not averaged."
)
NOTE_OF_FLOW = (
    "Networks by how their training ended. A network that never fits ends at its budget of gradient"
    " evaluations and enters with what it has then; one that diverged has no error and is counted,"
    " not averaged."
)


def together(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all tables, in order; without any, the columns of the first."""
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]


def training_table(title: str, cells: pd.DataFrame, timings: pd.DataFrame) -> PageTable:
    """Networks of a study by status, with steps and time, for each kind of network.

    Steps of gradient descent, or evaluations of the gradient where the flow is followed. The last
    row is the sum over all, if there are several. Of experiments cells by status and their time.
    """
    flow = "evaluations" in cells
    # Experiments of several kinds share a table: not all of them train networks in steps.
    several = "experiment" in cells
    if several or "net" not in cells or not (flow or "steps" in cells):
        return experiments_table(title, cells, timings)
    heads = OF_FLOW if flow else {name: head for name, head in OF_STEPS.items() if name in cells}
    times = timings[["curve", "key", "seconds"]]
    table = cells.rename(columns={"evaluations": "steps"}).merge(
        times, on=["curve", "key"], how="left"
    )
    words = [*STATUSES, *sorted(set(cells["status"]) - {*STATUSES})]
    groups = sorted(
        table.groupby(list(heads)), key=lambda group: (net_order(group[0][0]), group[0])
    )
    rows: list[list[Any]]
    rows = [[net_name(net), *others, *_counts(part, words)] for (net, *others), part in groups]
    if len(rows) > 1:
        rows.append(["All", *[""] * (len(heads) - 1), *_counts(table, words)])
    untimed = int(table["seconds"].isna().sum())
    note = [
        NOTE_OF_FLOW if flow else NOTE_OF_STEPS,
        "Time is that of each network, summed; where several are trained at once less passes on the"
        " clock.",
        *([f"The time of {untimed} networks is unknown."] if untimed else []),
    ]
    step = "Gradient evaluations" if flow else "Steps"
    return PageTable(
        title=title,
        note=" ".join(note),
        columns=[*heads.values(), "Networks", *words, step, "Time", f"{step} per second"],
        rows=rows,
        words={"Net", "Engine", "Optimiser"} & {*heads.values()},
    )


def experiments_table(title: str, cells: pd.DataFrame, timings: pd.DataFrame) -> PageTable:
    """Cells of a study of experiments, which train no network in steps, by status, with time."""
    times = timings[["curve", "key", "seconds"]]
    groups = cells.merge(times, on=["curve", "key"], how="left").groupby("status")
    return PageTable(
        title=title,
        note="Cells by how they ended: done, or why there is no value.",
        columns=("Status", "Cells", "Time"),
        rows=[[name, grouped(len(part)), duration(part["seconds"].sum())] for name, part in groups],
    )


def _counts(part: pd.DataFrame, words: Sequence[str]) -> list[str]:
    seconds, timed = part["seconds"].sum(), part["seconds"].notna()
    steps = int(part.loc[timed, "steps"].sum())
    return [
        grouped(len(part)),
        *(grouped(int((part["status"] == word).sum())) for word in words),
        grouped(int(part["steps"].sum())),
        duration(seconds),
        grouped(steps / seconds) if seconds > 0 else NONE,
    ]


def machine_table(timings: pd.DataFrame) -> PageTable:
    """On what networks were trained: their number and time by host, processor and threads."""
    groups = timings.groupby(["host", "processor", "threads"])
    return PageTable(
        title="Machines",
        note="",
        columns=("Host", "Processor", "Threads of a network", "Networks", "Time"),
        rows=[
            [*machine, grouped(len(part)), duration(part["seconds"].sum())]
            for machine, part in groups
        ],
        words={"Host", "Processor"},
    )


def version_table(cells: pd.DataFrame) -> PageTable:
    """With which versions and source networks were trained, and how many of them."""
    groups = cells.groupby(["versions", "source"])
    return PageTable(
        title="Versions",
        note="",
        columns=("Packages", "Digest of the source", "Networks"),
        rows=[[*versions, grouped(len(part))] for versions, part in groups],
        words={"Packages", "Digest of the source"},
    )
