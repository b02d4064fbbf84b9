"""From tables to figures: one rule for each figure, which has its caption in Snakemake's report."""

for study in PLAN.studies:
    for figure in STUDIES[study].figures:

        rule:
            name:
                figure.name
            input:
                **tables.repository_files(figure),
                tables=tables.table_files(PLAN, study, figure.uses),
                caption=pages.caption_of(study, figure),
                first_look=list(first_looks.files_of_look(PLAN, figure).values()),
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
            priority: STUDIES[study].priority + first_looks.EARLY * bool(figure.first)
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


for name, (study, figure) in first_looks.looks_of(PLAN).items():

    rule:
        name:
            name
        input:
            **tables.repository_files(figure),
            rows=first_looks.rows_of_look(PLAN, study, figure),
        output:
            **{kind: temp(file) for kind, file in first_looks.files_of_look(PLAN, figure).items()},
        log:
            f"{LOGS}/{name}.log",
        priority: 2 * first_looks.PRIORITY
        localrule: True
        conda:
            "../envs/srhm.yaml"
        params:
            spec=first_looks.look_spec(PLAN, study, figure),
            style=STYLE,
            source=source_of(
                "draw_first_look.py",
                figure.function,
                *(table.function for table in STUDIES[study].tables),
            ),
        message:
            f"Drawing a first look at {figure.name}: {figure.title}"
        script:
            "../scripts/draw_first_look.py"
