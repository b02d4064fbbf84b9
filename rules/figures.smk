"""From tables to figures: one rule for each figure, which has its caption in Snakemake's report."""

for study in PLAN.studies:
    for figure in STUDIES[study].figures:

        rule:
            name:
                figure.name
            input:
                **tables.repository_files(figure),
                tables=tables.table_files(PLAN, study, figure.uses),
            output:
                pdf=places.figure_files(PRESET, figure.name)["pdf"],
                png=report(
                    places.figure_files(PRESET, figure.name)["png"],
                    caption=pages.caption_of(study, figure),
                    category=STUDIES[study].title,
                ),
            log:
                f"{LOGS}/{figure.name}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=tables.using_spec(
                    PLAN,
                    study,
                    figure.uses,
                    figure.settings,
                    files=tables.repository_files(figure),
                    function=figure.function,
                    command=pages.command_of(PLAN, study),
                    options=figure.options,
                ),
                style=STYLE,
                source=source_of("draw.py", figure.function),
            message:
                f"Drawing {figure.name}: {figure.title}"
            script:
                "../scripts/draw.py"
