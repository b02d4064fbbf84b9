"""From parameters of a grammar to sampled derivations: compact integers, not one-hot."""


rule draw_derivations:
    output:
        derivations=f"{places.DERIVATIONS}/{{sample}}.parquet",
    log:
        f"{LOGS}/draw_derivations/{{sample}}.log",
    priority: priority_of("sample", 0)
    conda:
        "../envs/srhm.yaml"
    params:
        spec=sample_spec,
        source=source_of("draw_derivations.py"),
    message:
        "Drawing training and test data of {wildcards.sample}"
    script:
        "../scripts/draw_derivations.py"
