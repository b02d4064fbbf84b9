"""Compiled code that is kept between processes: a damaged file or a full disk costs time alone.

Numba ends a process that meets a damaged file of its cache or cannot write one. Here each file ends
with a sum. Code that does not match it is compiled anew, and code that cannot be kept is used all
the same.
"""

import hashlib
import logging
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

SIZE = hashlib.sha256().digest_size


class DamagedCode(Exception):
    """A file whose content is not what was written."""


class Summed(IndexDataCacheFile):
    """The files of one compiled function, each with a sum at its end; pickle ignores it."""

    def __init__(self, file: IndexDataCacheFile, log: logging.Logger) -> None:
        vars(self).update(vars(file))
        self._log = log

    def load(self, key: Any) -> Any:
        """The form of a key; None if it is not there or damaged."""
        try:
            return super().load(key)
        except Exception as fault:  # noqa: BLE001
            # Whatever damaged bytes may lead to. Without the index no file of the function is read.
            Path(self._index_path).unlink(missing_ok=True)
            self._say("cannot be read", fault, "it is compiled anew, in about half a minute")
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keeps the form of a key, if it can."""
        try:
            super().save(key, data)
        except OSError as fault:
            advice = "make room there, or set NUMBA_CACHE_DIR; until then each job compiles anew"
            self._say("cannot be kept", fault, advice)

    def _say(self, what: str, fault: Exception, then: str) -> None:
        self._log.warning("compiled code in %s %s (%r): %s", self._cache_path, what, fault, then)

    def _dump(self, obj: Any) -> bytes:
        pickled: bytes = super()._dump(obj)
        return pickled + hashlib.sha256(pickled).digest()

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(content[:-SIZE]).digest() != content[-SIZE:]:
            raise DamagedCode(name)
        return super()._load_data(name)


def check_code(module: ModuleType, *, log: logging.Logger) -> None:
    """Has the compiled functions of a module kept with sums, and read where these match."""
    for one in vars(module).values():
        cache = getattr(one, "_cache", None)
        if isinstance(cache, FunctionCache):
            # Named by the source's digest alone (`machine_code`). Numba keeps code below it by the
            # source's path, so that each clone would compile all anew.
            folder = Path(cache._cache_path).parent
            file = IndexDataCacheFile(str(folder), cache._impl.filename_base, folder.name)
            cache._cache_file = Summed(file, log)
