"""From rows of curves to the checked tables of a study, and to tables derived of these.

A table of sample complexities, say, is derived.
"""

for study in PLAN.studies:
    if STUDIES[study].trainer is not None:

        rule:
            name:
                f"gather_{study}"
            input:
                **tables.files_of_curves(PLAN, study),
                published_files=tables.published_files(PLAN, study),
            output:
                **{
                    name: places.table_file(PRESET, study, name)
                    for name in tables.files_of_curves(PLAN, study)
                },
            log:
                f"{LOGS}/gather_{study}.log",
            priority: STUDIES[study].priority + first_looks.EARLY
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=tables.gathering_spec(PLAN, study),
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
                **tables.repository_files(table),
                tables=tables.table_files(PLAN, study, table.uses),
            output:
                rows=places.table_file(PRESET, study, table.name),
            log:
                f"{LOGS}/derive_{study}_{table.name}.log",
            priority: STUDIES[study].priority + first_looks.EARLY
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=tables.using_spec(
                    PLAN,
                    study,
                    table.uses,
                    table.settings,
                    files=tables.repository_files(table),
                    function=table.function,
                    schema=table.schema,
                ),
                source=source_of("derive.py", table.function),
            message:
                f"Computing {table.name.replace('_', ' ')} of {study}"
            script:
                "../scripts/derive.py"
