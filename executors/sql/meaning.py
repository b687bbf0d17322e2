"""What the columns of a query were meant to be, where they are not what the query takes them for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from executors.base import Column, Schema, Table
from executors.sql.key_ways import ways
from executors.sql.tables import tables_of

_WHOLE = 6  # letters at the end of a name that say which one it is
_SLIPS = 2  # letters that a name may be wrong by
_OTHERS = frozenset({"by", "not", "previous", "next"})  # words that make another thing of what they stand beside
_WORD = str.maketrans("", "", "_ ")


class Unclear(Exception):
    """Nobody can tell what was meant."""


class Reading:
    """One SELECT as it stands: what it reads, and which of its columns are where it looks for them.

    Args:
        select: of a query.
        schema: of its database.

    tables: what is read, by the name it goes by, as `mend.tables_of`.
    joins: in their order.
    own: the columns of this SELECT, those of queries inside it left out.
    """

    def __init__(self, select: exp.Select, schema: Schema) -> None:
        self._select, self._schema = select, schema
        self.tables = tables_of(select, schema)
        self.joins: list[exp.Join] = list(select.args.get("joins") or [])
        self._unknown = {source.alias_or_name.lower() for source in self.sources if self._is_unknown(source)}
        self.own = [column for column in select.find_all(exp.Column) if self._is_own(column)]

    # -- what is there ------------------------------------------------------------------------------------

    @property
    def sources(self) -> list[exp.Expr]:
        from_ = self._select.args.get("from_")
        return [part.this for part in [from_, *self.joins] if part is not None]

    def _is_unknown(self, source: exp.Expr) -> bool:
        """Whether a source is a table that the schema does not have, nor the query itself."""
        if not isinstance(source, exp.Table) or not source.name:
            return False
        ctes = {cte.alias_or_name.lower() for cte in self._select.root().find_all(exp.CTE)}
        return source.name.lower() not in ctes and not self._schema.tables_named(source.name)

    def _is_own(self, column: exp.Column) -> bool:
        return column.find_ancestor(exp.Select) is self._select and not isinstance(column.this, exp.Star)

    def in_join(self, column: exp.Column) -> bool:
        join = column.find_ancestor(exp.Join, exp.Select)
        return isinstance(join, exp.Join)

    def holds(self, column: exp.Column) -> bool:
        """Whether a column is where the query looks for it; one of a query around this one is somebody else's."""
        if column.table.lower() in self._unknown:
            return False
        if column.table:
            tables = self._of_alias(column.table)
            return self._is_outer(column) or any(table is None or table.column(column.name) for table in tables)
        tables = [table for alias, table in self.tables.items() if alias.lower() not in self._unknown]
        here = self._is_alias(column.name) or any(t is None or t.column(column.name) for t in tables)
        return here or self._is_outer(column)

    def _of_alias(self, alias: str) -> list[Table | None]:
        return [table for name, table in self.tables.items() if name.lower() == alias.lower()]

    def _is_outer(self, column: exp.Column) -> bool:
        """Whether a column may be one of a query around this one."""
        around = self._select.parent_select
        if around is None or (column.table and self._of_alias(column.table)):
            return False
        if column.table:
            return True
        return any(table is None or table.column(column.name) for table in tables_of(around, self._schema).values())

    def _is_alias(self, name: str) -> bool:
        return any(isinstance(one, exp.Alias) and one.alias.lower() == name.lower() for one in self._select.expressions)

    def check_sources(self) -> None:
        """Only plain tables, each once, joined by conditions: of anything else the joins are left alone."""
        sources = self.sources
        names = [source.name.lower() for source in sources]
        plain = all(isinstance(source, exp.Table) for source in sources) and len(set(names)) == len(names)
        if not sources or not plain or self._select.args.get("laterals"):
            raise Unclear
        if any(join.args.get("using") or join.args.get("method") for join in self.joins):
            raise Unclear

    def check_unknown(self, meant: Sequence[tuple[exp.Column, tuple[Table | None, str]]]) -> None:
        """Tables that the schema does not have are taken for others only where more than one bare column says so.

        Two columns of the other table, or a name that says the same: an amount of `invoices` is no amount of `orders`.
        Raises Unclear.
        """
        for source in self.sources:
            if source.alias_or_name.lower() not in self._unknown:
                continue
            own = {"", source.alias_or_name.lower()}
            found = [(table, name) for column, (table, name) in meant if table and column.table.lower() in own]
            for table in {table.name: table for table, _ in found}.values():
                names = {name for other, name in found if other is table}
                said = source.name.lower(), _singular(table)
                alike = said[0].removesuffix("s") in said[1] or said[1] in said[0]
                spoken = any(said[1] in name.translate(_WORD).lower() for name in names)
                if not (alike or spoken or len(names) > 1):
                    raise Unclear

    # -- what was meant -----------------------------------------------------------------------------------

    def meaning(self, column: exp.Column) -> tuple[Table | None, str]:
        """The table and the real name of a column; no table where it is right as it stands."""
        name, read = column.name, [table for table in self.tables.values() if table is not None]
        if self._is_outer(column) or (not column.table and self._is_alias(name)):
            return None, name
        asked = self._table_asked(column, read)
        if asked is not None and asked.column(name) is not None:
            return asked, name
        if asked is not None and (own := self._own_key(name, asked)) is not None:
            return asked, own
        if asked is not None and refers_further(asked, name, read, self._schema):
            raise Unclear
        holders = [table for table in read if table.column(name)]
        for tables in () if holders else ([asked] if asked is not None else [], read):
            near = [(table, real) for table in tables if (real := _near(name, table)) is not None]
            if len(near) == 1:  # a slip in what is read is likelier than a table that nobody named
                return near[0]
        holders = holders or [table for table in self._schema.tables if table.column(name)]
        if len(holders) > 1:
            holders = self._nearest(holders, read)
        if len(holders) == 1:
            return holders[0], name
        if (table := self._key_of(name)) is not None:
            return table, table.primary_key[0]
        raise Unclear

    def _key_of(self, name: str) -> Table | None:
        """The table whose key a name says: `order_id` where only `orders` can be meant, and its key is `id`."""
        plain = name.translate(_WORD).lower().removesuffix("id")
        found = [t for t in self._schema.tables if _singular(t) == plain and len(t.primary_key) == 1]
        return found[0] if len(found) == 1 and plain != name.translate(_WORD).lower() else None

    def _table_asked(self, column: exp.Column, read: Sequence[Table]) -> Table | None:
        """The table that the qualifier names, read or not; without one, the only one that is read."""
        if not column.table:
            return read[0] if len(read) == 1 and len(self.tables) == 1 else None
        named = [table for table in self._of_alias(column.table) if table is not None]
        found = named or list(self._schema.tables_named(column.table)) or self._misspelt(column.table)
        return found[0] if len(found) == 1 else None

    def _misspelt(self, qualifier: str) -> list[Table]:
        """The tables that are read whose name is nearly this one."""
        from rapidfuzz.distance import DamerauLevenshtein

        names = {alias: table for alias, table in self.tables.items() if table is not None}
        near = {alias: DamerauLevenshtein.distance(alias.lower(), qualifier.lower()) for alias in names}
        return [names[alias] for alias, far in near.items() if far <= _SLIPS and len(alias) > 2 * _SLIPS]

    def _own_key(self, name: str, table: Table) -> str | None:
        """`publisher_id` asked of `publisher` is its key, whatever that is called there: others refer to it so."""
        if len(table.primary_key) != 1:
            return None
        plain, own = name.translate(_WORD).lower(), table.parts[-1].translate(_WORD).lower()
        said = any(
            len(key.columns) == 1 and key.columns[0].lower() == name.lower() and key.table == table.name
            for other in self._schema.tables
            for key in other.foreign_keys
        )
        return table.primary_key[0] if said or plain in {f"{own}id", f"{own.removesuffix('s')}id"} else None

    def _nearest(self, holders: Sequence[Table], read: Sequence[Table]) -> list[Table]:
        """Those that the fewest joins lead to."""
        lengths = [
            (len(way), holder) for holder in holders for way in ways([t.name for t in read], holder, self._schema)[:1]
        ]
        least = min((length for length, _ in lengths), default=0)
        return [holder for length, holder in lengths if length == least]


