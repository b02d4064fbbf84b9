"""The templates of the pages, with formulas typeset by the filter `typeset`."""

import re

from jinja2 import Environment, PackageLoader, StrictUndefined

from srhm.report import prose


def environment() -> Environment:
    """The templates of this package."""
    found = Environment(
        loader=PackageLoader("srhm.report", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["typeset"] = prose.typeset
    found.filters["commands"] = prose.commands
    found.filters["anchor"] = anchor
    return found


def anchor(title: str) -> str:
    """A title as the name of a section: its words with hyphens."""
    return "-".join(re.findall(r"\w+", title.lower()))
