"""The command `srhm`: `srhm reproduce`, `srhm sample` and so on, each with `--help`."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from srhm.commands.printing import REFUSED, Refused, printing
from srhm.declare.names import lacking, resolved

# Where a clone has what an installed wheel lacks.
ROOT = Path(__file__).resolve().parents[3]
NEEDED = ("Snakefile", "config", "profiles", "rules", "scripts", "reference")
INTERRUPTED = 130  # 128 + SIGINT, as shells say it


@dataclass(frozen=True)
class Command:
    """A function of this folder, what it does, an example, and what it gets by name."""

    function: str
    does: str
    example: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs_clone: bool = True


COMMANDS = {
    "reproduce": Command("launch:main", "train, measure, draw", "--preset quick --cores 2"),
    "figures": Command(
        "launch:main",
        "draw published rows; trains nothing",
        "--study jamming",
        {"command": "figures", "rows": "published"},
    ),
    "plan": Command("plan:main", "what a run would do, and its cost", "--preset paper --cores 16"),
    "claims": Command(
        "claims:show_claims", "what reproduced", "--results results/quick", needs_clone=False
    ),
    "open": Command(
        "claims:open_index", "results in a browser", "--results results/quick", needs_clone=False
    ),
    "status": Command("status:main", "how far a run is", "--preset quick"),
    "gc": Command("gc:main", "what no configuration refers to any more", "--study jamming"),
    "publish": Command("publish:main", "keep finished rows in published/", "--preset paper"),
    "doctor": Command(
        "doctor:main", "what is wrong here, and what to do", "--directory .", needs_clone=False
    ),
    "sample": Command("sample:main", "a few data and their trees", "--depth 2", needs_clone=False),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code of the command that the first word names; 2 if it cannot be run."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help"):
        print("usage: srhm COMMAND [options]; each has --help; srhm --version\n")
        for name, command in COMMANDS.items():
            print(f"  {name:9}  {command.does:42}  srhm {name} {command.example}")
        return 0 if words else REFUSED
    if words[0] == "--version":
        print(f"srhm {version('srhm')}")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        print(f"srhm has no command {name!r}; there are: {', '.join(COMMANDS)}", file=sys.stderr)
        return REFUSED
    command, absent = COMMANDS[name], [part for part in NEEDED if not (ROOT / part).exists()]
    if absent and command.needs_clone and not {"-h", "--help"} & set(rest):
        print(
            f"srhm {name} needs {', '.join(absent)} of the project's repository, which an"
            " installed package lacks: clone it, and install it there by"
            " `pip install -e '.[workflow]'`",
            file=sys.stderr,
        )
        return REFUSED
    try:
        return resolved(f"srhm.commands.{command.function}")(rest, **command.options)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "srhm":
            raise
        print(f"srhm {name}: {lacking(error.name, 'workflow')}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise  # whoever read the output has gone, see `printing`
    except (OSError, Refused) as error:
        print(error, file=sys.stderr)
        return REFUSED


def run() -> int:
    """The script `srhm` of the installed package."""
    return printing(main)


if __name__ == "__main__":
    sys.exit(run())
