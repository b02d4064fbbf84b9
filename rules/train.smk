"""Derivations -> trained networks in the store, and their rows by learning curve."""


rule train_curve:
    input:
        derivations=sample_of_curve,
    output:
        rows="results/curves/{curve}.parquet",
        timings="results/curves/{curve}.timings.parquet",
    log:
        f"{LOGS}/train_curve/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/train_curve/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        spec=curve_spec,
        store=STORE,
        source=source_of("train_curve.py"),
    message:
        "Training the cells of {wildcards.curve}"
    script:
        "../scripts/train_curve.py"
