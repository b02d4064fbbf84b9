"""Tests of `make test-all` alone that a change touches, a line each, the shortest first.

The change: what differs from the commit that is given, or else from where this branch left
origin's, or else from the commit before. Without a history all that is asked for is nothing.
"""

import subprocess
import sys
from fnmatch import fnmatch

# Tests, and the files whose change may break them; tests of one line share what they need.
TOUCHED = {
    "tests/test_hashes.py tests/test_fresh_root.py": ["envs/*", "benchmarks/fresh_root.py"],
    "tests/test_install.py": ["envs/*", "pyproject.toml", "src/*/commands/variables.py"],
    "tests/test_schedulers.py tests/test_profiles.py": ["profiles/*", "rules/*", "Snakefile"],
    "tests/test_explorer.py tests/test_play.py": ["src/*/report/explorer/*", "src/*/report/play/*"],
    "tests/test_wheel.py": ["pyproject.toml", "MANIFEST.in", "src/srhm/data.py"],
    "tests/test_library_docs.py tests/test_tutorials.py": ["docs/library.md", "docs/tutorials/*"],
    "tests/test_documentation.py": ["docs/*"],
    "tests/test_parts_of_published_rows.py": ["src/*/figures*", "src/*/scorecard/*"],
    "tests/test_flow_workflow.py": ["Snakefile", "rules/*", "scripts/*", "src/*/planning/*"],
    "tests/test_workflow.py": ["Snakefile", "rules/*", "scripts/*", "src/*/planning/*", "config/*"],
    "tests/faults": ["src/*/commands/launch.py", "src/*/store/cells.py", "src/*/jobs/*"],
    "tests/science": ["src/*/flow/*", "src/*/training/*", "src/*/networks/*"],
    "tests/cluster": ["profiles/slurm*", "src/*/jobs/slurm.py"],
}  # fmt: skip


def git(*words: str) -> list[str]:
    """Lines of what git says; none where it fails."""
    done = subprocess.run(["git", *words], capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def changed(base: str) -> list[str]:
    """Files that differ from a commit, those that are not committed too."""
    untracked = git("ls-files", "--others", "--exclude-standard")
    return [*git("diff", "--name-only", base), *untracked]


def before() -> str:
    """The commit where this branch left origin's, or the one before."""
    here = git("rev-parse", "HEAD")
    left = git("merge-base", "HEAD", "origin/HEAD") or here
    return left[0] if left != here or git("status", "--porcelain") else "HEAD~1"


def touched(files: list[str]) -> list[str]:
    """Lines of TOUCHED for these files."""
    return [
        tests
        for tests, patterns in TOUCHED.items()
        if any(
            fnmatch(file, pattern) for file in files for pattern in (*patterns, *own(tests))
        )
    ]  # fmt: skip


def own(tests: str) -> list[str]:
    """Patterns of the files of these tests."""
    return [pattern for test in tests.split() for pattern in (test, f"{test}/*")]


if __name__ == "__main__":
    print(*touched(changed(sys.argv[1] if sys.argv[1:] else before())), sep="\n")
