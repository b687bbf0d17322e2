"""Comparisons and differences of dates and times that run and are wrong, and what makes them right.

SQLite keeps moments as text, and what its functions make of them is text, too: it compares and subtracts them as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from executors.base import Column, Schema
from executors.sql.literals import owner_of

_YEAR = re.compile(r"[12]\d{3}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?")
_TIMED = re.compile(r"\d{4}-\d\d-\d\d[ T](?!00:00(?::00)?(?:\.0+)?$)\d\d:\d\d")
_TWO_DIGITS = frozenset({"%m", "%d", "%H", "%M", "%S", "%W", "%U"})
_SHORTER = frozenset({"%Y", "%Y-%m"})  # than a day
_PER_DAY = {"second": 86400, "minute": 1440, "hour": 24}


def text_of_moments(tree: exp.Query, schema: Schema) -> list[str]:
    """SQLite's `strftime` gives text: it is never equal to a number, nor '03' to '3', nor a month to a day."""
    if schema.dialect != "sqlite":
        return []
    changes: list[str] = []
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between):
        made = node.this
        form = made.args.get("format") if isinstance(made, exp.TimeToStr) else None
        if not isinstance(form, exp.Literal):
            continue
        sides = [node.args.get(name) for name in ("expression", "low", "high")] + list(node.expressions)
        literals = [side for side in sides if isinstance(side, exp.Literal)]
        if form.this in _SHORTER and literals and all(_DAY.fullmatch(str(it.this)) for it in literals):
            made.replace(exp.Anonymous(this="DATE", expressions=[_bare(made.this).copy()]))
            changes.append("the day is compared")
        else:
            changes += [change for it in literals if (change := _as_text(it, str(form.this)))]
    return changes


def _as_text(literal: exp.Literal, form: str) -> str:
    """Write a number as `strftime` does; what was changed, empty where nothing had to be."""
    text = str(literal.this)
    padded = text.zfill(2) if form in _TWO_DIGITS and text.isdigit() else text
    if literal.is_string and padded == text:
        return ""
    literal.replace(exp.Literal.string(padded))
    return f"{text} -> '{padded}'"


def _bare(moment: exp.Expr) -> exp.Expr:
    """Without the cast that the parser puts around what `strftime` is given."""
    return moment.this if isinstance(moment, exp.Func) and not isinstance(moment, exp.Anonymous) else moment


def years_as_dates(tree: exp.Query, schema: Schema) -> list[str]:
    """SQLite's `strftime` takes a year for the number of a day: a column of years is its own year."""
    if schema.dialect != "sqlite":
        return []
    changes: list[str] = []
    for node in list(tree.find_all(exp.TimeToStr)):
        column, form = _bare(node.this), node.args.get("format")
        if not isinstance(column, exp.Column) or not isinstance(form, exp.Literal) or form.this != "%Y":
            continue
        if _all_samples(owner_of(column, schema), _YEAR):
            node.replace(column.copy())
            changes.append(f"{column.name} is a year already")
    return changes


def days_of_timestamps(tree: exp.Query, schema: Schema) -> list[str]:
    """A time of a day is not equal to that day, and later than its midnight: the day of the time is compared."""
    changes: list[str] = []
    for node in list(tree.find_all(exp.EQ, exp.LTE, exp.GT, exp.Between)):
        column, bound = node.this, node.args.get("expression") or node.args.get("high")
        if not isinstance(column, exp.Column) or not isinstance(bound, exp.Literal) or not bound.is_string:
            continue
        owner = owner_of(column, schema) if _DAY.fullmatch(str(bound.this)) else None
        if owner is not None and any(_TIMED.match(sample) for sample in owner[1].samples):
            sqlite = schema.dialect == "sqlite"
            day = exp.Anonymous(this="DATE", expressions=[column.copy()]) if sqlite else exp.cast(column.copy(), "DATE")
            column.replace(day)
            changes.append(f"the day of {column.name} is compared")
    return changes


def moments_subtracted(tree: exp.Query, schema: Schema, question: str) -> list[str]:
    """SQLite subtracts the years of two texts: the days between two moments are those of `julianday`.

    Args:
        tree: that is changed.
        schema: whose samples tell which columns hold moments.
        question: whether seconds, minutes or hours are asked for; else the difference is in days.
    """
    if schema.dialect != "sqlite":
        return []
    asked = question.lower()
    units = [times for unit, times in _PER_DAY.items() if re.search(rf"\b{unit}s?\b", asked)]
    changes: list[str] = []
    for node in list(tree.find_all(exp.Sub)):
        sides = (node.this, node.expression)
        if not all(isinstance(it, exp.Column) and _all_samples(owner_of(it, schema), _MOMENT) for it in sides):
            continue
        before, after = node.sql(), [exp.Anonymous(this="julianday", expressions=[it.copy()]) for it in sides]
        days: exp.Expr = exp.Paren(this=exp.Sub(this=after[0], expression=after[1]))
        if len(units) == 1:
            days = exp.Mul(this=days, expression=exp.Literal.number(units[0]))
        node.replace(days)
        changes.append(f"{before} -> {days.sql()}")
    return changes


def _all_samples(owner: tuple[object, Column] | None, form: re.Pattern[str]) -> bool:
    return owner is not None and bool(owner[1].samples) and all(map(form.fullmatch, owner[1].samples))


RULES: tuple[Callable[[exp.Query, Schema], list[str]], ...] = (text_of_moments, years_as_dates, days_of_timestamps)
