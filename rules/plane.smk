"""Lazy and feature learning: cells of the (h, α) plane -> spectra, tables, figures, a page.

Asked for by the target `plane` alone; the paper's figures do not wait for it.
"""

PLANE_FIGURES = [
    "plane_complexity",
    "plane_onset",
    "plane_stability",
    "plane_error",
    "plane_kernel_change",
    "plane_variance",
    "plane_diagram",
    "plane_kernels",
    "plane_first_step",
    "plane_layerwise",
    "plane_singular_values",
    "plane_bottleneck",
    "plane_double_descent",
    "plane_jamming",
]
# Tables that statements are compared with, by their names.
PLANE_TABLES = [
    *(name for name in PLANE_PARTS if name != "plane_timings"),
    "plane_first_step",
    "plane_complexity",
]


rule train_plane:
    output:
        rows="results/plane/curves/{curve}.parquet",
        timings="results/plane/curves/{curve}.timings.parquet",
    log:
        f"{LOGS}/train_plane/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/train_plane/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_training_megabytes,
        time_limit=time_limit,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        checkpoints=PLANE_CHECKPOINTS,
        source=source_of("train_plane.py"),
    message:
        "Training in the plane: {wildcards.curve}"
    script:
        "../scripts/train_plane.py"


rule measure_plane_ensembles:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('ensembles')}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_ensembles/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_ensembles/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_ensembles.py"),
    message:
        "Averaging the members of {wildcards.curve}"
    script:
        "../scripts/measure_plane_ensembles.py"


rule measure_plane_kernels:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('kernels')}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_kernels/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_kernels/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_kernels.py"),
    message:
        "Measuring the tangent kernels of {wildcards.curve}"
    script:
        "../scripts/measure_plane_kernels.py"


rule measure_plane_hessians:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('hessians')}/eigenvalues/{{curve}}.parquet",
        summaries=f"{plane_folder('hessians')}/summaries/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_hessians/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_hessians/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_hessians.py"),
    message:
        "Measuring the Hessians of {wildcards.curve}"
    script:
        "../scripts/measure_plane_hessians.py"


rule measure_plane_singular_values:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('singular_values')}/values/{{curve}}.parquet",
        summaries=f"{plane_folder('singular_values')}/summaries/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_singular_values/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_singular_values/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_singular_values.py"),
    message:
        "Measuring the singular values of {wildcards.curve}"
    script:
        "../scripts/measure_plane_singular_values.py"


rule measure_plane_sensitivities:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('sensitivities')}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_sensitivities/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_sensitivities/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_sensitivities.py"),
    message:
        "Measuring the sensitivities of {wildcards.curve}"
    script:
        "../scripts/measure_plane_sensitivities.py"


rule measure_plane_frozen_kernels:
    input:
        trained="results/plane/curves/{curve}.parquet",
    output:
        rows=f"{plane_folder('frozen_kernels')}/{{curve}}.parquet",
    log:
        f"{LOGS}/measure_plane_frozen_kernels/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/measure_plane_frozen_kernels/{{curve}}.tsv"
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=plane_minutes,
        mem_mb=plane_megabytes,
    params:
        spec=plane_spec,
        store=PLANE_STORE,
        source=source_of("measure_plane_frozen_kernels.py"),
    message:
        "Training the frozen kernels of {wildcards.curve}"
    script:
        "../scripts/measure_plane_frozen_kernels.py"


rule measure_first_step:
    output:
        table=f"{RESULTS}/tables/plane_first_step.parquet",
    log:
        f"{LOGS}/measure_first_step.log",
    benchmark:
        f"{BENCHMARKS}/measure_first_step.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        entries=FIRST_STEP,
        source=source_of("measure_first_step.py"),
    message:
        "Measuring signal and noise of the first step of gradient descent"
    script:
        "../scripts/measure_first_step.py"


