"""Figures of the algorithm that learns a grammar level by level, beside networks and laws."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from srhm.figures.averaging import mean_line
from srhm.figures.complexity_marks import stars, with_ends
from srhm.figures.looks import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, STAR, Axis, Marks, Panel, equality, laws, level
from srhm.figures.scales import Scale, by_name, graded, parted
from srhm.figures.words import described
from srhm.scorecard.rows import chosen
from srhm_studies.learning_curves.learner import differing, laws_of
from srhm_studies.learning_curves.level_by_level.analysis import (
    CURVE,
    LEAST_GAP,
    curves,
    diagonal,
    identifiable,
    levels_of,
)
from srhm_studies.learning_curves.level_by_level.configuration import law as law_of_curve

NETS = {"shared": Look("shared", marker="o"), "separate": Look("separate", marker="s")}
LIKE = {"shared": "cnn", "separate": "lcn"}
DEPTHS = {2: Look("$2$", VERMILION), 3: Look("$3$", BLUE), 4: Look("$4$", PURPLE)}
LEVELS = {level: Look(f"${level}$", tint) for level, tint in
          enumerate((BLUE, VERMILION, GREEN, PURPLE, ORANGE), start=1)}  # fmt: skip
TRAININGS = {"end to end": Look("end to end", GREY, "D"),
             "layer by layer": Look("layer by layer", GREY, "^")}  # fmt: skip
TOKENS = {
    "token_error": Look("learnt tokens below", line="-", filled=True),
    "token_error_clean": Look("true latents below", line=":", filled=False),
}
BELOW = {False: Look("$k \\geq l$", line="-", filled=True),
         True: Look("$k<l$", line=":", filled=False)}  # fmt: skip
TIMES_LAW = 4.0  # P over n_c m^L in panel C of the errors
RESPONSES = Axis("response error / signal", log=True)


def _depths(values: Iterable[int]) -> Scale:
    return by_name("L", values, DEPTHS, "$L$")


def _nets(values: Iterable[str]) -> Scale:
    return by_name("net", values, NETS, "Algorithm")


def _line(
    rows: pd.DataFrame, x: str, y: str, *by: Scale, name: str, geometric: bool = False
) -> Marks:
    """Means over grammars with a standard error beside them."""
    known = rows.dropna(subset=[*(scale.column for scale in by), x, y])
    return mean_line(known, x, y, *by, ends="error", geometric=geometric, size=3.5, name=name)


def _stars(rows: pd.DataFrame, x: str) -> Marks:
    return stars(with_ends(rows), x, [_depths(rows["L"]), _nets(rows["net"])])


def _networks(rows: pd.DataFrame, x: str) -> Marks:
    """P* of networks trained by SGD, in grey."""
    by = by_name("training", rows["training"], TRAININGS, "Networks, SGD")
    return Marks(rows=rows, x=x, y="P_star", by=[by], filled=True, size=5, order=1.5,
                 name="network")  # fmt: skip


def level_by_level_complexity(
    cells: pd.DataFrame, complexity: pd.DataFrame, references: pd.DataFrame, *, threshold: float,
    preset: str,
) -> Figure:  # fmt: skip
    """A: ε against P over n_c m^L; B: P* against m; C: P* against n_c m^L, of v = m = n_c.

    Of weakly identifiable grammars, beside P* of networks of the same grammars.
    """
    largest = chosen(cells, {"net": "shared", "draws": "independent"})
    largest = diagonal(largest[identifiable(largest)])
    largest = largest[largest["v"] == largest.groupby("L")["v"].transform("max")]
    largest = largest.assign(x=largest["P"] / laws_of(largest, CURVE, law_of_curve))
    by_m = differing(curves(complexity, net="shared"), "m", CURVE)
    by_m = by_m[by_m["s0"] == 0]
    known = by_m[by_m["status"] == "reached"]
    power = known["m"].astype(float) ** known["L"]
    logs = (known["P_star"] / power).astype(float).map(np.log)
    guide = known.assign(law=np.exp(logs.groupby(known["L"]).transform("mean")) * power)
    by_law = pd.concat([diagonal(curves(complexity, net=net)) for net in NETS])
    # Separate is moved to the right, so that shared is seen.
    aside = by_law["net"].map({"shared": 1.0, "separate": 1.15}).astype(float)
    other = diagonal(chosen(references, {"status": "reached", "net": ("cnn", "lcn")}))
    other = other.merge(by_law[["L", "s", "v"]].drop_duplicates())
    other = other.assign(place=laws_of(other.assign(net="shared", draws=""), CURVE, law_of_curve))
    return mosaic([
        Panel(title="largest $v=m=n_c$ of each $L$", x=Axis("$P / (n_c m^L)$", log=True),
              y=Axis("test error $\\varepsilon$", limits=(0, 1)), marks=[
                  _line(largest, "x", "test_error", _depths(largest["L"]), name="curve"),
                  level(threshold, f"{100 * threshold:.3g} %, defines $P^*$")]),
        Panel(title=f"$v=n_c={'/'.join(map(str, sorted(set(by_m['v'].tolist()))))}$", y=STAR,
              x=Axis("synonyms $m$", log=True, ticks=by_m["m"]), marks=[
                  _stars(by_m, "m"),
                  laws(guide, "m", "law", "$m^L$", by=[_depths(by_m["L"])], name="guide")]),
        Panel(title="$v=m=n_c$", x=Axis("$n_c m^L$", log=True), y=STAR, marks=[
            _networks(other, "place"), _stars(by_law.assign(place=by_law["law"] * aside), "place"),
            equality(by_law["law"], label="$n_c m^L$", name="guide")]),
    ], columns=3, preset=preset, notes=[
        f"{cells['seed'].nunique()} grammars a curve, of which those with a gap of {LEAST_GAP} or"
        " more enter."
    ])  # fmt: skip


def level_by_level_errors(cells: pd.DataFrame, levels: pd.DataFrame, *, preset: str) -> Figure:
    """Errors of each level of dense grammars with v = m = n_c, patches of all positions pooled.

    A, B: L = 3, the largest v; C: at the P of TIMES_LAW n_c m^L, L = 3 and 4.
    """
    rows = chosen(levels_of(cells, levels), {"net": "shared", "draws": "independent"})
    rows = diagonal(rows[rows["cell_gap"] >= LEAST_GAP])
    deep = rows[rows["L"] == 3]
    deep = deep[deep["v"] == deep["v"].max()]
    title = f"$L=3$, $v=m=n_c={deep['v'].max()}$"
    hues = by_name("level", deep["level"], LEVELS, "$l$")
    tokens = pd.concat([deep.assign(below=name, error=deep[name]) for name in TOKENS])
    responses = _line(deep, "P", "response_error", hues, name="response", geometric=True)
    first = responses.rows.groupby("level")[["response_error", "P"]].transform("first")
    in_P = responses.rows["P"] / first["P"]
    by_level = rows[(rows["L"] >= 3) & (rows["m"] > 2)]
    by_level = by_level[np.isclose(by_level["P"] / by_level["law"], TIMES_LAW, rtol=0.05)]
    lines = {3: Look("$L=3$ (C)", line="-"), 4: Look("$L=4$ (C)", line="-.")}
    by = [graded("m", by_level["m"], "$m$"), by_name("L", by_level["L"], lines)]
    means = _line(by_level, "level", "response_error", *by, name="levels", geometric=True)
    below = means.rows[means.rows["level"] < means.rows["L"]]
    lowest = below.groupby(["m", "L"])["response_error"].transform("first")
    in_m = lowest * below["m"].astype(float) ** (-(below["level"] - 1) / 2)
    return mosaic([
        Panel(title=title, x=POINTS, y=Axis("fraction of wrong tokens", limits=(-0.02, None)),
              marks=[_line(tokens, "P", "error", hues, by_name("below", TOKENS, TOKENS),
                           name="tokens")]),
        Panel(title=title, x=POINTS, y=RESPONSES, marks=[responses, *(
            laws(responses.rows.assign(law=first["response_error"] * in_P**power), "P", "law",
                 f"$P^{{{power:g}}}$ (B)", by=[hues], line=line, name=f"law {power}")
            for power, line in ((-0.5, "--"), (-1.0, ":")))]),
        Panel(title=f"$P={TIMES_LAW:g}\\,n_c m^L$", x=Axis("level $l$", ticks=by_level["level"]),
              y=RESPONSES, marks=[means, replace(
                  laws(below.assign(law=in_m), "level", "law", "$m^{-l/2}$ (C)", by=[by[0]],
                       name="law of m"), each=["L"])]),
    ], columns=3, preset=preset, notes=[
        "Dense grammars with v = m = n_c that are weakly identifiable; bars: standard error."
    ])  # fmt: skip


def level_by_level_conditions(
    cells: pd.DataFrame, levels: pd.DataFrame, complexity: pd.DataFrame, *, preset: str
) -> Figure:
    """The conditions of the article: dense grammars with v = m = n_c, independent draws."""
    reached = diagonal(curves(complexity, net="shared"))
    reached = chosen(reached, {"status": "reached", "L": (2, 3)})
    first = levels_of(cells, levels)
    first = first[(first["level"] == 1) & (first["cell_gap"] >= LEAST_GAP)]
    first = first.merge(reached[["curve", "P_star"]], on="curve")
    first = first.assign(x=first["P"] / first["P_star"], ratio=first["within"] / first["between"])
    lines = {2: Look("$L=2$ (A)", line="-"), 3: Look("$L=3$ (A)", line="--")}
    dense = diagonal(cells[cells["draws"] == "independent"])
    grammars = dense.drop_duplicates([*CURVE, "seed"])
    known = grammars.assign(known=identifiable(grammars)).groupby(["L", "net", "v"])["known"]
    shares = known.agg(["sum", "count"]).reset_index()
    ends = [stats.binomtest(k, n).proportion_ci()
            for k, n in shares[["sum", "count"]].astype(int).to_numpy().tolist()]  # fmt: skip
    # Moved a little for each L and net, so that bars do not hide each other.
    place = shares.groupby(["L", "net"]).ngroup()
    shares = shares.assign(
        share=shares["sum"] / shares["count"], low=[end.low for end in ends],
        high=[end.high for end in ends], x=shares["v"] + 0.06 * (2 * place - place.max()),
    )  # fmt: skip
    last = dense[dense["P"] == dense.groupby(list(CURVE))["P"].transform("max")]
    return mosaic([
        Panel(title="clean signal, level 1", x=Axis("$P/P^*$", log=True),
              y=Axis("variance: synonyms / latents", log=True), marks=[
                  _line(first, "x", "ratio", graded("m", first["m"], "$m$"),
                        by_name("L", first["L"], lines), name="clean", geometric=True),
                  level(1, "equal variances; $P^*$", name="as unlike as latents"),
                  level(1, "equal variances; $P^*$", name="P*", across="y")]),
        Panel(title="fraction of grammars", y=Axis("weakly identifiable", limits=(-0.05, 1.05)),
              x=Axis("$v=m=n_c$", ticks=grammars["v"]), marks=[
                  Marks(rows=shares, x="x", y="share", low="low", high="high", line="-", size=4,
                        name="share", by=[_depths(shares["L"]), _nets(shares["net"])])]),
        Panel(title="test error and gap", x=Axis("gap of the grammar"),
              y=Axis("test error at the largest $P$", limits=(-0.03, 1)), marks=[
                  Marks(rows=last.assign(other=~identifiable(last)), x="gap", y="test_error",
                        by=[_depths(last["L"]), _nets(last["net"])], open="other", size=3.5,
                        name="grammars", open_label="not weakly identifiable"),
                  level(LEAST_GAP, f"gap {LEAST_GAP}", name="least gap", across="y")]),
    ], columns=3, preset=preset, notes=[
        f"Weakly identifiable: a gap of {LEAST_GAP} or more. Bars of A: standard error over"
        " grammars; of B: 95 %, binomial."
    ])  # fmt: skip


def level_by_level_sparsity(
    complexity: pd.DataFrame, references: pd.DataFrame, *, preset: str
) -> Figure:
    """A: patches of all positions pooled; B: each position on its own; grey: networks."""
    panels, rest = [], [name for name in CURVE if name not in ("net", "draws", "s0")]
    for net, like in LIKE.items():
        rows = differing(curves(complexity, net=net), "s0", CURVE)
        other = chosen(references, {"net": like, "status": "reached", "training": "end to end"})
        other = other.merge(rows[[*rest, "s0"]].drop_duplicates())
        rows, other = (table.assign(places=table["s0"] + 1) for table in (rows, other))
        known = rows[rows["status"] == "reached"].sort_values("s0")
        first = known.groupby(rest)[["P_star", "places"]].transform("first")
        steps = (known["places"] / first["places"]).astype(float)
        exponents: Sequence[tuple[str, int | pd.Series, str]] = (
            ("Eq. 3: $(s_0+1)^L$ (B)", known["L"], "--"),
            ("count: $(s_0+1)^{L-1+s}$ (B)", known["L"] - 1 + known["s"], ":"),
        )
        if net == "shared":
            exponents = (("Eq. 4: $(s_0+1)^2$ (A)", 2, "--"),)
        panels.append(Panel(
            title=f"{net} ({like.upper()}-like)", y=STAR,
            x=Axis("$s_0+1$", log=True, ticks=rows["places"]), marks=[
                _networks(other, "places"), _stars(rows, "places"), *(
                    laws(known.assign(law=first["P_star"] * steps**power), "places", "law", label,
                         by=[_depths(known["L"])], line=line, name=f"law {label}")
                    for label, power, line in exponents)],
        ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, height=2.6,
                  notes=[f"Grammars with a gap of {LEAST_GAP} or more; bars: 95 %."])  # fmt: skip


def level_by_level_stages(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str
) -> Figure:
    """S_{k,l} of the tokens: a panel for each level l of the deepest grammar, a line a stage k."""
    columns = ["key", "net", "L", "v", "m", "n_c", "s0", "P", "seed", "gap"]
    rows = sensitivities[sensitivities["kind"] == "S"].merge(cells[columns], on="key")
    rows = chosen(rows[rows["gap"] >= LEAST_GAP], {"s0": 0, "net": "shared"})
    for name in ("L", "v", "m"):
        rows = rows[rows[name] == rows[name].max()]
    depth = int(rows["L"].max()) if len(rows) else 1
    looks = {k: Look(f"after stage $k={k}$" if k < depth else "predicted class", LEVELS[k].colour)
             for k in range(1, depth + 1)}  # fmt: skip
    by = [Scale(column="k", looks=looks), Scale(column="below", looks=BELOW)]
    return mosaic([
        Panel(title=f"synonyms of level $l={ell}$", x=POINTS,
              y=Axis("sensitivity $S_{k,l}$", limits=(-0.05, 1.3)), marks=[
                  _line(S.assign(below=S["k"] < S["l"]), "P", "value", *by, name=f"S l={ell}"),
                  level(1, "nothing is learnt")])
        for ell, S in parted(rows[rows["l"] <= depth], "l")
    ], columns=depth, preset=preset, share="y", notes=described(
        rows, "L = {L}, v = {v}, m = {m}, n_c = {n_c}; {n} grammars that are weakly identifiable;"
        " bars: standard error.", n=rows["seed"].nunique(),
    ))  # fmt: skip
