"""From curves to trained networks in the store, and to their rows: two rules for each trainer.

A curve that is too long for one job (`jobs` in the configuration) is trained in parts. Each part
puts its networks into the store; the rule of the curve then gathers them. Two trainers share the
folder results/: the names of the curves tell which one is meant. A negative priority lets LCN, CNN
and FCN, and the figures made of them, go first.
"""

for trainer in TRAINERS:

    rule:
        name:
            f"train_{trainer.name}_part"
        input:
            derivations=sample_of_curve,
        output:
            trained=f"{trainer.folder}/parts/{{curve}}/{{part}}.json",
        log:
            f"{LOGS}/train_{trainer.name}_part/{{curve}}/{{part}}.log",
        wildcard_constraints:
            curve=trainer.curves,
        priority: priority_of("curve", trainer.priority)
        conda:
            "../envs/srhm.yaml"
        resources:
            runtime=training_minutes,
            mem_mb=training_megabytes,
            time_limit=time_limit,
            gpu=GPU * trainer.gpu,
            jobs_per_device=jobs_per_device,
        params:
            spec=part_spec,
            store=places.store_of(trainer),
            checkpoints=places.checkpoints_of(trainer),
        message:
            "Training part {wildcards.part} of {wildcards.curve}"
        script:
            "../scripts/train_part.py"

    rule:
        name:
            f"train_{trainer.name}"
        input:
            derivations=sample_of_curve,
            parts=parts_of_curve,
            published=published_files_of_curve,
        output:
            rows=places.rows_of_curve(trainer, "{curve}"),
            timings=places.timings_of_curve(trainer, "{curve}"),
        log:
            f"{LOGS}/train_{trainer.name}/{{curve}}.log",
        wildcard_constraints:
            curve=trainer.curves,
        priority: priority_of("curve", trainer.priority)
        conda:
            "../envs/srhm.yaml"
        resources:
            runtime=training_minutes,
            mem_mb=training_megabytes,
            time_limit=time_limit,
            gpu=GPU * trainer.gpu,
            jobs_per_device=jobs_per_device,
        params:
            spec=curve_spec,
            store=places.store_of(trainer),
            checkpoints=places.checkpoints_of(trainer),
            source=source_of("train_curve.py", trainer.module),
        message:
            "Training the cells of {wildcards.curve}"
        script:
            "../scripts/train_curve.py"
