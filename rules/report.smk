"""Tables -> scorecard: each claim of the paper beside what was measured."""


rule score_claims:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    output:
        scorecard=f"{RESULTS}/tables/scorecard.parquet",
        text=report(f"{RESULTS}/scorecard.md", category="Scorecard"),
    log:
        f"{LOGS}/score_claims.log",
    benchmark:
        f"{BENCHMARKS}/score_claims.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        analysis=ANALYSIS,
        width=PLAN.preset.width,
        source=source_of("score_claims.py"),
    message:
        "Comparing claims and measurements"
    script:
        "../scripts/score_claims.py"
