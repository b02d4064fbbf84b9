"""The explorer's charts, as specifications of Vega-Lite that are drawn from rows named "rows".

Colours of everything but marks are the page's own (`explorer.js`), in light and dark; where the
page colours by another column than the net, it says so there. `chosen` is false for rows of other
curves than the pinned ones, `own` for those of other runs than the first. P* is drawn as it is or
over its prediction: as y, from, to.
"""

from typing import Any

import altair as alt

from srhm.figures import looks
from srhm.report.page_table import NETS, net_name

Layers = alt.LayerChart | alt.FacetChart
ROWS = alt.NamedData("rows")
HEIGHT = 360
MOST_SENSITIVE = 1.5  # S or D on the axis; 1: as far apart as two data
Y_ERROR = "test error"
# The figures' colours; where one is too faint on its ground, a darker or lighter one of its hue.
LIGHT = {"#F0E442": "#8A7C00", "#56B4E9": "#2A8FC7"}
DARK = {"#000000": "#F2F2F2", "#0072B2": "#4FA3E3"}
KINDS = {"light": [looks.SYNONYMS, looks.SHIFTS], "dark": [looks.DARK_SYNONYMS, looks.DARK_SHIFTS]}
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "triangle-right",
          "triangle-left", "triangle-up", "triangle-down", "cross", "diamond")  # fmt: skip
PREDICTED = "predicted P*, Eq. 3 or 4"
P_STAR = "P*, measured"
# What columns are called on the page.
HEADS = {
    "name": "curve", "P_star": "P*", "alpha_tilde": "α̃", "s0": "s₀", "scaled": "P / predicted P*",
    "low": "from", "high": "to", "width": "H", "layer": "layer k", "l": "level l",
    "variant": "definition", "line": "networks",
}  # fmt: skip

NET_NAMES = [net_name(net) for net in NETS]
NET = alt.Scale(domain=NET_NAMES, range="category")
COLOUR = alt.Color("net:N", title=None, scale=NET)
INSIDE = alt.Fill("net:N", title=None, scale=NET)
SHAPE = alt.Shape("net:N", title=None, scale=alt.Scale(domain=NET_NAMES, range=list(SHAPES)))
FADED = alt.when("datum.chosen").then(alt.value(1.0)).otherwise(alt.value(0.3))
# Rows of other runs than the one that is shown at first are hollow.
FILL = alt.when("datum.own").then(alt.value(0.9)).otherwise(alt.value(0.0))
WHERE = ("run", "name", "protocol")


def colours() -> dict[str, list[str]]:
    """Colours of the nets, in their order, on a light and on a dark ground; KINDS has S and D."""
    plain = [looks.net(net).colour for net in NETS]
    return {
        "light": [LIGHT.get(colour, colour) for colour in plain],
        "dark": [DARK.get(colour, colour) for colour in plain],
    }


def charts() -> dict[str, dict[str, Any]]:
    """Specifications by view, each for the section of `explorer.html` that has its name."""
    scale = _log_x("alpha_tilde", "α̃ = √h α, output scale")
    # The line on which P* is its prediction, which the page makes.
    equality = (
        alt.Chart(alt.NamedData("equality"))
        .mark_line(strokeDash=[2, 3], color="#8A8A8A")
        .encode(_log_x("prediction", PREDICTED), _log_y("y", P_STAR))
    )
    drawn = {
        "sample-complexity": _complexities(_log_x("prediction", PREDICTED), equality),
        "learning-curves": _learning_curves(_log_x("P", "P, training points")),
        "collapse": _learning_curves(_log_x("scaled", f"P / {PREDICTED}")),
        "sensitivities": _sensitivities(),
        "output-scale": _complexities(scale),
        "plane": _plane(scale),
    }
    return {name: chart.to_dict() for name, chart in drawn.items()}


