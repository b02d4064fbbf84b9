"""Sparse Random Hierarchy Model: from grammars to the paper's figures and a scorecard.

`snakemake fig04` makes one figure, `snakemake` all of them; see README.md.
"""

from snakemake.utils import min_version

min_version("9.20")

if not config.keys() - {"device"}:

    configfile: f"{workflow.basedir}/config/quick.yaml"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/train.smk"
include: "rules/measure.smk"
include: "rules/aggregate.smk"
include: "rules/networks.smk"
include: "rules/images.smk"
include: "rules/figures.smk"
include: "rules/report.smk"
include: "rules/plane.smk"


rule all:
    default_target: True
    input:
        # Named here too: when Snakemake's records are lost, a curve that is missing is still seen.
        curves=CURVE_FILES,
        sensitivities=SENSITIVITY_FILES,
        network_curves=NETWORK_CURVE_FILES,
        network_sensitivities=NETWORK_SENSITIVITY_FILES,
        figures=FIGURE_FILES,
        tables=TABLE_FILES,
        network_tables=NETWORK_TABLE_FILES,
        images=IMAGE_TABLES,
        scorecard=f"{RESULTS}/scorecard.md",
        report=f"{RESULTS}/report.html",
