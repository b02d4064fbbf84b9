"""The explorer as one HTML file that needs no network: rows, charts, and what draws them.

Nothing in it depends on the day: equal inputs give equal bytes.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import vl_convert
from markupsafe import Markup

from srhm.report.explorer.charts import HEADS, KINDS, NET_NAMES, charts, colours
from srhm.report.explorer.names import AUTHORS, EXPLORED, FIRST, FIRST_V, GRAMMARS
from srhm.report.explorer.rows import Source, explored, figure_rows, json_columns
from srhm.report.prose import environment, hashes
from srhm.statistics.publications import read_publications
from srhm.store.atomic import write_text
from srhm.store.published import rows_by_curve
from srhm.store.records import read_table
from srhm.store.tables import SCHEMAS, schema_of

# What chooses curves in all views, with its heading: at once, and folded.
CHOICES = {"net": "net", "L": "L", "s0": "s₀", "v": "v"}
MORE_CHOICES = {"s": "s", "m": "m", "n_c": "n_c", "sparsity": "sparsity", "width": "H, width",
                "rate": "rate / H", "protocol": "protocol", "run": "run"}  # fmt: skip
COLOURED_BY = {name: CHOICES[name] for name in ("net", "L", "v", "s0")}
OF_CURVE = ("net", "L", "s", "v", "s0", "m", "n_c", "sparsity", "width", "rate", "protocol", "run")


@dataclass(frozen=True, kw_only=True)
class View:
    """A section of the page. table: its rows. needs: columns without which a row is not shown.

    choices: columns that choose rows of this view, with their headings; first: values at first.
    columns: of the table beside the chart.
    """

    name: str
    title: str
    note: str
    table: str
    columns: Sequence[str]
    needs: Sequence[str] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)


RANGE = (
    "Bars: from the least to the largest of its n networks. Where the seeds of a curve have"
    " different P, each seed is a line."
)
POINT = ("line", "P", "error", "low", "high", "n", "status")
STAR = ("P_star", "low", "high", "n", "criterion", "bound", "status", "remark", "prediction")
CRITERION: Any = {"choices": {"criterion": "criterion"},
                  "first": {"criterion": "test error ≤ 10\u00a0%"}}  # fmt: skip
VIEWS = (
    View(
        name="sample-complexity", title="P* against its prediction (Figure 4)",
        table="complexities",
        note="Bars: 95 % intervals. Arrows: P* lies above or below all P that were tried. Dotted:"
        " P* as predicted by Eq. 3 (LCN, FCN) or Eq. 4 (CNN), with a factor of one. Slopes,"
        " fitted to P* of single grammars, are among the claims.",
        columns=(*STAR, *OF_CURVE), needs=("prediction",), **CRITERION,
    ),
    View(
        name="learning-curves", title="Learning curves", table="points",
        note=RANGE, columns=(*POINT, *OF_CURVE), choices={"v": "v"}, first={"v": FIRST_V},
    ),
    View(
        name="collapse", title="Learning curves against P / predicted P*", table="points",
        note="Against P divided by the predicted P*, where curves of one net would coincide."
        f" {RANGE}",
        columns=("scaled", *POINT, *OF_CURVE), needs=("prediction",),
    ),
    View(
        name="sensitivities", title="Sensitivities by layer and level", table="sensitivities",
        note="Sensitivity of layer k to exchanged synonyms (S, purple) or to diffeomorphisms"
        " (D, green) of level l; the line without marks is the test error. Values above 1.5 are"
        " drawn at the edge. The table also has the least and the largest of n networks.",
        columns=("line", "P", "value", "low", "high", "n", "kind", "layer", "l", "variant",
                 *OF_CURVE),
        choices={"v": "v", "kind": "kind", "layer": "layer k", "l": "level l",
                 "variant": "definition"},
        first={"v": FIRST_V, "kind": "S", "layer": "output", "variant": "text"},
    ),
    View(
        name="output-scale", title="P* against the output scale", table="complexities",
        note="Rows of STUDY=plane, from feature learning (small α̃) to lazy learning."
        " Bars: 95 % intervals. Arrows: P* lies above or below all P that were tried.",
        columns=("alpha_tilde", *STAR, *OF_CURVE), needs=("alpha_tilde",), **CRITERION,
    ),
    View(
        name="plane", title="The plane of output scale and width", table="points",
        note="Rows of STUDY=plane. Colour: test error, mean of the n networks. Marks of several P"
        " coincide where no P is chosen.",
        columns=("alpha_tilde", *POINT, *OF_CURVE), needs=("alpha_tilde",), choices={"P": "P"},
    ),
)  # fmt: skip


def write_explorer(spec: Mapping[str, Any], path: Path, *, log: logging.Logger) -> None:
    """Writes the explorer.

    spec: preset; pages (names); tables: {"study", "file", "schema"} each; publications: files of
    published runs; figures: {"file", "tables", "net", "publications"} each (see `figure_rows`),
    whose rows are written, too.

    Raises:
        TableError, PublicationError: if a table of the run or a published one is damaged.
    """
    rows = [
        Source(run=spec["preset"], study=entry["study"], schema=entry["schema"],
               rows=read_table(Path(entry["file"]), schema_of(entry["schema"])))
        for entry in spec["tables"]
    ]  # fmt: skip
    named = {name.lower(): SCHEMAS[name] for name in EXPLORED if name in SCHEMAS}
    published = []
    for publication in read_publications(spec["publications"], log=log):
        files = map(Path, spec["publications"])
        folder = next(file.parent for file in files if file.parts[-3] == publication.preset)
        for table, by_curve in rows_by_curve(folder, named).items():
            published.append(
                Source(
                    run=f"archive: {publication.preset}", study=folder.name, schema=table.upper(),
                    rows=pd.concat(by_curve.values(), ignore_index=True),
                )
            )  # fmt: skip
    tables = explored([*rows, *published])
    html = _rendered(spec, tables)
    write_text(path, html)
    for figure in spec["figures"]:
        of_figure = figure_rows(tables, figure, others={source.run for source in published})
        write_text(Path(figure["file"]), of_figure.to_csv(index=False))
    log.info("%s, %.1f MB: %s", path, len(html.encode()) / 1e6,
             ", ".join(f"{len(table)} {name}" for name, table in tables.items()))  # fmt: skip


def _has_rows(view: View, tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether a view has rows to choose from."""
    rows = tables.get(view.table, pd.DataFrame())
    if "c" in rows:
        rows = rows.merge(tables["curves"], left_on="c", right_index=True, suffixes=("", "_"))
    return len(rows) > 0 and bool(rows[[*view.needs]].notna().all(axis=1).any())


