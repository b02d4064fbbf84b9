"""From trained networks to what is measured of them, by curve: one rule for each measurement."""

for folder, (measurement, _) in MEASUREMENTS.items():
    # Made by a function: defined here they would all see the last measurement of the loop.
    spec, minutes, megabytes = measuring(folder)

    rule:
        name:
            MEASURING[folder]
        input:
            rows=places.rows_of_curve(measurement.trainer, "{curve}"),
            derivations=sample_of_curve,
        output:
            **{table: f"{folder}/{table}/{{curve}}.parquet" for table in measurement.tables},
        log:
            f"{LOGS}/{MEASURING[folder]}/{{curve}}.log",
        priority: measurement.trainer.priority
        conda:
            "../envs/srhm.yaml"
        resources:
            runtime=minutes,
            mem_mb=megabytes,
            gpu=GPU * measurement.gpu,
            jobs_per_device=jobs_per_device,
        params:
            spec=spec,
            store=places.store_of(measurement.trainer),
            source=source_of("measure.py", measurement.function),
        message:
            f"Measuring {measurement.name.replace('_', ' ')} of {{wildcards.curve}}"
        script:
            "../scripts/measure.py"