def _complexities(x: alt.X, *below: alt.Chart) -> Layers:
    """P* with its interval; an arrow where it is a bound."""
    base, y = alt.Chart(ROWS), _log_y("y", P_STAR)
    bars = base.mark_rule().encode(x, _log_y("from", P_STAR), alt.Y2("to"), COLOUR, opacity=FADED)
    arrows = (
        base.transform_filter("datum.bound != ''")
        .transform_calculate(arrow="datum.bound == 'above' ? '↑' : '↓'")
        .mark_text(fontSize=15, dx=10)
        .encode(x, y, COLOUR, opacity=FADED, text="arrow:N")
    )
    marks = base.mark_point(size=60).encode(
        x, y, COLOUR, INSIDE, SHAPE, opacity=FADED, fillOpacity=FILL,
        tooltip=_tips(*WHERE, "criterion", "P_star", "low", "high", "n", "status", "remark",
                      "prediction", "alpha_tilde"),
    )  # fmt: skip
    return _layered(*below, bars, arrows, marks)


def _learning_curves(x: alt.X) -> Layers:
    """Error of each curve: the mean with its networks' range, or that of each seed."""
    base = alt.Chart(ROWS)
    y = alt.Y("error:Q", title=Y_ERROR)
    lines = base.mark_line(strokeWidth=1.2).encode(
        x, y, COLOUR, detail=["c:N", "line:N"], opacity=FADED
    )
    bars = base.mark_rule(strokeWidth=0.8).encode(
        x, alt.Y("low:Q", title=Y_ERROR), alt.Y2("high"), COLOUR, opacity=FADED
    )
    marks = base.mark_point(size=32).encode(
        x, y, COLOUR, INSIDE, SHAPE, opacity=FADED, fillOpacity=FILL,
        tooltip=_tips(*WHERE, "line", "P", "error", "low", "high", "n", "status", "scaled"),
    )  # fmt: skip
    return _layered(lines, bars, marks)


def _sensitivities() -> Layers:
    """S or D of layer k to level l against P, with the test error of the same curves."""
    base, title = alt.Chart(ROWS), "S or D"
    # A collapsed network is as sensitive as nothing else: it stands at the edge.
    scale = alt.Scale(domain=[0, MOST_SENSITIVE], clamp=True)
    x, y = _log_x("P", "P, training points"), alt.Y("value:Q", title=title, scale=scale)
    # In the order of the layers; the output is the last of the deepest net.
    last = alt.EncodingSortField("k", op="max")
    # The page gives these two their colours, as the range that Vega calls diverging.
    kinds = alt.Scale(domain=["S", "D"], range="diverging")
    kind = alt.Color("kind:N", title="kind", scale=kinds)
    inside = alt.Fill("kind:N", scale=kinds, legend=None)
    level = alt.Shape("l:N", title="level l")
    layer = alt.StrokeDash("layer:O", title="layer k", sort=last)
    errors = (
        alt.Chart(alt.NamedData("errors"))
        .mark_line(strokeWidth=1, style="error")
        .encode(
            x, alt.Y("error:Q", title=title, scale=scale), detail=["c:N", "line:N"], opacity=FADED
        )
    )
    lines = base.mark_line(strokeWidth=1.2).encode(
        x, y, kind, layer, detail=["c:N", "line:N", "l:N", "variant:N"], opacity=FADED
    )  # fmt: skip
    marks = base.mark_point(size=36).encode(
        x, y, kind, inside, level, opacity=FADED, fillOpacity=FILL,
        tooltip=_tips(*WHERE, "line", "P", "kind", "variant", "layer", "l", "value", "low", "high",
                      "n"),
    )  # fmt: skip
    return _layered(errors, lines, marks)


def _plane(x: alt.X) -> Layers:
    """Test error at output scale and width."""
    marks = alt.Chart(ROWS).mark_point(size=150, filled=True, strokeWidth=0).encode(
        x, _log_y("width", "H, width"), SHAPE.copy(),
        alt.Color("error:Q", title="test error", scale=alt.Scale(range="heatmap")),
        opacity=FADED,
        tooltip=_tips(*WHERE, "width", "alpha_tilde", "P", "error", "low", "high", "n", "status"),
    )  # fmt: skip
    return _layered(marks)


def _layered(*layers: alt.Chart) -> Layers:
    return alt.layer(*layers).properties(width="container", height=HEIGHT)


def _log_x(name: str, title: str) -> alt.X:
    return alt.X(f"{name}:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=8))


def _log_y(name: str, title: str) -> alt.Y:
    return alt.Y(f"{name}:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=8))


def _tips(*names: str) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=HEADS.get(name, name)) for name in names]
