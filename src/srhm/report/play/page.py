"""The page to play with as one HTML file that needs no network.

Its scripts draw grammars and data and train networks as this package does; the archive's curves
beside them are rows of published/. Equal rows give equal bytes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from srhm.figures import looks
from srhm.report.prose import environment, hashes
from srhm.scorecard.complexity_rows import of_the_paper
from srhm.scorecard.rows import chosen
from srhm.store.places import PUBLISHED
from srhm.store.published import published_file, read_published_table
from srhm.store.tables import CELLS, SENSITIVITIES
from srhm.training.configuration import SensitivityOptions, Training

PAGE = "docs/front/play.html"
ROWS = PUBLISHED / "grid" / "sparse_hierarchy"
PROTOCOL = Training.model_validate({})
MEASUREMENT = SensitivityOptions.model_validate({})
# In the order in which they are read.
SCRIPTS = ("grammar", "training", "worker", "page")
# Channels: of the page, so that a curve takes seconds, and of the archive's rows.
WIDTH, ARCHIVE_WIDTH = 32, 128
N_TEST = 2000
MAX_STEPS = 300_000
MAX_FEATURES, MAX_EMPTY = 8, 4
# Of what the archive's curves are, beside their net, v = m = n_c and s_0.
ARCHIVE: Mapping[str, Any] = {
    "L": 2,
    "s": 2,
    "sparsity": "A",
    "width": ARCHIVE_WIDTH,
    "whitening": False,
    "bias": False,
    **PROTOCOL.model_dump(include={"batch", "batch_size", "learning_rate", "momentum"}),
}
MARKS = {
    "error": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
    "S": "M-4 -4H4V4H-4Z",
    "D": "M0 -5L5 4H-5Z",
}
LOOKS = {
    "S": looks.SYNONYMS,
    "D": looks.SHIFTS,
    "S_dark": looks.DARK_SYNONYMS,
    "D_dark": looks.DARK_SHIFTS,
}


def archive_curves() -> dict[str, dict[str, Any]]:
    """Mean curves of published/grid, by "net v s0": P, test error, S and D of the output, n seeds.

    S and D are those of level 1, with transformations as in the text; None where they can change
    nothing.
    """
    cells, sensitivities = (
        read_published_table(published_file(ROWS, name), schema)
        for name, schema in (("cells", CELLS), ("sensitivities", SENSITIVITIES))
    )
    cells = chosen(cells, {"net": ("cnn", "lcn"), **ARCHIVE})
    small = (cells["v"] <= MAX_FEATURES) & (cells["s0"] <= MAX_EMPTY)
    seen = sensitivities.query("layer == 'output' and l == 1 and variant == 'text'")
    by_kind = seen.pivot_table(index="key", columns="kind", values="value")
    rows = cells[small & of_the_paper(cells)].join(by_kind, on="key")
    curves = {}
    for (net, v, s0), curve in rows.groupby(["net", "v", "s0"]):
        means = curve.groupby("P")[["test_error", "S", "D"]].mean().round(4)
        curves[f"{net} {v} {s0}"] = {
            "P": means.index.tolist(),
            "error": means["test_error"].tolist(),
            **{kind: [None if pd.isna(x) else x for x in means[kind]] for kind in ("S", "D")},
            "n": int(curve.groupby("P")["seed"].nunique().min()),
        }
    return curves


def page_of_shipped_rows() -> str:
    """The page, next to the curves of the main preset.

    Raises:
        PublicationError: if a table is missing or damaged, naming it.
    """
    archive = archive_curves()
    files = {name: Path(__file__).with_name(f"{name}.js") for name in SCRIPTS}
    texts = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    model = f"{texts['grammar']}\n{texts['training']}"
    protocol = PROTOCOL.model_dump(
        include={"batch_size", "learning_rate", "momentum", "loss_threshold"}
    )
    task = {
        "H": WIDTH,
        "protocol": {**protocol, "max_steps": MAX_STEPS},
        "n_test": N_TEST,
        "n_points": MEASUREMENT.n_points,
        "n_draws": MEASUREMENT.n_draws,
    }
    given = {
        "task": task,
        "tints": list(looks.TINTS),
        "marks": MARKS,
        "width": ARCHIVE_WIDTH,
        "archive": archive,
    }
    seeds = sorted({curve["n"] for curve in archive.values()})
    return (
        environment("play")
        .get_template("play.html")
        .render(
            **task,
            looks=LOOKS,
            marks=MARKS,
            width=ARCHIVE_WIDTH,
            seeds=f"{seeds[0]} to {seeds[-1]}",
            given=Markup(json.dumps(given, separators=(",", ":"), allow_nan=False)),
            model=Markup(model),
            worker=Markup(texts["worker"]),
            page=Markup(texts["page"]),
            hashes=hashes(model, texts["page"]),
        )
    )
