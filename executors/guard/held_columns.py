"""Hides private columns in a query's tree, unless the question names them.

Each reference to a table with such columns becomes `(SELECT its other columns FROM table) AS the same name`. So no
expression for a whole row reaches them: `*`, `#3`, `c::text`, `to_json(c.*)`, a natural join, a field that is a
function. A column that the query itself names stays if it is only compared, counted, joined, grouped or ordered by, and
if the query around it names every column that it reads.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from sqlglot import exp

from executors.base import Schema, Table
from executors.dialects.row import words
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.sql.names.existence import NameCheck
from executors.sql.plain.clauses import Phrase
from executors.sql.tree import read_through

Hidden = Mapping[str, frozenset[str]]

_QUIET = (exp.Where, exp.PreWhere, exp.Having, exp.Qualify, exp.Group)
_COUNTS = words("count count_big count_if countif approx_count_distinct approx_distinct uniq uniqexact uniqcombined")
_LISTS = words("listagg string_agg group_concat array_agg wm_concat xmlagg")  # do not show their ORDER BY
_ALL_COLUMNS = words("columns untuple unpack")
_UNNAMED = (exp.PositionalColumn, exp.TableColumn, exp.Columns, exp.Pivot)


class HeldColumns:
    """Holds back the private columns of one schema. Args: hidden: the columns by table's name, in lower case."""

    def __init__(self, hidden: Hidden, schema: Schema, names: NameCheck) -> None:
        self._hidden, self._schema, self._names = hidden, schema, names
        self._dialect = DIALECTS[schema.dialect]

    def hold(self, root: exp.Query, *, leave_out: bool = False) -> tuple[str, ...]:
        """Replace the tables by their other columns, in a tree that the guard has accepted.

        Args: leave_out: whether a private column that the root selects by name is left out instead of refused.
        Returns the columns that a star, or the root, would have shown: `customers.email`.
        Raises SqlRefused: the query shows a private column, or reads one without naming all columns that it reads.
        """
        read = list(self._read(root))
        if read:
            self._check_spellings(root, read)
        for node, table in read:
            self._check_positions(node, table, root)
            self._check_later(node, table, root)
        left = [name for node, table in read for name in self._list_starred(node, table)]
        if leave_out and isinstance(root, exp.Select):
            left += self._drop_selected(root, read)
        visible = [(node, table, self._visible(node, table, root)) for node, table in read]
        for node, table, columns in visible:
            self._name_columns(node, table, columns)
        self._drop_schemas(root, read)
        for node, _, columns in visible:
            items = [exp.column(exp.to_identifier(name, quoted=True)) for name in columns]
            read_through(node, exp.Select(expressions=items or [exp.alias_(exp.Literal.number(1), "nothing")]))
        return tuple(dict.fromkeys(left))

    def refuse(self, root: exp.Query) -> None:
        """Refuse a query that shows a private column, without changing it. For a query whose rows are written.

        Raises SqlRefused: it shows, or may show, a private column. It must name every column of a table that has one.
        """
        read = list(self._read(root))
        self._check_spellings(root, read)
        for node, table in read:
            select = node.find_ancestor(exp.Select)
            around: exp.Expr = select if select is not None else root
            for name in self._hidden[table.name]:
                list(self._is_named(name, node, table, around))
            self._check_positions(node, table, root)
            self._check_named(node, table, around, strict=True)

    def _read(self, root: exp.Query) -> Iterator[tuple[exp.Table, Table]]:
        for node in list(root.find_all(exp.Table)):
            found = self._names.meaning.get(id(node))
            if isinstance(found, Table) and found.name in self._hidden:
                yield node, found

    def _check_spellings(self, root: exp.Query, read: list[tuple[exp.Table, Table]]) -> None:
        """Refuse a private column in a spelling that some collations take for the same name: with full-width letters,
        or other accents. Raises SqlRefused."""
        written: dict[str, list[exp.Column]] = defaultdict(list)
        for column in root.find_all(exp.Column):
            written[_plain_letters(column.name)].append(column)
        for table in {table.name: table for _, table in read}.values():
            beside = {id(node.find_ancestor(exp.Select)) for node, it in read if it is table}
            for name in self._hidden[table.name]:
                for column in written[_plain_letters(name)]:
                    if table.column(column.name) is None and not self._is_of_another(column, table, beside):
                        raise _build_refusal(table, name)

    def _is_of_another(self, column: exp.Column, table: Table, beside: Set[int]) -> bool:
        """Whether a name is a column of another table that its own SELECT reads. Without a qualifier it may also be one
        of this table. Args: beside: the `id` of each SELECT that reads this table."""
        select = column.find_ancestor(exp.Select)
        if select is None or column.args.get("db") or (not column.table and id(select) in beside):
            return False
        named = [it for it in _sources(select) if column.table.lower() in ("", it.alias_or_name.lower())]
        found = [self._names.meaning.get(id(it)) for it in named]
        others = [it for it in found if isinstance(it, Table) and it.name != table.name]
        return len(others) == len(found) and any(it.column(column.name) is not None for it in others)

    def _visible(self, node: exp.Table, table: Table, root: exp.Query) -> list[str]:
        """The columns that the query may read, including hidden ones that it names and does not show."""
        hidden = self._hidden[table.name]
        select = node.find_ancestor(exp.Select)
        around: exp.Expr = select if select is not None else root
        # `list` checks every place, where `any` alone would stop at the first harmless one.
        named = {name for name in hidden if any(list(self._is_named(name, node, table, around)))}
        if named:
            self._check_named(node, table, around)
        return [it.name for it in table.columns if it.name.lower() not in hidden or it.name.lower() in named]

    def _is_named(self, name: str, node: exp.Table, table: Table, around: exp.Expr) -> Iterator[bool]:
        """True for each place that names the column. Raises SqlRefused if a place shows it."""
        for column in around.find_all(exp.Column):
            itself = column.name.lower() == name and _may_be_of(column, node, table, self._names)
            if not itself and not _is_field(column, name, node):
                continue
            if not _is_quiet(column):
                raise _build_refusal(table, name)
            yield True
        for join in around.find_all(exp.Join):
            yield any(using.name.lower() == name for using in join.args.get("using") or ())

    def _check_named(self, node: exp.Table, table: Table, around: exp.Expr, *, strict: bool = False) -> None:
        """Refuse expressions for all columns beside a private column that is read; with `strict`, even a star that
        could be replaced by names. Raises SqlRefused."""
        alias = node.alias_or_name.lower()
        if _is_renamed(node):
            raise _to_be_named(table)
        for part in around.walk():
            star = isinstance(part, exp.Star) and not (
                _is_counted(part) if strict else _is_harmless(part, around, alias)
            )
            natural = isinstance(part, exp.Join) and part.method.upper() == "NATURAL"
            call = isinstance(part, exp.Anonymous) and part.name.lower() in _ALL_COLUMNS
            whole = isinstance(part, exp.Column) and self._is_whole(part, alias, table)
            if star or natural or call or whole or isinstance(part, _UNNAMED):
                raise _to_be_named(table)

    def _check_positions(self, node: exp.Table, table: Table, root: exp.Query) -> None:
        """Refuse a query that addresses columns by position: without the private column, positions would shift. Raises
        SqlRefused."""
        alias = node.args.get("alias")
        renamed = isinstance(alias, exp.TableAlias) and bool(alias.args.get("columns"))
        select = node.find_ancestor(exp.Select)
        if select is not None and select.find(exp.PositionalColumn):
            renamed = True
        elif select is not None and _is_starred(select, node):
            aliases = any(it.args.get("columns") for it in root.find_all(exp.TableAlias))
            numbers = any(isinstance(it.this, exp.Literal) for it in select.find_all(exp.Ordered))
            changed = any(it.args.get("rename") or it.args.get("replace") for it in select.find_all(exp.Star))
            renamed = renamed or aliases or numbers or changed or root.find(exp.SetOperation) is not None
        if renamed:
            raise _to_be_named(table)

    def _check_later(self, node: exp.Table, table: Table, root: exp.Query) -> None:
        """Refuse a query that names a private column of a star inside it, because the star no longer contains it.
        Raises SqlRefused."""
        inside = node.find_ancestor(exp.Select)
        if inside is None or not _is_starred(inside, node):
            return
        within = {id(part) for part in inside.walk()}
        for column in root.find_all(exp.Column):
            if column.name.lower() in self._hidden[table.name] and id(column) not in within and not self._has(column):
                raise _build_refusal(table, column.name.lower()) if not _is_quiet(column) else _to_be_named(table)

    def _has(self, column: exp.Column) -> bool:
        """Whether a column belongs to a table that its own SELECT reads."""
        select = column.find_ancestor(exp.Select)
        for source in _sources(select) if select is not None else ():
            found = self._names.meaning.get(id(source))
            own = not column.table or column.table.lower() == source.alias_or_name.lower()
            if own and isinstance(found, Table) and found.column(column.name) is not None:
                return True
        return False

    def _is_whole(self, column: exp.Column, alias: str, table: Table) -> bool:
        """Whether a column is a whole row: `c` of `customers AS c`, or `c.name`, a function if no column is `name`."""
        if isinstance(column.this, exp.Star):
            return False  # checked separately
        if not column.table:
            return column.name.lower() in (alias, table.parts[-1].lower()) and table.column(column.name) is None
        is_column = table.column(column.name) is not None or column.name.lower() in self._dialect.row_ids
        return column.table.lower() == alias and not is_column

    def _list_starred(self, node: exp.Table, table: Table) -> list[str]:
        """The private columns of a table that stars would have shown in the root's rows."""
        select = node.find_ancestor(exp.Select)
        starred = select is not None and _is_starred(select, node, whole=True)
        while starred and (select := select.find_ancestor(exp.Select) if select is not None else None) is not None:
            starred = any(item.is_star for item in select.expressions)
        if not starred:
            return []
        return [f"{table.name}.{it.name}" for it in table.columns if it.name.lower() in self._hidden[table.name]]

    def _drop_selected(self, root: exp.Select, read: list[tuple[exp.Table, Table]]) -> list[str]:
        """Remove private columns that the root selects by name from its list, but never the last item. Return them."""
        left: list[str] = []
        for node, table in read:
            for item in list(root.expressions):
                column = item.unalias()
                is_one = isinstance(column, exp.Column) and column.name.lower() in self._hidden[table.name]
                if is_one and _may_be_of(column, node, table, self._names) and len(root.expressions) > 1:
                    item.pop()
                    left.append(f"{table.name}.{column.name}")
        return left

    def _name_columns(self, node: exp.Table, table: Table, visible: list[str]) -> None:
        """If a private column of a table is kept, replace stars by the names of the public columns."""
        hidden, select = self._hidden[table.name], node.find_ancestor(exp.Select)
        if select is None or hidden.isdisjoint(name.lower() for name in visible):
            return
        items: list[exp.Expr] = []
        for item in select.expressions:
            if isinstance(item, exp.Star):
                items += [part for source in _sources(select) for part in _all_of(source)]
            else:
                items.append(item)
        shown: list[exp.Expr] = []
        for item in items:
            star = isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            if star and item.args["table"].name.lower() == node.alias_or_name.lower():
                of = item.args["table"]
                public = [it.name for it in table.columns if it.name.lower() not in hidden]
                shown += [exp.column(exp.to_identifier(name, quoted=True), table=of.copy()) for name in public]
            else:
                shown.append(item)
        select.set("expressions", shown)

    def _drop_schemas(self, root: exp.Query, read: list[tuple[exp.Table, Table]]) -> None:
        """Write `sales.customers.city` as `customers.city`, the name of the table's replacement."""
        names = {node.name.lower() for node, _ in read if not node.alias}
        for column in root.find_all(exp.Column):
            if column.args.get("db") is not None and column.table.lower() in names:
                column.set("db", None)
                column.set("catalog", None)


