"""The bottleneck: how many singular values are left in each layer under weight decay."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import spread
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, levels
from srhm.figures.scales import by_name, parted, shaped
from srhm.figures.words import described, endings

DECAY = {False: Look("no decay", VERMILION), True: Look("with decay", BLUE)}
WHEN = {"end": Look("end of training", line="-", filled=True),
        "initial": Look("start", line=":", filled=False)}  # fmt: skip
LARGE = 0.5  # singular values above it count as near 1
FEW = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500)


def bottleneck(
    cells: pd.DataFrame, values: pd.DataFrame, summaries: pd.DataFrame,
    sensitivities: pd.DataFrame, *, preset: str,
) -> Figure:  # fmt: skip
    """Weights, representations and sensitivities of every layer with and without weight decay."""
    nets, on = cells[cells["study"] == "bottleneck"], ["curve", "key"]
    coordinates = nets[[*on, "P", "weight_decay"]]
    ratios, felt = (table.merge(coordinates, on=on) for table in (summaries, sensitivities))
    felt = felt[(felt["l"] == 1) & (felt["n"] > 0)]
    weights, data = (ratios[ratios["kind"] == k] for k in ("weights", "representation"))
    keys, of_weights = [*on, "when", "layer", "k"], values[values["kind"] == "weights"]
    large = of_weights.assign(n_large=of_weights["value"] > LARGE)
    large = large.groupby([*keys, "filter"])["n_large"].sum().groupby(keys).mean().reset_index()
    known = nets[["n_c", "L", "s", "v"]].dropna().drop_duplicates().astype(int)
    last = levels(known.assign(n=known["n_c"] - 1), "n", "$n_c-1$", line="--", name="n_c - 1")
    grammars = known[["L", "s", "v"]].drop_duplicates().to_numpy()
    # Directions of all features of a level, centred one-hot: s^(L+1-l) (v - 1).
    spans = pd.DataFrame([{"level": str(level), "n": s ** (depth + 1 - level) * (v - 1)}
                          for depth, s, v in grammars for level in range(1, depth + 1)],
                         columns=["level", "n"])  # fmt: skip
    return mosaic([
        _panel("weights", f"singular values above {LARGE:g}", large.merge(coordinates, on=on),
               "n_large", last, few=True),
        _panel("weights", "above half of the largest", weights, "n_above_half", last, few=True),
        _panel("representations", "participation ratio", data, "participation_ratio", last,
               *(levels(span, "n", f"features of level {level}", line=line, name=f"level {level}")
                 for (level, span), line in zip(parted(spans, "level"), (":", "-.", "-"),
                                               strict=False))),
        _panel("synonyms", "synonyms $S_k$", felt[felt["kind"] == "S"], "value"),
        _panel("diffeomorphisms", "diffeomorphisms $D_k$", felt[felt["kind"] == "D"], "value"),
    ], columns=3, preset=preset, notes=[
        note for _, part in nets.groupby(["weight_decay", "hidden_layers", "width"])
        for note in described(
            part, "λ = {weight_decay:.3g}: {kind} of {hidden_layers} hidden layers, h = {width},"
            " L = {L:g}, v = {v:g}, m = {m:g}, n_c = {n_c:g}, s_0 = {s0:g}, {optimiser}, {seeds},"
            " {ends}; test error {errors}.",
            kind="".join(sorted(set(part["net"]))).upper(), ends=endings(part["status"], ()),
            errors=", ".join(f"{100 * rows['test_error'].mean():.1f} % (P = {size})"
                             for size, rows in parted(part, "P")),
        )
    ])  # fmt: skip


def _panel(
    title: str, label: str, rows: pd.DataFrame, column: str, *guides: Marks, few: bool = False
) -> Panel:
    """Means over seeds against the layer; bars at the end of training from least to most."""
    rows = rows.assign(decay=rows["weight_decay"] > 0)
    by = ["decay", "P", "when", "k"]
    means = spread(rows, column, by).rename(columns={column: "mean"})
    means[["low", "high"]] = means[["low", "high"]].where(means["when"] == "end")
    layers = rows.drop_duplicates("k").sort_values("k")[["k", "layer"]]
    ticks = {k: "out" if name == "output" else str(k)
             for k, name in layers.itertuples(index=False)}  # fmt: skip
    looks = [by_name("decay", means["decay"], DECAY), shaped("P", means["P"], "$P$", label=str),
             by_name("when", means["when"], WHEN)]  # fmt: skip
    y, top = Axis(label, limits=(0, None)), 1.4 * max(12.0, float(means["high"].max()))
    if few:  # 0, 2 and 3 are as far apart as 20 and 40
        y = Axis(label, linear=1, stretch=0.4, limits=(0, top), ticks=[n for n in FEW if n <= top])
    return Panel(
        title=title, x=Axis("layer $k$", ticks=ticks), y=y,
        marks=[Marks(rows=means, x="k", y="mean", low="low", high="high", by=looks, line="-",
                     size=3.5), *guides],
    )  # fmt: skip
