"""The file of a preset: YAML in which every key stands once and numbers are what they show."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from srhm.study import ConfigError

# With aliases written out; config/paper.yaml has about a thousand.
MOST_VALUES = 100_000
# Of a file, in bytes; config/paper.yaml has about 13,000.
LARGEST = 1_000_000
# YAML reads 060 in base 8 and 1:30 in base 60.
OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
# What UTF-8 has no bytes for; an escape can still name it.
HALF = re.compile("[\ud800-\udfff]")
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def read_preset(path: Path) -> dict[str, Any]:
    """The keys and values of a configuration.

    Raises:
        ConfigError: a sentence with the line, where the file cannot be read or says other than it
            seems to.
    """
    try:
        if (size := path.stat().st_size) > LARGEST:
            raise ConfigError(f"{path} has {size} bytes: a preset has at most {LARGEST}")
        return deepcopy(_values(path, path.read_text(encoding="utf-8")))
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
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply: a preset has about five levels") from None


@lru_cache(maxsize=1)  # a launch asks three times, and PyYAML takes a tenth of a second
def _values(path: Path, text: str) -> dict[str, Any]:
    tree = yaml.compose(text, Loader=yaml.SafeLoader)
    n_values = _n_values(tree, {}) if tree else 0
    if n_values > MOST_VALUES:
        raise ConfigError(
            f"{path} has {n_values:.0g} values once its aliases (*) are written out; at most"
            f" {MOST_VALUES} are read"
        )
    if tree and (faults := dict.fromkeys(_faults(tree))):
        raise ConfigError("\n".join(f"{path}, {fault}" for fault in faults))
    # of the tree that was looked at: reading the text again takes as long as the rest
    values = yaml.SafeLoader("").construct_document(tree) if tree else None
    if not isinstance(values, dict) or not values:
        raise ConfigError(f"{path} holds no keys")
    if "__use_yte__" in values:  # Snakemake would run its expressions as Python
        raise ConfigError(f"{path}: __use_yte__ is not allowed: a preset is no template")
    return values


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [one for pair in node.value for one in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _n_values(node: yaml.Node, known: dict[int, int]) -> int:
    """Values of a tree in which an alias counts as what it stands for."""
    if id(node) not in known:
        known[id(node)] = 1 + sum(_n_values(child, known) for child in _children(node))
    return known[id(node)]


def _faults(node: yaml.Node) -> Iterator[str]:
    """Keys that stand twice, numbers that are read in another base than 10, halves of letters."""
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                at = key.start_mark.line + 1
                if key.value in lines:
                    yield (
                        f"line {at}: {key.value} stands there twice (before in line"
                        f" {lines[key.value]}): keep one of them"
                    )
                lines[key.value] = at
    elif node.tag in NUMBERS and OTHER_BASE.fullmatch(node.value):
        meant = yaml.safe_load(node.value)
        yield f"line {line}: YAML reads {node.value} as {meant}: write the number in base 10"
    elif isinstance(node, yaml.ScalarNode) and HALF.search(node.value):
        yield f"line {line}: \\ud800 to \\udfff are halves of letters, which no file can hold"
    for child in _children(node):
        yield from _faults(child)
