"""Values in words: columns, literals, arithmetic, aggregates, window functions. Parts without words are quoted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agent.present.explain.words import date_of, join_items

if TYPE_CHECKING:
    from agent.present.explain.say import Say

MAX_BRANCHES = 4

_AGGREGATES = {
    "sum": "the sum of {}", "avg": "the average of {}", "mean": "the average of {}", "min": "the lowest {}",
    "max": "the highest {}", "median": "the median of {}", "any_value": "any {}",
}  # fmt: skip
_OF_ONE = {
    "abs": "the absolute value of {}", "lower": "{} in lower case", "upper": "{} in upper case",
    "year": "the year of {}", "month": "the month of {}", "day": "the day of {}", "quarter": "the quarter of {}",
    "toyear": "the year of {}", "tomonth": "the month of {}", "date": "the date of {}", "todate": "the date of {}",
    "tostartofmonth": "the start of the month of {}", "tostartofyear": "the start of the year of {}",
    "length": "the length of {}", "len": "the length of {}",
}  # fmt: skip
_OF_NONE = {
    "now": "now",
    "getdate": "now",
    "sysdate": "now",
    "today": "today",
    "curdate": "today",
    "current_date": "today",
}
_PATTERNS = {
    "%Y": "year", "%m": "month", "%Y-%m": "year and month", "%d": "day", "YYYY": "year", "MM": "month",
    "YYYY-MM": "year and month", "yyyy-MM": "year and month", "%Y-%m-%d": "date", "YYYY-MM-DD": "date",
}  # fmt: skip
_FORMATTERS = frozenset({"strftime", "to_char", "date_format", "formatdatetime", "format"})
_UNITS = frozenset({"year", "quarter", "month", "week", "day", "hour", "minute"})
_RANKS = {
    "row_number": "the number of the row", "rank": "the rank (equal ones share it)",
    "dense_rank": "the rank (equal ones share it, none is left out)",
}  # fmt: skip
_NEIGHBOURS = {"lag": "before", "lead": "after"}
_OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "−", exp.Mul: "×", exp.Div: "÷"}


def say_value(node: exp.Expr, say: Say) -> str:
    """A value in words; as SQL where there are none."""
    for kind, speak in _SPEAKERS.items():
        if isinstance(node, kind):
            return speak(node, say) or say.sql(node)
    return say.sql(node)


def call_name(node: exp.Expr) -> str:
    """The name of a function that is called by name, in lower case; empty for anything else."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def takes_all_rows(item: exp.Expr) -> bool:
    """Whether a call in it takes all rows together: an aggregate that is no window's."""
    for node in item.walk(prune=lambda below: isinstance(below, exp.Query | exp.Window)):
        if call_name(node) in {*_AGGREGATES, "count"} and len(node.expressions) == 1:
            return True
    return False


def operand(node: exp.Expr, say: Say) -> str:
    """A value beside another one: in parentheses where its words would run into what follows."""
    text = say.value(node)
    open_ended = any(word in text for word in (" where ", " by ", " within each ", " over all "))
    return f"({text})" if open_ended and not text.startswith(("(", "`")) else text


def is_amount(node: exp.Expr) -> bool:
    """Whether it is a count, a sum or an average, of which one can say "highest"."""
    node = node.unalias()
    while isinstance(node, exp.Filter | exp.Window | exp.Paren):
        node = node.this
    if call_name(node) == "round" and node.expressions:
        return is_amount(node.expressions[0])
    return call_name(node) in {"count", "sum", "avg", "mean", "median"} or isinstance(node, tuple(_OPERATORS))


def _literal(node: exp.Expr, _say: Say) -> str:
    day = date_of(node)
    if day is not None:
        return str(day)
    return f"'{node.name}'" if node.is_string else node.name


def _call(node: exp.Expr, say: Say) -> str | None:
    name, given = call_name(node), node.expressions
    if {key for key, value in node.args.items() if value} - {"this", "expressions"}:
        return None
    if not given:
        return _OF_NONE.get(name)
    if name in _AGGREGATES or name == "count":
        return _aggregate(name, given, say)
    if name in _FORMATTERS and len(given) == 2:
        return _format(given, say)
    if name == "date_trunc" and len(given) == 2 and isinstance(given[0], exp.Literal):
        unit = given[0].name.lower()
        return f"the start of the {unit} of {say.value(given[1])}" if unit in _UNITS else None
    if name in _OF_ONE and len(given) == 1:
        return _OF_ONE[name].format(_inner(given[0], say))
    return _of_several(name, given, say)


