"""What a host reads and nobody runs here: checks of each push, forms of issues, the deposit."""

import datetime
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from pages.release import FILES, release

from srhm.commands.command import COMMANDS

ROOT = Path(__file__).parents[1]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
# YAML 1.1 reads the key `on` as true.
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8"))
JOBS = WORKFLOW["jobs"]
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def steps():
    return [(name, step) for name, job in JOBS.items() for step in job["steps"]]


def called(program):
    """(job, words) of each call of a program."""
    lines = [(job, line) for job, step in steps() for line in step.get("run", "").splitlines()]
    parts = [(job, part.split()) for job, line in lines for part in line.split("&&")]
    return [(job, words[1:]) for job, words in parts if words[:1] == [program]]


def test_every_job_has_a_name_a_machine_a_time_limit_and_the_sources():
    assert WORKFLOW["name"]
    assert {"push", "pull_request"} <= WORKFLOW[True].keys()
    for name, job in JOBS.items():
        assert {"name", "runs-on", "timeout-minutes", "steps"} <= job.keys(), name
        assert job["steps"][0]["uses"].startswith("actions/checkout@"), name
        assert set(job.get("needs", "").split()) <= JOBS.keys(), name


def test_the_two_commands_run_on_all_three_kinds_of_machine():
    matrix = JOBS["commands"]["strategy"]["matrix"]
    assert matrix["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"]
    assert {"3.11", "3.13"} == set(matrix["python"])
    own = [words[0] for job, words in called("make") if job == "commands"]
    assert own == ["doctor", "figures", "reproduce", "claims", "doctor"]


def test_what_jobs_call_is_there():
    for _, words in called("make"):
        targets = [word for word in words if "=" not in word]
        assert targets
        assert set(targets) <= TARGETS, words
    for _, words in called("srhm"):
        assert words[0] in COMMANDS
    for job, step in steps():
        # By digest: a tag can be moved. Dependabot renews both.
        assert step.get("run") or re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), job


