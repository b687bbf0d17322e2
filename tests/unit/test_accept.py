"""Which format an Accept header asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.api.http.export import best_match

OFFERED = ["application/json", "text/csv", "application/vnd.apache.parquet"]


@pytest.mark.parametrize("header, chosen, why", [
    ("", "application/json", "no header accepts everything"),
    ("*/*", "application/json", "so does this one: the first that is offered"),
    ("text/csv", "text/csv", "named"),
    ("Text/CSV", "text/csv", "in whatever case"),
    ("text/*", "text/csv", "any text"),
    ("application/*", "application/json", "any application: the first that is offered"),
    ("text/csv, */*", "text/csv", "what is named comes before what is merely taken"),
    ("text/csv;q=0.5, application/json", "application/json", "the higher q"),
    ("application/json;q=0.5, text/csv;q=0.9", "text/csv", "the higher q"),
    ("text/csv; charset=utf-8; q=0.9, application/json; q=0.1", "text/csv", "other parameters are not looked at"),
    ("application/vnd.apache.parquet, text/csv;q=0.9", "application/vnd.apache.parquet", "the higher q"),
    ("*/*, application/json;q=0", "text/csv", "q=0 excludes, and the most exact range counts"),
    ("application/*;q=0.8, application/json;q=0.1, text/csv;q=0.3", "application/vnd.apache.parquet", "as here"),
    ("text/html", None, "not offered"),
    ("text/csv;q=0", None, "excluded"),
    ("*/*;q=0", None, "nothing is accepted"),
    ("text/csv;q=high", None, "a q that is no number: the range is passed over"),
    ("text/html, image/png;q=0.8, */*;q=0.1", "application/json", "a browser's: whatever there is"),
    (", ,text/csv,", "text/csv", "empty elements are allowed in lists"),
])  # fmt: skip
def test_the_format_that_is_asked_for(header: str, chosen: str | None, why: str) -> None:
    assert best_match(header, OFFERED) == chosen, why


@given(st.text(alphabet='abcsvtexjonpli/*;=q.,0159 \t"é-', max_size=80))
def test_no_header_breaks_it(header: str) -> None:
    assert best_match(header, OFFERED) in {None, *OFFERED}
