"""Trains the cells of a preset on one GPU, several curves at a time in one process.

`python -m srhm.commands.on_gpu --preset paper` fills the store with LCN, CNN and FCN, the cheapest
curves first; `make reproduce` then finds the cells there, and trains what is left: those of other
engines and trainers. One curve alone leaves most of a large GPU idle, and processes that share one
take turns.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from srhm.commands.presets import Run, chosen_run, parser_for
from srhm.commands.printing import printing
from srhm.commands.resources import expected_costs
from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.results import places
from srhm.runtime.first_use import FOLDER, trusted
from srhm.runtime.no_device import NoDevice
from srhm.runtime.progress import job_log
from srhm.runtime.stopping import STOPPED, Stopped, StopRequest, stop_on_signals
from srhm.study import Curve
from srhm.trainers import HIERARCHY
from srhm.training.curve import PACKABLE, gpu_forms, hierarchy_trainer
from srhm.training.loop import BatchTrainer, train_or_load

# Curves at a time: about 24 networks each, and 264 programs of H = 512 fit an H100.
CURVES = 12


def curves_for_gpu(run: Run) -> list[Curve]:
    """Curves of the engine that has a form for GPUs, the cheapest first."""
    found = [
        curve
        for curve in run.curves.values()
        if curve.trainer == HIERARCHY and curve.entries and curve.cells[0]["engine"] == PACKABLE
    ]
    return sorted(found, key=lambda curve: sum(cost.seconds for cost in expected_costs(curve)))


def train_run(run: Run, *, log_file: Path, curves: int, hours: float | None) -> None:
    """Trains what the store lacks of these curves.

    Raises:
        NoDevice: if there is no GPU, or none that can be trusted.
        Stopped: when asked to stop, by a signal or after `hours`.
        Exception: of the first curve that fails, after the others.
    """
    stop = StopRequest(limit=hours and 3600 * hours)
    with (
        job_log(log_file, name="on_gpu") as log,
        stop_on_signals(stop),
        ThreadPoolExecutor(max_workers=curves) as pool,
    ):
        todo = curves_for_gpu(run)
        forms = gpu_forms(todo[0].entries) if todo else []
        form = trusted(forms, log=log, stop=stop, folder=run.directory / FOLDER)
        if forms and form is None:
            raise NoDevice("nothing was trained: `make reproduce` trains on processors")

        def work(curve: Curve) -> None:
            if stop.reason:
                raise Stopped(STOPPED)
            log.info("%s begins", curve.label)

            def prepared() -> BatchTrainer:
                spec = run.plan.samples[str(curve.sample)].spec
                sizes = {"n_train": spec["n_train"], "n_test": spec["n_test"]}
                samples = draw_samples(parameters_of(spec), spec["seeds"], **sizes)
                return hierarchy_trainer(curve.entries, samples, form=form, log=log)

            train_or_load(
                curve.entries,
                prepared,
                store=run.directory / places.store_of(HIERARCHY),
                checkpoints=run.directory / places.checkpoints_of(HIERARCHY),
                threads=1,
                keep_weights=curve.keep_weights,
                log=log,
                stop=stop,
            )

        jobs = [pool.submit(work, curve) for curve in todo]
        errors = [error for job in jobs if (error := job.exception())]
        # A failure before a request to stop, which may be its consequence.
        errors.sort(key=lambda error: isinstance(error, Stopped))
        if errors:
            raise errors[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains a preset's cells; 2 if its configuration is refused, or there is no GPU for them."""
    parser = parser_for("on_gpu", __doc__)
    parser.add_argument("--curves", type=int, default=CURVES, help="at a time")
    parser.add_argument("--hours", type=float, help="stop after so many, with checkpoints")
    options = parser.parse_args(arguments)
    run = chosen_run(options)
    if run is None:
        return 2
    log_file = options.directory / "results" / run.plan.name / "logs" / "on_gpu.log"
    try:
        train_run(run, log_file=log_file, curves=options.curves, hours=options.hours)
    except NoDevice:  # the log has said so
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
