"""Values and conditions in words: columns, arithmetic, aggregates, comparisons. Parts without words are quoted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from sqlglot import exp

from agent.present.explain.say import Say, date_of, join_items, period
from agent.present.explain.times import say_time_between

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
_OF_NONE = dict.fromkeys(("now", "getdate", "sysdate"), "now")
_OF_NONE |= dict.fromkeys(("today", "curdate", "current_date"), "today")
_NOW = {"date": "today", "datetime": "now"}  # of 'now'
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
_KINDS = {
    **dict.fromkeys(("INT", "BIGINT", "SMALLINT"), "a whole number"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "a number"), **dict.fromkeys(("TEXT", "VARCHAR"), "text"),
}  # fmt: skip
_OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "−", exp.Mul: "×", exp.Div: "÷"}


def say_value(node: exp.Expr, say: Say) -> str:
    """A value in words, or as SQL if there are none."""
    for kind, speak in _SPEAKERS.items():
        if isinstance(node, kind):
            return speak(node, say) or say.sql(node)
    return say.sql(node)


def call_name(node: exp.Expr) -> str:
    """The name of a function without a sqlglot class, in lower case; empty for anything else."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def takes_all_rows(item: exp.Expr) -> bool:
    """Whether an item contains an aggregate that is not a window function."""
    for node in item.walk(prune=lambda below: isinstance(below, exp.Query | exp.Window)):
        if call_name(node) in {*_AGGREGATES, "count"} and len(node.expressions) == 1:
            return True
    return False


def operand(node: exp.Expr, say: Say) -> str:
    """A value next to another one, in parentheses if its words could run into what follows."""
    text = say.value(node)
    open_ended = any(word in text for word in (" where ", " by ", " within each ", " over all "))
    return f"({text})" if open_ended and not text.startswith(("(", "`")) else text


def is_amount(node: exp.Expr) -> bool:
    """Whether an expression is a count, a sum or an average, so that "highest" applies."""
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
    if name in _NOW and len(given) == 1 and given[0].name == "now":
        return _NOW[name]
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
    """An aggregate in words. Args: where: the condition of rows to include, in words."""
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
    """The argument of a function, in parentheses if it is arithmetic."""
    return f"({say.value(node)})" if isinstance(node, tuple(_OPERATORS)) else say.value(node)


def _count(one: exp.Expr, say: Say, where: str) -> str | None:
    if isinstance(one, exp.Distinct):
        different = join_items([say.value(part) for part in one.expressions])
        return (
            f"the number of different {'combinations' if len(one.expressions) > 1 else 'values'} of {different}{where}"
        )
    if isinstance(one, exp.Star | exp.Literal):
        return f"the number of rows{where}"
    if isinstance(one, exp.Case) and not where:
        return _aggregate_of_case("count", one, say)
    return f"the number of rows with a value of {say.value(one)}{where}" if isinstance(one, exp.Column) else None


def _aggregate_of_case(name: str, case: exp.Case, say: Say) -> str | None:
    """`SUM(CASE WHEN a THEN b ELSE 0 END)` is the sum of b where a; if b is 1, a number of rows."""
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
    """`strftime('%Y', d)` and `to_char(d, 'YYYY')`: the pattern may be either argument."""
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
    if between := say_time_between(node, say):
        return between
    what = _inner(one, say) if isinstance(one, tuple(_OPERATORS)) else operand(one, say)
    to = node.args["to"]
    return f"{what} (as {_KINDS.get(to.this.name) or to.sql(say.dialect)})"


def _operation(node: exp.Expr, say: Say) -> str:
    if between := say_time_between(node, say):
        return between
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
    """A rank, a neighbour's value, a running sum. An explicit frame is left as SQL."""
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
    """The sort keys in words: "total (highest first) then name".

    `named` returns a key's name and whether it is an amount. Default: the key in words.
    """
    phrases = []
    for key in order.expressions:
        text, amount = named(key.this) if named else (say.value(key.this), is_amount(key.this))
        down = bool(key.args.get("desc"))
        direction = f" ({'highest' if down else 'lowest'} first)" if amount else " (descending)" * down
        phrases.append(f"{text}{direction}")
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


MAX_LISTED, SHOWN = 8, 6

_COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "is", exp.NEQ: "is other than", exp.GT: "is more than", exp.GTE: "is at least", exp.LT: "is less than",
    exp.LTE: "is at most",
}  # fmt: skip
_DATED: dict[type[exp.Expr], str] = {
    exp.EQ: "is {}", exp.NEQ: "is other than {}", exp.GT: "is later than {}", exp.GTE: "is {} or later",
    exp.LT: "is before {}", exp.LTE: "is not later than {}",
}  # fmt: skip
_MIRRORED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip
_UNSAYABLE = (exp.Any, exp.All, exp.Tuple, exp.Null)