def _build_refusal(table: Table, name: str) -> SqlRefused:
    return SqlRefused(
        ErrorKind.PERMISSION,
        f"{table.name}.{name} is private: its values are shown only to a question that names {name!r}.",
        "It may be counted, compared, joined and grouped by, but not selected.",
    )


def _to_be_named(table: Table) -> SqlRefused:
    return SqlRefused(
        ErrorKind.PERMISSION,
        f"{table.name} has private columns, and where one of them is read every column has to be named.",
        f"Write the columns of {table.name} that are wanted, instead of a star or the whole row.",
    )


def _plain_letters(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(it for it in letters if not unicodedata.combining(it)).rstrip()


def _is_renamed(node: exp.Table) -> bool:
    """Whether a table belongs to joins in parentheses with an alias, which then means the rows of all its tables."""
    at = node.parent
    while at is not None and not isinstance(at, exp.Select):
        if isinstance(at, exp.Subquery) and at.alias:
            return True
        at = at.parent
    return False


def _is_starred(select: exp.Select, node: exp.Table, *, whole: bool = False) -> bool:
    """Whether a select list contains all columns of a table; with `whole`, also as one value."""
    name = node.alias_or_name.lower()
    for item in select.expressions:
        for part in item.find_all(exp.Star, exp.Column) if whole else [item]:
            if isinstance(part, exp.Star):
                return not isinstance(part.parent, exp.Column) and not _is_count(part.parent)
            if isinstance(part, exp.Column) and part.table.lower() == name and isinstance(part.this, exp.Star):
                return not _is_count(part.parent)
            if whole and isinstance(part, exp.Column) and not part.table and part.name.lower() == name:
                return True
    return False


def _may_be_of(column: exp.Column, node: exp.Table, table: Table, names: NameCheck) -> bool:
    """Whether a column may belong to this table."""
    if column.table:
        return column.table.lower() == node.alias_or_name.lower()
    select = column.find_ancestor(exp.Select)
    if select is None:
        return True
    for source in _sources(select):
        if source is node:
            return True
        other = names.meaning.get(id(source))
        if isinstance(other, Table) and other.name != table.name and other.column(column.name) is not None:
            return any(it is node for it in _sources(select))  # the nearest tables come first
    return True


def _is_field(column: exp.Column, name: str, node: exp.Table) -> bool:
    """Whether a qualified name may be a field of a record in a table's column: `info.phone`, `c.info.phone`."""
    before = [part.name.lower() for part in column.parts[:-1]]
    if name not in before:
        return False
    aliases: set[str] = set()
    select = column.find_ancestor(exp.Select)
    while select is not None:
        aliases |= {source.alias_or_name.lower() for source in _sources(select)}
        select = select.find_ancestor(exp.Select)
    at = len(before) - 1 - before[::-1].index(name)
    if at == 0:
        return name not in aliases
    return before[at - 1] == node.alias_or_name.lower() or before[at - 1] not in aliases


def _sources(select: exp.Select) -> list[exp.Expr]:
    """The sources in FROM and its joins, in order."""
    from_ = select.args.get("from_")
    joins = [join.this for join in select.args.get("joins") or ()]
    nested = [join.this for source in ([from_.this] if from_ else []) for join in source.args.get("joins") or ()]
    return [*([from_.this] if from_ else []), *nested, *joins]


def _is_plain(around: exp.Expr) -> bool:
    """Whether a bare star gives the columns of the sources, one source after the other, and every source has a name."""
    if not isinstance(around, exp.Select) or around.args.get("laterals"):
        return False
    joins = around.args.get("joins") or ()
    merging = any(join.args.get("using") or join.method or join.kind in ("SEMI", "ANTI", "ARRAY") for join in joins)
    return not merging and all(
        isinstance(it, exp.Table | exp.Subquery) and it.alias_or_name and not it.args.get("pivots")
        for it in _sources(around)
    )


def _is_harmless(star: exp.Star, around: exp.Expr, alias: str) -> bool:
    """Whether a star is counted, belongs to other tables, or is replaced by names in `HeldColumns`."""
    qualified = star.parent if isinstance(star.parent, exp.Column) else None
    holder = star.parent if qualified is None else qualified.parent
    if _is_count(holder) or (qualified is not None and qualified.table.lower() != alias):
        return True
    select = star.find_ancestor(exp.Select)
    if holder is not select or any(star.args.values()):
        return False  # inside a call, or with EXCEPT and similar
    if select is around:
        return qualified is not None or _is_plain(around)
    return qualified is None  # a star of an inner query, over its own FROM


def _is_counted(star: exp.Star) -> bool:
    return _is_count(star.parent.parent if isinstance(star.parent, exp.Column) else star.parent)


def _all_of(source: exp.Expr) -> list[exp.Expr]:
    alias = source.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) and alias.this is not None else source.this
    return [exp.Column(this=exp.Star(), table=name.copy())]


