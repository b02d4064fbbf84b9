"""From tables to figures: one rule for each figure, which has its caption in Snakemake's report."""

for study in PLAN.studies:
    for figure in STUDIES[study].figures:

        rule:
            name:
                figure.name
            input:
                **specs.repository_files(figure),
                tables=specs.table_files(PARTS.get(figure.name, PLAN), study, figure.uses),
                caption=pages.caption_of(study, figure),
            output:
                pdf=places.figure_files(PRESET, figure.name)["pdf"],
                png=report(
                    places.figure_files(PRESET, figure.name)["png"],
                    caption=Path(places.figure_files(PRESET, figure.name)["rst"]).absolute(),
                    category=STUDIES[study].title,
                ),
                rst=places.figure_files(PRESET, figure.name)["rst"],
            log:
                f"{LOGS}/{figure.name}.log",
            priority: STUDIES[study].priority + specs.PRIORITY * (figure.name in PARTS)
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=specs.using_spec(
                    PARTS.get(figure.name, PLAN),
                    study,
                    figure.uses,
                    figure.settings,
                    files=specs.repository_files(figure),
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
