"""Each tutorial runs as a reader runs it, prints what its page shows, and its claim holds."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from srhm.commands import notebooks
from srhm.commands.notebooks import EXTRAS

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
of_each = pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)


def test_there_are_four():
    assert [path.stem for path in TUTORIALS] == [
        *("add_a_study", "draw_a_datum", "measure_one_p_star", "sensitivities")
    ]


@of_each
def test_a_tutorial_ends_in_a_claim(tutorial):
    *_, last = re.findall(r"^# %%\n(.*?)(?=^# %%|\Z)", tutorial.read_text(), flags=re.M | re.S)
    assert re.search(r"^ *assert ", last, flags=re.MULTILINE)


@of_each
@pytest.mark.slow
def test_a_tutorial_runs_and_prints_what_it_shows(tutorial, tmp_path):
    done = subprocess.run([sys.executable, tutorial], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout
    for shown in re.findall(r"^# ```text\n(.*?)^# ```", tutorial.read_text(), flags=re.M | re.S):
        _, found, printed = printed.partition(re.sub(r"^# ?", "", shown, flags=re.MULTILINE))
        assert found, f"not printed, or not in this order:\n{shown}"


@pytest.mark.parametrize("name", EXTRAS)
def test_a_notebook_is_its_tutorial_with_an_installation_and_without_outputs(name, tmp_path):
    assert notebooks.main(["--output", str(tmp_path), "--repository", "https://a/b.git"]) == 0
    found = json.loads((tmp_path / f"{name}.ipynb").read_text())
    assert (found["nbformat"], found["metadata"]["kernelspec"]["name"]) == (4, "python3")
    install, *code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
    assert found["cells"][0] == install
    assert f'REPOSITORY = "https://a/b.git"\n%pip install --quiet "srhm{EXTRAS[name]} @ git+' in (
        "".join(install["source"])
    )
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    tutorial = (ROOT / "docs" / "tutorials" / f"{name}.py").read_text()
    kept = [line for line in tutorial.splitlines() if line.strip() and not line.startswith("# ")]
    lines = [line.rstrip("\n") for cell in code for line in cell["source"] if line.strip()]
    assert [line for line in lines if not line.startswith("# ")] == [
        line for line in kept if line != "#"
    ]
    prose = "".join("".join(cell["source"]) for cell in found["cells"] if cell not in code)
    assert "make env" not in prose
    assert set(re.findall(r"\]\(([^)]*)\)", prose)) <= {f"{one}.ipynb" for one in EXTRAS}
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])


def test_without_an_address_the_command_and_the_first_cell_ask_for_it(tmp_path, capsys):
    assert notebooks.main(["--output", str(tmp_path), "--repository", ""]) == 0
    assert "--repository ADDRESS" in capsys.readouterr().out
    for name in EXTRAS:
        install = json.loads((tmp_path / f"{name}.ipynb").read_text())["cells"][0]["source"]
        above, (last,) = install[:-1], install[-1:]
        assert last.startswith("%pip")
        with pytest.raises(AssertionError, match="write the address"):
            exec("".join(above))
    assert notebooks.main(["--output", str(tmp_path), "--repository", "https://a/b.git"]) == 0
    assert "--repository ADDRESS" not in capsys.readouterr().out


def test_the_address_of_the_notebooks_is_that_of_the_citation():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    expected = citation.get("repository-code", "")
    assert notebooks.address_of_repository() == expected
