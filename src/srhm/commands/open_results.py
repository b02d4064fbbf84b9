"""Open the index of a folder of results in a browser; without one, print where it is.

`srhm open --results results/quick` opens results/quick/index.html.
"""

import os
import sys
import webbrowser
from collections.abc import Sequence

from srhm.commands.printing import printing
from srhm.commands.results_folder import REFUSED, NoResults, chosen_folder, parser_for_results
from srhm.results.places import INDEX


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the path of the index, and opens it where there is a browser; 2 without an index."""
    options = parser_for_results("open", __doc__).parse_args(arguments)
    try:
        index = chosen_folder(options.results, pattern=INDEX).resolve() / INDEX
    except NoResults as refusal:
        print(refusal, file=sys.stderr)
        return REFUSED
    print(index)
    if has_screen():
        webbrowser.open(index.as_uri())
    return 0


def has_screen() -> bool:
    """Whether a browser would open a window; one in the terminal is not opened."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


if __name__ == "__main__":
    sys.exit(printing(main))
