"""`make audit`: known vulnerabilities of the pinned packages, from OSV by pip-audit. Reports where it cannot ask.

    python -m testbed.audit

Exits with 0 if no vulnerability is known or all are explained in audit-ignore.txt, with 1 if there are others, and with
2 if some package could not be checked. pip-audit itself calls a package that its service does not know, as every
package is on a mirror of PyPI, "no known vulnerabilities".
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CLEAN, FOUND, NOT_ASKED = 0, 1, 2
TIMEOUT_S = 900

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;]+)")
_IGNORED = re.compile(r"^(\S+)\s+(\S.*)$")


class Report(NamedTuple):
    """The lines to print, and the exit status."""

    lines: list[str]
    status: int


def pins(folder: Path) -> dict[str, str]:
    """Each pinned package of constraints.txt and every requirements file: `name==version`, by its normalised name.

    Raises:
        ValueError: two files pin different versions, or a line pins none.
    """
    found: dict[str, str] = {}
    for file in [folder / "constraints.txt", *sorted(folder.glob("requirements*.txt"))]:
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith(("#", "-")):
                continue
            pin = _PIN.match(line)
            if pin is None:
                raise ValueError(f"{file.name}: {line!r} pins no version.")
            name = re.sub(r"[-_.]+", "-", pin[1]).lower()
            if found.setdefault(name, f"{pin[1]}=={pin[2]}").rpartition("==")[2] != pin[2]:
                raise ValueError(f"{file.name}: {line!r}, but {found[name]} elsewhere.")
    return found


def ignored(file: Path) -> dict[str, str]:
    """The reasons by id. Raises ValueError for a line without one."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            said = _IGNORED.match(line)
            if said is None:
                raise ValueError(f"{file.name}: {line!r} gives no reason.")
            found[said[1]] = said[2]
    return found


def report(asked: dict[str, Any], wanted: set[str], reasons: dict[str, str]) -> Report:
    """The findings of pip-audit's JSON for the packages (normalised names), without the explained ones."""
    answered, lines, used, status = set[str](), list[str](), set[str](), CLEAN
    for package in asked["dependencies"]:
        if "skip_reason" in package:
            continue
        answered.add(re.sub(r"[-_.]+", "-", package["name"]).lower())
        for found in package["vulns"]:
            ids = [found["id"], *found.get("aliases", [])]
            reason = next((reasons[one] for one in ids if one in reasons), None)
            used |= set(ids)
            fixed = ", ".join(found.get("fix_versions", [])) or "no version yet"
            remedy = f"ignored: {reason}" if reason else f"fixed in {fixed}"
            lines.append(f"{package['name']} {package['version']}: {found['id']} ({remedy})")
            status = status if reason else FOUND
    lines += [
        f"audit-ignore.txt: {one} is known of no package any more; remove it." for one in sorted(reasons.keys() - used)
    ]
    if missing := sorted(wanted - answered):
        lines.append(f"{len(missing)} of {len(wanted)} packages could not be asked about, so nothing is known of them: "
                     f"{', '.join(missing[:10])}{', ...' if len(missing) > 10 else ''}.")  # fmt: skip
        return Report(lines, NOT_ASKED)
    lines.append(f"{len(wanted)} packages were asked about.")
    return Report(lines, status)


def ask(packages: list[str]) -> dict[str, Any] | str:
    """pip-audit's answer about these pins, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "pins.txt"
        listed.write_text("\n".join(packages), encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(listed), "--no-deps", "--disable-pip",
                   "--vulnerability-service", "osv", "--format", "json", "--progress-spinner", "off"]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"OSV did not answer within {TIMEOUT_S} seconds."
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return (done.stderr.strip().splitlines() or ["pip-audit said nothing."])[-1]
    return answer


def main() -> int:
    """Ask, print, and return the exit status."""
    wanted, reasons = pins(ROOT), ignored(ROOT / "audit-ignore.txt")
    answer = ask(list(wanted.values()))
    if isinstance(answer, str):
        print(f"The vulnerability service could not be asked, so nothing is known of any package:\n{answer}")
        return NOT_ASKED
    lines, status = report(answer, set(wanted), reasons)
    print("\n".join(lines))
    return status


if __name__ == "__main__":
    sys.exit(main())
