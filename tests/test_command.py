"""The command `srhm`: what each word runs, its help, its refusals and exit codes."""

from importlib import import_module

import numpy as np
import pytest

from srhm.commands import command, launch
from srhm.commands.command import COMMANDS, main
from srhm.data import random_grammar, symbols, train_and_test
from srhm.model.parsing import parse


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_a_help_of_its_name_with_an_example(name, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main([name, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"usage: srhm {name} " in said
    assert f"example: srhm {name} --" in said


def test_the_overview_lists_every_command(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"srhm {name} {one.example}" in said for name, one in COMMANDS.items())
    assert main([]) == 2


def test_an_unknown_command_is_refused_with_those_that_there_are(capsys):
    assert main(["plot"]) == 2
    assert capsys.readouterr().err == (
        f"srhm has no command 'plot'; there are: {', '.join(COMMANDS)}\n"
    )


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


@pytest.mark.parametrize("name", ["plan", "status", "gc", "publish", "sample"])
def test_the_others_run_their_module(monkeypatch, name):
    module = import_module(f"srhm.commands.{name}")
    monkeypatch.setattr(module, "main", lambda words: (words == ["--seed", "1"]) * 5)
    assert main([name, "--seed", "1"]) == 5


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.needs_clone])
def test_without_the_repository_a_command_says_what_it_needs(monkeypatch, tmp_path, capsys, name):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    assert main([name]) == 2
    assert f"srhm {name} needs Snakefile, config, profiles" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"^0$"):
        main([name, "--help"])


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "results"), 2, "Permission denied"),
    ],
)
def test_what_stops_a_command_is_said_without_a_traceback(monkeypatch, capsys, error, code, said):
    def failing(words):
        raise error

    monkeypatch.setattr(import_module("srhm.commands.status"), "main", failing)
    assert main(["status"]) == code
    assert said in capsys.readouterr().err


# srhm sample
KIND = ["--depth", "2", "--features", "3", "--seed", "4", "--number", "5"]


def drawn_here():
    grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=4)
    return grammar, train_and_test(grammar, n_train=5, n_test=1, seed=4)[0]


def test_a_sample_is_printed_datum_by_datum(capsys):
    assert main(["sample", *KIND]) == 0
    lines = capsys.readouterr().out.splitlines()
    grammar, data = drawn_here()
    assert [line for line in lines if line.startswith("class")] == [
        f"class {label}" for label in data.labels
    ]
    # The symbols as they are printed are inputs of the grammar.
    printed = [line.split()[2:] for line in lines if line.startswith("level 1")]
    for row, words in zip(symbols(data, grammar.parameters).tolist(), printed, strict=True):
        assert [0 if word == "·" else int(word) + 1 for word in words] == row


def test_a_sample_is_written_with_its_trees_and_rules(tmp_path):
    file = tmp_path / "data.npz"
    assert main(["sample", *KIND, "--output", str(file)]) == 0
    grammar, _ = drawn_here()
    with np.load(file) as found:
        names = {"labels", "symbols", "rules_1", "rules_2"}
        names |= {f"{what}_{level}" for what in ("features", "places") for level in (1, 2, 3)}
        assert set(found) == names
        assert [parse(row, grammar).label for row in found["symbols"]] == found["labels"].tolist()
        rows = np.take_along_axis(found["symbols"], found["places_1"], axis=1)
        np.testing.assert_array_equal(rows, found["features_1"] + 1)
        np.testing.assert_array_equal(found["rules_2"], grammar.rules[1])


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
