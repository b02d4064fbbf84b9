"""From tables to figures: one rule for each figure, which has its caption in Snakemake's report."""

for study in PLAN.studies:
    for figure in STUDIES[study].figures:

        rule:
            name:
                figure.name
            input:
                **repository_files(figure),
                tables=table_files(study, figure.uses),
            output:
                pdf=places.figure_files(PRESET, figure.name)["pdf"],
                png=report(
                    places.figure_files(PRESET, figure.name)["png"],
                    caption=caption_of(study, figure.name),
                    category=STUDIES[study].title,
                ),
            log:
                f"{LOGS}/{figure.name}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=using_spec(
                    study,
                    figure.uses,
                    figure.settings,
                    files=repository_files(figure),
                    function=figure.function,
                    command=command_of(study),
                    options=figure.options,
                ),
                style=STYLE,
                source=source_of("draw.py", figure.function),
            message:
                f"Drawing {figure.name}: {figure.title}"
            script:
                "../scripts/draw.py"
