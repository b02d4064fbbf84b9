"""CIFAR-10 -> trained networks and their stability to smooth deformations: Figure 1 A, B.

Only where the data are in the configured folder; without them nothing here is asked for, and
fig1_cifar stops with the message that says how to get them.
"""


wildcard_constraints:
    image_curve=r"[^/]+",


# Named nets come after the core figures: hence the priority.
# The data are no input files: their names and times say less than the sums in the keys, and a file
# that is missing is then refused by the loader, by name, without stopping all other rules.
rule train_images:
    output:
        rows="results/images/{image_curve}.parquet",
    log:
        f"{LOGS}/train_images/{{image_curve}}.log",
    benchmark:
        f"{BENCHMARKS}/train_images/{{image_curve}}.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        spec=image_curve_spec,
        folder=str(IMAGE_FOLDER),
        store=IMAGE_STORE,
        source=source_of("train_images.py"),
    message:
        "Training on images: {wildcards.image_curve}"
    script:
        "../scripts/train_images.py"


rule measure_images:
    input:
        curves=[f"results/images/{name}.parquet" for name in IMAGE_CURVES],
    output:
        images=f"{RESULTS}/tables/images.parquet",
    log:
        f"{LOGS}/measure_images.log",
    benchmark:
        f"{BENCHMARKS}/measure_images.tsv"
    priority: -10
    conda:
        "../envs/srhm.yaml"
    params:
        spec=MEASURED_IMAGES,
        folder=str(IMAGE_FOLDER),
        store=IMAGE_STORE,
        source=source_of("measure_images.py"),
    message:
        "Measuring how stable the networks of Figure 1 A, B are to smooth deformations"
    script:
        "../scripts/measure_images.py"


rule fig1_cifar:
    input:
        images=image_table,
    output:
        pdf=f"{RESULTS}/figures/fig01_images.pdf",
        png=f"{RESULTS}/figures/fig01_images.png",
    log:
        f"{LOGS}/fig1_cifar.log",
    benchmark:
        f"{BENCHMARKS}/fig1_cifar.tsv"
    conda:
        "../envs/srhm.yaml"
    params:
        preset=PRESET,
        style=STYLE,
        source=source_of("plot_images.py"),
    message:
        "Drawing Figure 1 A, B: test error on CIFAR-10 against the sensitivity to deformations"
    script:
        "../scripts/plot_images.py"
