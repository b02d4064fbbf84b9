"""The methods of a page: tables, networks, machines, definitions, deviations, configuration."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from markupsafe import Markup

from srhm.report import prose
from srhm.report.page_table import NONE, PageTable, duration, grouped, net_name, net_order
from srhm.report.prose import anchor, environment

Tables = Mapping[str, pd.DataFrame]
# Title of the section with the rules of verdicts.
JUDGING = "How a claim is tested"
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


def methods_html(
    spec: Mapping[str, Any],
    tables: Mapping[str, Tables],
    *,
    page: str,
    title: str,
    page_tables: Sequence[PageTable],
    definitions: Sequence[Markup],
) -> str:
    """The page of methods.

    spec: as for `srhm.report.page.write_page`; tables: of each study. page: file of the page whose
    methods these are, and its title; page_tables, definitions: what it leaves to this one.
    """
    configuration = configuration_text(json.loads(spec["configuration"]))
    deviations = "".join(_texts(spec["deviations"]))
    sections = {name: anchor(name) for name in re.findall("^## (.+)$", deviations, re.MULTILINE)}
    return environment().get_template("methods.html").render(
        page=page,
        title=title,
        preset=spec["preset"],
        tables=page_tables,
        training=training_tables(spec["studies"], tables),
        definitions=definitions,
        judging=(JUDGING, documents(spec["judging"], top_heading=2, sections=sections)),
        deviations=documents(spec["deviations"], sections=sections),
        configuration=configuration,
        contents=contents(spec, page_tables, definitions),
    )  # fmt: skip


def contents(
    spec: Mapping[str, Any], page_tables: Sequence[PageTable], definitions: Sequence[Markup]
) -> list[str]:
    """Titles of its sections, whose anchors are their names."""
    return [
        *(table.title for table in page_tables),
        *(["Training"] if _training(spec["studies"]) else []),
        *([JUDGING] if spec["judging"] else []),
        *(["Definitions"] if definitions else []),
        *(["Deviations"] if spec["deviations"] else []),
        "Configuration",
    ]


def training_tables(
    studies: Sequence[Mapping[str, Any]], tables: Mapping[str, Tables]
) -> list[PageTable]:
    """Networks of each study that trains some, then machines and versions of all; none without."""
    if not (training := _training(studies)):
        return []
    cells, timings = (
        [tables[study["name"]][name] for study in training] for name in ("cells", "timings")
    )
    machine, code = ["host", "processor", "threads"], ["versions", "source"]
    machines = together([table[[*machine, "seconds"]] for table in timings]).groupby(machine)
    versions = together([table[code] for table in cells]).groupby(code)
    return [
        *(
            training_table(study["title"], *both)
            for study, *both in zip(training, cells, timings, strict=True)
        ),
        PageTable(
            title="Machines",
            note="",
            columns=("Host", "Processor", "Threads of a network", "Networks", "Time"),
            rows=[
                [*names, grouped(len(part)), duration(part["seconds"].sum())]
                for names, part in machines
            ],
            words={"Host", "Processor"},
        ),
        PageTable(
            title="Versions",
            note="",
            columns=("Packages", "Digest of the source", "Networks"),
            rows=[[*names, grouped(len(part))] for names, part in versions],
            words={"Packages", "Digest of the source"},
        ),
    ]


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
    table = cells.rename(columns={"evaluations": "steps"}).merge(
        timings[["curve", "key", "seconds"]], on=["curve", "key"], how="left"
    )
    # Experiments of several kinds share a table: not all of them train networks in steps.
    if "experiment" in table or not {"net", "steps"} <= set(table):
        return PageTable(
            title=title,
            note="Cells by how they ended: done, or why there is no value.",
            columns=("Status", "Cells", "Time"),
            rows=[
                [name, grouped(len(part)), duration(part["seconds"].sum())]
                for name, part in table.groupby("status")
            ],
        )
    heads = OF_FLOW if flow else {name: head for name, head in OF_STEPS.items() if name in cells}
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


def configuration_text(configuration: Mapping[str, Any]) -> str:
    """A configuration as YAML, a line for each group of learning curves."""
    return yaml.safe_dump(
        dict(configuration),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=10_000,
    )


def documents(
    files: Sequence[str], *, top_heading: int = 3, sections: Mapping[str, str]
) -> list[Markup]:
    """Those documents that are there, as HTML; sections: as for `srhm.report.prose.markup`."""
    return [
        prose.markup(text, top_heading=top_heading, sections=sections) for text in _texts(files)
    ]


def _texts(files: Sequence[str]) -> list[str]:
    return [Path(file).read_text(encoding="utf-8") for file in files if Path(file).is_file()]


def _training(studies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [study for study in studies if {"cells", "timings"} <= set(study["tables"])]
