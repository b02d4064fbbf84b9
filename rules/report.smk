"""From tables to claims beside what was measured, to pages of studies, and to explorers."""

for study in PLAN.studies:
    if STUDIES[study].claims is not None:

        rule:
            name:
                f"score_{study}"
            input:
                tables=specs.table_files(PLAN, study, specs.claim_uses(study)),
            output:
                claims=places.table_file(PRESET, study, "claims"),
            log:
                f"{LOGS}/score_{study}.log",
            priority: STUDIES[study].priority
            localrule: True
            conda:
                "../envs/srhm.yaml"
            params:
                spec=specs.using_spec(
                    PLAN, study, specs.claim_uses(study), module=STUDIES[study].claims
                ),
                source=source_of("score.py", STUDIES[study].claims),
            message:
                f"Comparing the claims of {study} with what was measured"
            script:
                "../scripts/score.py"


for page, studies in pages.pages_of(PLAN).items():

    rule:
        name:
            f"page_{page}"
        input:
            **pages.files_of_page(PLAN, studies),
        output:
            page=report(places.page_file(PRESET, page), category="Pages"),
            methods=report(places.methods_file(PRESET, page), category="Pages"),
            scorecard=report(places.scorecard_file(PRESET, page), category="Scorecard"),
            data=places.scorecard_json(PRESET, page),
        log:
            f"{LOGS}/page_{page}.log",
        priority: min(STUDIES[study].priority for study in studies)
        localrule: True
        conda:
            "../envs/srhm.yaml"
        params:
            spec=pages.page_spec(PLAN, page),
            source=source_of("write_page.py", *pages.modules_of_page(studies)),
        message:
            "Writing {output.page}"
        script:
            "../scripts/write_page.py"


for name, studies in EXPLORERS.items():

    rule:
        name:
            name
        input:
            tables=[table["file"] for table in pages.explored_tables(PLAN, studies)],
            parts=[
                PACKAGE / "report/layout.html",
                *(PACKAGE / "report/explorer").glob("explorer.*"),
            ],
            publications=pages.publications_of(PLAN, studies),
        output:
            page=report(places.page_file(PRESET, name), category="Pages"),
            data=pages.files_of_rows(PLAN, studies),
        log:
            f"{LOGS}/{name}.log",
        priority: min(STUDIES[study].priority for study in studies)
        localrule: True
        conda:
            "../envs/srhm.yaml"
        params:
            spec=pages.explorer_spec(PLAN, name),
            source=source_of("write_explorer.py"),
        message:
            "Writing {output.page}"
        script:
            "../scripts/write_explorer.py"