@pytest.mark.parametrize("words", [words for _, words in called("make")], ids=" ".join)
def test_make_knows_what_it_would_do(words):
    done = subprocess.run(["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_rights_are_to_read_but_where_pages_are_written():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    own = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert own == {"pages": {"contents": "read", "pages": "write", "id-token": "write"}}
    assert "refs/heads/main" in JOBS["pages"]["if"]


def test_expressions_are_closed_and_name_what_is_there():
    text = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    found = re.findall(r"\$\{\{ ([^}]*) \}\}", text)
    assert text.count("${{") == text.count("}}") == len(found)
    known = (
        r"matrix\.(runner|python)$|github\.(workflow|ref|event_name)|vars\.\w+$|steps\.deployment\."
    )
    assert [one for one in found if not re.match(known, one)] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_of_an_issue_asks_for_make_doctor(form):
    read = yaml.safe_load(form.read_text("utf-8"))
    assert {"name", "description", "body"} <= read.keys()
    fields = {field["id"]: field for field in read["body"]}
    assert len(fields) == len(read["body"])
    assert all(field["type"] in ("input", "textarea") for field in read["body"])
    assert all(field["attributes"]["label"] for field in read["body"])
    assert any(field["validations"]["required"] for field in read["body"])
    assert "`make doctor`" in fields["doctor"]["attributes"]["description"]


def test_there_are_forms():
    assert {form.stem for form in FORMS} == {"does_not_work", "wrong_number"}


def test_the_deposit_is_described_as_the_citation_has_it():
    deposit = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    for name in ("title", "version", "license", "keywords"):
        assert deposit[name] == citation[name], name
    assert deposit.get("publication_date") == citation.get("date-released")
    assert deposit["creators"] == citation["authors"]
    words = re.sub("<[^>]*>", "", deposit["description"])
    assert words == citation["abstract"].replace('"', "")
    for reference, line in zip(citation["references"], deposit["references"], strict=True):
        assert f"({reference['year']}). {reference['title']}." in line
        assert all(one["family-names"] in line for one in reference["authors"])
    paper = deposit["related_identifiers"][-1]
    assert paper["identifier"] == citation["references"][0]["identifiers"][0]["value"]


def metadata(root=ROOT):
    """What files say of the project, by file; what a file does not name is None."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    codemeta = json.loads((root / "codemeta.json").read_text("utf-8"))
    deposit = json.loads((root / ".zenodo.json").read_text("utf-8"))
    form = yaml.safe_load((root / ".github/ISSUE_TEMPLATE/config.yml").read_text("utf-8"))
    urls = project["urls"].get
    (same,) = [one for one in deposit["related_identifiers"] if one["scheme"] == "url"] or [{}]
    (private,) = form.get("contact_links") or [{}]
    dates = (
        citation.get("date-released"),
        codemeta.get("datePublished"),
        deposit.get("publication_date"),
    )
    return {
        "version": {one["version"] for one in (project, citation, codemeta, deposit)},
        "date": {date and str(date) for date in dates},
        "address": {urls("Repository"), citation.get("repository-code"), same.get("identifier"),
                    codemeta.get("codeRepository"),
                    private.get("url", "").removesuffix("/security") or None},
        "issues": {urls("Issues"), codemeta.get("issueTracker")},
        "doi": {urls("DOI"), codemeta.get("identifier"),
                citation.get("doi") and f"https://doi.org/{citation['doi']}"},
    }  # fmt: skip


def test_metadata_of_the_project_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    codemeta = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    codemeta["license"] = codemeta["license"].removeprefix("https://spdx.org/licenses/")
    for name in ("license", "keywords"):
        assert project[name] == citation[name] == codemeta[name], name
    assert (codemeta["name"], codemeta["description"]) == (project["name"], project["description"])
    (author,), (same,), (also,) = project["authors"], citation["authors"], codemeta["author"]
    assert author["name"] == same["name"] == also["name"]
    paper, cited = codemeta["referencePublication"], citation["references"][0]
    assert (paper["name"], paper["datePublished"]) == (cited["title"], str(cited["year"]))
    families = [one["familyName"] for one in paper["author"]]
    assert families == [one["family-names"] for one in cited["authors"]]
    assert {name: len(values) for name, values in metadata().items() if len(values) != 1} == {}
    # Only a release has a date.
    assert (".dev" in project["version"]) != ("date-released" in citation)


def test_make_release_fills_all_that_names_the_project(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    place, doi, today = "https://host.example/srhm", "10.5281/zenodo.1", datetime.date.today()
    release(tmp_path, version="7.0.0", doi="10.1/before", address="https://host.example/before")
    release(tmp_path, address=place + "/", doi=doi)
    assert metadata(tmp_path) == {
        "version": {"7.0.0"},
        "date": {str(today)},
        "address": {place},
        "issues": {f"{place}/issues"},
        "doi": {f"https://doi.org/{doi}"},
    }
    once = {name: (tmp_path / name).read_text("utf-8") for name in FILES}
    release(tmp_path, version="7.0.0", address=place, doi=doi)
    assert once == {name: (tmp_path / name).read_text("utf-8") for name in FILES}
    release(tmp_path, version="7.1.0.dev0")
    assert metadata(tmp_path)["date"] == {None}


def test_each_licence_has_its_text_and_the_data_have_their_own():
    parts = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    texts = {path.stem: path.read_text("utf-8") for path in (ROOT / "LICENSES").iterdir()}
    assert {part["SPDX-License-Identifier"] for part in parts} == texts.keys()
    assert texts["MIT"] == (ROOT / "LICENSE").read_text("utf-8")
    code, data = parts
    assert (code["path"], code["SPDX-License-Identifier"]) == ("**", "MIT")
    assert {"published/**", "reference/**"} <= set(data["path"])


def test_the_changelog_begins_with_the_version_and_says_what_a_user_meets():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    when = citation.get("date-released", "in development")
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert text.startswith(
        f"# Changelog\n\n## {citation['version'].partition('.dev')[0]} ({when})\n"
    )
    newest, *older = text.split("\n## ")[1:]
    parts = ["Results that changed", "What you must do", "New", "Fixed", "Gone"]
    assert re.findall("^### (.*)", newest, re.MULTILINE) == parts
    for one in (newest, *older):
        assert len(one.split()) <= 800
    for file in re.findall(r"\]\(([^)]*)\)", text):
        assert (ROOT / file).is_file()


# The catalogue of Snakemake workflows, as its page "Adding workflows" says.
def test_the_catalogue_finds_what_it_lists():
    readme = (ROOT / "README.md").read_text("utf-8").lower()
    assert {"snakemake", "workflow"} <= set(re.findall(r"[a-z]+", readme))
    assert list((ROOT / "rules").glob("*.smk"))
    assert (ROOT / "config" / "README.md").read_text("utf-8").startswith("# ")
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))
    assert usage.keys() == {"usage"}
    assert usage["usage"].keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    flags, software, report = usage["usage"].values()
    assert flags.keys() == {"desc", "flags"}
    assert software.keys() == {"conda", "apptainer", "apptainer+conda"}
    assert {type(value) for value in (*software.values(), report)} == {bool}
    option, file = flags["flags"].split()
    assert option == "--configfile"
    assert (ROOT / file).is_file()
    targets = re.findall(r"`make ([a-z-]+)`", flags["desc"])
    assert targets
    assert set(targets) <= TARGETS


def test_the_main_file_of_the_catalogue_makes_the_paper():
    command = [sys.executable, "-m", "snakemake", "--snakefile", "workflow/Snakefile"]
    command += ["--configfile", "config/test.yaml", "--dry-run"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert {"train_hierarchy", "fig04", "page_report"} <= set(said.stdout.split())


def test_a_snakemake_without_the_package_is_told_what_to_do():
    code = "import sys; sys.modules['srhm'] = None; sys.argv[1:] = ['--dry-run'];"
    code += "from snakemake.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "no package srhm: `make env`" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
