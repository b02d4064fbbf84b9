"""Error of each level: of tokens, and of the learnt responses against the article's rates.

Letters of the paper: P training points, L depth, l level, m synonyms, n_c classes, v features.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, laws
from srhm.figures.scales import Scale, by_name
from srhm.studies.level_by_level.analysis import LEAST_GAP, diagonal, levels_of
from srhm.studies.level_by_level.figures.parts import LEVELS, line_of, means, synonyms

TIMES_LAW = 4.0  # P over n_c m^L in panel C
BELOW = {
    "token_error": Look("learnt tokens below", line="-", filled=True),
    "token_error_clean": Look("true latents below", line=":", filled=False),
}
LINES = {3: Look("$L=3$ (C)", line="-"), 4: Look("$L=4$ (C)", line="-.")}
POINTS = Axis("training points $P$", log=True)
RESPONSES = Axis("response error / signal", log=True)


@styled
def draw(cells: pd.DataFrame, levels: pd.DataFrame, *, preset: str) -> Figure:
    """Errors of each level of dense grammars with v = m = n_c, patches of all places pooled.

    A: share of patches with a wrong token against P, L = 3, the largest v: with learnt tokens below
    and with true ones. B: response error against P, the same grammars. C: response error against
    the level for each m at the P of TIMES_LAW n_c m^L, L = 3 and 4.
    """
    rows = levels_of(cells, levels)
    rows = rows[(rows["net"] == "shared") & (rows["draws"] == "independent")]
    rows = diagonal(rows[rows["cell_gap"] >= LEAST_GAP])
    deep = rows[rows["L"] == 3]
    deep = deep[deep["v"] == deep["v"].max()]
    title = f"$L=3$, $v=m=n_c={deep['v'].max()}$"
    known = sorted(set(deep["level"]))
    hues = Scale(column="level", title="$l$",
                 looks={one: Look(f"${one}$", LEVELS[one]) for one in known})  # fmt: skip
    notes = ["Dense grammars with v = m = n_c that are weakly identifiable; bars: standard error."]
    panels = [_tokens(deep, hues, title), _responses(deep, hues, title), _by_level(rows)]
    return mosaic(panels, columns=3, preset=preset, notes=notes)


def _tokens(rows: pd.DataFrame, hues: Scale, title: str) -> Panel:
    parts = [means(rows, ["level"], "P", name).assign(below=name) for name in BELOW]
    found = pd.concat(parts)
    by = [hues, by_name("below", found["below"], BELOW)]
    return Panel(title=title, x=POINTS, y=Axis("share of wrong tokens", limits=(-0.02, None)),
                 marks=[line_of(found, "P", by, name="tokens")])  # fmt: skip


def _responses(rows: pd.DataFrame, hues: Scale, title: str) -> Panel:
    found = means(rows, ["level"], "P", "response_error", geometric=True)
    first = found.groupby("level")[["mean", "P"]].transform("first")
    guides = [
        laws(found.assign(law=first["mean"] * (found["P"] / first["P"]) ** power), "P", "law",
             f"$P^{{{power:g}}}$ (B)", by=[hues], line=line, name=f"law {power}")
        for power, line in ((-0.5, "--"), (-1.0, ":"))
    ]  # fmt: skip
    return Panel(title=title, x=POINTS, y=RESPONSES,
                 marks=[line_of(found, "P", [hues], name="response"), *guides])  # fmt: skip


def _by_level(rows: pd.DataFrame) -> Panel:
    own = rows[(rows["L"] >= 3) & (rows["m"] > 2)]
    own = own[np.isclose(own["P"] / own["law"], TIMES_LAW, rtol=0.05)]
    found = means(own, ["m", "L"], "level", "response_error", geometric=True)
    by = [synonyms(found["m"]), by_name("L", found["L"], LINES)]
    below = found[found["level"] < found["L"]]
    first = below.groupby(["m", "L"])["mean"].transform("first")
    law = first * below["m"].astype(float) ** (-(below["level"] - 1) / 2)
    guide = laws(below.assign(law=law), "level", "law", "$m^{-l/2}$ (C)", by=[by[0]],
                 name="law of m")  # fmt: skip
    guide = replace(guide, each=["L"])
    ticks = {one: str(one) for one in sorted(set(own["level"]))}
    return Panel(
        title=f"$P={TIMES_LAW:g}\\,n_c m^L$", x=Axis("level $l$", ticks=ticks), y=RESPONSES,
        marks=[line_of(found, "level", by, name="levels"), guide],
    )  # fmt: skip
