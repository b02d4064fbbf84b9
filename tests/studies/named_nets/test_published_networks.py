"""Shipped rows of VGG, ResNet and EfficientNet: published again they are the same."""

from pathlib import Path

import pandas as pd

from srhm.commands.presets import run_of
from srhm.commands.publish import files_of_curve, publish, published_schemas
from srhm.results.records import read_table, write_table

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "published" / "grid" / "named_nets"
STUDY = "named_nets"


def test_rows_of_named_nets_are_published_as_they_are_without_p_star(tmp_path):
    run = run_of(ROOT / "config" / "grid.yaml", tmp_path, [STUDY])
    schemas, shipped = published_schemas(STUDY), {}
    for table, schema in schemas.items():
        shipped[table] = read_table(SHIPPED / f"{table}.parquet", schema)
    curves = run.plan.studies[STUDY].curves
    for name in shipped["cells"]["curve"].unique():
        for table, file in files_of_curve(run, STUDY, curves[name]).items():
            file.parent.mkdir(parents=True, exist_ok=True)
            own = shipped[table][shipped[table]["curve"] == name]
            write_table(own, file, schemas[table])
    folder = tmp_path / "published"
    remarks = publish(run, folder, study=STUDY, commit="0" * 40)
    assert not [line for line in remarks if "not taken" in line]
    for table, rows in shipped.items():
        pd.testing.assert_frame_equal(read_table(folder / f"{table}.parquet", schemas[table]), rows)
    assert not (folder / "sample_complexity.parquet").exists()
