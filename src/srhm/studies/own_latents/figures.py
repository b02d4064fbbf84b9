"""P* of cousins, parents and labels against m, L and s_0+1.

Letters of the paper: P* sample complexity, m synonyms, L depth, s_0 empty places, v features.
"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import with_ends
from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, GREEN, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, laws
from srhm.figures.scales import Scale, by_name
from srhm.studies.own_latents.analysis import CURVE, WRONG, differing, open_part

TARGETS = {"context": Look("cousins", BLUE), "parent": Look("parents", GREEN),
           "class": Look("labels", VERMILION)}  # fmt: skip
DEPTHS = {2: Look("$2$", marker="o"), 3: Look("$3$", marker="s"), 4: Look("$4$", marker="^")}
NAMES = {"shared": "shared (CNN-like)", "separate": "separate (LCN-like)"}


@styled
def draw(complexity: pd.DataFrame, *, preset: str) -> Figure:
    """A: against m; B: against L, places on their own; C, D: against s_0+1, shared and separate.

    Guides: the law of the README, through the mean of each family's P*.
    """
    rows = complexity[complexity["criterion"] == "wrong"]
    rows = rows[open_part(rows) > 0]
    rows = rows.assign(places=rows["s0"] + 1)
    dense = rows[rows["s0"] == 0]
    by_m, by_L = (differing(_of(dense, net), name) for net, name in zip(NAMES, "mL", strict=True))
    panels = [
        _panel(_largest(by_m, "v"), "m", "shared", "synonyms $m$"),
        _panel(_largest(by_L, "v", "m"), "L", "separate", "depth $L$"),
        *(
            _panel(_largest(differing(_of(rows, net), "s0"), "v", "m"), "places", net, "$s_0+1$")
            for net in NAMES
        ),
    ]
    seeds = sorted({int(n) for n in rows["n_seeds"]})
    notes = [f"{'-'.join(map(str, (seeds or [0])[:1] + seeds[1:][-1:]))} grammars a curve.",
             f"P*: {WRONG:.0%} of pairs wrong."]  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, notes=notes)


def _of(rows: pd.DataFrame, net: str) -> pd.DataFrame:
    return rows[rows["net"] == net]


def _largest(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows of the largest vocabulary, or of the most synonyms of it."""
    for column in columns:
        rows = rows[rows[column] == rows[column].max()]
    return rows


def _panel(rows: pd.DataFrame, x: str, net: str, label: str) -> Panel:
    kept = [name for name in ("v", "m") if rows[name].nunique() == 1 and name != x]
    fixed = ", ".join(f"{name}={rows[name].iloc[0]}" for name in kept)
    by = [_targets(rows["target"]), _depths(rows["L"])] if x != "L" else [_targets(rows["target"])]
    column = {"places": "s0"}.get(x, x)
    family = [name for name in CURVE if name != column]
    known = rows[rows["status"] == "reached"]
    ratio = (known["P_star"] / known["law"]).astype(float)
    grouped = ratio.groupby([known[name] for name in family]).transform("mean")
    guide = known.assign(guide=grouped * known["law"]).sort_values(x)
    return Panel(
        title=f"{NAMES[net]}{f', ${fixed}$' if fixed else ''}",
        x=Axis(label, log=x != "L", ticks={one: str(one) for one in sorted(set(rows[x]))}),
        y=Axis("sample complexity $P^*$", log=True),
        marks=[stars(rows, x, by), laws(guide, x, "guide", "law", by=by, name="guide")],
    )  # fmt: skip


def stars(rows: pd.DataFrame, x: str, by: list[Scale]) -> Marks:
    """P* of each curve with its interval, or the bound of a censored one with an arrow."""
    found = with_ends(rows)
    found = found.assign(censored=found["y_beyond"] != 0)
    return Marks(
        rows=found, x=x, y="y", low="y_low", high="y_high", beyond="y_beyond", open="censored",
        by=by, name="P*", arrow_label="$P^*$ is",
    )  # fmt: skip


def _targets(values: Any) -> Scale:
    return by_name("target", values, TARGETS, "Counted beside a tuple")


def _depths(values: Any) -> Scale:
    return by_name("L", values, DEPTHS, "$L$")