# One rule for all tables that are gathered from files of the curves.
rule gather_plane:
    input:
        curves=lambda wildcards: PLANE_PARTS[wildcards.table],
    output:
        rows=f"{RESULTS}/tables/{{table}}.parquet",
    log:
        f"{LOGS}/gather_plane/{{table}}.log",
    benchmark:
        f"{BENCHMARKS}/gather_plane/{{table}}.tsv"
    wildcard_constraints:
        table="|".join(PLANE_PARTS),
    conda:
        "../envs/srhm.yaml"
    params:
        table=lambda wildcards: wildcards.table,
        planned=PLANE_KEYS,
        source=source_of("gather_plane.py"),
    message:
        "Gathering and checking {wildcards.table}"
    script:
        "../scripts/gather_plane.py"


rule estimate_plane_complexity:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        sensitivities=f"{RESULTS}/tables/plane_sensitivities.parquet",
        frozen_kernels=f"{RESULTS}/tables/plane_frozen_kernels.parquet",
        ensembles=f"{RESULTS}/tables/plane_ensembles.parquet",
    output:
        complexity=f"{RESULTS}/tables/plane_complexity.parquet",
    log:
        f"{LOGS}/estimate_plane_complexity.log",
    benchmark:
        f"{BENCHMARKS}/estimate_plane_complexity.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        analysis=ANALYSIS,
        source=source_of("estimate_plane_complexity.py"),
    message:
        "Estimating sample complexities P* against α̃"
    script:
        "../scripts/estimate_plane_complexity.py"


