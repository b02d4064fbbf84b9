"""What a page says of cells that are no networks trained in steps."""

import pandas as pd

from srhm.report.training import training_table


def test_cells_of_experiments_are_counted_by_status_with_their_time():
    cells = pd.DataFrame(
        {"curve": "a", "key": ["1", "2", "3"], "status": ["done", "done", "no signal"]}
    )
    timings = pd.DataFrame({"curve": "a", "key": ["1", "2", "3"], "seconds": [50.0, 10.0, 1.0]})
    table = training_table("Powers", cells, timings)
    assert [list(row[:2]) for row in table.rows] == [["done", "2"], ["no signal", "1"]]
    assert table.rows[0][2] == "60.0 s"
    assert len(table.columns) == 3
