"""README.md and the generated documents say what the scorecards of the archived results say."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from pages import first_rules, headline_picture, positions_picture, readme, thesis
from PIL import Image

from srhm.planning.preset import plan_preset
from srhm.planning.registry import STUDIES, file_of_study
from srhm.report.forest import finding

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows():
    return readme.headline(ROOT)


@pytest.fixture(scope="module")
def scorecards():
    return readme.all_scorecards(ROOT)


def test_every_document_is_what_make_readme_writes():
    made = readme.documents(ROOT)
    assert len(made) > 2 * len(STUDIES)
    other = [
        str(file.relative_to(ROOT)) for file, text in made.items()
        if file.read_text(encoding="utf-8") != text
    ]  # fmt: skip
    assert other == [], "make readme writes them anew"


def test_the_readme_has_at_most_1200_words():
    words = re.sub(r"<!--.*?-->|</?[a-z][^>]*>", "", README)
    assert len(re.findall(r"\S*\w\S*", words)) <= 1200


def test_the_times_of_the_readme_are_those_of_the_page_of_times():
    table = (ROOT / "docs/running.md").read_text("utf-8")
    for command in ("make figures", "make reproduce"):
        (time,) = re.findall(rf"`{command}` (?:takes )?([a-z\d]+ (?:a |to \d+ )?minutes?)", README)
        assert re.search(rf"\| `{command}` \| {time}\b", table), (command, time)


def test_the_curve_that_the_readme_adds_is_the_only_new_one():
    (line,) = re.findall(r"^    (- \{net: .*\})$", README, re.MULTILINE)
    quick = (ROOT / "config/quick.yaml").read_text("utf-8")
    mine = quick.replace("preset: quick", "preset: mine", 1)
    section, curves, rest = mine.partition("  curves:\n")
    assert section.count("\nsparse_hierarchy:") == 1
    mine = f"{section}{curves}    {line}\n{rest}"
    before, after = (plan_preset(yaml.safe_load(text)).curves.keys() for text in (quick, mine))
    (added,) = after - before
    assert before < after
    assert added.startswith("cnn_L2")
    assert "_v7_" in added


def test_counts_on_fresh_grammars_are_those_of_their_file():
    rows = pd.read_csv(ROOT / readme.FRESH).query("n > 0")
    curves = pd.read_parquet(ROOT / "published/fresh/sparse_hierarchy/cells.parquet")["curve"]
    words = {5: "five", 9: "nine", 14: "14"}
    n = {word: words[count] for word, count in rows["verdict"].value_counts().items()}
    same = int((rows["verdict"] == rows["explored_verdict"]).sum())
    page = " ".join((ROOT / readme.RESULTS).read_text("utf-8").split())
    assert f"had used: {curves.nunique()} curves" in page
    assert f"They allow {len(rows)} of the measurements. Of these, {n['reproduced']} are" in page
    assert f"{n['differs']} differ, and {n['inconclusive']} are inconclusive; {same} have" in page
    assert same / len(rows) == 0.75
    assert "three quarters of the verdicts are the same" in " ".join(README.split())


@pytest.mark.parametrize("name", headline_picture.SHADES)
def test_the_picture_of_the_readme_is_of_these_rows_and_small(name, scorecards):
    slope = headline_picture.slope_text(scorecards[readme.MAIN]["sparse_hierarchy"])
    with Image.open(ROOT / name) as image:
        origin = image.text["Description"]
    assert origin == headline_picture.origin_of(ROOT, slope), "make readme draws it anew"
    assert (ROOT / name).stat().st_size < 80_000
    assert name in README


def test_the_table_of_the_recipe_has_a_cell_for_each_head():
    written = (ROOT / readme.RESULTS).read_text(encoding="utf-8")
    start = written.index("## Trained as for the paper's figures")
    head, _, *fits = re.findall(r"^\|.*\|$", written[start:], re.MULTILINE)
    assert {row.count("|") for row in fits} == {head.count("|")}
    assert len(fits) >= 9


def test_the_list_of_studies_names_each_and_their_pictures_are_small():
    written = (ROOT / readme.LIST).read_text(encoding="utf-8")
    for study in STUDIES:
        assert f"{study}/README.md" in written
        file = ROOT / file_of_study(study)
        for link in re.findall(r"!\[[^]]+\]\(([^)]+)\)", file.read_text(encoding="utf-8")):
            assert (file.parent / link).stat().st_size < 100_000


def test_the_picture_of_positions_is_of_these_rows_with_the_powers_that_its_page_names():
    with Image.open(ROOT / positions_picture.PICTURE) as image:
        assert image.text["Description"] == positions_picture.origin_of(ROOT)
    table = positions_picture.costs(ROOT)
    assert set(table["net"]) == set(positions_picture.LOOKS)
    known = {"lcn": 2, "cnn_pooled_first": 1, "cnn_pooled": 0}  # levels
    own = table[table["net"].isin(known)]
    powers = (own["s0"] + 1.0) ** own["net"].map(known)
    assert (own["ratio"] / powers).between(1, 1.15).all()  # "within some twelve percent"


def test_the_picture_of_verdicts_is_of_these_numbers(scorecards):
    examples = readme.forest_of_examples(scorecards[readme.MAIN])
    with Image.open(ROOT / readme.VERDICTS_PICTURE) as image:
        assert image.text["Description"] == readme.in_words(examples)


def test_what_became_of_claims_that_are_gone_is_said(scorecards):
    rules = first_rules.read_rules(ROOT, scorecards)
    gone = rules.gone.set_index(first_rules.KEY)
    assert gone.index.is_unique
    assert not [one for one in gone.index if one[2] in thesis.claim_figures(one[1])]
    assert "Gone since: " in "\n".join(first_rules.of_studies(rules))


@pytest.mark.parametrize("name", [readme.DESKTOP, readme.PHONE])
def test_a_picture_is_of_these_verdicts_and_small(rows, name):
    file = ROOT / name
    with Image.open(file) as image:
        assert image.text["Description"] == finding(rows)
    assert file.stat().st_size < 100_000


def test_the_program_of_the_readme_runs():
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(program.strip().splitlines()) <= 7
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "class" in done.stdout  # a tree of a datum
