"""`make release VERSION= ADDRESS= DOI=`: what hosts, indexes and citations read of a release.

Each value stands in several files, one line for each place. What is not given stays as it is.
"""

import argparse
import datetime
import re
from pathlib import Path

from srhm.store.places import PUBLISHED

# Of each file lines with a value, and the line after which they stand where they are not there yet.
FILES = {
    "pyproject.toml": {
        'name = "srhm"': ['version = "<version>"'],
        "[project.urls]": [
            'Repository = "<address>"',
            'Issues = "<address>/issues"',
            'Changelog = "<address>/blob/main/CHANGELOG.md"',
            'DOI = "https://doi.org/<doi>"',
        ],
    },
    "CITATION.cff": {
        "license: MIT": ['repository-code: "<address>"', "doi: <doi>"],
        "# A version in development has no date of release.": [
            "version: <version>",
            "date-released: <date>",
        ],
    },
    "codemeta.json": {
        '  "name": "srhm",': [
            '  "version": "<version>",',
            '  "datePublished": "<date>",',
            '  "codeRepository": "<address>",',
            '  "issueTracker": "<address>/issues",',
            '  "identifier": "https://doi.org/<doi>",',
        ],
    },
    ".zenodo.json": {
        '  "license": "MIT",': ['  "version": "<version>",', '  "publication_date": "<date>",'],
        '  "related_identifiers": [': [
            '    {"relation": "isSupplementTo", "scheme": "url", "identifier": "<address>"},'
        ],
    },
    ".github/ISSUE_TEMPLATE/config.yml": {
        "blank_issues_enabled: true": [
            'contact_links: [{name: A weakness, about: In private, url: "<address>/security"}]'
        ],
    },
}  # fmt: skip


def filled(text: str, places: dict[str, list[str]], given: dict[str, str]) -> str:
    """The text of a file with these values. An empty value takes its lines away."""
    lines = text.splitlines()
    for anchor, models in places.items():
        for model in reversed(models):
            for name in given.keys() & set(re.findall("<.*?>", model)):
                line = [model.replace(name, given[name])] if given[name] else []
                start = model.partition(name)[0]
                there = [n for n, one in enumerate(lines) if one.startswith(start)]
                first = there[0] if there else lines.index(anchor) + 1
                lines[first : first + len(there)] = line
    return "\n".join([*lines, ""])


def release(root: Path, *, version: str = "", address: str = "", doi: str = "") -> None:
    """Writes what is given into the files of a repository; with a version also today's date."""
    given = {"<address>": address.rstrip("/"), "<doi>": doi, "<version>": version}
    given = {name: value for name, value in given.items() if value}
    if version:
        given["<date>"] = "" if ".dev" in version else datetime.date.today().isoformat()
    for name, places in FILES.items():
        file = root / name
        file.write_text(filled(file.read_text("utf-8"), places, given), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--version", "--address", "--doi"):
        parser.add_argument(option, default="")
    release(PUBLISHED.parent, **vars(parser.parse_args()))
