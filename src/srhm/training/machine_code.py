"""Compiled code that is kept between processes, by the source that it was made of."""

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba


def folder_of(source: Path) -> Path | None:
    """Folder for the machine code of a source file, None if none can be written.

    It lies below NUMBA_CACHE_DIR if that is set, else below the user's cache folder. The digest in
    its name lets no edit meet code that was compiled before it.
    """
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(user) / "srhm")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    folder = root / f"{source.stem}-{digest}-numba-{numba.__version__}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def compiler(source: Path, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of the functions of a source file, which call none of another file.

    It compiles them when they are first called, and keeps them in the folder. options: of numba.
    """
    folder = folder_of(source)
    if folder is None:
        warnings.warn(
            f"compiled code of {source.name} cannot be kept, each process compiles anew; set"
            " NUMBA_CACHE_DIR to a folder that can be written",
            stacklevel=2,
        )
        return numba.njit(**options)

    def compiled(function: Callable[..., Any]) -> Any:
        settings: Any = numba.config
        previous = settings.CACHE_DIR
        settings.CACHE_DIR = str(folder)  # numba reads it when it decorates
        try:
            return numba.njit(cache=True, **options)(function)
        finally:
            settings.CACHE_DIR = previous

    return compiled
