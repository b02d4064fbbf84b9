"""Predictions of P* at L = 2, 3 and 4: Eq. 3 and 4, fixed before these curves were trained.

Known beforehand are P* of other studies at L = 2 and 3, and a trial at two v (methods.md).
"""

from srhm.scorecard.expectations import Within
from srhm.scorecard.sheet import Sheet, rows_in
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR

# Net -> equation and the exponent of s_0+1 in it, by L.
LAWS = {"lcn": ("Eq. 3", {2: 2, 3: 3, 4: 4}), "cnn": ("Eq. 4", {2: 2, 3: 2, 4: 2})}
exponents = rows_in("exponents", nothing="no grammar with such exponents", what="grammars")

sheet = Sheet()
say = sheet.topic(
    "Exponent of s_0+1 in deeper hierarchies", "depth",
    why="0.25: it tells whole exponents apart, with room for the scatter of grammars",
)  # fmt: skip
for net, (equation, exponents_by_depth) in LAWS.items():
    for L, expected in exponents_by_depth.items():
        say(f"depth-exponent-{net}-{L}",
            f"{net.upper()}, L = {L}: exponent of s_0+1 in P*, s_0 > 0",
            exponents.mean("exponent", net=net, L=L, of="all"), Within(expected, 0.25),
            place=equation)  # fmt: skip
for L in (3, 4):
    say(f"depth-deeper-{L}",
        f"CNN: exponent of s_0+1 in P* at L = {L} minus the exponent at L = {L - 1}",
        exponents.difference("exponent", net="cnn", L=L, of="all", over={"L": L - 1},
                             on=("net", "v", "seed")),
        Within(0, 0.25), place="Eq. 4: 2 at any L")  # fmt: skip
for net, (equation, _) in LAWS.items():
    for L in (3, 4):
        say(f"depth-first-{net}-{L}",
            f"{net.upper()}, L = {L}: exponent of s_0+1 in P*, s_0 = 0 to 1 minus s_0 = 1 to 2",
            exponents.difference("exponent", net=net, L=L, of="0 to 1", over={"of": "1 to 2"},
                                 on=("net", *OF_GRAMMAR)),
            Within(0, 0.25), place=f"{equation}: one exponent for all s_0")  # fmt: skip
CLAIMS = sheet.finished()
