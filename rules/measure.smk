"""Trained networks -> sensitivities of every layer to synonyms and diffeomorphisms."""


rule measure_sensitivities:
    input:
        rows="results/curves/{curve}.parquet",
        derivations=sample_of_curve,
    output:
        sensitivities=f"{SENSITIVITIES}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_sensitivities/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_sensitivities/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=measuring_minutes,
        mem_mb=measuring_megabytes,
    params:
        spec=measurement_spec,
        store=STORE,
        source=source_of("measure_sensitivities.py"),
    message:
        "Measuring sensitivities of {wildcards.curve}"
    script:
        "../scripts/measure_sensitivities.py"
