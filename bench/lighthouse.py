"""Lighthouse's findings on the page: performance, accessibility and best practices, in both themes and on a phone.

    python -m bench.lighthouse [--runs 3]

The page is served as `serve` serves it, and Debian's Chromium opens it with an empty cache. Of several runs the median
counts, since a busy machine takes its share of the performance. `make lighthouse` installs what it needs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.serving import serving
from bench.targets import Figure, keep, show
from testbed.browser import missing
from testbed.service_process import ROOT

LIGHTHOUSE = ROOT / "testbed" / "lighthouse" / "node_modules" / ".bin" / "lighthouse"
CATEGORIES = ("performance", "accessibility", "best-practices")
TARGET, FOUND_BELOW = 95, 0.9
LOOKS = {"desktop": ("--preset=desktop",), "phone": ()}  # Lighthouse's default is a phone
THEMES = {"light": "", "dark": "--force-dark-mode"}
PATHS = {"page": "/", "contract": "/api/docs"}


async def scores(url: str, look: str, theme: str) -> tuple[dict[str, float], list[str]]:
    """The score of each category, of 100, and the audits that are far from it.

    Raises:
        RuntimeError: Lighthouse came to no result; the message is what it said.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-lighthouse-") as folder:
        report = Path(folder) / "report.json"
        flags = f"--headless=new --no-sandbox {THEMES[theme]}".strip()
        process = await asyncio.create_subprocess_exec(
            str(LIGHTHOUSE), url, *LOOKS[look], "--quiet", "--output=json", f"--output-path={report}",
            f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}",
            env=os.environ | {"CHROME_PATH": shutil.which("chromium") or ""},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output, _ = await process.communicate()
        if process.returncode or not report.exists():
            raise RuntimeError(output.decode(errors="replace")[-2000:])
        return read(report.read_text(encoding="utf-8"))


def read(report: str) -> tuple[dict[str, float], list[str]]:
    """The scores and findings of a report of Lighthouse, as JSON.

    Raises:
        RuntimeError: the page could not be looked at.
    """
    found = json.loads(report)
    if error := found.get("runtimeError"):
        raise RuntimeError(error["message"])
    categories = {name: found["categories"][name] for name in CATEGORIES}
    findings = [
        f"{name}: {audit['title']} {audit.get('displayValue', '')}".rstrip() + _where(audit)
        for name, category in categories.items()
        for part in category["auditRefs"]
        if part["weight"] and (audit := found["audits"][part["id"]])["score"] is not None
        if audit["score"] < FOUND_BELOW
    ]
    return {name: round(100 * category["score"]) for name, category in categories.items()}, findings


def _where(audit: dict[str, Any]) -> str:
    """The first three places of a finding, where it has some."""
    nodes = [it["node"] for it in audit.get("details", {}).get("items", []) if "node" in it]
    return "".join(f"\n    {node['snippet']}" for node in nodes[:3])


async def measure(runs: int) -> bool:
    """Print every score next to its target. Returns whether all are met."""
    figures, findings = [], dict[str, None]()
    async with serving() as url:
        for page, path in PATHS.items():
            for look in LOOKS:
                for theme in THEMES:
                    tried = [await scores(url + path, look, theme) for _ in range(runs)]
                    for name in CATEGORIES:
                        score = statistics.median(found[name] for found, _ in tried)
                        figures.append(Figure(f"{page}, {look}, {theme}: {name}", score, "", TARGET, at_least=True))
                    findings |= {f"{page}, {look}: {line}": None for _, lines in tried for line in lines}
    met = show("Lighthouse:", figures)
    keep("Lighthouse", figures)
    print(*findings, sep="\n")
    return met


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if not LIGHTHOUSE.exists():
        parser.error("Lighthouse is not installed: npm ci --prefix testbed/lighthouse")
    if reason := missing():
        parser.error(reason)
    if not asyncio.run(measure(given.runs)):
        sys.exit(1)


if __name__ == "__main__":
    main()