def _is_quiet(column: exp.Expr) -> bool:
    """Whether a place does not show a column's values: a condition, a count, a group or an order."""
    at = column
    while at.parent is not None:
        parent = at.parent
        if _is_count(parent):
            return True
        if isinstance(parent, exp.Join) and at.arg_key in ("on", "using"):
            return True
        if isinstance(parent, exp.Order) and at.arg_key == "expressions":
            return _is_quiet_order(parent)
        if isinstance(parent, _QUIET):
            return True
        if isinstance(parent, exp.Alias | exp.PropertyEQ) and not isinstance(parent.parent, exp.Select):
            return False  # in ClickHouse an alias defined anywhere is valid everywhere
        at = parent
    return False


def _is_quiet_order(order: exp.Order) -> bool:
    """Whether an ORDER BY does not show its values: it orders rows, or belongs to a call that shows other values."""
    holder = order.parent
    while isinstance(holder, exp.Kwarg | Phrase):
        holder = holder.parent
    if isinstance(holder, exp.Query | exp.Window | exp.Subquery):
        return True
    call = holder.this if isinstance(holder, exp.WithinGroup) else holder
    return isinstance(call, exp.Func) and call.name.lower() in _LISTS


def _is_count(node: exp.Expr | None) -> bool:
    if isinstance(node, exp.Distinct):
        node = node.parent
    if isinstance(node, exp.Count | exp.CountIf | exp.ApproxDistinct):
        return True
    return isinstance(node, exp.Anonymous) and node.name.lower() in _COUNTS
