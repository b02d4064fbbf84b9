"""What two tools say of a page: vnu, which knows HTML, and axe, which looks for barriers.

`make env-markup` fetches both; without them a test is skipped aloud.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from headless import said_by

TOOLS = Path(os.environ.get("MARKUP", Path(__file__).parents[1] / ".venv/markup/node_modules"))
VNU, AXE = TOOLS / "vnu-jar/build/dist/vnu.jar", TOOLS / "axe-core/axe.min.js"
POLICY = r'<meta http-equiv="Content-Security-Policy"[^>]*>'
LOOK = """
held.title = "of the probe";
const found = await axe.run();
said.barriers = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html)}`);
"""


def wrong(html: str, folder: Path) -> list[str]:
    """Errors of markup, and barriers on a light and on a dark ground."""
    if not (VNU.is_file() and AXE.is_file() and shutil.which("java")):
        pytest.skip("no vnu and axe here: make env-markup, with npm and java")
    page = folder / "page.html"
    page.write_text(html, encoding="utf-8")
    words = ["java", "-jar", str(VNU), "--errors-only", "--format", "gnu", str(page)]
    errors = subprocess.run(words, capture_output=True, text=True).stderr.splitlines()
    # The script of axe is none of the page's, and its policy would refuse it.
    open_page, probe = re.sub(POLICY, "", html), AXE.read_text(encoding="utf-8") + LOOK
    for dark in (False, True):
        errors += said_by(open_page, probe, folder, dark=dark)["barriers"]
    return errors
