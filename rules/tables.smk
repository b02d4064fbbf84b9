"""From rows of curves to the checked tables of a study, and to tables derived of these.

A table of sample complexities, say, is derived. An early figure has tables of its curves alone.
"""

for plan in [PLAN, *PARTS.values()]:
    for study in plan.studies:
        # Of an early figure before the tables of whole studies, and those before their figures.
        first = specs.PRIORITY if plan.part else specs.EARLY
        mark = f"_of_{plan.part}" if plan.part else ""
        if STUDIES[study].trainer is not None:

            rule:
                name:
                    f"gather_{study}{mark}"
                input:
                    **specs.files_of_curves(plan, study),
                    published_files=specs.published_files(plan.studies[study].published_in),
                output:
                    **{
                        name: places.table_file(PRESET, study, name, part=plan.part)
                        for name in specs.files_of_curves(plan, study)
                    },
                log:
                    f"{LOGS}/gather_{study}{mark}.log",
                priority: STUDIES[study].priority + first
                localrule: True
                conda:
                    "../envs/srhm.yaml"
                params:
                    spec=specs.gathering_spec(plan, study),
                    source=source_of("gather.py"),
                message:
                    f"Gathering and checking the tables of {study}{mark.replace('_', ' ')}"
                script:
                    "../scripts/gather.py"

        for table in STUDIES[study].tables:

            rule:
                name:
                    f"derive_{study}_{table.name}{mark}"
                input:
                    **specs.repository_files(table),
                    tables=specs.table_files(plan, study, table.uses),
                output:
                    rows=places.table_file(PRESET, study, table.name, part=plan.part),
                log:
                    f"{LOGS}/derive_{study}_{table.name}{mark}.log",
                priority: STUDIES[study].priority + first
                localrule: True
                conda:
                    "../envs/srhm.yaml"
                params:
                    spec=specs.using_spec(
                        plan,
                        study,
                        table.uses,
                        table.settings,
                        files=specs.repository_files(table),
                        function=table.function,
                        schema=table.schema,
                    ),
                    source=source_of("derive.py", table.function),
                message:
                    f"Computing {table.name.replace('_', ' ')} of {study}{mark.replace('_', ' ')}"
                script:
                    "../scripts/derive.py"