def say_condition(node: exp.Expr, say: Say) -> str:
    """A condition in words, or as SQL if there are none."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        return _conjunction(list(node.flatten()), say)
    if isinstance(node, exp.Or):
        parts = [_group(part, say, exp.And) for part in node.flatten()]
        return f"either {join_items(parts, 'or')}"
    for kind, speak in _CONDITIONS.items():
        if isinstance(node, kind):
            return speak(node, say) or say.sql(node)
    return say.sql(node)


def _conjunction(parts: Sequence[exp.Expr], say: Say) -> str:
    """The parts of a conjunction. The two ends of a period are combined."""
    flat: list[exp.Expr] = []
    for part in parts:
        inner = part.unnest()
        flat.extend(inner.flatten() if isinstance(inner, exp.And) else [part])
    phrases, skipped = [], set()
    for place, part in enumerate(flat):
        if place in skipped:
            continue
        for other in range(place + 1, len(flat)):
            together = _period(part, flat[other], say) if other not in skipped else None
            if together:
                skipped.add(other)
                phrases.append(together)
                break
        else:
            phrases.append(_group(part, say, exp.Or))
    return join_items(phrases)


def _group(part: exp.Expr, say: Say, other: type[exp.Expr]) -> str:
    """A part, in parentheses if it has several parts itself."""
    text = say_condition(part, say)
    return f"({text})" if isinstance(part.unnest(), other) else text


def _period(first: exp.Expr, second: exp.Expr, say: Say) -> str | None:
    """`d >= '2024-01-01' AND d < '2024-04-01'`: d is from January to March 2024."""
    ends: dict[type[exp.Expr], tuple[exp.Expr, dt.date]] = {}
    for part in (first, second):
        end = part.unnest()
        day = date_of(end.expression) if isinstance(end, exp.GTE | exp.LT) else None
        if day is None:
            return None
        ends[type(end)] = (end.this, day)
    if len(ends) != 2 or ends[exp.GTE][0] != ends[exp.LT][0]:
        return None
    named = period(ends[exp.GTE][1], ends[exp.LT][1])
    return f"{operand(ends[exp.GTE][0], say)} is {named}" if named else None


def _compare(node: exp.Expr, say: Say) -> str | None:
    left, right, kind = node.this, node.expression, type(node)
    if isinstance(left, exp.Literal) and not isinstance(right, exp.Literal):
        left, right, kind = right, left, _MIRRORED[kind]
    if isinstance(left, _UNSAYABLE) or isinstance(right, _UNSAYABLE):
        return None
    if _is_time(right):
        return f"{operand(left, say)} {_DATED[kind].format(operand(right, say))}"
    return f"{operand(left, say)} {_COMPARED[kind]} {operand(right, say)}"


def _is_time(node: exp.Expr) -> bool:
    """Whether a value is certainly a time: a day, now, or so many days before it."""
    while isinstance(node, exp.Paren | exp.Add | exp.Sub):
        node = node.this
    is_called = call_name(node) in {*_OF_NONE, *_NOW}
    return is_called or isinstance(node, exp.CurrentDate | exp.CurrentTimestamp) or date_of(node) is not None


def _not(node: exp.Expr, say: Say) -> str | None:
    inner = node.this.unnest()
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"{operand(inner.this, say)} has a value"
    if isinstance(inner, exp.In):
        return _in(inner, say, negated=True)
    if isinstance(inner, exp.Exists):
        return _exists(inner, say, negated=True)
    if isinstance(inner, exp.Like | exp.ILike) and not inner.args.get("negate"):
        return _like(inner, say, negated=True)
    if isinstance(inner, exp.Between):
        return _between(inner, say, negated=True)
    return None if isinstance(inner, exp.Is) else f"it is false that ({say_condition(inner, say)})"


def _is(node: exp.Expr, say: Say) -> str | None:
    if isinstance(node.expression, exp.Null):
        return f"{operand(node.this, say)} has no value"
    if isinstance(node.expression, exp.Boolean):
        return f"{operand(node.this, say)} is {operand(node.expression, say)}"
    return None


def _in(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    if isinstance(node.this, _UNSAYABLE) or node.args.get("is_global"):
        return None
    query = node.args.get("query")
    if query is not None:
        among = say.noun(query)
        return among and f"{operand(node.this, say)} is {'not ' * negated}among {among}"
    values = node.expressions
    simple = all(isinstance(value, exp.Literal | exp.Cast | exp.Neg | exp.Boolean) for value in values)
    if not values or not simple or any(node.args.get(key) for key in ("field", "unnest")):
        return None
    shown = [operand(value, say) for value in values]
    if len(shown) == 1:
        return f"{operand(node.this, say)} is {'other than ' * negated}{shown[0]}"
    if len(shown) > MAX_LISTED:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN} more values"]
    return f"{operand(node.this, say)} is {'none' if negated else 'one'} of {', '.join(shown)}"


def _between(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    if node.args.get("symmetric"):
        return None
    low, high = (operand(node.args[end], say) for end in ("low", "high"))
    return f"{operand(node.this, say)} is {'not ' * negated}between {low} and {high}"


def _like(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    """`LIKE '%x%'` and its like; Case depends on the database for LIKE, and is ignored for ILIKE."""
    negated = negated or bool(node.args.get("negate"))
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    text, inner = pattern.name, pattern.name.strip("%")
    if not inner or any(character in inner for character in "%_\\[]") or "%%" in text:
        return None
    starts, ends = text.startswith("%"), text.endswith("%")
    verb = {(True, True): "contain", (False, True): "start with", (True, False): "end with"}.get((starts, ends))
    case = " in whatever case" if isinstance(node, exp.ILike) else ""
    if verb is None:
        return f"{operand(node.this, say)} {'does not read' if negated else 'reads'} '{inner}'{case}"
    first, _, rest = verb.partition(" ")
    phrases = f"does not {verb}" if negated else f"{first}s{f' {rest}' if rest else ''}"
    return f"{operand(node.this, say)} {phrases} '{inner}'{case}"


def _exists(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    rows = say.rows_noun(node.this)
    return rows and f"there is {'no' if negated else 'a'} row in {rows}"


_CONDITIONS: dict[type[exp.Expr], Callable[..., str | None]] = {
    **dict.fromkeys(_COMPARED, _compare),
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Exists: _exists,
    exp.Column: lambda node, say: f"{say.column(node)} is true",
}
