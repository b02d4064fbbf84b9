"""Prints resources and constant params of all rules as JSON, for the words of a Snakemake command.

Runs nothing. Resources that are functions are left out, and so are such params.
"""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.cli import parse_args, parse_config
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

_, words = parse_args(sys.argv[1:])
settings = ConfigSettings(
    config=parse_config(words.config),
    configfiles=[Path(file) for file in words.configfile],
)
with SnakemakeApi(OutputSettings()) as api, redirect_stdout(sys.stderr):
    workflow = api.workflow(
        ResourceSettings(cores=1, overwrite_resources=words.set_resources),
        config_settings=settings,
        snakefile=Path(words.snakefile),
        workdir=Path(words.directory),
    )
    workflow.list_rules()  # reads the rules
    rules = list(workflow._workflow.rules)
    resources = {
        rule.name: {
            name: resource.value
            for name, resource in rule.resources.items()
            if not resource.is_evaluable()
        }
        for rule in rules
    }
    params = {
        rule.name: {name: str(value) for name, value in rule.params.items() if not callable(value)}
        for rule in rules
    }
limits = {name: resource.value for name, resource in words.resources.items()}
found = {"resources": resources, "params": params, "limits": limits}
print(json.dumps(found))
