"""What a launch tells Snakemake about devices: where jobs compute, and how many at a time on GPUs.

`auto` is resolved here, once: the node of a cluster on which a job runs has other devices than the
machine that sent it. On one machine the number of jobs that hold a device is limited, so that none
takes cores while it waits for another's.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml

from srhm import experiments
from srhm.devices import VISIBLE, resolved

CHOICES: tuple[str, ...] = get_args(experiments.Preset.model_fields["device"].annotation)
DEFAULT: str = experiments.Preset.model_fields["device"].default


class DeviceError(Exception):
    """A launch that asks for devices that are not there; the message says what to do."""


def device_options(
    words: Sequence[str],
    *,
    given: str | None,
    config: Path,
    profile: Path,
    local: bool,
    visible: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Options for Snakemake, to stand before all others, and the words without those among them.

    Args:
        words: of the user, for Snakemake; `--config device=...` among them is heeded.
        given: device that the user asks for by name; None: none, the configuration says.
        config: the configuration's file.
        profile: folder of the profile.
        local: whether jobs run on this machine.
        visible: names of its devices.

    Raises:
        DeviceError: if the jobs of this machine are to compute on a GPU and none is visible.
    """
    rest, settings = _taken(words, "--config", "-C")
    in_words = [word.removeprefix("device=") for word in settings if word.startswith("device=")]
    in_file = _mapping(config).get("device", DEFAULT)
    asked = given or (in_words or [in_file])[-1]
    if asked not in CHOICES:
        return [], list(words)  # Snakemake refuses the configuration, and says why
    device = resolved(asked, visible=visible)
    if asked == "auto":
        print(f"device: auto, here {device}: {_what_is(visible)}", flush=True)
    if device == "cuda" and local and not visible:
        raise DeviceError(
            f"device: cuda, but this machine shows no GPU: {_what_is(visible)}."
            " DEVICE=cpu computes on processors; a profile of a cluster sends jobs to its GPUs"
            " (docs/gpu.md)"
        )
    settings = [word for word in settings if not word.startswith("device=")]
    if device != in_file:
        settings.append(f"device={device}")
    options = ["--config", *settings] if settings else []
    if device == "cuda" and local:
        made = _mapping(profile / "profile.yaml")
        rest, limits = _taken(rest, "--resources", "--res")
        limits = limits or _pairs(made.get("resources"))
        if not any(limit.startswith("gpu=") for limit in limits):
            limits.append(f"gpu={len(visible) * _jobs_per_device(made, words)}")
        options += ["--resources", *limits]
    return options, rest


def _what_is(visible: Sequence[str]) -> str:
    """The devices of a machine, for people."""
    if visible:
        return f"GPU {', '.join(visible)}"
    return f"{VISIBLE} names none, or is not set and there is no /dev/nvidia0"


def _taken(words: Sequence[str], *names: str) -> tuple[list[str], list[str]]:
    """The words without an option of any of these names, and the values of its last occurrence.

    The option takes all words up to the next option, as Snakemake reads it.
    """
    rest: list[str] = []
    values: list[str] = []
    taking = False
    for word in words:
        name, equals, value = word.partition("=")
        if word in names or (equals and name in names):
            values, taking = [value] if equals else [], not equals
        elif taking and not word.startswith("-"):
            values.append(word)
        else:
            taking = False
            rest.append(word)
    return rest, values


def _jobs_per_device(profile: Mapping[str, Any], words: Sequence[str]) -> int:
    """Jobs that may share a device: the most that any rule allows, by the profile or by words."""
    by_rule = profile.get("set-resources")
    rules = by_rule.values() if isinstance(by_rule, Mapping) else []
    given = [pair for rule in rules for pair in _pairs(rule)]
    found = (re.search(r"\bjobs_per_device=(\d+)$", word) for word in [*given, *words])
    return max([1, *(int(match[1]) for match in found if match)])


def _pairs(resources: Any) -> list[str]:
    """Limits of a profile as words: it holds them as a mapping, a list or one text."""
    if isinstance(resources, Mapping):
        return [f"{name}={value}" for name, value in resources.items()]
    return resources.split() if isinstance(resources, str) else list(resources or [])


def _mapping(file: Path) -> Mapping[str, Any]:
    found = yaml.safe_load(file.read_text())
    return found if isinstance(found, Mapping) else {}
