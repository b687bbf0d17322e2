"""Dependencies: pinned, audited and hashed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testbed.audit import CLEAN, FOUND, NOT_ASKED, ROOT, ignored, pins, report

LOCKS = [path for path in ROOT.glob("*/**/package-lock.json") if "node_modules" not in path.parts]
FLAW = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["2.0"]}


def answer(**vulns: Any) -> dict[str, Any]:
    return {"dependencies": [{"name": name, "version": "1", **found} for name, found in vulns.items()]}


@pytest.mark.parametrize("found, reasons, status, says, why", [
    ({"vulns": []}, {}, CLEAN, "1 packages were asked", "nothing is known"),
    ({"vulns": [FLAW]}, {}, FOUND, "a 1: PYSEC-1 (fixed in 2.0)", "a flaw"),
    ({"vulns": [FLAW]}, {"CVE-1": "not used"}, CLEAN, "ignored: not used", "explained, by its other name"),
    ({"vulns": []}, {"CVE-1": "not used"}, CLEAN, "remove it", "an explanation of nothing"),
    ({"skip_reason": "not found"}, {}, NOT_ASKED, "nothing is known of them: a", "the service does not know it"),
])  # fmt: skip
def test_what_an_audit_says(found: dict[str, Any], reasons: dict[str, str], status: int, says: str, why: str) -> None:
    told = report(answer(a=found), {"a"}, reasons)
    assert told.status == status, why
    assert says in "\n".join(told.lines)


def test_an_audit_that_could_not_ask_says_so() -> None:
    """No proxy listens there: whether this machine has a network or not, nobody can be asked."""
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "testbed.audit"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | nowhere, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == NOT_ASKED
    assert "could not be asked, so nothing is known of any package" in done.stdout


def test_every_requirement_is_pinned_to_one_version(tmp_path: Path) -> None:
    assert {"sqlglot", "duckdb", "openai"} <= pins(ROOT).keys()

    (tmp_path / "constraints.txt").write_text("a==1\n")
    (tmp_path / "requirements.txt").write_text("A[extra]==2\n")
    with pytest.raises(ValueError, match="but a==1 elsewhere"):
        pins(tmp_path)
    (tmp_path / "requirements.txt").write_text("a>=1\n")
    with pytest.raises(ValueError, match="pins no version"):
        pins(tmp_path)


def test_what_is_ignored_has_a_reason(tmp_path: Path) -> None:
    assert all(ignored(ROOT / "audit-ignore.txt").values())

    (tmp_path / "ignore.txt").write_text("# why\nCVE-1 not used here\nCVE-2\n")
    with pytest.raises(ValueError, match="'CVE-2' gives no reason"):
        ignored(tmp_path / "ignore.txt")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.relative_to(ROOT)))
def test_every_npm_package_has_its_hash(lock: Path) -> None:
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    fetched = {name: one for name, one in packages.items() if name and not one.get("link")}
    assert fetched
    assert [name for name, one in fetched.items() if not one.get("integrity", "").startswith("sha512-")] == []


def test_both_lockfiles_are_looked_at() -> None:
    assert {lock.parent.name for lock in LOCKS} >= {"node", "web"}
