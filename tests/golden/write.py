"""Writes the golden traces anew: `python tests/golden/write.py`, with names for these cases only.

For a change that is meant to change a training. The others must stay as they are.
"""

import json
import sys
from pathlib import Path

from golden_cases import CASES


def write(cases: list[str]) -> None:
    """The files of these cases; a line for each number of a row and each array."""
    for case in cases:
        parts = []
        for part, entries in CASES[case][1]().items():
            lines = [f"  {json.dumps(name)}: {json.dumps(entries[name])}" for name in entries]
            parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
        (Path(__file__).parent / f"{case}.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    write(sys.argv[1:] or list(CASES))
