"""P* of cousins, parents and labels against m, L and s_0+1."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLUE, GREEN, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import STAR, Axis, Panel, laws
from srhm.figures.scales import by_name
from srhm_studies.learning_curves.learner import differing
from srhm_studies.learning_curves.own_latents.analysis import CURVE, WRONG, open_part

TARGETS = {"context": Look("cousins", BLUE), "parent": Look("parents", GREEN),
           "class": Look("labels", VERMILION)}  # fmt: skip
DEPTHS = {2: Look("$2$", marker="o"), 3: Look("$3$", marker="s"), 4: Look("$4$", marker="^")}
NAMES = {"shared": "shared (CNN-like)", "separate": "separate (LCN-like)"}


def own_latents(complexity: pd.DataFrame, *, preset: str) -> Figure:
    """A: against m, pooled; B: against L, by position; C, D: against s_0+1."""
    rows = complexity[complexity["criterion"] == "wrong"]
    rows = rows[open_part(rows) > 0]
    rows = rows.assign(places=rows["s0"] + 1)
    dense = rows[rows["s0"] == 0]
    by_m, by_L = (differing(dense[dense["net"] == net], name, CURVE)
                  for net, name in zip(NAMES, "mL", strict=True))  # fmt: skip
    seeds = sorted({int(n) for n in rows["n_seeds"]})
    return mosaic([
        _panel(_largest(by_m, "v"), "m", "shared", "synonyms $m$"),
        _panel(_largest(by_L, "v", "m"), "L", "separate", "depth $L$"),
        *(_panel(_largest(differing(rows[rows["net"] == net], "s0", CURVE), "v", "m"), "places",
                 net, "$s_0+1$") for net in NAMES),
    ], columns=2, preset=preset, notes=[
        f"{'-'.join(map(str, (seeds or [0])[:1] + seeds[1:][-1:]))} grammars a curve.",
        f"P*: {WRONG:.0%} of pairs wrong.",
    ])  # fmt: skip


def _largest(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The rows of the largest vocabulary, or of the most synonyms of it."""
    for column in columns:
        rows = rows[rows[column] == rows[column].max()]
    return rows


def _panel(rows: pd.DataFrame, x: str, net: str, label: str) -> Panel:
    kept = [name for name in ("v", "m") if rows[name].nunique() == 1 and name != x]
    fixed = ", ".join(f"{name}={rows[name].iloc[0]}" for name in kept)
    by = [by_name("target", rows["target"], TARGETS, "Counted beside a tuple"),
          by_name("L", rows["L"], DEPTHS, "$L$")][: 1 if x == "L" else 2]  # fmt: skip
    column = {"places": "s0"}.get(x, x)
    family = [name for name in CURVE if name != column]
    known = rows[rows["status"] == "reached"]
    ratio = (known["P_star"] / known["law"]).astype(float)
    grouped = ratio.groupby([known[name] for name in family]).transform("mean")
    guide = known.assign(guide=grouped * known["law"]).sort_values(x)
    return Panel(
        title=f"{NAMES[net]}{f', ${fixed}$' if fixed else ''}",
        x=Axis(label, log=x != "L", ticks=rows[x]),
        y=STAR,
        marks=[stars(with_ends(rows), x, by), laws(guide, x, "guide", "law", by=by, name="guide")],
    )  # fmt: skip
