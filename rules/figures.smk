"""Tables -> figures, one rule a figure; each is in the report with its caption."""

# Of LCN, CNN and FCN; those of VGG, ResNet and EfficientNet come after them.
FIGURES = [f"fig{n:02}" for n in (*range(2, 9), *range(10, 17))] + ["practice"]
NETWORK_FIGURES = ["fig01", "fig09", "fig17", "table1"]
FIGURE_FILES = [path for name in FIGURES + NETWORK_FIGURES for path in figure_files(name).values()]


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
        style=STYLE,
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
        style=STYLE,
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
        publications=PUBLICATIONS,
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
        style=STYLE,
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
        style=STYLE,
        source=source_of("plot_benefit_of_sparsity.py"),
    message:
        "Drawing Figure 5: the benefit of sparsity, Eq. 5"
    script:
        "../scripts/plot_benefit_of_sparsity.py"


rule fig06:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig06.pdf",
        png=report(
            f"{RESULTS}/figures/fig06.png",
            caption="../docs/captions/fig06.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig06.log",
    benchmark:
        f"{BENCHMARKS}/fig06.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="lcn",
        branchings=[2],
        illustrated=True,
        style=STYLE,
        source=source_of("plot_invariances.py"),
    message:
        "Drawing Figure 6: synonyms and diffeomorphisms, and where an LCN has learnt them"
    script:
        "../scripts/plot_invariances.py"


rule fig07:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig07.pdf",
        png=report(
            f"{RESULTS}/figures/fig07.png",
            caption="../docs/captions/fig07.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig07.log",
    benchmark:
        f"{BENCHMARKS}/fig07.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="lcn",
        style=STYLE,
        source=source_of("plot_sparsity_b.py"),
    message:
        "Drawing Figure 7: learning curves of LCN with sparsity B"
    script:
        "../scripts/plot_sparsity_b.py"


rule fig08:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig08.pdf",
        png=report(
            f"{RESULTS}/figures/fig08.png",
            caption="../docs/captions/fig08.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig08.log",
    benchmark:
        f"{BENCHMARKS}/fig08.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="cnn",
        style=STYLE,
        source=source_of("plot_sparsity_b.py"),
    message:
        "Drawing Figure 8: learning curves of CNN with sparsity B"
    script:
        "../scripts/plot_sparsity_b.py"


rule fig10:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig10.pdf",
        png=report(
            f"{RESULTS}/figures/fig10.png",
            caption="../docs/captions/fig10.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig10.log",
    benchmark:
        f"{BENCHMARKS}/fig10.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="lcn",
        style=STYLE,
        source=source_of("plot_branching.py"),
    message:
        "Drawing Figure 10: sample complexity of LCN for s = 3"
    script:
        "../scripts/plot_branching.py"


rule fig11:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig11.pdf",
        png=report(
            f"{RESULTS}/figures/fig11.png",
            caption="../docs/captions/fig11.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig11.log",
    benchmark:
        f"{BENCHMARKS}/fig11.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="lcn",
        branchings=[3],
        illustrated=False,
        style=STYLE,
        source=source_of("plot_invariances.py"),
    message:
        "Drawing Figure 11: invariances of LCN for s = 3"
    script:
        "../scripts/plot_invariances.py"


rule fig12:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig12.pdf",
        png=report(
            f"{RESULTS}/figures/fig12.png",
            caption="../docs/captions/fig12.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig12.log",
    benchmark:
        f"{BENCHMARKS}/fig12.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        net="lcn",
        style=STYLE,
        source=source_of("plot_sensitivity_curves.py"),
    message:
        "Drawing Figure 12: sensitivities of every layer of LCN"
    script:
        "../scripts/plot_sensitivity_curves.py"


rule fig13:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig13.pdf",
        png=report(
            f"{RESULTS}/figures/fig13.png",
            caption="../docs/captions/fig13.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig13.log",
    benchmark:
        f"{BENCHMARKS}/fig13.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="cnn",
        style=STYLE,
        source=source_of("plot_branching.py"),
    message:
        "Drawing Figure 13: sample complexity of CNN for s = 3"
    script:
        "../scripts/plot_branching.py"


rule fig14:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig14.pdf",
        png=report(
            f"{RESULTS}/figures/fig14.png",
            caption="../docs/captions/fig14.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig14.log",
    benchmark:
        f"{BENCHMARKS}/fig14.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        net="cnn",
        branchings=[2, 3],
        illustrated=False,
        style=STYLE,
        source=source_of("plot_invariances.py"),
    message:
        "Drawing Figure 14: invariances of CNN"
    script:
        "../scripts/plot_invariances.py"


rule fig15:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig15.pdf",
        png=report(
            f"{RESULTS}/figures/fig15.png",
            caption="../docs/captions/fig15.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig15.log",
    benchmark:
        f"{BENCHMARKS}/fig15.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        net="cnn",
        style=STYLE,
        source=source_of("plot_sensitivity_curves.py"),
    message:
        "Drawing Figure 15: sensitivities of every layer of CNN"
    script:
        "../scripts/plot_sensitivity_curves.py"


rule fig16:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
        cells=f"{RESULTS}/tables/cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig16.pdf",
        png=report(
            f"{RESULTS}/figures/fig16.png",
            caption="../docs/captions/fig16.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig16.log",
    benchmark:
        f"{BENCHMARKS}/fig16.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=None,  # of the FCN it differs between depths
        threshold=PLAN.preset.analysis.threshold,
        net="fcn",
        branchings=[2],
        illustrated=False,
        style=STYLE,
        source=source_of("plot_invariances.py"),
    message:
        "Drawing Figure 16: invariances of FCN"
    script:
        "../scripts/plot_invariances.py"


rule practice:
    input:
        sample_complexity=f"{RESULTS}/tables/sample_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/practice.pdf",
        png=report(
            f"{RESULTS}/figures/practice.png",
            caption="../docs/captions/practice.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/practice.log",
    benchmark:
        f"{BENCHMARKS}/practice.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        width=PLAN.preset.width,
        threshold=PLAN.preset.analysis.threshold,
        style=STYLE,
        source=source_of("plot_practice.py"),
    message:
        "Drawing what the choices of the published figures do to P*"
    script:
        "../scripts/plot_practice.py"


rule fig01:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
        networks_cells=f"{RESULTS}/tables/networks_cells.parquet",
        networks_sensitivities=f"{RESULTS}/tables/networks_sensitivities.parquet",
        images=IMAGE_TABLES,
    output:
        pdf=f"{RESULTS}/figures/fig01.pdf",
        png=report(
            f"{RESULTS}/figures/fig01.png",
            caption="../docs/captions/fig01.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig01.log",
    benchmark:
        f"{BENCHMARKS}/fig01.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        place="output",
        with_images=True,
        style=STYLE,
        source=source_of("plot_correlation.py"),
    message:
        "Drawing Figure 1: test error against the sensitivities of the output"
    script:
        "../scripts/plot_correlation.py"


rule fig09:
    input:
        networks_cells=f"{RESULTS}/tables/networks_cells.parquet",
        networks_sensitivities=f"{RESULTS}/tables/networks_sensitivities.parquet",
    output:
        pdf=f"{RESULTS}/figures/fig09.pdf",
        png=report(
            f"{RESULTS}/figures/fig09.png",
            caption="../docs/captions/fig09.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig09.log",
    benchmark:
        f"{BENCHMARKS}/fig09.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_architectures.py"),
    message:
        "Drawing Figure 9: VGG, ResNet and EfficientNet at three relative depths"
    script:
        "../scripts/plot_architectures.py"


rule fig17:
    input:
        cells=f"{RESULTS}/tables/cells.parquet",
        sensitivities=f"{RESULTS}/tables/sensitivities.parquet",
        networks_cells=f"{RESULTS}/tables/networks_cells.parquet",
        networks_sensitivities=f"{RESULTS}/tables/networks_sensitivities.parquet",
        images=[],
    output:
        pdf=f"{RESULTS}/figures/fig17.pdf",
        png=report(
            f"{RESULTS}/figures/fig17.png",
            caption="../docs/captions/fig17.rst",
            category="Figures",
        ),
    log:
        f"{LOGS}/fig17.log",
    benchmark:
        f"{BENCHMARKS}/fig17.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        place="internal",
        with_images=False,
        style=STYLE,
        source=source_of("plot_correlation.py"),
    message:
        "Drawing Figure 17: test error against the sensitivities of a layer at 80 % depth"
    script:
        "../scripts/plot_correlation.py"


rule table1:
    output:
        pdf=f"{RESULTS}/figures/table1.pdf",
        png=report(
            f"{RESULTS}/figures/table1.png",
            caption="../docs/captions/table1.rst",
            category="Figures",
        ),
        csv=f"{RESULTS}/tables/table1.csv",
    log:
        f"{LOGS}/table1.log",
    benchmark:
        f"{BENCHMARKS}/table1.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_table1.py"),
    message:
        "Drawing Table 1: what VGG, ResNet and EfficientNet are made of"
    script:
        "../scripts/plot_table1.py"
