"""A process that answers as that of a trial does, without torch and so at once: what it is told to.

The name of its trial says what happens on the stand-in for a GPU.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

DEVICE = {"name": "a card", "driver": "1.2", "torch": "3.4", "triton": "none"}
ROW = {"network": "CNN", "trained": 2, "steps": 3, "seconds": 1.0, "on_processor": 2.0}


def main():
    answers, trial = Path(sys.argv[1]), sys.argv[2].partition(":")[2]

    def say(**answer):
        with answers.open("a", encoding="utf-8") as file:
            file.write(json.dumps(answer) + "\n")

    if trial == "nothing_there":
        say(no_device="torch sees no CUDA device")
        return 1
    if trial == "dies_at_once":
        os.kill(os.getpid(), signal.SIGKILL)
    say(device=DEVICE)
    if not sys.stdin.readline():
        return 0
    with Path(os.environ["TRIALS"]).open("a", encoding="utf-8") as file:
        file.write("a trial\n")
    far = {"lies": 0.5, "knows_no_number": float("nan")}.get(trial, 0.1)
    row = {**ROW, "differences": {"weights": (far, 0.2)}}
    say(row={**row, "seconds": 9.0} if trial == "slow" else row)
    if trial == "fails":
        say(error="RuntimeError: CUDA error: an illegal memory access", crowded=False)
        return 1
    if trial == "crowded":
        say(error="OutOfMemoryError: CUDA out of memory", crowded=True)
        return 1
    if trial == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if trial == "hangs":
        time.sleep(3600)
    return 0


if __name__ == "__main__":
    sys.exit(main())
