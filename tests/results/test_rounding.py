"""Rounded columns of published tables: how near they are, and what stays."""

import numpy as np
import pyarrow as pa
import pytest

from srhm.commands.publish import published_schemas
from srhm.planning.registry import STUDIES
from srhm.store.published import BITS, significant

VALUES = np.random.default_rng(0).lognormal(0, 5, size=1000) * np.array([1, -1]).repeat(500)


@pytest.mark.parametrize("bits", [1, 12, 24, 53])
def test_values_are_rounded_to_the_nearest_of_so_many_bits(bits):
    own = significant(VALUES, bits)
    assert np.all(np.abs(own / VALUES - 1) <= 2.0**-bits)
    mantissas = np.frexp(own)[0] * 2.0**bits
    assert np.array_equal(mantissas, np.round(mantissas))
    assert np.array_equal(significant(own, bits), own)


@pytest.mark.parametrize("table", BITS)
def test_what_is_rounded_are_numbers_of_its_table_and_no_coordinates(table):
    schemas = [found[table] for study in STUDIES if table in (found := published_schemas(study))]
    assert schemas
    for name in BITS[table]:
        kinds = [schema.field(name).type for schema in schemas if name in schema.names]
        assert kinds
        assert all(map(pa.types.is_floating, kinds))
