"""Published rows of experiments: which curves are whole, where a table has no row of some."""

from pathlib import Path

import yaml

from srhm.commands.presets import Run
from srhm.commands.publish import finished, published_schemas
from srhm.planning.preset import plan_preset
from srhm.store import places
from srhm.store.published import rows_by_curve
from srhm.store.records import write_table

ROOT = Path(__file__).parents[2]
PRESET = yaml.safe_load((ROOT / "config/laptop.yaml").read_text(encoding="utf-8"))


def rows_of(study):
    schemas = published_schemas(study)
    return rows_by_curve(places.PUBLISHED / "laptop" / study, schemas)


def test_a_curve_is_published_with_the_tables_that_may_have_no_row_of_it(tmp_path):
    study, schemas = "memory", published_schemas("memory")
    rows = rows_of(study)
    name = next(one for one in rows["cells"] if one not in rows["history"])
    whole = plan_preset({key: PRESET[key] for key in ("preset", "description", study)})
    run = Run(plan=whole, directory=tmp_path)
    files = run.files(study, whole.studies[study].curves[name])
    for table in ("cells", "timings"):
        write_table(rows[table][name], files[table], schemas[table])
    taken = finished(run, study, tmp_path)
    assert not taken.curves
    (remark,) = taken.remarks
    assert "history" in remark
    files["history"].parent.mkdir(parents=True)
    files["history"].write_bytes(b"damage")
    taken = finished(run, study, tmp_path)
    assert not taken.curves
    assert "is damaged" in " ".join(taken.remarks)
    nothing = next(iter(rows["history"].values()))[:0]
    write_table(nothing, files["history"], schemas["history"])
    assert finished(run, study, tmp_path).curves == {name}
