"""A whole query in sentences: first its steps, if any, then what it reads, keeps, computes and sorts.

The sentences state only what is in the syntax tree, and are the same for the same query. Parts
without words are quoted as SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from agent.present.explain.say import Say, capitalize, join_items, quote_sql, words
from agent.present.explain.values import is_amount, ordering, say_condition, say_value, takes_all_rows
from executors.dialects.table import DIALECTS
from executors.sql import grammar
from executors.sql.parsed import parse_sql


class Unsayable(Exception):
    """There are no words for this; it is quoted as SQL."""


class Sources(NamedTuple):
    """The sources of a SELECT. `text`: tables and joins in words, empty without FROM. `say`: knows their names."""

    text: str
    say: Say
    joined: bool


_NOUN_PARTS = {"expressions", "from_", "joins", "where"}
_TABLE_PARTS = {"this", "db", "catalog", "alias"}
_JOIN_PARTS = {"this", "side", "kind", "on", "using"}
_INNER = {"", "INNER", "CROSS", "STRAIGHT_JOIN"}


def noun(node: exp.Expr, say: Say) -> str | None:
    """A query of one column inside an expression: "(the average of amount in orders)"; None without words."""
    query = node.unnest()
    distinct = query.args.get("distinct")
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or (distinct and distinct.args.get("on")):
        return None
    found = _source_rows(query, say)
    return f"({found[1].value(query.expressions[0].unalias())} in {found[0]})" if found else None


def rows_noun(node: exp.Expr, say: Say) -> str | None:
    """The rows of a query whose columns do not matter: "orders where amount is more than 10"."""
    query = node.unnest()
    if not isinstance(query, exp.Select) or any(map(takes_all_rows, query.expressions)):
        return None  # an aggregate always returns one row
    found = _source_rows(query, say)
    return found[0] if found else None


def _source_rows(query: exp.Select, outer: Say) -> tuple[str, Say] | None:
    """The rows of an inner query in words, and the speaker for its parts; None without words."""
    if find_arguments(query) - {*_NOUN_PARTS, "distinct"}:
        return None
    try:
        found = sources(query, outer.inside)
    except Unsayable:
        return None
    where = query.args.get("where")
    condition = f"{',' * found.joined} where {found.say.condition(where.this)}" if where is not None else ""
    return (f"{found.text}{condition}", found.say) if found.text else None


def find_arguments(node: exp.Expr) -> set[str]:
    """The names of the arguments that are set in a node."""
    return {key for key, value in node.args.items() if value}


def sources(
    query: exp.Select,
    speaker: Callable[[Mapping[str, str]], Say],
    *,
    derived: Callable[[exp.Subquery], str] | None = None,
) -> Sources:
    """The tables of a SELECT.

    `speaker` builds the speaker for its parts from the names of its tables. `derived` returns the name for a query in
    FROM. Raises Unsayable if something in FROM has no words.
    """
    start, joins = query.args.get("from_"), query.args.get("joins") or []
    if start is None:
        return Sources("", speaker({}), joined=False)
    nodes = [start.this, *(join.this for join in joins)]
    names = [_name(node, derived) for node in nodes]
    counts = Counter(names)
    tables, shown = {}, []
    for node, name in zip(nodes, names, strict=True):
        alias = node.alias_or_name
        twice = counts[name] > 1
        tables[alias.lower()] = words(alias) if twice else name
        shown.append(f"{name} (as {words(alias)})" if twice else name)
    say = speaker(tables)
    text = shown[0] + "".join(_join(join, name, say) for join, name in zip(joins, shown[1:], strict=True))
    return Sources(text, say, joined=bool(joins))


def _name(node: exp.Expr, derived: Callable[[exp.Subquery], str] | None) -> str:
    if (
        isinstance(node, exp.Table)
        and isinstance(node.this, exp.Identifier)
        and not find_arguments(node) - _TABLE_PARTS
    ):
        alias = node.args.get("alias")
        if alias is None or not alias.args.get("columns"):
            return words(node.name)
    if isinstance(node, exp.Subquery) and derived is not None and not find_arguments(node) - {"this", "alias"}:
        return derived(node)
    raise Unsayable


def _join(join: exp.Join, name: str, say: Say) -> str:
    """One join: its condition, and the treatment of rows without a match."""
    side, kind = join.side.upper(), join.kind.upper()
    if find_arguments(join) - _JOIN_PARTS:
        return f", joined by {say.sql(join).replace('` ', '`')}"
    on, using = join.args.get("on"), join.args.get("using")
    match = f" where {say.condition(on)}" if on is not None else ""
    if using:
        match = f" with the same {' and '.join(words(column.name) for column in using)}"
    if kind in {"SEMI", "ANTI"} and match:
        return f", only those {'with' if kind == 'SEMI' else 'without'} a match in {name}{match}"
    if not side and kind in _INNER:
        return f", joined with {name}{match}" if match else f", in every combination with {name}"
    if side in {"LEFT", "RIGHT", "FULL"} and kind in {"", "OUTER"} and match:
        unmatched = {"LEFT": "rows", "RIGHT": f"rows of {name}", "FULL": "rows of both sides"}[side]
        return f", joined with {name}{match} ({unmatched} without a match are kept)"
    return f", joined by `{grammar.write(join, say.dialect).strip()}`"


MAX_ITEMS = 12
MAX_CHARS = 2_000
_SELECT_PARTS = {
    *("expressions", "from_", "joins", "where", "group", "having", "qualify", "distinct", "order", "limit", "offset"),
    "with_",
}
_SET_PARTS = {"this", "expression", "distinct", "by_name", "order", "limit", "offset", "with_"}
_RECURSIVE_IMPLIED = frozenset({"tsql", "oracle", "sqlite"})  # where RECURSIVE may be omitted
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)


class Speaker(Say):
    """Explains every part of one SELECT. Each inner query has its own speaker."""

    def value(self, node: exp.Expr) -> str:
        return say_value(node, self)

    def condition(self, node: exp.Expr) -> str:
        return say_condition(node, self)

    def noun(self, node: exp.Expr) -> str | None:
        return noun(node, self)

    def rows_noun(self, node: exp.Expr) -> str | None:
        return rows_noun(node, self)


def explain(sql: str, dialect: str, draft: str | None = None) -> str:
    """Explain a query that the guard accepted, in a few sentences.

    A limit that is not in the draft was added by the guard and is not mentioned.
    """
    name = DIALECTS[dialect].sqlglot
    try:
        sentences = _Steps(name).sentences_of(_as_drafted(_parse(sql, name), draft, name))
    except (SqlglotError, RecursionError):
        sentences = [f"runs {quote_sql(sql)}"]
    text = ""
    for sentence in sentences:
        if len(text) + len(sentence) > MAX_CHARS:
            return f"{text}The SQL says the rest."
        text += f"{capitalize(sentence)}. "
    return text.rstrip()


def _parse(sql: str, name: str) -> exp.Expr:
    trees = grammar.parse(grammar.tokenize(sql, name), sql, name)
    if len(trees) != 1:
        raise ParseError(f"There are {len(trees)} statements.")
    tree: exp.Expr = trees[0].unnest()
    return tree


def _as_drafted(tree: exp.Expr, draft: str | None, name: str) -> exp.Expr:
    """The query without the limit or the outer query that the guard added."""
    if draft is None:
        return tree
    try:
        own = parse_sql(draft, name)  # read-only, so the shared tree is safe to use
    except (SqlglotError, RecursionError):
        return tree
    start = tree.args.get("from_")
    inner = start.this if start is not None else None
    reads_it = any(it.alias_or_name == "limited" for it in own.find_all(exp.Table, exp.Subquery, exp.CTE))
    if isinstance(inner, exp.Subquery) and inner.alias == "limited" and not reads_it:
        whole: exp.Expr = inner.this
        return whole
    for part in ("limit", "order", "offset"):  # SQL Server requires all three together
        if not own.args.get(part):
            tree.set(part, None)
    return tree


class _Steps:
    """Explains one query. `_steps`: names and sentences of the preceding steps."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._steps: list[tuple[str, list[str]]] = []
        self._unnamed = 0

    def sentences_of(self, query: exp.Expr) -> list[str]:
        """All sentences: of the steps, then of the query itself."""
        last = self._sentences(query)
        steps: list[str] = []
        for place, (name, sentences) in enumerate(self._steps):
            steps += [f"{'then' if place else 'first'}, {name}: {sentences[0]}", *sentences[1:]]
        return [*steps, f"finally, {last[0]}", *last[1:]] if steps else last

    def _sentences(self, query: exp.Expr) -> list[str]:
        """The sentences of one query, without capitals and full stops; its SQL if it has no words."""
        try:
            return self._query(query)
        except Unsayable:
            return [f"takes the rows of {quote_sql(grammar.write(query, self._dialect))}"]

    def _query(self, query: exp.Expr) -> list[str]:
        if isinstance(query, exp.Subquery) and not find_arguments(query) - {"this"}:
            return self._query(query.this)
        with_ = query.args.get("with_")
        for cte in with_.expressions if with_ is not None else ():
            columns = ", ".join(words(column.name) for column in cte.args["alias"].columns)
            name = words(cte.alias) + (f" (its columns: {columns})" if columns else "")
            self._steps.append((name, self._cte(cte, recursive=bool(with_ and with_.recursive))))
        if isinstance(query, exp.Select) and not find_arguments(query) - _SELECT_PARTS:
            return self._select(query)
        if isinstance(query, exp.SetOperation) and not find_arguments(query) - _SET_PARTS:
            return self._set_operation(query)
        raise Unsayable

    def _cte(self, cte: exp.Expr, *, recursive: bool) -> list[str]:
        query, name = cte.this, cte.alias.lower()
        itself = any(table.name.lower() == name for table in query.find_all(exp.Table))
        if not itself or not isinstance(query, exp.Union) or not (recursive or self._dialect in _RECURSIVE_IMPLIED):
            return self._sentences(query)
        first, more = self._sentences(query.this), self._sentences(query.expression)
        return [
            "builds up its rows step by step",
            *[f"it begins: {first[0]}", *first[1:]],
            *[f"it goes on, until there are no new rows: {more[0]}", *more[1:]],
        ]

    def _derive(self, node: exp.Subquery) -> str:
        """Add a query in FROM as a separate step, and return its name."""
        self._unnamed += not node.alias
        name = words(node.alias) if node.alias else f"subquery {self._unnamed}"
        columns = node.args["alias"].columns if node.args.get("alias") else []
        if columns:
            raise Unsayable
        self._steps.append((name, self._sentences(node.this)))
        return name

    def _set_operation(self, query: exp.SetOperation) -> list[str]:
        parts = list(_operands(query))
        count, every = len(parts), query.args.get("distinct") is False
        if isinstance(query, exp.Union):
            what = f"puts the rows of {count} queries together{'' if every else ', each different row once'}"
        elif isinstance(query, exp.Intersect):
            what = f"keeps the rows that {'both' if count == 2 else 'all'} of {count} queries give"
        else:
            others = "the second one does not give" if count == 2 else "none of the others gives"
            what = f"takes {count} queries, and keeps the rows of the first one that {others}"
        what += ", matching columns by name" * bool(query.args.get("by_name"))
        what += ", counting repeated rows" * (every and not isinstance(query, exp.Union))
        steps = [what]
        for place, part in enumerate(parts, 1):
            sentences = self._sentences(part)
            steps += [f"query {place}: {sentences[0]}", *sentences[1:]]
        say, first = Speaker(self._dialect, {}), parts[0].unnest()
        items = first.expressions if isinstance(first, exp.Select) else []
        ending = _ending(query, items, say)
        return [*steps, f"of all of this, it {ending}"] if ending else steps

    def _select(self, query: exp.Select) -> list[str]:
        found = sources(query, partial(Speaker, self._dialect), derived=self._derive)
        say, where = found.say, query.args.get("where")
        steps = []
        if found.text:
            condition_text = f", and keeps the rows where {say.condition(where.this)}" if where else ""
            steps.append(f"reads {found.text}{condition_text}")
        elif where is not None:
            raise Unsayable
        having, qualify = query.args.get("having"), query.args.get("qualify")
        steps.append(_describe_output(query, say, filtered=where is not None))
        if having is not None:
            steps.append(f"keeps only the groups where {say.condition(having.this)}")
        if qualify is not None:
            steps.append(f"keeps only the rows where {say.condition(qualify.this)}")
        ending = _ending(query, query.expressions, say)
        return [*steps, ending] if ending else steps


