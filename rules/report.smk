"""From tables to claims beside what was measured, to pages of studies, and to explorers."""

for study in PLAN.studies:
    if STUDIES[study].claims is not None:

        rule:
            name:
                f"score_{study}"
            input:
                tables=table_files(
                    study, [*own_tables(study), *names_in(STUDIES[study].claim_uses)]
                ),
            output:
                claims=places.table_file(PRESET, study, "claims"),
            log:
                f"{LOGS}/score_{study}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=using_spec(
                    study,
                    {name: name for name in own_tables(study)} | dict(STUDIES[study].claim_uses),
                    module=STUDIES[study].claims,
                ),
                source=source_of("score.py", STUDIES[study].claims),
            message:
                f"Comparing the claims of {study} with what was measured"
            script:
                "../scripts/score.py"


for page, studies in PAGES.items():

    rule:
        name:
            f"page_{page}"
        input:
            **files_of_page(studies),
            so_far=so_far_of(page),
        output:
            page=report(places.page_file(PRESET, page), category="Pages"),
            scorecard=report(places.scorecard_file(PRESET, page), category="Scorecard"),
            data=places.scorecard_data(PRESET, page),
        log:
            f"{LOGS}/page_{page}.log",
        priority: min(STUDIES[study].priority for study in studies)
        localrule: True
        conda:
            "../envs/srhm.yaml"
        params:
            spec=page_spec(page, studies),
            source=source_of("write_page.py", *modules_of_page(studies)),
        message:
            "Writing {output.page}"
        script:
            "../scripts/write_page.py"

    # The first study alone, while the others of its page are trained; the whole page replaces it.
    if len(studies) > 1:

        rule:
            name:
                f"page_{page}_so_far"
            input:
                **files_of_page(studies[:1]),
            output:
                page=temp(places.page_file(PRESET, f"{page}_so_far")),
                scorecard=temp(places.scorecard_file(PRESET, f"{page}_so_far")),
                data=temp(places.scorecard_data(PRESET, f"{page}_so_far")),
            log:
                f"{LOGS}/page_{page}_so_far.log",
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=page_spec(page, studies[:1], pending=studies[1:]),
                source=source_of("write_page.py", *modules_of_page(studies[:1])),
            message:
                "Writing the page as far as it goes: {output.page}"
            script:
                "../scripts/write_page.py"


for name, studies in EXPLORERS.items():

    rule:
        name:
            name
        input:
            tables=[table["file"] for table in explored_tables(studies)],
            parts=sorted(str(file) for file in (ROOT / "src/srhm/explorer").glob("explorer.*")),
            publications=publications_of(studies),
        output:
            page=report(places.page_file(PRESET, name), category="Pages"),
            data=[data_of(*figure) for figure in explored_figures(studies)],
        log:
            f"{LOGS}/{name}.log",
        priority: min(STUDIES[study].priority for study in studies)
        localrule: True
        conda:
            "../envs/srhm.yaml"
        params:
            spec=explorer_spec(name),
            source=source_of("write_explorer.py"),
        message:
            "Writing {output.page}"
        script:
            "../scripts/write_explorer.py"
