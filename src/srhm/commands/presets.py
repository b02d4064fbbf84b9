"""What the commands about a preset share: its file, the chosen studies, where their cells are.

The file is YAML in which every key stands once and numbers are what they show. `--study` names a
study of `srhm.planning.registry` or one of its groups, and may be repeated.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml

from srhm.commands.printing import Refused
from srhm.declare.study import ConfigError, Curve
from srhm.planning import preset
from srhm.planning.preset import ROWS, Common, Plan
from srhm.planning.registry import GROUPS, STUDIES
from srhm.store import places
from srhm.store.atomic import write_text
from srhm.store.cells import path_of
from srhm.store.provenance import PACKAGE
from srhm.training.checkpoints import checkpoint_of

# What `srhm reproduce` makes where no study is named: the workflow's default target.
DEFAULT = "paper"
# The preset where none is named. Those of which rows are shown: of a study the first that has some.
QUICK = "quick"
SHOWN = ("grid", "laptop", QUICK)
CONFIG = PACKAGE.parents[1] / "config"
# YAML reads 060 in base 8 and 1:30 in base 60.
OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
TRUTH = "tag:yaml.org,2002:bool"
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


@dataclass(frozen=True)
class Run:
    """The studies of a plan, and the folder that holds results/."""

    plan: Plan
    directory: Path = Path()

    @property
    def curves(self) -> dict[str, Curve]:
        """All curves by name."""
        return self.plan.curves

    @property
    def absent(self) -> dict[str, str]:
        """Why some of a study cannot be planned, for people, by study."""
        studies = self.plan.studies
        return {study: planned.absent for study, planned in studies.items() if planned.absent}

    def not_counted(self) -> list[str]:
        """A line on each study of which archived rows are taken, or a part cannot be planned."""
        studies = self.plan.studies
        return [
            *(
                f"{study}: {planned.archived}, and are not counted"
                for study, planned in studies.items()
                if planned.archived
            ),
            *(
                f"{study} is {'not all' if studies[study].curves else 'not'} counted:"
                f" {why.splitlines()[0]}"
                for study, why in self.absent.items()
            ),
        ]

    def not_measurable(self) -> list[str]:
        """A line on each study whose networks are to leave no weights, though they are measured."""
        lines = []
        for study, planned in self.plan.studies.items():
            bare = [curve.measured for curve in planned.curves.values() if not curve.keep_weights]
            if names := sorted(set().union(*bare)):
                lines.append(
                    f"{study}.keep_weights is false: {', '.join(names)} cannot be measured, and"
                    " what is made of them fails; remove the key to have them"
                )
        return lines

    def rows(self, curve: Curve) -> Path:
        """File of the rows of a curve."""
        return self.directory / places.rows_of_curve(curve.trainer, curve.name)

    def stored(self, curve: Curve, key: str) -> Path:
        """File of a trained cell."""
        return path_of(self.directory / places.store_of(curve.trainer), key)

    def checkpoint(self, curve: Curve, key: str) -> Path:
        """File of a cell in training."""
        return checkpoint_of(self.directory / places.checkpoints_of(curve.trainer), key)

    def files(self, study: str, curve: Curve) -> dict[str, Path]:
        """Files of a curve by table: its cells, their times, and what a study measures of it."""
        files = {
            "cells": places.rows_of_curve(curve.trainer, curve.name),
            "timings": places.timings_of_curve(curve.trainer, curve.name),
        }
        for measurement in STUDIES[study].measurements:
            if places.is_of(measurement, curve):
                options = places.options_of(measurement, self.plan.studies[study])
                files |= places.measured_files(measurement, options, curve.name)
        return {table: self.directory / file for table, file in files.items()}


def read_preset(path: Path) -> dict[str, Any]:
    """The keys and values of a configuration.

    Raises:
        ConfigError: a sentence with the line, where the file cannot be read or says other than it
            seems to.
    """
    try:
        tree = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        faults = dict.fromkeys(_faults(tree, set())) if tree else {}
        # of the tree that was looked at: reading the text again takes as long as the rest
        values = yaml.SafeLoader("").construct_document(tree) if tree and not faults else None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        raise ConfigError(
            f"{path} is not YAML: {place}: {error.problem or error.context}"
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if faults:
        raise ConfigError("\n".join(f"{path}, {fault}" for fault in faults))
    if not isinstance(values, dict) or not values:
        raise ConfigError(f"{path} holds no keys")
    if "__use_yte__" in values:  # Snakemake would run its expressions as Python
        raise ConfigError(f"{path}: __use_yte__ is not allowed: a preset is no template")
    return values


def note_preset(file: Path, results: Path) -> None:
    """Notes of which file a preset's results are; says so where they were of another one."""
    note, now = results / places.CONFIGURATION, str(file.resolve())
    if note.is_file() and (before := note.read_text(encoding="utf-8")) != now:
        print(
            f"the tables and figures in {results} were made of {before}; those of {now} replace"
            " them. Give it a preset name of its own to keep both",
            flush=True,
        )
    write_text(note, now)


