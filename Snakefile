"""Sparse Random Hierarchy Model: from grammars to the paper's figures, further studies and a scorecard.

`snakemake fig04` makes one figure, `snakemake jamming_study` one study, `snakemake` the paper; see
README.md.
"""

from snakemake.utils import min_version

min_version("9.27")  # of a priority that is a function

if not workflow.configfiles and not config.keys() - {"device", "rows"}:

    # Of this file, which workflow/Snakefile includes.
    here = workflow.current_basedir.get_path_or_uri(secret_free=True)

    configfile: f"{here}/config/quick.yaml"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/train.smk"
include: "rules/measure.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/report.smk"


onstart:
    others = workflow.config_settings.config.keys() - {"device", "rows"}
    if others or len(workflow.configfiles) > 1:
        raise WorkflowError(
            "`srhm gc`, `status` and `publish` know a run by its one file: write all keys into it"
        )
    for file in workflow.configfiles:
        note_preset(Path(file), Path("results", PRESET))
    # For a limit of jobs a second, Snakemake looks at all ready jobs again a second after each look, and
    # each job that ends begins one more such row of looks: in the end hundreds a second, minutes of
    # processor time in `quick`. Jobs of this machine need no limit, and each that ends asks for a look.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


rule paper:
    default_target: True
    input:
        files_of_group("paper"),


for group in GROUPS:
    if group != "paper":

        rule:
            name:
                group
            input:
                files_of_group(group),


for study in PLAN.studies:

    rule:
        name:
            f"{study}_study"
        input:
            pages.files_of_studies(PLAN, [study]),
