"""The words of verdicts. Imports no library, so that a launcher may know them, too."""

from collections.abc import Mapping
from typing import Literal, get_args

Verdict = Literal["agrees", "close", "disagrees", "open", "too few data", "no expectation"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# Verdicts behind a number of claims: of several or none, and of any.
OF_SEVERAL = {"agrees": "agree", "disagrees": "disagree"}
OF_ANY = {"too few data": "with too few data", "no expectation": "with no expectation"}


def verdicts_in_words(counts: Mapping[str, int]) -> str:
    """Numbers of claims by verdict, in words: 5 agree, 1 disagrees."""
    return ", ".join(
        f"{count} {OF_ANY.get(own, own)}"
        for word, count in counts.items()
        for own in [word if count == 1 else OF_SEVERAL.get(word, word)]
    )
