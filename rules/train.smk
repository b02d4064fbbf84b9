"""Derivations -> trained networks in the store, and their rows by learning curve.

A curve that is too long for one job (`jobs` in the configuration) is trained in parts, whose
networks the store takes; `train_curve` then gathers them.
"""


rule train_part:
    input:
        derivations=sample_of_curve,
    output:
        trained="results/parts/{curve}/{part}.json",
    log:
        f"{LOGS}/train_part/{{curve}}/{{part}}.log",
    benchmark:
        f"{BENCHMARKS}/train_part/{{curve}}/{{part}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=part_minutes,
        mem_mb=part_megabytes,
        time_limit=time_limit,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
    params:
        spec=part_spec,
        store=STORE,
        checkpoints=CHECKPOINTS,
    message:
        "Training part {wildcards.part} of {wildcards.curve}"
    script:
        "../scripts/train_part.py"


rule train_curve:
    input:
        derivations=sample_of_curve,
        parts=parts_of_curve,
    output:
        rows="results/curves/{curve}.parquet",
        timings="results/curves/{curve}.timings.parquet",
    log:
        f"{LOGS}/train_curve/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/train_curve/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=curve_minutes,
        mem_mb=curve_megabytes,
        time_limit=time_limit,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
    params:
        spec=curve_spec,
        store=STORE,
        checkpoints=CHECKPOINTS,
        source=source_of("train_curve.py"),
    message:
        "Training the cells of {wildcards.curve}"
    script:
        "../scripts/train_curve.py"
