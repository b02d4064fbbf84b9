"""What the code that trains stands for is written down, and what was published is still taken."""

from earlier import cell_roots, needed

from srhm.store.sources import definition, digest_of, earlier, reached
from srhm.training.any_trainer import decided_by
from srhm.training.trainers import HIERARCHY


def test_every_line_stands_for_something_of_the_present_code():
    assert needed(earlier()) == earlier()


def test_what_was_published_is_still_taken():
    cells = [{"engine": "sparse", "net": net} for net in ("lcn", "cnn", "fcn")]
    found = {digest_of(*decided_by(HIERARCHY.module, cell)) for cell in cells}
    assert found == {"a6a05f11ac67"}


def test_nothing_that_trains_reaches_a_model_of_a_configuration():
    """Words for people, as a field's description, would be in the digests of all that it trains."""
    found = reached(*(name for roots in cell_roots() for name in roots))
    assert len(found) > 500
    used = {one for name in found for one in definition(name).reaches}
    assert {one for one in used if one.startswith("pydantic")} == set()
