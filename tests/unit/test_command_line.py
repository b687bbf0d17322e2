"""Errors before anything is opened: an old Python, a file without a question."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
import typer

from agent.cli.asking import _source_and_question


def test_an_old_python_is_named_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit, match=r"^Plumbline needs Python 3\.11 or newer, and this is 3\.10\.$"):
        runpy.run_module("agent", run_name="__main__")


def test_a_file_alone_is_no_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "orders.csv"
    file.touch()
    with pytest.raises(typer.Exit) as ended:
        _source_and_question([str(file)], "shop")
    assert ended.value.exit_code == 1
    assert "Ask something about it: plumbline ask" in capsys.readouterr().err


def test_a_source_stands_before_its_question() -> None:
    assert _source_and_question(["How many?"], "shop") == ("shop", "How many?")
    assert _source_and_question(["orders.csv", "How many?"], "shop") == ("orders.csv", "How many?")
    assert _source_and_question([""], "shop") == ("shop", ""), "which is no path of this folder"
