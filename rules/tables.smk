"""From rows of curves to the checked tables of a study, and to tables derived of these.

A table of sample complexities, say, is derived.
"""

for study in PLAN.studies:
    if STUDIES[study].trainer is not None:

        rule:
            name:
                f"gather_{study}"
            input:
                **files_of_curves(study),
                published_files=published_files(study),
            output:
                **{name: places.table_file(PRESET, study, name) for name in files_of_curves(study)},
            log:
                f"{LOGS}/gather_{study}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=gathering_spec(study),
                source=source_of("gather.py"),
            message:
                f"Gathering and checking the tables of {study}"
            script:
                "../scripts/gather.py"

    for table in STUDIES[study].tables:

        rule:
            name:
                f"derive_{study}_{table.name}"
            input:
                **repository_files(table),
                tables=table_files(study, table.uses),
            output:
                rows=places.table_file(PRESET, study, table.name),
            log:
                f"{LOGS}/derive_{study}_{table.name}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=using_spec(
                    study,
                    table.uses,
                    table.settings,
                    files=repository_files(table),
                    function=table.function,
                    schema=table.schema,
                ),
                source=source_of("derive.py", table.function),
            message:
                f"Computing {table.name.replace('_', ' ')} of {study}"
            script:
                "../scripts/derive.py"
