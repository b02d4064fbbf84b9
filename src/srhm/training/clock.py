"""The time that a training takes, over its interruptions."""

import socket
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from srhm.training.cell import processor
from srhm.training.protocol import Pause, Snapshot


class Clock:
    """Times of a training, those before an interruption included."""

    def __init__(self, start: Snapshot | None) -> None:
        self._before = 0.0 if start is None else start.seconds
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._clock = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds spent so far."""
        return self._before + time.perf_counter() - self._clock

    def timed(self, pause: Pause) -> Pause:
        """The same pause, whose snapshots know the seconds spent so far."""
        return lambda snapshot: pause(lambda: replace(snapshot(), seconds=self.seconds))

    def timing(self, **counted: int) -> dict[str, Any]:
        """Times of a finished training, with what was counted in it: steps or evaluations."""
        return {
            **counted,
            "seconds": self.seconds,
            "started": self._started,
            "host": socket.gethostname(),
            "processor": processor(),
        }
