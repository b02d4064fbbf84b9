"""Rows -> checked tables -> sample complexities."""


rule gather_cells:
    input:
        curves=CURVE_FILES,
        timings=TIMING_FILES,
        sensitivities=SENSITIVITY_FILES,
    output:
        cells=f"{RESULTS}/tables/cells.parquet",
        timings=f"{RESULTS}/tables/timings.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
    log:
        f"{LOGS}/gather_cells.log",
    benchmark:
        f"{BENCHMARKS}/gather_cells.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        planned=KEYS,
        source=source_of("gather_cells.py"),
    message:
        "Gathering and checking the rows of all cells"
    script:
        "../scripts/gather_cells.py"


rule estimate_sample_complexity:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
    output:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    log:
        f"{LOGS}/estimate_sample_complexity.log",
    benchmark:
        f"{BENCHMARKS}/estimate_sample_complexity.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        analysis=ANALYSIS,
        source=source_of("estimate_sample_complexity.py"),
    message:
        "Estimating sample complexities P*"
    script:
        "../scripts/estimate_sample_complexity.py"