def _faults(node: yaml.Node, seen: set[int]) -> Iterator[str]:
    """Keys that stand twice, and numbers that are read in another base than 10."""
    if id(node) in seen:  # of an alias
        return
    seen.add(id(node))
    children = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        children, lines = [child for pair in node.value for child in pair], dict[str, int]()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            at = key.start_mark.line + 1
            if before := lines.get(key.value):
                yield (
                    f"line {at}: {key.value} stands there twice (before in line {before}): keep one"
                    " of them"
                )
            lines[key.value] = at
            if key.tag == TRUTH:
                yield f"line {at}: YAML reads the key {key.value} as yes or no: no key is called so"
    elif node.tag in NUMBERS and OTHER_BASE.fullmatch(node.value):
        line, meant = node.start_mark.line + 1, yaml.safe_load(node.value)
        yield f"line {line}: YAML reads {node.value} as {meant}: write the number in base 10"
    for child in children:
        yield from _faults(child, seen)


def studies_of(names: Sequence[str]) -> list[str]:
    """The studies that these names of studies and of groups mean, in the order of the registry.

    Raises:
        Refused: if a name is neither.
    """
    unknown = [name for name in names if name not in STUDIES and name not in GROUPS]
    if unknown:
        raise Refused(
            f"no study {', '.join(unknown)}; there are: {', '.join(STUDIES)};"
            f" and groups of them: {', '.join(GROUPS)}"
        )
    meant = {study for name in names for study in GROUPS.get(name, (name,))}
    return [study for study in STUDIES if study in meant]


def preset_with_rows(names: Sequence[str]) -> str:
    """The preset of which most of these studies are published; where none has one, `QUICK`.

    Raises:
        Refused: if a name is no study and no group.
    """
    studies = studies_of(names or [DEFAULT])
    held = {
        name: sum(places.published_folder(name, study).is_dir() for study in studies)
        for name in SHOWN
    }
    best = max(held, key=held.__getitem__)
    return best if held[best] else QUICK


def run_of(
    configfile: Path,
    directory: Path,
    names: Sequence[str] = (),
    *,
    rows: str | None = None,
    default: Sequence[str] = (),
) -> Run:
    """The studies of a configuration that these names mean.

    rows: which rows are shown, if not those that the configuration says (see `preset.Common`).
    default: what is meant without names, as far as the configuration has it; if it has none, all.

    Raises:
        Refused: if the file, the configuration, or the data that it names, are refused, a name is
            no study, or the preset has none of those that it means.
    """
    try:
        values = read_preset(configfile) | ({"rows": rows} if rows else {})
        plan = preset.plan_preset(values, directory=directory)
    except ConfigError as refusal:
        raise Refused(str(refusal)) from refusal
    for name in names:
        if not plan.studies.keys() & set(studies_of([name])):
            raise Refused(
                f"the preset {plan.name} has no study {name}; it has: {', '.join(plan.studies)}"
            )
    meant = studies_of(names or default)
    kept = [study for study in plan.studies if study in meant]
    return Run(plan.only(kept or list(plan.studies)), directory)


def add_study(parser: argparse.ArgumentParser, *, default: str) -> None:
    """Adds the option `--study` to a parser; default: what is meant without it, for people."""
    parser.add_argument(
        "--study",
        action="append",
        default=[],
        metavar="NAME",
        help=f"a study or a group of studies; may be repeated; default: {default}",
    )


def n_cores(text: str) -> int:
    """A number of cores, as an option gives it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed: 1 or more cores are needed")
    return int(text)


# Options that some of the commands about a preset have.
FURTHER: Mapping[str, dict[str, Any]] = {
    "--device": {
        "choices": get_args(Common.model_fields["device"].annotation),
        "help": "where networks are trained; default: the configuration's",
    },
    "--rows": {
        "choices": ROWS,
        "help": "of which networks; default: as the configuration says",
    },
}


def parser_for(
    command: str, description: str | None, *further: str, default: str = "all of the preset"
) -> argparse.ArgumentParser:
    """Parser of a command about one preset: which, which of its studies, and in which folder.

    further: names of `FURTHER`. default: what is meant without a study, for people.
    """
    parser = argparse.ArgumentParser(
        prog=f"srhm {command}",
        description=description,
        epilog=f"example: srhm {command} --preset quick --study jamming",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--preset", default=QUICK, help=f"name of a file of config/; default: {QUICK}"
    )
    parser.add_argument("--configfile", type=Path, help="a configuration elsewhere, in its place")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    add_study(parser, default=default)
    for option in further:
        parser.add_argument(option, **FURTHER[option])
    return parser


def chosen_run(options: argparse.Namespace, *, default: Sequence[str] = ()) -> Run:
    """The run that the options name; default: as of `run_of`."""
    path, rows = options.configfile or CONFIG / f"{options.preset}.yaml", vars(options).get("rows")
    return run_of(path, options.directory, options.study, rows=rows, default=default)
