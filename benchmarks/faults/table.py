"""A fault as a declaration, and its row: made in a run, with what it cost and what was said."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from faults.rows import Row
from faults.scene import Defect, Scene, quoted

# Makes a fault in a scene: what was printed meanwhile.
Make = Callable[[Scene], str]
# From what a fault begins: a finished run, one of fewer cells, or an empty folder.
FINISHED, LESS, NOTHING = "finished", "less", "nothing"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How a fault is made, what must be said, and what may be lost.

    title: for people. make: makes it; what is run under it is the next run where it lasts (see
    `Scene.under`). says: patterns, each of a line that the fault's own run or the next one must
    print. lost: for people; {at_work}: cells in training. loses: finished cells that may be gone.
    begins: from what. mend: what the user does before the next run, and mended: in words. trains:
    cells that the next run may train, by default those that are not stored whole. rerun: in place
    of a next run, what it would do. tracebacks: whether a job that fails may print its own.
    kinds: names of what is trained. root: whether it takes a superuser.
    """

    title: str
    make: Make
    says: Sequence[str] = ()
    lost: str = "nothing"
    loses: int = 0
    begins: str = FINISHED
    mend: Callable[[Scene], object] | None = None
    mended: str = ""
    trains: int | None = None
    rerun: str = ""
    tracebacks: bool = False
    kinds: tuple[str, ...] = ("",)
    root: bool = False

    def of(self, kind: str) -> str:
        """Its title for one of its kinds."""
        return f"{self.title}; {kind}" if kind else self.title


def row_of(fault: Fault, scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """The line of a fault that was made in a scene; undisturbed: tables without it.

    Raises:
        Defect, AssertionError: if it costs more than it may, or nothing is said about it.
    """
    scene.stored = scene.whole()
    text = fault.make(scene)
    lost = scene.stored.keys() - scene.whole().keys()
    if len(lost) > fault.loses:
        raise Defect(f"finished cells lost: {sorted(lost)}\n{text}")
    if fault.mend:
        fault.mend(scene)
    rerun = fault.rerun
    if not rerun:
        rerun, again = finished_again(scene, undisturbed, trains=fault.trains)
        rerun, text = rerun + fault.mended, text + again
    if "Traceback" in text and not fault.tracebacks:
        raise Defect(f"a traceback instead of a sentence:\n{text}")
    number = scene.at_work
    cells = f"{number} cell{'s' * (number != 1)}"
    said = quoted(text, *fault.says, folder=scene.folder) or "nothing"
    return Row(fault.of(scene.kind.name), fault.lost.format(at_work=cells), said, rerun)


def finished_again(
    scene: Scene, undisturbed: Sequence[pd.DataFrame], *, trains: int | None = None
) -> tuple[str, str]:
    """Runs again to the end: what that did, and what it said.

    trains: cells that may be trained, by default those that are not stored whole.

    Raises:
        Defect: if it fails, trains more, or ends with other tables than an undisturbed run.
    """
    before = scene.whole()
    options = dict(scene.under)
    code, text = scene.run(*options.pop("arguments", ()), **options)
    if code != 0:
        raise Defect(f"the next run fails:\n{text}")
    after = scene.whole()
    trained = sum(after[key] != before.get(key) for key in after)
    expected = len(scene.keys) - len(before) if trains is None else trains
    if trained != expected:
        raise Defect(f"{trained} cells trained, {expected} were lacking:\n{text}")
    as_undisturbed(scene, undisturbed)
    resumed = len(re.findall("goes on from its checkpoint", text))
    how = f", {resumed} of them from a checkpoint" if resumed else ""
    return f"trained {trained} of {len(scene.keys)} cells{how}; tables equal", text


def as_undisturbed(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> None:
    """Whether the tables are those of an undisturbed run.

    Raises:
        AssertionError: if one differs in any bit.
    """
    for table, reference in zip(scene.tables(), undisturbed, strict=True):
        pd.testing.assert_frame_equal(table, reference, check_exact=True)


def for_kinds(fault: Fault, *kinds: str) -> Fault:
    """The same fault made while other kinds of networks are trained, too."""
    return replace(fault, kinds=("", *kinds))
