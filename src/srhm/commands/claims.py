"""The scorecard of a folder of results, in the terminal: a line for each claim.

`srhm claims --results results/quick` prints how many claims have which verdict, then the claims
in the order of the pages.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any

from srhm.commands.printing import printing
from srhm.commands.results_folder import REFUSED, NoResults, chosen_folder, parser_for_results
from srhm.scorecard.text import decimals

PATTERN = "*scorecard.json"
NUMBERS = ("expected", "tolerance", "value", "low", "high")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the claims; 2 without a scorecard."""
    options = parser_for_results("claims", __doc__).parse_args(arguments)
    try:
        folder = chosen_folder(options.results, pattern=PATTERN)
    except NoResults as refusal:
        print(refusal, file=sys.stderr)
        return REFUSED
    print(verdict_lines(read_claims_in(folder)))
    print(f"from {', '.join(str(file) for file in scorecards(folder))}")
    return 0


def scorecards(folder: Path) -> list[Path]:
    """Scorecards of a folder of results, that of the paper first."""
    return sorted(folder.glob(PATTERN), key=lambda file: (file.name != "scorecard.json", file))


def read_claims_in(folder: Path) -> list[dict[str, Any]]:
    """The claims of all scorecards of a folder; what is not known is NaN."""
    found = []
    for file in scorecards(folder):
        for claim in json.loads(file.read_text(encoding="utf-8")):
            known = {name: nan if claim[name] is None else claim[name] for name in NUMBERS}
            found.append({**claim, **known})
    return found


def verdict_lines(claims: Sequence[Mapping[str, Any]]) -> str:
    """Counts of the verdicts, and a line for each claim: verdict, statement, numbers."""
    counts = Counter(claim["verdict"] for claim in claims)
    width = max(map(len, counts), default=0)
    lines = [f"{len(claims)} claims: {', '.join(f'{n} {word}' for word, n in counts.items())}"]
    lines += [
        f"{claim['verdict']:{width}}  {claim['statement']}: {numbers_of(claim)}" for claim in claims
    ]
    return "\n".join(lines)


def numbers_of(claim: Mapping[str, Any]) -> str:
    """What was measured, with its interval of 95 %, and what is expected."""
    shown = {
        name: f"{claim[name]:.{decimals(claim)}f}" if isfinite(claim[name]) else "unknown"
        for name in ("value", "low", "high")
    }
    interval = isfinite(claim["low"]) or isfinite(claim["high"])
    measured = shown["value"] + (f" [{shown['low']}, {shown['high']}]" if interval else "")
    expected, tolerance = claim["expected"], claim["tolerance"]
    if not isfinite(expected):
        return measured
    within = f"{expected:g} ± {tolerance:g}" if isfinite(tolerance) else f"< {expected:g}"
    return f"{measured}, expected {within}"


if __name__ == "__main__":
    sys.exit(printing(main))
