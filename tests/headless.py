"""A page in a headless Chromium that can reach no host: what a script that is put into it says."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
# The browser writes what the page has become once it is loaded, and a document that stays open
# holds that back: in real time, for a worker knows no virtual one.
PROBE = """const said = { wrong: [] };
const held = document.createElement("iframe");
document.documentElement.append(held);
held.contentDocument.open();
addEventListener("error", (event) => said.wrong.push(event.message));
addEventListener("unhandledrejection", (event) => said.wrong.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => said.wrong.push(event.violatedDirective));
const until = (test) => new Promise((done) => {
  const look = () => said.wrong.length || test() ? done() : setTimeout(look, 20); look(); });
addEventListener("DOMContentLoaded", async () => {
  try { await probe(); } catch (error) { said.wrong.push(error.stack); }
  said.wide = document.documentElement.scrollWidth - innerWidth;
  said.ground = getComputedStyle(document.body).backgroundColor;
  said.requests = performance.getEntriesByType("resource").map((one) => one.name);
  const told = document.createElement("output");
  told.id = "said";
  told.textContent = JSON.stringify(said);
  document.body.append(told);
  held.contentDocument.close();
  held.remove();
});
"""


def said_by(
    html: str, probe: str, folder: Path, *, width: int = 1400, dark: bool = False
) -> dict[str, Any]:
    """What a probe, the body of an asynchronous function, puts into `said`; the page has no error.

    wide: pixels that the page is wider than its window; ground: colour of its background;
    requests: what it asked for.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)} is installed")
    script = f"{PROBE}async function probe() {{\n{probe}\n}}"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = html.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    page = folder / "probed.html"
    # First, so that it hears of all errors.
    page.write_text(html.replace("</title>", f"</title><script>{script}</script>", 1), "utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}",
             "--dump-dom", page.as_uri()]  # fmt: skip
    done = subprocess.run(
        [browser, *words], capture_output=True, text=True, check=True, timeout=120
    )
    told = re.search(r'<output id="said">(.*?)</output>', done.stdout)
    assert told, "the page did not get ready"
    said = json.loads(told[1].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
    assert said["wrong"] == []
    return said
