"""Texts and digests of values, and versions, as results carry them."""

import pytest

from srhm.store.provenance import canonical_json, short_hash


def test_the_text_of_a_value_does_not_depend_on_the_order_of_its_keys():
    one = {"a": 1, "b": {"c": [1, 2.5, None], "d": "x"}}
    other = {"b": {"d": "x", "c": [1, 2.5, None]}, "a": 1}
    assert canonical_json(one) == canonical_json(other)
    assert short_hash(one) == short_hash(other)


@pytest.mark.parametrize("other", [{"a": [2, 1]}, {"a": [1, 2.0]}, {"b": [1, 2]}, {"a": ["1", 2]}])
def test_different_values_have_different_texts(other):
    assert canonical_json(other) != canonical_json({"a": [1, 2]})
    assert short_hash(other) != short_hash({"a": [1, 2]})
