"""What a launch tells Snakemake about devices: where jobs compute, and how many at a time on GPUs.

`auto` is resolved here, once: the node of a cluster on which a job runs has other devices than the
machine that sent it. On one machine the number of jobs that hold a device is limited, so that few
take cores while they wait for another's.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import yaml

from srhm.runtime.devices import VISIBLE, resolved
from srhm.studies.sparse_hierarchy import configuration as experiments

CHOICES: tuple[str, ...] = get_args(experiments.Preset.model_fields["device"].annotation)
DEFAULT: str = experiments.Preset.model_fields["device"].default
# Words of Snakemake for a run that only says what it would do, for which torch need not compute.
DRY = {"-n", "--dry-run", "--dryrun"}


class DeviceError(Exception):
    """A launch that asks for devices that are not there; the message says what to do."""


def why_no_gpu_here() -> str:
    """Why the torch of this environment computes on no GPU, for people; empty if it may.

    Only the version of torch is read, and whether Triton is installed, which comes with CUDA: an
    import would take seconds. A driver that does not suit torch is found by the job.
    """
    try:
        torch = version("torch")
    except PackageNotFoundError:
        return "torch is not installed here"
    if torch.endswith("+cpu"):
        return f"torch {torch} of this environment is a build without CUDA"
    if find_spec("triton") is None:
        return f"torch {torch} of this environment has no triton, which builds with CUDA bring"
    return ""


def device_options(
    words: Sequence[str],
    *,
    given: str | None,
    config: Path,
    profile: Path,
    local: bool,
    visible: Sequence[str],
    unusable: str = "",
) -> tuple[list[str], list[str]]:
    """Options about devices for Snakemake, to stand before all others, and the remaining words.

    Args:
        words: what the user gives to Snakemake; `--config device=...` among them counts.
        given: device that the user asks for; None: the configuration decides.
        config: the configuration's file.
        profile: folder of the profile.
        local: whether jobs run on this machine.
        visible: names of its devices.
        unusable: why torch cannot compute on them, from `why_no_gpu_here`; empty: it can. Not used
            for a cluster, whose nodes may have another environment.

    Raises:
        DeviceError: if the jobs of this machine are to compute on a GPU, and none is visible or
            torch cannot use it.
    """
    rest, settings = _taken(words, "--config", "-C")
    in_words = [word.removeprefix("device=") for word in settings if word.startswith("device=")]
    in_file = _mapping(config).get("device", DEFAULT)
    asked = given or (in_words or [in_file])[-1]
    if asked not in CHOICES:
        return [], list(words)  # Snakemake refuses the configuration, and says why
    unusable = unusable if local and visible else ""
    device = resolved(asked, visible=[] if unusable else visible)
    if asked == "auto":
        found = f"{_what_is(visible)}, but {unusable}" if unusable else _what_is(visible)
        print(f"device: auto, here {device}: {found}", flush=True)
    if device == "cuda" and local and not visible:
        raise DeviceError(
            f"device: cuda, but this machine shows no GPU: {_what_is(visible)}."
            " DEVICE=cpu computes on processors; a profile of a cluster sends jobs to its GPUs"
            " (docs/gpu.md)"
        )
    if device == "cuda" and unusable and not DRY & set(words):
        raise DeviceError(
            f"device: cuda, but {unusable}. Launch from an environment whose torch has CUDA"
            " (docs/gpu.md), or compute on processors with DEVICE=cpu"
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

    As Snakemake reads it, an option takes all words up to the next option. One that is written with
    its value (`--config=device=cpu`, `-Cdevice=cpu`) takes only that.
    """
    rest: list[str] = []
    values: list[str] = []
    taking = False
    for word in words:
        name, equals, value = word.partition("=")
        attached = next((n for n in names if len(n) == 2 and word.startswith(n) and word != n), "")
        if word in names:
            values, taking = [], True
        elif equals and name in names:
            values, taking = [value], False
        elif attached:
            values, taking = [word.removeprefix(attached)], False
        elif taking and not word.startswith("-"):
            values.append(word)
        else:
            taking = False
            rest.append(word)
    return rest, values


def _jobs_per_device(profile: Mapping[str, Any], words: Sequence[str]) -> int:
    """Jobs that may share a device: the most that any rule allows, by the profile or by words.

    One number limits the jobs of all rules together, so that jobs of a rule that allows fewer may
    start and wait for a device.
    """
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
