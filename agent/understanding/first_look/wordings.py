"""The wordings of sample questions, in the languages of wordings.toml."""

from __future__ import annotations

from typing import Literal

from agent.core.texts.data_files import read_texts
from executors.base import Frozen

Kind = Literal["groups", "months", "year", "highest", "counts", "total", "count"]


class Wording(Frozen):
    """Sentences with placeholders: `rows` a table, `category`, `name` and `date` columns, `measure` a sum or a mean.

    most: the largest sum or mean. by: which of several dates is used. aggregate: in English only, as
        `suggest.aggregate_of` writes it.
    """

    sum: str
    mean: str
    most_sum: str
    most_mean: str
    by: str
    groups: str
    months: str
    year: str
    highest: str
    counts: str
    total: str
    count: str


WORDINGS = {code: Wording(**texts) for code, texts in read_texts(__file__, "wordings.toml").items()}
