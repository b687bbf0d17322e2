"""Numbers of the question that the query does not contain: as written, as a share, in days, one more or less."""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_SWAPPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d\d?")  # 1.500 or 2,5, as half of the world writes it
_TIME = re.compile(r"(?:19|20)\d\d|\d{1,2}|\d\d?\.\d\d?\.(?:\d\d)?\d\d")  # of a date, which SQL may write otherwise
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def apply(context: RuleContext) -> Finding | None:
    texts = [str(literal.this) for literal in context.query.find_all(exp.Literal)]
    held = {float(digits) for text in texts for digits in _DIGITS.findall(text)}
    held |= {number / size for number in held for size in (1e3, 1e6, 1e9)}  # 2 million
    missing: list[str] = []
    for number_text in _NUMBER.findall(context.question):
        # `1.500` is one and a half, or one thousand and five hundred
        plain = number_text.replace(",", "") if number_text.count(".") < 2 else ""
        swapped = number_text.replace(".", "").replace(",", ".") if _SWAPPED.fullmatch(number_text) else ""
        readings = {float(it) for it in (plain, swapped) if it}  # a week is seven days where a dialect knows no weeks
        near = {one for it in readings for one in (it, it / 100, it * 7, it - 1, it + 1)}
        may_be_time = _TIME.fullmatch(number_text) is not None and any(len(_DIGITS.findall(text)) > 1 for text in texts)
        if held.isdisjoint(near) and not may_be_time:
            missing.append(number_text)
    return Finding(f"The query does not have {', '.join(missing)}, which the question says.") if missing else None


RULE = Rule("said_numbers", "query", "language", "doubt", apply)
