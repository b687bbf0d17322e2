"""Answers as Markdown: everything once, and nothing that a reader would take for a link or a list of its own."""

from __future__ import annotations

import pytest

from agent.core.answers import Answer
from agent.core.models import Choice
from agent.present.export.markdown_file import answer_chunks
from executors.base import QueryResult

CHOICES = [Choice(label="by day", question="By day?"), Choice(label="by *month*", question="By month?")]
LISTED = "- by day\n- by \\*month\\*\n"


@pytest.mark.parametrize("text, written", [
    ("Which date?\n- by day\n- by *month*", f"Which date?\n\n{LISTED}"),
    ("Is it by day?\n- by day\n- by *month*", f"Is it by day?\n\n{LISTED}"),
    ("Which date?", f"Which date?\n\n{LISTED}"),
    ("No answer.\nYou could ask: by day by *month*", "No answer.\nYou could ask: by day by \\*month\\*\n"),
    ("Which date?\n- by week", f"Which date?\n\\- by week\n\n{LISTED}"),
])  # fmt: skip
def test_choices_come_once(text: str, written: str) -> None:
    answer = Answer(status="clarification_needed", answer=text, choices=CHOICES)
    assert b"".join(answer_chunks(answer, QueryResult(columns=(), rows=()))).decode() == written


@pytest.mark.parametrize("line", ["65201.26 - 1.5 = 65199.76", "12:30"])
def test_a_number_that_begins_a_line_is_no_list(line: str) -> None:
    answer = Answer(status="success", answer=f"{line}\n1. first\n2) second")
    text = b"".join(answer_chunks(answer, QueryResult(columns=(), rows=()))).decode()
    assert text == f"{line}\n1\\. first\n2\\) second\n"
