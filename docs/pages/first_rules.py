"""Verdicts by the rules with which each study was first published, and by the present rules.

reference/first_rules.csv has the first, reference/gone_claims.csv what became of claims that are
none any more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pages.markdown import table

FIRST, GONE = "reference/first_rules.csv", "reference/gone_claims.csv"
# Of two presets with the same claims that which counts, and the other.
MAIN, WIDE = "grid", "paper"
KEY = ["preset", "study", "claim"]
# Present verdicts, and the words that the first rules had for them.
KINDS = {"reproduced": ("reproduced", "agrees", "close", "within"),
         "differs": ("differs", "disagrees"),
         "inconclusive": ("inconclusive", "open", "too few data")}  # fmt: skip
BECAME = {"duplicate": "repeated another claim", "threshold": "were a fit at another test error",
          "test": "could not fail, or a test holds them",
          "rewritten": "are tested under other names",
          "expected nothing": "expected nothing",
          "zero": "were a bound of zero that no source states",
          "twice": "said a statement again",
          "no reason": "had a tolerance without a reason"}  # fmt: skip


@dataclass(frozen=True)
class Rules:
    """Claims of the archived results: scorecards by preset and study, first verdicts, gone claims.

    first: preset, study, claim, verdict. gone: preset, study, claim, became (of BECAME).
    """

    scorecards: Mapping[str, Mapping[str, pd.DataFrame]]
    first: pd.DataFrame
    gone: pd.DataFrame

    def by_study(self) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame]]:
        """Preset, study, first and present verdicts of each that has both."""
        for names, before in self.first.groupby(["preset", "study"], sort=False):
            preset, study = map(str, names)
            now = self.scorecards[preset][study].assign(preset=preset, study=study)
            yield preset, study, before, now

    def counted(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """First and present verdicts, each claim once: those of WIDE are those of MAIN, too."""
        parts = [(before, now) for preset, _, before, now in self.by_study() if preset != WIDE]
        before, now = zip(*parts, strict=True)
        return pd.concat(before), pd.concat(now)


def read_rules(root: Path, scorecards: Mapping[str, Mapping[str, pd.DataFrame]]) -> Rules:
    """The rules of a repository with these scorecards."""
    return Rules(scorecards, *(pd.read_csv(root / name) for name in (FIRST, GONE)))


def in_sum(rules: Rules) -> Iterator[str]:
    """Lines of Markdown: counts of verdicts by the first and by the present rules."""
    before, now = rules.counted()
    named = (("first", before), ("present", now))
    yield from table(["rules", "claims", *KINDS],
                     ([name, *map(str, _counts(own))] for name, own in named))  # fmt: skip
    both = before.merge(now, on=KEY, suffixes=("", "_now"))
    kinds = {word: kind for kind, words in KINDS.items() for word in words}
    moved = both["verdict"].map(kinds) != both["verdict_now"].map(kinds)
    later = int((now["fixed"] == "after").sum())
    yield ""
    yield (
        f"{len(both)} claims have both verdicts, of which {int(moved.sum())} moved. {later} of the"
        " present claims had a rule changed after results were seen."
    )


def of_studies(rules: Rules) -> Iterator[str]:
    """Lines of Markdown: the same for each study, and what became of claims that are gone.

    Raises:
        ValueError: if GONE does not say what became of a claim.
    """
    heads, lines = ["study", "preset", "claims", *KINDS, "changed after seeing results"], []
    for preset, study, before, now in rules.by_study():
        pairs = zip(_counts(before), _counts(now), strict=True)
        counts = [str(first) if first == last else f"{first} → {last}" for first, last in pairs]
        lines.append([study, preset, *counts, str(int((now["fixed"] == "after").sum()))])
    yield from table(heads, lines)
    before, now = rules.counted()
    left = before.merge(now[KEY], on=KEY, how="left", indicator=True).query("_merge == 'left_only'")
    became = left.merge(rules.gone, on=KEY, how="left")["became"]
    if unknown := sorted(set(left["claim"][~became.isin(BECAME).to_numpy()])):
        raise ValueError(f"{GONE} does not say what became of {unknown}")
    parts = ", ".join(f"{int((became == kind).sum())} {words}" for kind, words in BECAME.items())
    failed = int(left["verdict"].isin(KINDS["differs"]).sum())
    new = len(now) - (len(before) - len(left))
    yield ""
    yield (
        f"Gone since: {len(left)} claims, of which {failed} differed; {parts}. New: {new}. Claims"
        f" of {WIDE} are claims of {MAIN}, too, and count once."
    )


def _counts(claims: pd.DataFrame) -> list[int]:
    return [len(claims), *(int(claims["verdict"].isin(words).sum()) for words in KINDS.values())]
