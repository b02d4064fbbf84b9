"""The words of verdicts. Imports no library, so that a launcher may know them, too."""

from collections.abc import Mapping
from typing import Literal, get_args

Verdict = Literal["reproduced", "differs", "inconclusive"]
SIGNS: dict[str, str] = {"reproduced": "✓", "differs": "✗", "inconclusive": "?"}
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def verdicts_in_words(counts: Mapping[str, int]) -> str:
    """Numbers of claims by verdict, in words: 5 reproduced, 1 differs, 2 inconclusive."""
    return ", ".join(
        f"{count} {'differ' if word == 'differs' and count != 1 else word}"
        for word, count in counts.items()
    )
