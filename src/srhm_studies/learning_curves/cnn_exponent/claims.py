"""Predictions of the CNN's exponent of s_0+1, written down before any of these networks.

Known beforehand: exponents at L = 2 and 3 and at v up to 8, and that the networks next to P* were
dead in the study depth at L = 4, whose learning rate is three times as large.
"""

from functools import partial

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_in

exponents = rows_in("exponents", nothing="no grammar with such exponents", what="grammars")
mean = partial(exponents.mean, "exponent", of="all")

RATE, SMALLER_RATE = 0.001, 0.0003  # At L = 4.

sheet = Sheet()
say = sheet.topic("Exponent of s_0+1 of the CNN", "cnn_exponent")
say("cnn-exponent-deep", "CNN, L = 4: exponent of s_0+1 in P*, s_0 = 1 to 3",
    mean(L=4, learning_rate=RATE), Within(2, 0.25),
    "0.25: as in the study depth, it tells whole exponents apart",
    place="Eq. 4: 2 at any L")  # fmt: skip
say("cnn-exponent-deep-falls",
    "CNN, L = 4: exponent of s_0+1 in P*, s_0 = 1 to 2 minus s_0 = 2 to 3",
    exponents.difference("exponent", L=4, learning_rate=RATE, of="1 to 2", over={"of": "2 to 3"},
                         on=("v", "seed")),
    Within(0.3, 0.25), "as at L = 2 and 3, where it is 0.33 and 0.27",
    place="L = 2 and 3")  # fmt: skip
for v, suffix in {3: "", 4: "-v4"}.items():
    say(f"cnn-exponent-smaller-rate{suffix}",
        f"CNN, L = 4, v = {v}, learning rate 0.0003: exponent of s_0+1 in P*, s_0 = 1 to 3",
        mean(L=4, v=v, learning_rate=SMALLER_RATE),
        Within(2, 0.25), "as at the rate of 0.001", place="Eq. 4: 2 at any L")  # fmt: skip
    say(f"cnn-exponent-rate{suffix}",
        f"CNN, L = 4, v = {v}: exponent of s_0+1 at a learning rate of 0.0003 minus that at 0.001",
        exponents.difference("exponent", L=4, v=v, of="all", learning_rate=SMALLER_RATE,
                             over={"learning_rate": RATE}, on=("seed",)),
        Within(0, 0.25), "as at the rate of 0.001",
        place="an exponent of no training parameter")  # fmt: skip
# At L = 2: channels -> v -> the exponent from s_0 = 1 to 4.
PREDICTED = {512: {8: 1.6, 12: 1.6}, 128: {8: 1.4, 12: 1.25}}
TOLERANCE = "0.2: half of what lies between 1.6 and the 1.25 that counting approaches"
for width, by_v in PREDICTED.items():
    for v, expected in by_v.items():
        say(f"cnn-exponent-{width}-{v}",
            f"CNN, L = 2, v = {v}, {width} channels: exponent of s_0+1 in P*, s_0 = 1 to 4",
            mean(L=2, v=v, width=width), Within(expected, 0.2), TOLERANCE,
            place="exponents at smaller v")  # fmt: skip
say("cnn-exponent-512-change",
    "CNN, L = 2, 512 channels: exponent of s_0+1 in P* at v = 12 minus the exponent at v = 8",
    exponents.difference("exponent", L=2, of="all", width=512, v=12, over={"v": 8},
                         on=("seed",)),
    Within(0, 0.2), TOLERANCE, place="exponents at smaller v")  # fmt: skip
CLAIMS = sheet.finished(
    committed={
        "cnn-exponent-deep* cnn-exponent-1* cnn-exponent-5*": "2026-11-29, 97b73c2a",
        "cnn-exponent-smaller-rate cnn-exponent-rate": "2026-11-29, f69723d5",
        "cnn-exponent-smaller-rate-v4 cnn-exponent-rate-v4": "2026-11-30, 425f8e3d",
    }
)
