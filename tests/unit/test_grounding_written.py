"""The written sentences: no false one passes, and few true ones are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import grounding_written
from bench.grounding_written import FILE, main


def test_no_false_sentence_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "20"]) == 0, capsys.readouterr().out
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    assert {it["set"] for it in entries} == set("abcdefghijklmnopqrstuv")
    for name in "abcdefghijklmnopqrstuv":
        assert all(sum(len(it[kind]) for it in entries if it["set"] == name) > 45 for kind in ("true", "false"))


def test_a_false_sentence_that_passes_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = json.loads(FILE.read_text(encoding="utf-8"))[0]
    changed = tmp_path / "written.json"
    changed.write_text(json.dumps([entry | {"false": entry["true"][:1]}]), encoding="utf-8")
    monkeypatch.setattr(grounding_written, "FILE", changed)
    assert main(["--show", "20"]) == 1
    assert "[a, false]" in capsys.readouterr().out