def _aggregate(name: str, given: Sequence[exp.Expr], say: Say, where: str = "") -> str | None:
    """COUNT, SUM and their like. Args: where: what a row must fulfil to be taken."""
    one = given[0]
    distinct = isinstance(one, exp.Distinct)
    if len(given) > 1 or (isinstance(one, exp.Distinct) and (one.args.get("on") or not one.expressions)):
        return None
    if name == "count":
        return _count(one, say, where)
    if isinstance(one, exp.Case) and not where and (phrases := _aggregate_of_case(name, one, say)):
        return phrases
    if isinstance(one, exp.Distinct):
        if len(one.expressions) > 1:
            return None
        one = one.expressions[0]
    what = _inner(one, say)
    return _AGGREGATES[name].format(f"the different values of {what}" if distinct else what) + where


def _inner(node: exp.Expr, say: Say) -> str:
    """What a function is of: in parentheses where it is arithmetic."""
    return f"({say.value(node)})" if isinstance(node, tuple(_OPERATORS)) else say.value(node)


def _count(one: exp.Expr, say: Say, where: str) -> str | None:
    if isinstance(one, exp.Distinct):
        different = join_items([say.value(part) for part in one.expressions])
        return f"the number of different {'combinations of ' if len(one.expressions) > 1 else ''}{different}{where}"
    if isinstance(one, exp.Star | exp.Literal):
        return f"the number of rows{where}"
    if isinstance(one, exp.Case) and not where:
        return _aggregate_of_case("count", one, say)
    return f"the number of rows with a value of {say.value(one)}{where}" if isinstance(one, exp.Column) else None


def _aggregate_of_case(name: str, case: exp.Case, say: Say) -> str | None:
    """`SUM(CASE WHEN a THEN b ELSE 0 END)` is the sum of b where a; with 1 for b, a number of rows."""
    if case.this is not None or len(case.args["ifs"]) != 1:
        return None
    branch, default = case.args["ifs"][0], case.args.get("default")
    then = branch.args["true"]
    nothing = default is None or isinstance(default, exp.Null)
    if name == "sum" and isinstance(default, exp.Literal) and default.name in {"0", "0.0"}:
        nothing = True
    if not nothing:
        return None
    where = f" where {say.condition(branch.this)}"
    if name == "sum" and isinstance(then, exp.Literal) and not then.is_string and then.name == "1":
        return f"the number of rows{where}"
    return _aggregate(name, [then], say, where)


def _format(given: Sequence[exp.Expr], say: Say) -> str | None:
    """`strftime('%Y', d)` and `to_char(d, 'YYYY')`: the pattern may stand on either side."""
    for pattern, moment in ((given[0], given[1]), (given[1], given[0])):
        if isinstance(pattern, exp.Literal) and pattern.name in _PATTERNS and not isinstance(moment, exp.Literal):
            return f"the {_PATTERNS[pattern.name]} of {say.value(moment)}"
    return None


def _of_several(name: str, given: Sequence[exp.Expr], say: Say) -> str | None:
    first = _inner(given[0], say)
    if name == "round" and len(given) <= 2:
        digits = given[1] if len(given) == 2 else exp.Literal.number(0)
        if not isinstance(digits, exp.Literal) or not digits.name.isdigit():
            return None
        count = int(digits.name)
        return f"{first} (rounded to {f'{count} decimal' + 's' * (count > 1) if count else 'a whole number'})"
    if name in {"coalesce", "ifnull", "nvl", "isnull"} and len(given) == 2:
        return f"{first} ({say.value(given[1])} where there is no value)"
    if name == "nullif" and len(given) == 2:
        return f"{first} (no value where it is {say.value(given[1])})"
    if name in {"iif", "if"} and len(given) == 3:
        return f"({say.value(given[1])} where {say.condition(given[0])}, otherwise {say.value(given[2])})"
    return None


def _extract(node: exp.Expr, say: Say) -> str | None:
    unit = node.name.lower()
    return f"the {unit} of {say.value(node.expression)}" if unit in _UNITS else None


