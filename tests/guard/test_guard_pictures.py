"""The picture of a study's README shows the rows that are shipped."""

import pytest
from pictures import DRAWN, drawn_rows, picture, pictures, rows_of

SHOWN = [study for study in DRAWN if picture(study).is_file()]


def test_most_studies_have_a_picture():
    assert len(SHOWN) > len(DRAWN) / 2


@pytest.mark.parametrize("study", SHOWN)
def test_a_picture_is_of_the_shipped_rows(study):
    for file in pictures(study):
        assert drawn_rows(file) == rows_of(study), "PYTHONPATH=docs python tests/guard/pictures.py"
