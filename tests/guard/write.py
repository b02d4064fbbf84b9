"""Writes the names of all presets, the digests of jobs and the scorecards of shipped rows anew.

A version without ".dev" that has no line in releases.txt yet gets one.

python tests/guard/write.py, after a change that is meant to move some of them: the commit names
which, and why.
"""

from stored import (
    PRESETS,
    RELEASES,
    SHIPPED,
    STORED_JOBS,
    digest_of_scores,
    job_lines,
    key_lines,
    released,
    scores,
    stored_keys,
    stored_scores,
    text_of,
    version,
)

for name in PRESETS:
    stored_keys(name).parent.mkdir(exist_ok=True)
    stored_keys(name).write_text("\n".join([*key_lines(name), ""]), encoding="utf-8")
STORED_JOBS.write_text("\n".join([*job_lines(), ""]), encoding="utf-8")
for preset, study in SHIPPED:
    stored_scores(preset, study).parent.mkdir(parents=True, exist_ok=True)
    stored_scores(preset, study).write_text(text_of(scores(preset, study)), encoding="utf-8")
if ".dev" not in version() and version() not in released():
    with RELEASES.open("a", encoding="utf-8") as file:
        file.write(f"{version()} {digest_of_scores()}\n")
