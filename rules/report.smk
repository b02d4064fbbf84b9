"""Tables -> scorecard: each claim of the paper beside what was measured; all of it as one page."""


rule score_claims:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
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
        source=source_of("score_claims.py"),
    message:
        "Comparing claims and measurements"
    script:
        "../scripts/score_claims.py"


rule write_report:
    input:
        scorecard=f"{RESULTS}/tables/scorecard.parquet",
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=f"{RESULTS}/tables/cells.parquet",
        timings=f"{RESULTS}/tables/timings.parquet",
        images=FIGURE_IMAGES,
        captions=CAPTIONS,
        deviations=ROOT / "docs" / "deviations.md",
        citation=ROOT / "CITATION.cff",
        page=ROOT / "src" / "srhm" / "report" / "page.html",
    output:
        report=f"{RESULTS}/report.html",
    log:
        f"{LOGS}/write_report.log",
    benchmark:
        f"{BENCHMARKS}/write_report.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        figures=FIGURES,
        configuration=CONFIGURATION,
        source=source_of("write_report.py"),
    message:
        "Writing the report: {output.report}"
    script:
        "../scripts/write_report.py"
