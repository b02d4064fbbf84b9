"""The command `srhm`: what each word runs, its help, its refusals and exit codes."""

import pytest

from srhm.commands import command, launch
from srhm.commands.command import COMMANDS, main


def test_the_overview_lists_every_command(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"srhm {name} {one.example}" in said for name, one in COMMANDS.items())
    assert main([]) == 2


@pytest.mark.parametrize(
    ("words", "preset", "rows"),
    [
        (["reproduce"], None, None),
        (["reproduce", "--preset", "test", "--rows", "both"], "test", "both"),
        (["figures"], None, "published"),
        (["figures", "--preset", "paper", "--dry-run"], "paper", "published"),
    ],
)
def test_reproduce_and_figures_launch_the_workflow(monkeypatch, words, preset, rows):
    def launched(options, extra):
        assert (options.preset, options.rows) == (preset, rows)
        assert extra == [word for word in words if word == "--dry-run"]
        return 7

    monkeypatch.setattr(launch, "_launch", launched)
    assert main(words) == 7


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.needs_clone])
def test_without_the_repository_a_command_says_what_it_needs(monkeypatch, tmp_path, capsys, name):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    assert main([name]) == 2
    assert f"srhm {name} needs Snakefile, config, profiles" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"^0$"):
        main([name, "--help"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--branching", "1"], "s = 1: allowed are 2 to 16"),
        (["--number", "10000000"], "has only"),
        (["--number", "-1"], "allowed are 1 or more"),
        (["--seed", "-1"], "allowed are 0 or more"),
        (["--output", "data.txt"], "allowed are names that end in .npz"),
        (["--output", "/proc/none/data.npz"], "cannot be written"),
    ],
)
def test_a_sample_that_cannot_be_is_refused_in_a_sentence(capsys, words, said):
    assert main(["sample", *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert not printed.out
