"""Jobs of Snakemake on PBS, SGE or LSF: sent, asked about, cancelled.

Any Python from 3.6 on reads this. A job notes its exit code in a file: the scheduler is asked only
whether it still knows a job, and one that does not answer loses none.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

# Scripts, outputs and exit codes of jobs, in the folder of the run, which all nodes see.
FOLDER = Path(".snakemake") / "scheduler"
# Seconds that the scheduler may take for an answer, and that a file may take to be seen here.
PATIENCE, LATENCY = 60, 120

# YOUR SITE: what a job asks for. GPUs, memory and parallel environments have other names elsewhere.


def words_for_pbs(name, script, log, threads, mem_mb, minutes, gpus):
    """OpenPBS and PBS Pro. Torque: nodes=1:ppn=THREADS,mem=...mb in place of select."""
    chunk = f"select=1:ncpus={threads}:mem={mem_mb}mb" + (f":ngpus={gpus}" if gpus else "")
    lasts = f"walltime={minutes // 60}:{minutes % 60:02}:00"
    # Older ones take names of 15 letters.
    return ["qsub", "-V", "-N", name[:15], "-j", "oe", "-o", log, "-l", chunk, "-l", lasts, script]


def words_for_sge(name, script, log, threads, mem_mb, minutes, gpus):
    """Grid Engine; memory is asked for by the slot. smp: a line of `qconf -spl`."""
    slots = ["-pe", "smp", str(threads)] if threads > 1 else []
    limits = f"h_rt={60 * minutes},h_vmem={-(-mem_mb // threads)}M" + (
        f",gpu={gpus}" if gpus else ""
    )
    words = ["qsub", "-terse", "-V", "-cwd", "-S", "/bin/sh", "-N", name, "-j", "y", "-o", log]
    return [*words, *slots, "-l", limits, script]


def words_for_lsf(name, script, log, threads, mem_mb, minutes, gpus):
    """LSF from 10.1 on, which takes units."""
    needs = f"span[hosts=1] rusage[mem={mem_mb}MB]"
    words = ["bsub", "-J", name, "-n", str(threads), "-R", needs, "-M", f"{mem_mb}MB"]
    words += ["-W", str(minutes), "-o", log, *(["-gpu", f"num={gpus}"] if gpus else [])]
    return [*words, "/bin/sh", script]


# Words to send a job, to ask about it, what the answer is of one that is over, words to cancel.
SCHEDULERS = {
    "pbs": (words_for_pbs, ["qstat"], "unknown job|has finished| C ", ["qdel"]),
    "sge": (words_for_sge, ["qstat", "-j"], "do not exist", ["qdel"]),
    "lsf": (
        words_for_lsf,
        ["bjobs", "-noheader", "-o", "stat"],
        "^(DONE|EXIT)|not found",
        ["bkill"],
    ),
}


def scheduler():
    """What there is here, or what SRHM_SCHEDULER says."""
    name = os.environ.get("SRHM_SCHEDULER")
    if name is None:
        found = [("lsf", "bsub"), ("sge", "qconf"), ("pbs", "qsub")]
        name = next((name for name, program in found if shutil.which(program)), "")
    if name not in SCHEDULERS:
        sys.exit(f"no bsub, qconf or qsub here; SRHM_SCHEDULER may be {', '.join(SCHEDULERS)}")
    return SCHEDULERS[name]


def submit(job_script):
    """Number of the job that a script of Snakemake has become."""
    text = Path(job_script).read_text(encoding="utf-8")
    job = json.loads(re.search("^# properties = (.*)$", text, re.MULTILINE).group(1))
    asked = job["resources"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    folder = FOLDER.resolve()
    name = f"srhm-{job.get('rule') or job.get('groupid')}"
    stem = f"{name}-{job.get('jobid')}-{time.time():.6f}"
    # Snakemake removes its script when it ends, and the job may still wait.
    script = folder / f"{stem}.sh"
    script.write_text(
        f"""#!/bin/sh
(
{text}
)
code=$? file='{folder}/'${{PBS_JOBID:-${{LSB_JOBID:-$JOB_ID}}}}
echo $code > "$file.new" && mv "$file.new" "$file.code"
exit $code
""",
        encoding="utf-8",
    )
    words = scheduler()[0](
        name=name, script=str(script), log=str(folder / f"{stem}.log"), threads=int(job["threads"]),
        mem_mb=int(asked["mem_mb"]), minutes=int(asked["runtime"]), gpus=int(asked.get("gpu", 0)),
    )  # fmt: skip
    code, said = answer(words)
    number = (
        re.search("<(\\d+)>", said) if words[0] == "bsub" else re.match("\\s*(\\S+)\\s*$", said)
    )
    if code or not number:
        sys.exit(f"{words[0]} refuses a job: {said.strip()}")
    return number.group(1)


def status(number):
    """success, failed or running, as Snakemake reads it."""
    code, gone = FOLDER / f"{number}.code", FOLDER / f"{number}.gone"
    if code.is_file():
        return "success" if code.read_text().strip() == "0" else "failed"
    _, ask, over, _ = scheduler()
    if not re.search(over, answer([*ask, number])[1], re.IGNORECASE | re.MULTILINE):
        return "running"  # also where it does not answer
    if not gone.exists():
        gone.touch()
    return "failed" if time.time() - gone.stat().st_mtime > LATENCY else "running"


def cancel(numbers):
    """Asks the scheduler to end jobs."""
    return answer([*scheduler()[3], *numbers])[0]


def answer(words):
    """Exit code and output of a program of the scheduler; 1 and why where it does not answer."""
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said, _ = process.communicate(timeout=PATIENCE)
    except OSError as error:
        return 1, str(error)
    except subprocess.TimeoutExpired:
        process.kill()
        return 1, f"no answer within {PATIENCE} seconds"
    return process.returncode, said.decode("utf-8", "replace")
