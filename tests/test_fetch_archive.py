"""Weights go into an archive and come back: the networks are measured, and none is trained."""

import json
import logging
import shutil
import stat
import subprocess
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from train_curves import train_here, train_srhm

from srhm.commands import crate, fetch_archive, launch, plan, status
from srhm.commands.presets import CONFIG, Run, run_of
from srhm.measure.representations import probe_of_cell
from srhm.measure.sensitivity_of_cells import measure_curve
from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.results.archives import METADATA, ArchiveError, checked_archive, sha256_of, take_networks
from srhm.results.places import PUBLISHED, store_of
from srhm.results.store import path_of

LOG = logging.getLogger("srhm.tests")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of the preset `test` whose FCN is trained, and nothing else."""
    directory = tmp_path_factory.mktemp("trained")
    run = run_of(CONFIG / "test.yaml", directory, ["sparse_hierarchy"])
    curve = fcn(run)
    train_srhm(curve.entries, samples(curve), store=directory / store_of(curve.trainer))
    return run


def fcn(run):
    (found,) = (one for one in run.curves.values() if one.cells[0]["net"] == "fcn")
    return found


def samples(curve):
    cells = curve.cells
    seeds = sorted({cell["seed"] for cell in cells})
    n_train = max(cell["P"] for cell in cells)
    return draw_samples(parameters_of(cells[0]), seeds, n_train=n_train, n_test=cells[0]["n_test"])


@pytest.fixture(scope="module")
def packed(run, tmp_path_factory):
    """A zip file of few published rows and of these networks."""
    folder = tmp_path_factory.mktemp("packed")
    published = folder / "published" / "quick"
    shutil.copytree(PUBLISHED / "quick" / "bottleneck", published / "bottleneck")
    options = ["--published", published.parent, "--directory", run.directory]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crate, "CONFIG", one_preset(folder))
        assert crate.main([*map(str, options), "--output", str(folder / "crate")]) == 0
    return folder / "crate.zip"


def one_preset(folder):
    """A folder of presets that has `test` alone: to plan all takes seconds."""
    made = folder / "config"
    made.mkdir()
    shutil.copy(CONFIG / "test.yaml", made)
    return made


def fetched(url, folder, **options):
    fetch_archive.fetch(url, folder, **{"sha256": None, "megabytes": 50, **options})
    return folder


@pytest.fixture(scope="module")
def archive(packed, tmp_path_factory):
    return fetched(packed.as_uri(), tmp_path_factory.mktemp("fetched") / "archive")


def test_what_comes_back_is_what_was_packed(packed, archive):
    whole = packed.with_suffix("")
    names = {file.relative_to(whole) for file in whole.rglob("*") if file.is_file()}
    assert names == {file.relative_to(archive) for file in archive.rglob("*") if file.is_file()}
    for name in names:
        assert (archive / name).read_bytes() == (whole / name).read_bytes()
    graph = checked_archive(archive)
    assert len(graph["#networks-test"]["result"]) == 4
    assert packed.with_name("crate.zip.sha256").read_text().split()[0] == sha256_of(packed)


def test_the_same_crate_is_the_same_file_of_which_a_limit_leaves_curves_out(
    run, packed, tmp_path, monkeypatch
):
    monkeypatch.setattr(crate, "CONFIG", one_preset(tmp_path))
    curves = crate.stored_curves(run.directory)
    assert [sorted(one.files) for one in curves] == [sorted(e["key"] for e in fcn(run).entries)]
    assert crate.those_that_fit(curves, size=curves[0].size) == curves
    assert crate.those_that_fit(curves, size=curves[0].size - 1) == []
    again = shutil.copytree(packed.with_suffix(""), tmp_path / "crate")
    assert crate.pack(again).read_bytes() == packed.read_bytes()


def test_networks_of_an_archive_are_measured_and_none_is_trained(run, archive, tmp_path):
    curve = fcn(run)
    store = tmp_path / store_of(curve.trainer)
    elsewhere = Run(run.plan, tmp_path)
    wanted = {entry["key"]: elsewhere.stored(curve, entry["key"]) for entry in curve.entries}
    first = curve.entries[0]["key"]
    shutil.copytree(path_of(run.directory / store_of(curve.trainer), first).parent,
                    path_of(store, first).parent)  # fmt: skip
    before = path_of(store, first).stat().st_mtime_ns
    found = take_networks(archive, wanted)
    assert (found.taken + found.there, found.lacking) == (4, 0)
    assert found.there >= 1
    assert path_of(store, first).stat().st_mtime_ns == before

    def nothing_to_train():
        raise AssertionError("a network is trained")

    trained = train_here(curve.entries, nothing_to_train, store=store)
    assert all(cell.weights for cell in trained)
    how = {"n_points": 20, "n_draws": 2, "variants": ["text"], "log": LOG}
    rows = [
        measure_curve(curve.entries, samples(curve), store=place, probe_of=probe_of_cell, **how)
        for place in (store, run.directory / store_of(curve.trainer))
    ]
    assert repr(rows[0]) == repr(rows[1])
    assert all(row["n"] > 0 for row in rows[0])


def test_the_launcher_says_what_comes_from_an_archive(run, archive, tmp_path, capsys):
    elsewhere = Run(run.plan, tmp_path)
    number = len({entry["key"] for one in run.curves.values() for entry in one.entries})
    for dry, said in ((True, "4 would come"), (False, "4 come")):
        assert f"of {number} networks {said} from" in launch._with_archive(
            elsewhere, archive, dry=dry
        )
    assert "4 are stored already" in launch._with_archive(elsewhere, archive, dry=False)
    other = Run(run_of(CONFIG / "test.yaml", tmp_path, ["jamming"]).plan, tmp_path)
    assert "of other presets or studies, or of other code" in launch._with_archive(
        other, archive, dry=True
    )
    words = ["--archive", str(tmp_path / "none"), "--directory", str(tmp_path), "--preset", "test"]
    assert launch.main(words) == 2
    assert "it is no archive; `make fetch-archive URL=...` gets one" in capsys.readouterr().out


def test_a_plan_and_a_status_count_the_networks_of_an_archive(run, archive, tmp_path, capsys):
    number = len(Run(run.plan, tmp_path).stored_files)
    words = ["--preset", "test", "--study", "sparse_hierarchy", "--directory", str(tmp_path)]
    for command in (plan, status):
        assert command.main([*words, "--archive", str(archive)]) == 0
        said = capsys.readouterr().out
        assert f"of {number} networks 4 would come from {archive}, 0 are stored already" in said
        assert command.main([*words, "--archive", str(tmp_path / "none")]) == 2
        assert "it is no archive; `make fetch-archive URL=...` gets one" in capsys.readouterr().err
    cells = plan.expected_cells(Run(run.plan, tmp_path), archive)
    assert cells["trained"].sum() == 4
    assert set(cells["net"][cells["trained"]]) == {"fcn"}
    assert not (tmp_path / "results").exists()


def test_a_plan_and_a_status_leave_out_what_archived_rows_have(tmp_path, capsys):
    words = ["--preset", "quick", "--study", "bottleneck", "--directory", str(tmp_path)]
    planned = run_of(CONFIG / "quick.yaml", tmp_path, ["bottleneck"], rows="both")
    (study,) = planned.plan.studies.values()
    assert study.published
    said = f"{len(study.published)} of {len(study.curves)} curves are archived rows"
    for command in (plan, status):
        assert command.main([*words, "--rows", "both"]) == 0
        assert said in capsys.readouterr().out
        assert command.main(words) == 0
        assert said not in capsys.readouterr().out
    assert len(plan.expected_cells(planned)) == len(planned.stored_files)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_says_which_words_from_may_have():
    done = subprocess.run(
        ["make", "--dry-run", "reproduce", "FROM=archives"],
        cwd=CONFIG.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "FROM=archives is not known: published and archive are allowed" in done.stderr
    for command in ("doctor", "plan", "status", "reproduce"):
        for source, option in (("published", "--rows both"), ("archive", "--archive results/")):
            done = subprocess.run(
                ["make", "--dry-run", "--assume-old=env", command, f"FROM={source}", "CORES=1"],
                cwd=CONFIG.parent, capture_output=True, text=True, check=True,
            )  # fmt: skip
            assert option in done.stdout


def test_an_archive_of_a_server_is_that_of_the_disk(packed, archive, tmp_path):
    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=packed.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        found = fetched(f"{address}/crate.zip", tmp_path / "archive")
        with pytest.raises(ArchiveError, match=r"cannot be read \(HTTP Error 404"):
            fetched(f"{address}/none.zip", tmp_path / "none")
    finally:
        server.shutdown()
        server.server_close()
    assert (found / METADATA).read_bytes() == (archive / METADATA).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive"]


def test_an_archive_that_is_there_is_looked_at_and_left_as_it_is(packed, archive, tmp_path, capsys):
    shutil.copytree(archive, tmp_path / "archive")
    words = ["--url", packed.as_uri(), "--output", str(tmp_path / "archive")]
    assert fetch_archive.main(words) == 0
    assert "holds a whole archive already" in capsys.readouterr().out
    changed = tmp_path / "archive" / "LICENSE"
    changed.write_text("another")
    assert fetch_archive.main(words) == 1
    assert "LICENSE is not the file that was packed" in capsys.readouterr().err
    assert changed.read_text() == "another"


def rewritten(packed, target, *, without=(), extra=(), changed=()):
    """The same zip file with some files left out, added or changed."""
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(target, "w") as new:
        for one in old.infolist():
            if one.filename not in without:
                content = old.read(one)
                new.writestr(one, dict(changed).get(one.filename, content))
        for name, mode, content in extra:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            new.writestr(entry, content)
    return target


FILE, LINK = stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extra": [("../escaped", FILE, "x")]}, "no file within its folder"),
        ({"extra": [("/tmp/escaped", FILE, "x")]}, "no file within its folder"),
        ({"extra": [("a/../../escaped", FILE, "x")]}, "no file within its folder"),
        ({"extra": [("c:\\escaped", FILE, "x")]}, "no file within its folder"),
        ({"extra": [("link", LINK, "/etc/passwd")]}, "no file within its folder"),
        ({"extra": [("LICENSE", FILE, "x")]}, "a file twice"),
        ({"extra": [("more", FILE, "x")]}, "more is not described"),
        ({"without": ["LICENSE"]}, "LICENSE is missing"),
        ({"without": [METADATA]}, "it is no archive"),
        ({"changed": [("LICENSE", "x")]}, "LICENSE is not the file that was packed"),
        ({"changed": [(METADATA, "{")]}, "is damaged"),
    ],
)
def test_an_archive_that_is_not_as_it_was_packed_is_refused_whole(packed, tmp_path, changes, said):
    other = rewritten(packed, tmp_path / "other.zip", **changes)
    with pytest.raises(ArchiveError, match=said):
        fetched(other.as_uri(), tmp_path / "folder" / "archive")
    assert list((tmp_path / "folder").iterdir()) == []
    assert not (tmp_path / "escaped").exists()


def test_what_profiles_demand_is_looked_at(archive, tmp_path):
    folder = shutil.copytree(archive, tmp_path / "archive")
    graph = json.loads((folder / METADATA).read_text())["@graph"]
    by_name = {one["@id"]: one for one in graph}

    def refused(said):
        (folder / METADATA).write_text(json.dumps({"@graph": list(by_name.values())}))
        with pytest.raises(ArchiveError, match=said):
            checked_archive(folder)

    for name, key, value, said in (
        ("./", "license", None, "the whole has no license"),
        ("./", "conformsTo", [], "it does not follow"),
        ("#networks-test", "instrument", {"@id": "LICENSE"}, "no run of its workflow"),
        ("#networks-test", "result", [{"@id": "#other"}], "not part of the whole"),
        ("#networks-test", "endTime", "1999", "has no time"),
        ("#networks-test", "agent", {"@id": "#nobody"}, "refers to #nobody"),
        ("LICENSE", "sha256", "0", "LICENSE is not the file"),
    ):
        before = by_name[name]
        by_name[name] = {**before, key: value}
        refused(said)
        by_name[name] = before


@pytest.mark.parametrize(
    ("url", "options", "said"),
    [
        ("ftp://a/crate.zip", {}, "allowed are http://, https:// and file:///"),
        ("", {}, "allowed are http://, https:// and file:///"),
        ("{}", {"sha256": "0" * 64}, "is not the archive that was meant"),
        ("{}", {"megabytes": 0.01}, "more than 0 MB"),
        ("{}.none", {}, "cannot be read"),
        ("{}.sha256", {}, "is no whole zip file"),
    ],
)
def test_what_cannot_be_had_is_a_sentence_and_leaves_nothing(
    packed, tmp_path, url, options, said, capsys
):
    words = ["--url", url.format(packed.as_uri()), "--output", str(tmp_path / "folder" / "archive")]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    assert fetch_archive.main(words) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("folder/*"))
