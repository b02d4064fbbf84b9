"""What a job says while it runs: on the screen for people, and in its log file."""

import gc
import logging
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Marks the last line of the log of a job that failed.
FAILED = "failed:"


@contextmanager
def job_log(path: str | Path, *, name: str) -> Iterator[logging.Logger]:
    """Logger of one job: lines with time, level and name to its file and to the screen.

    An error that ends the job is written to the file with its traceback, and raised on; its last
    line, in the file and on the screen, says what failed, why, and where the log is. The last line
    of the log of a job that is done says what it took.
    """
    # What a job has loaded is no garbage: to look through it again took a sixth of a drawing.
    gc.freeze()
    gc.set_threshold(20_000)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    log = logging.getLogger(f"srhm.{name}")
    log.setLevel(logging.INFO)
    log.propagate = False
    form = logging.Formatter(f"%(asctime)s %(levelname)s {name}: %(message)s", datefmt="%H:%M:%S")
    handlers: list[logging.Handler] = [
        logging.FileHandler(path, mode="w", encoding="utf-8"),
        logging.StreamHandler(sys.stderr),
    ]
    for handler in handlers:
        handler.setFormatter(form)
        log.addHandler(handler)
    try:
        yield log
        handlers[0].handle(
            log.makeRecord(log.name, logging.INFO, "", 0, "done: %s", (_used(),), None)
        )
    except SystemExit:  # a job that was stopped has said so
        raise
    except BaseException as error:
        handlers[0].handle(
            log.makeRecord(log.name, logging.ERROR, "", 0, f"{error!r}", (), sys.exc_info())
        )
        notes = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
        log.error("%s %r%s; log: %s", FAILED, error, notes, path)
        raise
    finally:
        for handler in handlers:
            log.removeHandler(handler)
            handler.close()


def _used() -> str:
    """Processor time of this process and of those that it has waited for, and its peak of memory.

    Snakemake's own `benchmark` measures the same by asking for them twice a second, which took half
    of its processor time.
    """
    this, waited_for = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    seconds = sum(part.ru_utime + part.ru_stime for part in (this, waited_for))
    peak, status = float(this.ru_maxrss), Path("/proc/self/status")  # macOS counts in bytes
    if status.is_file():
        # On Linux ru_maxrss begins with the memory of the process that started this one.
        lines = status.read_text("utf-8").splitlines()
        peak = 1024 * next(float(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return f"{seconds:.1f} s of processor time, {peak / 1e6:.0f} MB at most"
