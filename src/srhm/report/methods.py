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
from srhm.report.page_table import PageTable
from srhm.report.templates import anchor, environment
from srhm.report.training import machine_table, together, training_table, version_table

Tables = Mapping[str, pd.DataFrame]
# Title of the section with the rules of verdicts.
JUDGING = "How a claim is tested"


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
    with_networks = _training(studies)
    if not with_networks:
        return []
    cells = [tables[study["name"]]["cells"] for study in with_networks]
    timings = [tables[study["name"]]["timings"] for study in with_networks]
    of = {"timings": ["host", "processor", "threads", "seconds"], "cells": ["versions", "source"]}
    return [
        *(
            training_table(study["title"], *own)
            for study, *own in zip(with_networks, cells, timings, strict=True)
        ),
        machine_table(together([table[of["timings"]] for table in timings])),
        version_table(together([table[of["cells"]] for table in cells])),
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
