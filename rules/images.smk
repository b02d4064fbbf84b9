"""CIFAR-10 -> trained networks and their stability to smooth deformations: Figure 1 A, B.

Only where the data are in the configured folder; without them nothing here is asked for, and
fig1_cifar stops with the message that says how to get them. A curve that is too long for one job is
trained in parts, as those of the SRHM are.
"""


# After the SRHM, its named nets too, of which they take a multiple of the time: hence the priority.
# The data are no input files: their names and times say less than the sums in the keys, and a file
# that is missing is then refused by the loader, by name, without stopping all other rules.
rule train_images_part:
    output:
        trained="results/images/parts/{curve}/{part}.json",
    log:
        f"{LOGS}/train_images_part/{{curve}}/{{part}}.log",
    benchmark:
        f"{BENCHMARKS}/train_images_part/{{curve}}/{{part}}.tsv"
    priority: -20
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=part_minutes,
        mem_mb=part_megabytes,
        time_limit=time_limit,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
    params:
        spec=image_part_spec,
        folder=str(IMAGE_FOLDER),
        store=IMAGE_STORE,
        checkpoints=IMAGE_CHECKPOINTS,
    message:
        "Training part {wildcards.part} of {wildcards.curve} on images"
    script:
        "../scripts/train_images_part.py"


rule train_images:
    input:
        parts=parts_of_curve,
    output:
        rows="results/images/{curve}.parquet",
    log:
        f"{LOGS}/train_images/{{curve}}.log",
    benchmark:
        f"{BENCHMARKS}/train_images/{{curve}}.tsv"
    priority: -20
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=curve_minutes,
        mem_mb=curve_megabytes,
        time_limit=time_limit,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
    params:
        spec=image_curve_spec,
        folder=str(IMAGE_FOLDER),
        store=IMAGE_STORE,
        checkpoints=IMAGE_CHECKPOINTS,
        source=source_of("train_images.py"),
    message:
        "Training on images: {wildcards.curve}"
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
    priority: -20
    conda:
        "../envs/srhm.yaml"
    resources:
        runtime=image_measuring_minutes,
        mem_mb=image_measuring_megabytes,
        gpu=GPU,
        jobs_per_device=jobs_per_device,
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