def _rendered(spec: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> str:
    views = [view for view in VIEWS if _has_rows(view, tables)]
    run, runs = spec["preset"], list(tables["curves"].get("run", []))
    script = Path(__file__).with_name("explorer.js").read_text(encoding="utf-8")
    # An element ends at the first "</", in text too.
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace(
        "</script", "<\\/script"
    )
    specifications = {
        "charts": charts(), "colours": colours(), "kinds": KINDS, "heads": HEADS, "nets": NET_NAMES,
        "fields": {name: list(FIRST.get(name, ())) for name in (*CHOICES, *MORE_CHOICES)}
        | {"run": [run]},
        "first_run": run, "authors": AUTHORS, "grammars": GRAMMARS,
        "views": [{**asdict(view), "note": ""} for view in views],
    }  # fmt: skip
    return environment("explorer").get_template("explorer.html").render(
        preset=spec["preset"], pages=spec["pages"], choices=CHOICES,
        more=MORE_CHOICES, coloured_by=COLOURED_BY, views=views, run=run, grammars=GRAMMARS,
        has_authors=AUTHORS in runs,
        others=[other for other in dict.fromkeys(runs) if other not in (run, AUTHORS)],
        rows=_json({name: json_columns(table) for name, table in tables.items()}),
        specifications=_json(specifications),
        bundle=Markup(bundle), script=Markup(script),
        hashes=hashes(bundle, script),
    )  # fmt: skip


def _json(value: Any) -> Markup:
    """JSON inside an element, which no text of a row can end."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))
