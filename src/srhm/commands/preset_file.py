"""The file of a preset: YAML in which every key stands once and numbers are what they show."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from srhm.declare.study import ConfigError
from srhm.store import places
from srhm.store.atomic import write_text

# YAML reads 060 in base 8 and 1:30 in base 60.
OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
TRUTH = "tag:yaml.org,2002:bool"
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


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
    line = node.start_mark.line + 1
    children = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        children, lines = [one for pair in node.value for one in pair], dict[str, int]()
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
        meant = yaml.safe_load(node.value)
        yield f"line {line}: YAML reads {node.value} as {meant}: write the number in base 10"
    for child in children:
        yield from _faults(child, seen)
