"""VGG, ResNet, EfficientNet: their own training, measuring and tables, after the core ones.

Their cells are kept in the same store and their curves in the same folders. A negative priority
lets every job of LCN, CNN and FCN, and the figures made of them, go first.
"""


# The same job under another name and priority; the names of the curves tell which rule is meant.
use rule train_curve as train_network_curve with:
    wildcard_constraints:
        curve=NAMED_CURVE,
    priority: -10


use rule train_part as train_network_part with:
    wildcard_constraints:
        curve=NAMED_CURVE,
    priority: -10


ruleorder: train_network_curve > train_curve
ruleorder: train_network_part > train_part


rule measure_network_sensitivities:
    input:
        rows="results/curves/{curve}.parquet",
        derivations=sample_of_curve,
    output:
        sensitivities=f"{NETWORK_SENSITIVITIES}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_network_sensitivities/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_network_sensitivities/{{curve}}.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=measuring_minutes,
        mem_mb=measuring_megabytes,
    params:
        spec=network_measurement_spec,
        store=STORE,
        source=source_of("measure_network_sensitivities.py"),
    message:
        "Measuring sensitivities of all layers of {wildcards.curve}"
    script:
        "../scripts/measure_network_sensitivities.py"


rule gather_network_cells:
    input:
        curves=NETWORK_CURVE_FILES,
        timings=NETWORK_TIMING_FILES,
        sensitivities=NETWORK_SENSITIVITY_FILES,
    output:
        cells=f"{RESULTS}/tables/networks_cells.parquet",
        timings=f"{RESULTS}/tables/networks_timings.parquet",
        sensitivities=f"{RESULTS}/tables/networks_sensitivities.parquet",
    log:
        f"{LOGS}/gather_network_cells.log",
    benchmark:
        f"{BENCHMARKS}/gather_network_cells.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        planned=NETWORK_KEYS,
        source=source_of("gather_cells.py"),
    message:
        "Gathering and checking the rows of VGG, ResNet and EfficientNet"
    script:
        "../scripts/gather_cells.py"
