"""Tries every form of training on this machine's GPU, and prints a table to send in.

`python -m srhm.commands.check_gpu`, or `make check-gpu`. A run does the same by itself at the first
use of a device; here all forms are tried, whatever is known of them, and the outcomes are kept for
the runs of this folder.
"""

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from srhm.commands.printing import printing
from srhm.flow import cells
from srhm.images import experiment
from srhm.runtime.first_use import FOLDER, LIMIT, FirstUse, first_use_of
from srhm.runtime.no_device import NoDevice
from srhm.training import curve
from srhm.training.cell import processor

FORMS = (curve.PACKED, curve.PLAIN, curve.STACKED, cells.ON_GPU, experiment.ON_GPU)
COLUMNS = ("form", "network", "trained, steps", "device, s", "one core, s", "differences (allowed)",
           "outcome")  # fmt: skip
HEADER = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"
NO_DEVICE, NOT_ALL = 2, 1


def lines(found: FirstUse) -> list[str]:
    """Rows of the table: one for each network, or one that says why there is none."""
    if not found.rows:
        return [f"| {found.form} | | | | | {found.reason} | {found.outcome} |"]
    table = []
    for row in found.rows:
        differences = ", ".join(
            f"{name} {value:.2g} ({allowed:.2g})"
            for name, (value, allowed) in row["differences"].items()
        )
        table.append(
            f"| {found.form} | {row['network']} | {row['trained']} × {row['steps']} |"
            f" {row['seconds']:.3g} | {row['on_processor']:.3g} | {differences} |"
            f" {found.outcome} |"
        )
    if found.outcome != "equal":
        table.append(f"| {found.form} | | | | | {found.reason} | {found.outcome} |")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every form agrees with the processor, 1 if one does not, 2 if there is no GPU."""
    parser = argparse.ArgumentParser(prog="check_gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    parser.add_argument("--device", default="cuda", help="of torch; for tests")
    parser.add_argument("--only", nargs="+", help="names of forms")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of one form")
    options = parser.parse_args(arguments)
    log, clock = logging.getLogger("srhm.check_gpu"), time.monotonic()
    tried = list[FirstUse]()
    named = {"device": options.device, "limit": options.limit, "again": True}
    for form in FORMS:
        if options.only and form.name not in options.only:
            continue
        try:
            found = first_use_of(form, log=log, folder=options.directory / FOLDER, **named)
        except NoDevice as error:
            print(f"there is no GPU to check: {error}")
            return NO_DEVICE
        if not tried:
            of = ", ".join(f"{name} {text or 'unknown'}" for name, text in found.device.items()
                           if name not in ("name", "digest"))  # fmt: skip
            print(f"{found.device.get('name', 'a device without a name')}; {of}; {processor()}\n")
            print(HEADER)
        print("\n".join(lines(found)), flush=True)
        tried.append(found)
    seconds = time.monotonic() - clock
    codes = ", ".join(f"{one.form} {one.device.get('digest', '')}" for one in tried)
    print(f"\n{seconds:.0f} s; code: {codes}")
    bad = [one for one in tried if one.outcome != "equal"]
    for one in bad:
        if one.said:
            print(f"\n{one.form} said:\n\n{one.said.strip()}")
    print(f"\nkept in {options.directory / FOLDER}; please send the table in (docs/gpu.md)")
    return NOT_ALL if bad else 0


if __name__ == "__main__":
    sys.exit(printing(main))
