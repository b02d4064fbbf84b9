"""Tables -> figures, one rule a figure; each is in the report with its caption."""

FIGURES = ["fig02", "fig03", "fig04", "fig05"]
FIGURE_FILES = [path for name in FIGURES for path in figure_files(name).values()]
FIGURE_IMAGES = [figure_files(name)["png"] for name in FIGURES]
CAPTIONS = [ROOT / "docs" / "captions" / f"{name}.rst" for name in FIGURES]


rule fig02:
    output:
        pdf=f"{RESULTS}/figures/fig02.pdf",
        png=report(
            f"{RESULTS}/figures/fig02.png",
            caption="../docs/captions/fig02.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig02.log",
    benchmark:
        f"{BENCHMARKS}/fig02.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        source=source_of("plot_grammar.py"),
    message:
        "Drawing Figure 2: a grammar, its samples, two kinds of sparsity"
    script:
        "../scripts/plot_grammar.py"


rule fig03:
    output:
        pdf=f"{RESULTS}/figures/fig03.pdf",
        png=report(
            f"{RESULTS}/figures/fig03.png",
            caption="../docs/captions/fig03.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig03.log",
    benchmark:
        f"{BENCHMARKS}/fig03.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        source=source_of("plot_networks.py"),
    message:
        "Drawing Figure 3: locally connected and convolutional networks"
    script:
        "../scripts/plot_networks.py"


rule fig04:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        published=ROOT / "reference" / "published_sample_complexity_L2_s2.csv",
    output:
        pdf=f"{RESULTS}/figures/fig04.pdf",
        png=report(
            f"{RESULTS}/figures/fig04.png",
            caption="../docs/captions/fig04.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig04.log",
    benchmark:
        f"{BENCHMARKS}/fig04.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        source=source_of("plot_sample_complexity.py"),
    message:
        "Drawing Figure 4: sample complexities against Eq. 3 and Eq. 4"
    script:
        "../scripts/plot_sample_complexity.py"


rule fig05:
    output:
        pdf=f"{RESULTS}/figures/fig05.pdf",
        png=report(
            f"{RESULTS}/figures/fig05.png",
            caption="../docs/captions/fig05.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig05.log",
    benchmark:
        f"{BENCHMARKS}/fig05.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        source=source_of("plot_benefit_of_sparsity.py"),
    message:
        "Drawing Figure 5: the benefit of sparsity, Eq. 5"
    script:
        "../scripts/plot_benefit_of_sparsity.py"
