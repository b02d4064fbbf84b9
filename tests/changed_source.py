"""What a change of one module does to digests: in copies of the package, before and after."""

import shutil

from srhm.results.provenance import PACKAGE


def before_and_after(folder, monkeypatch, module, digests, *, holders):
    """Digests of a copy of the package, and of one with a line more in this module.

    module: "training/sparse". digests: function without arguments. holders: modules that know where
    the package lies, as PACKAGE.
    """
    copies = [folder / name / "srhm" for name in ("before", "after")]
    shutil.copytree(PACKAGE, copies[0], ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(copies[0], copies[1])
    file = copies[1] / f"{module}.py"
    file.write_text(file.read_text() + "\nLAW = 1\n")
    found = []
    for copy in copies:
        for holder in holders:
            monkeypatch.setattr(holder, "PACKAGE", copy)
        found.append(digests())
    return found
