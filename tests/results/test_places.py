"""Where files lie: by trainer, measurement and study, by the code and options that made them."""

import dataclasses

from srhm.declare.study import Curve
from srhm.planning.registry import STUDIES
from srhm.store import places
from srhm.store.provenance import PACKAGE
from srhm.store.sources import digest_of
from srhm.training.trainers import FLOW, HIERARCHY

KERNELS, HESSIANS = (
    next(one for one in STUDIES["crossover"].measurements if one.name == name)
    for name in ("kernels", "hessians")
)


def test_other_options_and_other_code_have_a_folder_of_their_own(monkeypatch):
    def folder(options):
        return places.folder_of_measurement(KERNELS, options)

    assert folder({"n": 1, "m": 2}) == folder({"m": 2, "n": 1})
    assert len({folder({}), folder({"n": 1}), folder({"n": 2})}) == 3
    before = folder({})
    monkeypatch.setattr(places, "source_of", lambda script, *names: "another source")
    assert folder({}) != before


def test_a_measurement_is_made_of_the_curves_of_its_trainer_that_ask_for_it():
    curve = Curve(name="c", trainer=FLOW, entries=(), measured=("kernels",))
    assert places.is_of(KERNELS, curve)
    assert not places.is_of(HESSIANS, curve)
    assert not places.is_of(KERNELS, dataclasses.replace(curve, trainer=HIERARCHY))


def test_the_digest_of_a_script_covers_what_it_loads_by_name():
    alone = places.source_of("draw.py")
    names = ("srhm.plane.bottleneck.figures:bottleneck", "srhm.plane.jamming.claims")
    assert len({alone, *(places.source_of("draw.py", name) for name in names)}) == 3
    script = PACKAGE.parents[1] / "scripts" / "draw.py"
    assert places.source_of("draw.py", names[1]) == digest_of(f"{script}:", f"{names[1]}:")
