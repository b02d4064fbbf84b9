"""What a launch tells Snakemake about devices: where jobs compute, and how many at a time on GPUs.

`auto` is resolved here, once: the node of a cluster on which a job runs has other devices than the
machine that sent it. On one machine the number of jobs that hold a device is limited, so that few
take cores while they wait for another's.
"""

from collections.abc import Sequence
from contextlib import redirect_stderr
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import yaml

from srhm.commands.preset_file import read_preset
from srhm.jobs.devices import VISIBLE, device_here
from srhm.planning.preset import Common

CHOICES: tuple[str, ...] = get_args(Common.model_fields["device"].annotation)
DEFAULT: str = Common.model_fields["device"].default
# Options of Snakemake that say nothing about devices. To read others takes Snakemake's own parser,
# whose import is half a launch.
DRY = frozenset({"-n", "--dry-run", "--dryrun"})
PLAIN = DRY | {"--until"}


class DeviceError(Exception):
    """A launch that asks for devices that are not there; the message says what to do."""


def why_no_gpu_here() -> str:
    """Why the torch of this environment computes on no GPU, for people; empty if it may.

    Only the version of torch is read: an import would take seconds. A driver that does not suit
    torch is found by the job.
    """
    try:
        torch = version("torch")
    except PackageNotFoundError:
        return "torch is not installed here"
    if torch.endswith("+cpu"):
        return f"torch {torch} of this environment is a build without CUDA"
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
) -> list[str]:
    """The words for Snakemake, and what they lack about devices.

    given: device that the user asks for; None: `--config device=...` among the words, or the
    configuration, decides. local: whether jobs run on this machine, whose devices are visible.
    unusable: why torch cannot compute on them, from `why_no_gpu_here`; empty: it can.

    Raises:
        DeviceError: if the jobs of this machine are to compute on a GPU, and none is visible or
            torch cannot use it; if Snakemake cannot read the words, or they set other keys.
    """
    in_file = read_preset(config).get("device", DEFAULT)
    own_profile = profile if local else None
    if in_file == (given or in_file) == "cpu" and _is_plain(words, own_profile):
        return list(words)
    said = _as_snakemake_reads(words, own_profile)
    settings = [word for word in said.config or [] if not word.startswith("device=")]
    if unknown := [word for word in settings if not word.startswith("rows=")]:
        raise DeviceError(
            f"--config {unknown[0]}: `srhm status`, `publish` and `gc` would know nothing of it;"
            " allowed are device and rows. Write other keys into a file, and name it by"
            " --configfile"
        )
    in_words = [word[len("device=") :] for word in said.config or [] if word not in settings]
    asked = given or (in_words or [in_file])[-1]
    if asked not in CHOICES:
        return list(words)  # Snakemake refuses the configuration, and says why
    device = _resolved(asked, visible, unusable if local and visible else "", dry=said.dryrun)
    options = []
    if device == "cuda" and local:
        if not visible:
            raise DeviceError(
                f"device: cuda, but this machine shows no GPU: {_what_is(visible)}."
                " DEVICE=cpu computes on processors; a profile of a cluster sends jobs to its GPUs"
                " (docs/gpu.md)"
            )
        if "gpu" not in said.resources:
            others = [f"{name}={one.value}" for name, one in said.resources.items()]
            n_jobs = len(visible) * _jobs_per_device(said.set_resources)
            options = ["--resources", *others, f"gpu={n_jobs}"]
    if device != (in_words or [in_file])[-1]:
        options = ["--config", *settings, f"device={device}", *options]
    # Of an option that is given twice Snakemake takes the last; what follows two dashes is none.
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *options, *words[end:]]


def _resolved(asked: str, visible: Sequence[str], unusable: str, *, dry: bool) -> str:
    """The device that is meant, with a line on `auto`."""
    device = device_here(asked, visible=[] if unusable else visible)
    if asked == "auto":
        found = f"{_what_is(visible)}, but {unusable}" if unusable else _what_is(visible)
        print(f"device: auto, here {device}: {found}", flush=True)
    if device == "cuda" and unusable and not dry:
        raise DeviceError(
            f"device: cuda, but {unusable}. Launch from an environment whose torch has CUDA"
            " (docs/gpu.md), or compute on processors with DEVICE=cpu"
        )
    return device


def is_dry(words: Sequence[str]) -> bool:
    """Whether Snakemake only says what it would do with these words."""
    if _is_plain(words):
        return not DRY.isdisjoint(words)
    return bool(_as_snakemake_reads(words, None).dryrun)


def _is_plain(words: Sequence[str], profile: Path | None = None) -> bool:
    """Whether neither the words nor the profile can say anything about devices."""
    if any(word.startswith("-") and word not in PLAIN for word in words):
        return False
    if profile is None:
        return True
    said = yaml.safe_load((profile / "profile.yaml").read_text(encoding="utf-8"))
    return isinstance(said, dict) and "config" not in said


def _as_snakemake_reads(words: Sequence[str], profile: Path | None) -> Any:
    """The words, and what a profile says besides, by the names of Snakemake's options.

    profile: None for one whose executor may not be installed here.
    """
    # Here, so that commands that know the devices' names from here do not pay for it.
    from snakemake.cli import get_argument_parser
    from snakemake.exceptions import WorkflowError

    parser = get_argument_parser(profiles=profile and [str(profile)])
    refusal = StringIO()
    try:
        with redirect_stderr(refusal):
            return parser.parse_known_args(list(words))[0]
    except SystemExit:
        raise DeviceError(refusal.getvalue().strip().rpartition("error: ")[2]) from None
    except WorkflowError as error:
        raise DeviceError(str(error)) from None


def _what_is(visible: Sequence[str]) -> str:
    """The devices of a machine, for people."""
    if visible:
        return f"GPU {', '.join(visible)}"
    return f"{VISIBLE} names none, or is not set and there is no /dev/nvidia0"


def _jobs_per_device(set_resources: Any) -> int:
    """Jobs that may share a device: the most that any rule allows.

    One number limits the jobs of all rules together, so that jobs of a rule that allows fewer may
    start and wait for a device.
    """
    allowed = [rule["jobs_per_device"].value for rule in set_resources.values()
               if "jobs_per_device" in rule]  # fmt: skip
    return max([1, *allowed])
