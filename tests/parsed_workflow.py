"""Prints the rules of config/test.yaml as JSON, as Snakemake has parsed them. Runs nothing.

Of each rule with a script: what it says of log, message and environment, its digest of
sources, and its spec; where this is a function of wildcards, that of a curve or sample of the rule.
"""

import json
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

ROOT = Path(__file__).parents[1]


def spec_of(rule, known):
    """The spec of a rule: of the first curve or sample that it is for."""
    spec = dict(rule.params.items())["spec"]
    if not callable(spec):
        return spec
    plan = known["PLAN"]
    wildcards = SimpleNamespace(sample=next(iter(plan.samples)))
    if "curve" in rule.wildcard_names:
        rest = f"{rule.name.split('_', 1)[1]}_"  # of train_flow, measure_flow_kernels
        found = [one for one in plan.curves.values() if rest.startswith(f"{one.trainer.name}_")]
        if not found:  # the images are not there
            return None
        jobs = known["CurveJobs"](found[0], plan.preset.jobs)
        wildcards = SimpleNamespace(curve=found[0].name, part=next(iter(jobs.parts), None))
    return spec(wildcards)


def described(rule, known):
    """What a rule with a script says."""
    return {
        "script": Path(rule.script).name,
        "log": [str(file) for file in rule.log],
        "message": rule.message,
        "conda": str(rule.conda_env or ""),
        "source": dict(rule.params.items()).get("source"),
        "spec": spec_of(rule, known),
    }


with (
    tempfile.TemporaryDirectory() as folder,
    SnakemakeApi(OutputSettings()) as api,
    redirect_stdout(sys.stderr),
):
    settings = ConfigSettings(
        config={"jobs": {"minutes": 1e-6}}, configfiles=[ROOT / "config" / "test.yaml"]
    )
    workflow = api.workflow(
        ResourceSettings(cores=1),
        config_settings=settings,
        snakefile=ROOT / "Snakefile",
        workdir=Path(folder),
    )
    workflow.list_rules()  # reads the rules
    parsed = workflow._workflow
    rules = {
        rule.name: described(rule, parsed.globals) if rule.script else None for rule in parsed.rules
    }
print(json.dumps(rules))