def _cast(node: exp.Expr, say: Say) -> str:
    day = date_of(node)
    if day is not None:
        return str(day)
    one: exp.Expr = node.this
    what = _inner(one, say) if isinstance(one, tuple(_OPERATORS)) else operand(one, say)
    return f"{what} (as {node.args['to'].sql(say.dialect)})"


def _operation(node: exp.Expr, say: Say) -> str:
    return f"{operand(node.this, say)} {_OPERATORS[type(node)]} {operand(node.expression, say)}"


def _case(node: exp.Expr, say: Say) -> str | None:
    branches = node.args["ifs"]
    if len(branches) > MAX_BRANCHES:
        return None
    phrases = []
    for branch in branches:
        when = say.condition(
            branch.this if node.this is None else exp.EQ(this=node.this.copy(), expression=branch.this.copy())
        )
        phrases.append(f"{say.value(branch.args['true'])} where {when}")
    default = node.args.get("default")
    return f"({', '.join(phrases)}, otherwise {say.value(default) if default is not None else 'no value'})"


def _filter(node: exp.Expr, say: Say) -> str | None:
    call, where = node.this, node.expression
    if call_name(call) not in {*_AGGREGATES, "count"}:
        return None
    return _aggregate(call_name(call), call.expressions, say, f" where {say.condition(where.this)}")


def _window(node: exp.Expr, say: Say) -> str | None:
    """A rank, a neighbour's value, a sum so far. A frame of rows of its own is left as SQL."""
    if node.args.get("alias") or node.args.get("spec") or node.args.get("first") is not None:
        return None
    function, order = node.this, node.args.get("order")
    within = [say.value(part) for part in node.args.get("partition_by") or []]
    by = ordering(order, say) if order is not None else ""
    each = f" within each {join_items(within)}" if within else ""
    name = call_name(function)
    if name in _RANKS and by:
        return f"{_RANKS[name]} by {by}{each}"
    if name in _NEIGHBOURS and by and len(function.expressions) == 1:
        return f"{say.value(function.expressions[0])} of the row {_NEIGHBOURS[name]} it by {by}{each}"
    if name not in {*_AGGREGATES, "count"} and not isinstance(function, exp.Filter):
        return None
    if not by:
        return f"{operand(function, say)}{each or ' over all of the rows'}"
    return f"{operand(function, say)} up to each row by {by}{each}"


def ordering(order: exp.Expr, say: Say, named: Callable[[exp.Expr], tuple[str, bool]] | None = None) -> str:
    """By what rows are sorted: "total, highest first, and name".

    `named` tells what a key is called, and whether it is an amount; by default its own words.
    """
    phrases = []
    for key in order.expressions:
        text, amount = named(key.this) if named else (say.value(key.this), is_amount(key.this))
        down = bool(key.args.get("desc"))
        phrases.append(
            f"{text} ({'highest' if down else 'lowest'} first)" if amount else f"{text}{' (descending)' * down}"
        )
    return join_items(phrases, "then")


def _interval(node: exp.Expr, _say: Say) -> str | None:
    count, unit = node.this, node.args.get("unit")
    if not isinstance(count, exp.Literal) or not isinstance(unit, exp.Var) or not count.name.isdigit():
        return None
    return f"{count.name} {unit.name.lower().rstrip('s')}{'s' * (count.name != '1')}"


_SPEAKERS: dict[type[exp.Expr], Callable[..., str | None]] = {
    exp.Column: lambda node, say: say.column(node),
    exp.Star: lambda node, _: "all columns" if not any(value for value in node.args.values()) else None,
    exp.Literal: _literal,
    exp.Null: lambda *_: "no value",
    exp.Boolean: lambda node, _: "true" if node.this else "false",
    exp.Paren: lambda node, say: f"({say.value(node.this)})",
    exp.Neg: lambda node, say: f"−{say.value(node.this)}" if isinstance(node.this, exp.Literal | exp.Column) else None,
    exp.Cast: _cast,
    exp.Extract: _extract,
    exp.Anonymous: _call,
    exp.Case: _case,
    exp.Filter: _filter,
    exp.Window: _window,
    exp.Subquery: lambda node, say: say.noun(node),
    exp.Interval: _interval,
    exp.CurrentDate: lambda node, _: "today" if node.this is None else None,
    exp.CurrentTimestamp: lambda node, _: "now" if node.this is None else None,
    **dict.fromkeys(_OPERATORS, _operation),
}