def refers_further(table: Table, name: str, read: Iterable[Table], schema: Schema) -> bool:
    """Whether a column that a table lacks is in one that it refers to and nobody reads, and in one that is read, too.

    `employment.name`, beside the company, may well be the name of the person.
    """
    here = list(read)
    further = [to for key in table.foreign_keys if (to := schema.table(key.table)) is not None and to not in here]
    return any(it.column(name) for it in here) and any(it.column(name) for it in further)


def _near(name: str, table: Table) -> str | None:
    """The one column whose name is the same but for case and underscores, or says the same with more or fewer words."""
    plain = name.translate(_WORD).lower()
    same = [column.name for column in table.columns if column.name.translate(_WORD).lower() == plain]
    if len(same) == 1:
        return same[0]
    plainly = [column for column in table.columns if not _is_key(column, table)]
    inside = [column.name for column in plainly if _is_within(name, column.name)]
    if len(inside) == 1:
        return inside[0]
    longer = [c.name for c in plainly if len(plain) >= _WHOLE and c.name.translate(_WORD).lower().endswith(plain)]
    if len(longer) == 1:
        return longer[0]
    if (slip := _misspelt(plain, table)) is not None:
        return slip
    if name.lower() in {"name", "title", "label"} and len(plainly) == 1:
        return plainly[0].name  # a table of names has nothing else to be called by
    return None


def _is_within(one: str, other: str) -> bool:
    """Whether one name has all the words of the other, and more that make nothing else of it: not `created_by`."""
    words, others = set(one.lower().split("_")), set(other.lower().split("_"))
    return (words < others or others < words) and not (words ^ others) & _OTHERS


def _misspelt(plain: str, table: Table) -> str | None:
    """The one column whose name is a letter or two away: of a long name, for short ones are all alike."""
    slips = min(_SLIPS, len(plain) // _WHOLE)
    near = [column.name for column in table.columns if _is_slip(plain, column.name.translate(_WORD).lower(), slips)]
    return near[0] if slips and len(near) == 1 else None


def _is_slip(one: str, other: str, most: int) -> bool:
    """Whether two names are one but for so many letters left out or doubled, or for two in each other's place.

    Other letters and digits make other names (`net_max` and `net_tax`, `price_2023` and `price_2024`); so do another
    first letter (`import`, `export`), and what only one of them ends in, but for a plural: `close` is not `closed`.
    """
    from rapidfuzz.distance import DamerauLevenshtein, Indel

    if one[:1] != other[:1] or [c for c in one if not c.isalpha()] != [c for c in other if not c.isalpha()]:
        return False
    short, long = sorted((one, other), key=len)
    if long != short and long.startswith(short) and long[len(short) :] not in {"s", "es", short[-1]}:
        return False
    swapped = sorted(one) == sorted(other) and DamerauLevenshtein.distance(one, other) == 1
    return swapped or (len(long) > len(short) and Indel.distance(one, other) <= most)


def _is_key(column: Column, table: Table) -> bool:
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return column.name in keys


def _singular(table: Table) -> str:
    return table.parts[-1].translate(_WORD).lower().removesuffix("s")
