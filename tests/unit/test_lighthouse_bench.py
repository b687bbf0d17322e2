"""Reading a report of Lighthouse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.api.routes.docs_page import docs_page
from bench.lighthouse import CATEGORIES, read


def report(score: float, **more: Any) -> str:
    parts = [{"id": "contrast", "weight": 7}, {"id": "landmark", "weight": 0}, {"id": "video", "weight": 1}]
    return json.dumps({
        "categories": {name: {"score": 0.89, "auditRefs": parts} for name in CATEGORIES},
        "audits": {
            "contrast": {"title": "Contrast", "score": score, "details": {"items": [{"node": {"snippet": "<h1>"}}]}},
            "landmark": {"title": "Weighs nothing", "score": 0},
            "video": {"title": "There is none", "score": None},
        },
        **more,
    })  # fmt: skip


def test_scores_are_of_a_hundred_and_findings_have_their_place() -> None:
    scores, findings = read(report(0))
    assert scores == dict.fromkeys(CATEGORIES, 89)
    assert findings == [f"{name}: Contrast\n    <h1>" for name in CATEGORIES]
    assert read(report(1))[1] == []


def test_a_page_that_was_not_seen_has_no_score() -> None:
    with pytest.raises(RuntimeError, match="not reached"):
        read(report(1, runtimeError={"message": "The page was not reached."}))


def test_the_page_of_the_contract_names_its_colours() -> None:
    """Checkers of contrast take a page without a background for white, in the dark as well."""
    html = docs_page({"info": {"title": "a", "version": "1"}, "paths": {}})
    assert "color-scheme: light dark; background: Canvas; color: CanvasText" in html
