"""Claims on networks at minima of the loss (thesis, chapter 1). N counts weights without biases.

Tolerances were fixed before any network of a preset was trained; methods.md has what came before.
After 32 networks of `laptop` the bounds and the negative modes of tanh are of jammed networks of
any loss, before the networks that they judge now.
"""

from srhm.scorecard.estimators import Range, Stored
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_of
from srhm_studies.landscape.minima.analysis import NAMES, at_minima, exponents
from srhm_studies.landscape.power_laws import GAMMA, HIGH, LOW, THETA

# Networks, at minima or not: jammed ones of any loss, those of a loss in range; minima: the latter
# without those that are at no minimum, which are counted.
every = rows_of("cells", "ends", nothing="no network", what="networks")(at_minima)
jammed = every.keep(lambda r: r["is_jammed"])
networks = every.keep(lambda r: r["counts"])
minima = networks.then(lambda r: left_out(r, {"at no minimum": ~r["is_minimum"]}))
# theta and gamma of each kind, of networks at minima, with their intervals.
of_gaps = rows_of("cells", "ends", "gaps", nothing="no network", what="seeds")(exponents)

sheet = Sheet()
say = sheet.topic("Jamming at minima", "minima")
say("minima-negative-tanh",
    "tanh, all ends of training: fraction of negative modes of the Hessian H",
    jammed.mean("negative", per="seed", activation="tanh"), Below(0.005),
    "an upper bound: the thesis's fraction; after seeing 32 networks: of any loss", fixed="after",
    place="thesis, ch. 1, Fig. 7: 11 of 2232")  # fmt: skip
say("minima-negative-relu", "ReLU, slopes fixed: fraction of negative modes of the Hessian H",
    networks.mean("negative", per="seed", activation="relu"), Within(0.1, 0.05),
    "0.05, ours: half of it", place="thesis, ch. 1, Fig. 7: 10 %")  # fmt: skip
for sigma, says, place, why in (
    ("tanh",
     "tanh, largest: negative modes of Hessian term Hp / unsatisfied points N_Δ", "N_Δ ≥ N_−",
     "an upper bound: at a minimum N_Δ modes of H0 outweigh them"),
    ("relu",
     "ReLU, largest: (negative modes of Hessian term Hp − cusps N_c) / N_Δ", "N_Δ ≥ N_− − N_c",
     "an upper bound: at a minimum H0 and cusps outweigh them"),
):  # fmt: skip
    say(f"minima-bound-{sigma}", says,
        jammed.number(Range, "over", largest=True, activation=sigma), Below(1),
        f"{why}; after seeing 32 networks: of any loss", fixed="after",
        place=f"thesis, ch. 1, {place}")  # fmt: skip
for kind in ("relu-3", "tanh-3"):
    for letter, side, points, known in (
        ("θ", "plus", "unsatisfied", THETA), ("γ", "minus", "satisfied", GAMMA),
    ):  # fmt: skip
        say(f"minima-{side}-{kind}",
            f"{NAMES[kind]}, at minima: exponent {letter} of the gaps of {points} points",
            of_gaps.number(Stored, where={"kind": kind, "side": side},
                           note_rows=f"{{gaps}} gaps between {LOW:g} and {HIGH:g}"),
            Within(known[kind], 0.1),
            "0.1, ours: exponents of spheres, 0.42 and 0.41, are further than that from ReLU's",
            place="thesis, ch. 1, Fig. 8")  # fmt: skip
say("minima-cusps-relu", "ReLU, at minima: number of cusps N_c divided by number of weights N",
    minima.mean("cusps", per="seed", activation="relu"), Within(0.23, 0.06),
    "0.06, ours: 0.21 (L = 5) and 0.25 (L = 2), and their distance again",
    place="thesis, ch. 1, Fig. 12: 0.21, 0.25")  # fmt: skip
say("minima-jump-relu",
    "ReLU, jammed below a loss of 1e-3: unsatisfied points N_Δ divided by weights N",
    networks.mean("unsatisfied", per="seed", activation="relu"), Within(0.75, 0.1),
    "0.1, ours: ReLU's of the thesis lie between 0.7 and 0.8",
    place="thesis, ch. 1, Fig. 6: 0.75")  # fmt: skip
CLAIMS = sheet.finished()
