"""Trains the cells of a preset on one GPU, several curves at a time in one process.

`python -m srhm.commands.on_gpu --preset paper` fills the store, the cheapest curves first; `make
reproduce` then finds the cells there, and trains what is left: those of other engines and of named
nets. One curve alone leaves most of a large GPU idle, and processes that share one take turns.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from srhm.commands.presets import Study, chosen, parser_for
from srhm.model.sampling import draw_samples
from srhm.runtime.progress import job_log
from srhm.runtime.stopping import STOPPED, Stopped, StopRequest, stop_on_signals
from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.training.cell import parameters_of
from srhm.training.cost import costs
from srhm.training.curve import PACKABLE, trainer
from srhm.training.loop import Trainer, train_or_load

# Curves at a time: about 24 networks each, and 264 programs of H = 512 fit an H100.
CURVES = 12


def curves_for_gpu(study: Study) -> list[experiments.Curve]:
    """Curves of the engine that has a form for GPUs, the cheapest first."""
    expected = {
        name: sum(cost.seconds for cost in costs(entry["cell"] for entry in curve.entries))
        for name, curve in study.plan.core.items()
        if curve.entries[0]["cell"]["engine"] == PACKABLE
    }
    return [study.plan.core[name] for name in sorted(expected, key=lambda name: expected[name])]


def train_study(study: Study, *, log_file: Path, curves: int, hours: float | None) -> None:
    """Trains what the store lacks of these curves.

    Raises:
        Stopped: when asked to stop, by a signal or after `hours`.
        Exception: of the first curve that fails, after the others.
    """
    (srhm, *_) = study.networks
    stop = StopRequest(limit=hours and 3600 * hours)
    with (
        job_log(log_file, name="on_gpu") as log,
        stop_on_signals(stop),
        ThreadPoolExecutor(max_workers=curves) as pool,
    ):

        def work(curve: experiments.Curve) -> None:
            if stop.reason:
                raise Stopped(STOPPED)
            log.info("%s begins", curve.label)

            def prepared() -> Trainer:
                spec = study.plan.samples[curve.sample].spec
                sizes = {"n_train": spec["n_train"], "n_test": spec["n_test"]}
                samples = draw_samples(parameters_of(spec), spec["seeds"], **sizes)
                return trainer(curve.entries, samples, gpu=1, log=log)

            train_or_load(
                curve.entries,
                prepared,
                store=srhm.results.store,
                checkpoints=srhm.checkpoints,
                threads=1,
                keep_weights=study.plan.preset.keep_weights,
                log=log,
                stop=stop,
            )

        jobs = [pool.submit(work, curve) for curve in curves_for_gpu(study)]
        errors = [error for job in jobs if (error := job.exception())]
        # A failure before a request to stop, which may be its consequence.
        errors.sort(key=lambda error: isinstance(error, Stopped))
        if errors:
            raise errors[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains a preset's cells; 2 if its configuration is refused."""
    parser = parser_for("on_gpu", __doc__)
    parser.add_argument("--curves", type=int, default=CURVES, help="at a time")
    parser.add_argument("--hours", type=float, help="stop after so many, with checkpoints")
    options = parser.parse_args(arguments)
    study = chosen(options)
    if study is None:
        return 2
    log_file = options.directory / "results" / study.plan.preset.preset / "logs" / "on_gpu.log"
    train_study(study, log_file=log_file, curves=options.curves, hours=options.hours)
    return 0


if __name__ == "__main__":
    sys.exit(main())
