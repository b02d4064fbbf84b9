"""A version names its results: whose scorecards move has another version, or one in development."""

import pytest
from packaging.version import Version
from stored import digest_of_scores, released, version


def names_its_results(now: str, digest: str, releases: dict[str, str]) -> bool:
    return ".dev" in now or releases.get(now) == digest


def test_the_version_names_these_scorecards():
    assert names_its_results(version(), digest_of_scores(), released()), (
        "the scorecards are not those of this version: give it another, or one that ends in .dev0;"
        " tests/guard/write.py stores a release"
    )


def test_versions_only_grow():
    assert Version(version()) >= max(map(Version, released()))


@pytest.mark.parametrize(
    ("now", "digest", "named"),
    [("1.0", "a", True), ("1.0", "b", False), ("1.1", "b", False), ("1.1.dev0", "b", True)],
)
def test_moved_scorecards_need_another_version(now, digest, named):
    assert names_its_results(now, digest, {"1.0": "a"}) == named
