"""Tables -> scorecard: each claim of the paper beside what was measured; all of it as one page."""


rule score_claims:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    output:
        claims=f"{RESULTS}/tables/claims_core.parquet",
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


rule score_network_claims:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
        networks_cells=f"{RESULTS}/tables/networks_cells.parquet",
        networks_sensitivities=f"{RESULTS}/tables/networks_sensitivities.parquet",
    output:
        claims=f"{RESULTS}/tables/claims_networks.parquet",
    log:
        f"{LOGS}/score_network_claims.log",
    benchmark:
        f"{BENCHMARKS}/score_network_claims.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        source=source_of("score_network_claims.py"),
    message:
        "Comparing claims and measurements of VGG, ResNet and EfficientNet"
    script:
        "../scripts/score_network_claims.py"


rule join_claims:
    input:
        claims=[
            f"{RESULTS}/tables/claims_core.parquet",
            f"{RESULTS}/tables/claims_networks.parquet",
        ],
    output:
        scorecard=f"{RESULTS}/tables/scorecard.parquet",
        text=report(f"{RESULTS}/scorecard.md", category="Scorecard"),
    log:
        f"{LOGS}/join_claims.log",
    benchmark:
        f"{BENCHMARKS}/join_claims.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        source=source_of("join_claims.py"),
    message:
        "Writing the scorecard: {output.text}"
    script:
        "../scripts/join_claims.py"


# What LCN, CNN and FCN say, while the other networks are trained; the whole report replaces it.
rule write_report_so_far:
    input:
        scorecard=f"{RESULTS}/tables/claims_core.parquet",
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=[f"{RESULTS}/tables/cells.parquet"],
        timings=[f"{RESULTS}/tables/timings.parquet"],
        networks_cells=[],
        networks_sensitivities=[],
        images=[figure_files(name)["png"] for name in FIGURES],
        captions=[ROOT / "docs" / "captions" / f"{name}.rst" for name in FIGURES],
        deviations=ROOT / "docs" / "deviations.md",
        citation=ROOT / "CITATION.cff",
        publications=PUBLICATIONS,
        page=ROOT / "src" / "srhm" / "report" / "page.html",
    output:
        report=temp(f"{RESULTS}/report_so_far.html"),
    log:
        f"{LOGS}/write_report_so_far.log",
    benchmark:
        f"{BENCHMARKS}/write_report_so_far.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        figures=FIGURES,
        pending=NETWORK_FIGURES,
        configuration=CONFIGURATION,
        source=source_of("write_report.py"),
    message:
        "Writing the report as far as it goes: {output.report}"
    script:
        "../scripts/write_report.py"


rule write_report:
    input:
        so_far=f"{RESULTS}/report_so_far.html",
        scorecard=f"{RESULTS}/tables/scorecard.parquet",
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=[f"{RESULTS}/tables/{name}.parquet" for name in ("cells", "networks_cells")],
        timings=[f"{RESULTS}/tables/{name}.parquet" for name in ("timings", "networks_timings")],
        networks_cells=[f"{RESULTS}/tables/networks_cells.parquet"],
        networks_sensitivities=[f"{RESULTS}/tables/networks_sensitivities.parquet"],
        images=[figure_files(name)["png"] for name in FIGURES + NETWORK_FIGURES],
        captions=[ROOT / "docs" / "captions" / f"{name}.rst" for name in FIGURES + NETWORK_FIGURES],
        deviations=ROOT / "docs" / "deviations.md",
        citation=ROOT / "CITATION.cff",
        publications=PUBLICATIONS,
        page=ROOT / "src" / "srhm" / "report" / "page.html",
    output:
        report=f"{RESULTS}/report.html",
    log:
        f"{LOGS}/write_report.log",
    benchmark:
        f"{BENCHMARKS}/write_report.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        figures=FIGURES + NETWORK_FIGURES,
        pending=[],
        configuration=CONFIGURATION,
        source=source_of("write_report.py"),
    message:
        "Writing the report: {output.report}"
    script:
        "../scripts/write_report.py"


# Seconds of one core each: on a cluster, waiting in its queue would take longer.
localrules:
    all,
    gather_cells,
    gather_network_cells,
    estimate_sample_complexity,
    fig01,
    fig02,
    fig03,
    fig04,
    fig05,
    fig06,
    fig07,
    fig08,
    fig09,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    fig15,
    fig16,
    fig17,
    table1,
    practice,
    score_claims,
    score_network_claims,
    join_claims,
    write_report_so_far,
    write_report,
