"""What a user has set around a run: an output that is closed or full, files of settings."""

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

from srhm.commands import launch
from srhm.figures.drawing import styled

# Prints and then makes a file: as `srhm reproduce` does, and as a command that only prints.
MAKES = """
import sys
from contextlib import redirect_stdout
from pathlib import Path
from srhm.commands.printing import outlasting, printing

def main():
    with redirect_stdout(outlasting(sys.stdout)):
        print("begun", flush=True)
        Path("made").touch()
    return 0

sys.exit(printing(main))
"""


def run(code, to, folder):
    command = f'"{sys.executable}" -c "$CODE" {to}'
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={"CODE": code, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("to", [">&-", ">&- 2>&-", "> /dev/full"])
def test_a_run_whose_output_is_closed_or_full_makes_what_it_is_to_make(tmp_path, to):
    done = run(MAKES, to, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "made").is_file()


def test_a_figure_has_the_style_of_the_paper_whatever_the_user_has_set():
    @styled
    def settings():
        return {name: mpl.rcParams[name] for name in ("axes.grid", "axes.xmargin")}

    expected = settings()
    own = {"axes.grid": not expected["axes.grid"], "axes.xmargin": 0.4}
    with mpl.rc_context(own):  # as by a file matplotlibrc
        assert settings() == expected
        assert mpl.rcParams["axes.xmargin"] == 0.4


def test_settings_of_numba_in_a_file_are_refused(tmp_path, capsys):
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\n")
    assert launch.main(["--preset", "test", "--directory", str(tmp_path)]) == launch.REFUSED
    assert f"{Path(tmp_path, '.numba_config.yaml')} would change" in capsys.readouterr().out
    assert [one.name for one in tmp_path.iterdir()] == [".numba_config.yaml"]