def _operands(query: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of nested set operations of one kind, in order."""
    left = query.this
    same = type(left) is type(query) and left.args.get("distinct") == query.args.get("distinct")
    if same and not find_arguments(left) - {"this", "expression", "distinct"} and not query.args.get("by_name"):
        yield from _operands(left)
    else:
        yield left
    yield query.expression


def _item(node: exp.Expr, say: Say) -> str:
    """An item of the select list, with its alias."""
    value, alias = say.value(node.unalias()), words(node.alias) if node.alias else ""
    return f"{value} (as {alias})" if alias and alias != value else value


def _describe_output(query: exp.Select, say: Say, *, filtered: bool) -> str:
    """The rows of the result in words: columns, different combinations, or values of groups."""
    group, distinct = query.args.get("group"), query.args.get("distinct")
    items = list(query.expressions)
    if group is not None:
        if distinct is not None and distinct.args.get("on") is not None:
            raise Unsayable
        return _groups(group, items, say) + ", each different row once" * (distinct is not None)
    text = _limit_list([_item(item, say) for item in items])
    if distinct is not None and distinct.args.get("on") is not None:
        keys = join_items([say.value(key) for key in distinct.args["on"].expressions])
        return f"for each {keys}, takes the first row only, and gives {text}"
    if distinct is not None:
        return f"gives each different {'combination of ' if len(items) > 1 else ''}{text} once"
    if any(map(takes_all_rows, items)):
        return f"over all {'of these ' * filtered}rows, gives {text}"
    return f"gives {text}"


def _groups(group: exp.Expr, items: list[exp.Expr], say: Say) -> str:
    """The values for each group in words. A key that is selected unchanged is not repeated."""
    if find_arguments(group) - {"expressions"} or any(isinstance(key, _SETS) for key in group.expressions):
        text = _limit_list([_item(item, say) for item in items])
        by = grammar.write(group, say.dialect).strip().removeprefix("GROUP BY ")
        return f"for each group of {quote_sql(by)}, gives {text}"
    keys, described = [], set()
    for key in group.expressions:
        place = _ordinal(key, items)
        if place is None:
            place = next((i for i, item in enumerate(items) if item.unalias() == key), None)
        if place is None:
            keys.append(say.value(key))
        else:
            described.add(place)
            value, alias = say.value(items[place].unalias()), items[place].alias
            keys.append(f"{words(alias)} ({value})" if alias and words(alias) != value else value)
    rest = [_item(item, say) for place, item in enumerate(items) if place not in described]
    if not rest:
        return f"gives each different {'combination of ' if len(keys) > 1 else ''}{join_items(keys)} once"
    return f"for each {'combination of ' if len(keys) > 1 else ''}{join_items(keys)}, gives {_limit_list(rest)}"


def _ordinal(key: exp.Expr, items: list[exp.Expr]) -> int | None:
    """The item that a number in GROUP BY or ORDER BY refers to, counted from 0."""
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        place = int(key.name) - 1
        starred = any(item.is_star for item in items[: place + 1])
        return place if 0 <= place < len(items) and not starred else None
    return None


def _limit_list(texts: list[str]) -> str:
    if len(texts) > MAX_ITEMS:
        texts = [*texts[:MAX_ITEMS], f"{len(texts) - MAX_ITEMS} more values"]
    return join_items(texts)


def _ending(query: exp.Expr, items: list[exp.Expr], say: Say) -> str:
    """Sorting and limits in words; empty if there are none."""
    order = query.args.get("order")
    by = ""
    if order is not None:
        if any(find_arguments(key) - {"this", "desc", "nulls_first"} for key in order.expressions):
            by = quote_sql(grammar.write(order, say.dialect).strip())
        else:
            by = ordering(order, say, lambda key: _key(key, items, say))
    cut = _cut(query, say, ordered=bool(by))
    return " and ".join(part for part in (f"sorts by {by}" if by else "", cut) if part)


def _key(key: exp.Expr, items: list[exp.Expr], say: Say) -> tuple[str, bool]:
    """A sort key in words, and whether it is an amount."""
    place = _ordinal(key, items)
    if place is None:
        wanted = key.name.lower() if isinstance(key, exp.Column) and not key.table else None
        same = ((wanted and item.alias.lower() == wanted) or item.unalias() == key for item in items)
        place = next((i for i, found in enumerate(same) if found), None)
    if place is None:
        return say.value(key), is_amount(key)
    item = items[place]
    return words(item.alias) if item.alias else say.value(item), is_amount(item)


def _cut(query: exp.Expr, say: Say, *, ordered: bool) -> str:
    """LIMIT and OFFSET, TOP or FETCH in words."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    skipped = offset.expression if offset is not None else None
    if isinstance(skipped, exp.Literal) and skipped.name == "0":
        skipped = None
    options = (limit.args.get("limit_options") if limit is not None else None) or exp.LimitOptions()
    count = (limit.args.get("count") or limit.args.get("expression")) if limit is not None else None
    count = count.unnest() if count is not None else None
    numbers = all(node is None or (isinstance(node, exp.Literal) and node.name.isdigit()) for node in (count, skipped))
    if not numbers or any(part is not None and part.expressions for part in (limit, offset)) or (limit and not count):
        return "keeps " + " ".join(say.sql(part).replace("` ", "`") for part in (limit, offset) if part is not None)
    leaves = f"leaves out the first {_rows(skipped)}" if skipped is not None else ""
    if count is None:
        return leaves
    share = f"{count.name} percent of the rows" if options.args.get("percent") else _rows(count)
    limit_words = "keeps the next " if leaves else "keeps the first " if ordered else "keeps at most "
    ties = ", and those equal to the last" * bool(options.args.get("with_ties"))
    return " and ".join(part for part in (leaves, f"{limit_words}{share}{ties}") if part)


def _rows(count: exp.Expr) -> str:
    return f"{count.name} row{'s' * (count.name != '1')}"