rule plane_complexity:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        complexity=f"{RESULTS}/tables/plane_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_complexity.pdf",
        png=report(
            f"{RESULTS}/figures/plane_complexity.png",
            caption="../docs/captions/plane_complexity.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_complexity.log",
    benchmark:
        f"{BENCHMARKS}/plane_complexity.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        threshold=PLAN.preset.analysis.threshold,
        style=STYLE,
        source=source_of("plot_plane_complexity.py"),
    message:
        "Drawing P* against α̃"
    script:
        "../scripts/plot_plane_complexity.py"


rule plane_onset:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        sensitivities=f"{RESULTS}/tables/plane_sensitivities.parquet",
        frozen_kernels=f"{RESULTS}/tables/plane_frozen_kernels.parquet",
        complexity=f"{RESULTS}/tables/plane_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_onset.pdf",
        png=report(
            f"{RESULTS}/figures/plane_onset.png",
            caption="../docs/captions/plane_onset.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_onset.log",
    benchmark:
        f"{BENCHMARKS}/plane_onset.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        threshold=PLAN.preset.analysis.threshold,
        style=STYLE,
        source=source_of("plot_plane_onset.py"),
    message:
        "Drawing onset of the invariances at small and large α̃"
    script:
        "../scripts/plot_plane_onset.py"


rule plane_stability:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        sensitivities=f"{RESULTS}/tables/plane_sensitivities.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_stability.pdf",
        png=report(
            f"{RESULTS}/figures/plane_stability.png",
            caption="../docs/captions/plane_stability.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_stability.log",
    benchmark:
        f"{BENCHMARKS}/plane_stability.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_stability.py"),
    message:
        "Drawing relative stability R_k"
    script:
        "../scripts/plot_plane_stability.py"


rule plane_error:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        ensembles=f"{RESULTS}/tables/plane_ensembles.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_error.pdf",
        png=report(
            f"{RESULTS}/figures/plane_error.png",
            caption="../docs/captions/plane_error.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_error.log",
    benchmark:
        f"{BENCHMARKS}/plane_error.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_error.py"),
    message:
        "Drawing test error against α̃"
    script:
        "../scripts/plot_plane_error.py"


rule plane_kernel_change:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_kernel_change.pdf",
        png=report(
            f"{RESULTS}/figures/plane_kernel_change.png",
            caption="../docs/captions/plane_kernel_change.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_kernel_change.log",
    benchmark:
        f"{BENCHMARKS}/plane_kernel_change.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_kernel_change.py"),
    message:
        "Drawing change of the tangent kernel against α̃"
    script:
        "../scripts/plot_plane_kernel_change.py"


rule plane_variance:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        ensembles=f"{RESULTS}/tables/plane_ensembles.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_variance.pdf",
        png=report(
            f"{RESULTS}/figures/plane_variance.png",
            caption="../docs/captions/plane_variance.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_variance.log",
    benchmark:
        f"{BENCHMARKS}/plane_variance.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_variance.py"),
    message:
        "Drawing variance of F against h"
    script:
        "../scripts/plot_plane_variance.py"


rule plane_diagram:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        ensembles=f"{RESULTS}/tables/plane_ensembles.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_diagram.pdf",
        png=report(
            f"{RESULTS}/figures/plane_diagram.png",
            caption="../docs/captions/plane_diagram.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_diagram.log",
    benchmark:
        f"{BENCHMARKS}/plane_diagram.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_diagram.py"),
    message:
        "Drawing the (h, α̃) diagram"
    script:
        "../scripts/plot_plane_diagram.py"


rule plane_kernels:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        kernels=f"{RESULTS}/tables/plane_kernels.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_kernels.pdf",
        png=report(
            f"{RESULTS}/figures/plane_kernels.png",
            caption="../docs/captions/plane_kernels.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_kernels.log",
    benchmark:
        f"{BENCHMARKS}/plane_kernels.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_kernels.py"),
    message:
        "Drawing spectra of the tangent kernel"
    script:
        "../scripts/plot_plane_kernels.py"


rule plane_first_step:
    input:
        first_step=f"{RESULTS}/tables/plane_first_step.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_first_step.pdf",
        png=report(
            f"{RESULTS}/figures/plane_first_step.png",
            caption="../docs/captions/plane_first_step.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_first_step.log",
    benchmark:
        f"{BENCHMARKS}/plane_first_step.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_first_step.py"),
    message:
        "Drawing signal and noise of the first step"
    script:
        "../scripts/plot_plane_first_step.py"


rule plane_layerwise:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        complexity=f"{RESULTS}/tables/plane_complexity.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_layerwise.pdf",
        png=report(
            f"{RESULTS}/figures/plane_layerwise.png",
            caption="../docs/captions/plane_layerwise.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_layerwise.log",
    benchmark:
        f"{BENCHMARKS}/plane_layerwise.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        threshold=PLAN.preset.analysis.threshold,
        style=STYLE,
        source=source_of("plot_plane_layerwise.py"),
    message:
        "Drawing layerwise against end-to-end training"
    script:
        "../scripts/plot_plane_layerwise.py"


rule plane_singular_values:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        singular_values=f"{RESULTS}/tables/plane_singular_values.parquet",
        singular_summaries=f"{RESULTS}/tables/plane_singular_summaries.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_singular_values.pdf",
        png=report(
            f"{RESULTS}/figures/plane_singular_values.png",
            caption="../docs/captions/plane_singular_values.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_singular_values.log",
    benchmark:
        f"{BENCHMARKS}/plane_singular_values.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_singular_values.py"),
    message:
        "Drawing singular values of weights and representations"
    script:
        "../scripts/plot_plane_singular_values.py"


rule plane_bottleneck:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        singular_values=f"{RESULTS}/tables/plane_singular_values.parquet",
        singular_summaries=f"{RESULTS}/tables/plane_singular_summaries.parquet",
        sensitivities=f"{RESULTS}/tables/plane_sensitivities.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_bottleneck.pdf",
        png=report(
            f"{RESULTS}/figures/plane_bottleneck.png",
            caption="../docs/captions/plane_bottleneck.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_bottleneck.log",
    benchmark:
        f"{BENCHMARKS}/plane_bottleneck.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_bottleneck.py"),
    message:
        "Drawing bottleneck rank with weight decay"
    script:
        "../scripts/plot_plane_bottleneck.py"


rule plane_double_descent:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        ensembles=f"{RESULTS}/tables/plane_ensembles.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_double_descent.pdf",
        png=report(
            f"{RESULTS}/figures/plane_double_descent.png",
            caption="../docs/captions/plane_double_descent.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_double_descent.log",
    benchmark:
        f"{BENCHMARKS}/plane_double_descent.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_double_descent.py"),
    message:
        "Drawing double descent"
    script:
        "../scripts/plot_plane_double_descent.py"


rule plane_jamming:
    input:
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        hessians=f"{RESULTS}/tables/plane_hessians.parquet",
        hessian_summaries=f"{RESULTS}/tables/plane_hessian_summaries.parquet",
    output:
        pdf=f"{RESULTS}/figures/plane_jamming.pdf",
        png=report(
            f"{RESULTS}/figures/plane_jamming.png",
            caption="../docs/captions/plane_jamming.rst",
            category="Plane",
        ),
    log:
        f"{LOGS}/plane_jamming.log",
    benchmark:
        f"{BENCHMARKS}/plane_jamming.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_plane_jamming.py"),
    message:
        "Drawing jamming and the spectra of the Hessian"
    script:
        "../scripts/plot_plane_jamming.py"


rule score_plane_claims:
    input:
        tables=[f"{RESULTS}/tables/{name}.parquet" for name in PLANE_TABLES],
    output:
        scorecard=f"{RESULTS}/tables/plane_scorecard.parquet",
        text=report(f"{RESULTS}/plane_scorecard.md", category="Scorecard"),
    log:
        f"{LOGS}/score_plane_claims.log",
    benchmark:
        f"{BENCHMARKS}/score_plane_claims.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        source=source_of("score_plane_claims.py"),
    message:
        "Comparing statements on lazy and feature learning with what was measured: {output.text}"
    script:
        "../scripts/score_plane_claims.py"


rule write_plane_report:
    input:
        scorecard=f"{RESULTS}/tables/plane_scorecard.parquet",
        complexities=f"{RESULTS}/tables/plane_complexity.parquet",
        cells=f"{RESULTS}/tables/plane_cells.parquet",
        timings=f"{RESULTS}/tables/plane_timings.parquet",
        images=[figure_files(name)["png"] for name in PLANE_FIGURES],
        captions=[ROOT / "docs" / "captions" / f"{name}.rst" for name in PLANE_FIGURES],
        definitions=ROOT / "docs" / "plane.md",
        citation=ROOT / "CITATION.cff",
        pages=sorted((ROOT / "src" / "srhm" / "report").glob("*.html")),
    output:
        report=f"{RESULTS}/plane.html",
    log:
        f"{LOGS}/write_plane_report.log",
    benchmark:
        f"{BENCHMARKS}/write_plane_report.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        figures=PLANE_FIGURES,
        configuration=PLANE_CONFIGURATION,
        preset=PRESET,
        source=source_of("write_plane_report.py"),
    message:
        "Writing the page on lazy and feature learning: {output.report}"
    script:
        "../scripts/write_plane_report.py"


rule plane:
    input:
        figures=[path for name in PLANE_FIGURES for path in figure_files(name).values()],
        tables=[f"{RESULTS}/tables/{name}.parquet" for name in PLANE_TABLES],
        timings=f"{RESULTS}/tables/plane_timings.parquet",
        scorecard=f"{RESULTS}/plane_scorecard.md",
        report=f"{RESULTS}/plane.html",


localrules:
    plane,
    measure_first_step,
    gather_plane,
    estimate_plane_complexity,
    score_plane_claims,
    write_plane_report,
    plane_complexity,
    plane_onset,
    plane_stability,
    plane_error,
    plane_kernel_change,
    plane_variance,
    plane_diagram,
    plane_kernels,
    plane_first_step,
    plane_layerwise,
    plane_singular_values,
    plane_bottleneck,
    plane_double_descent,
    plane_jamming,
