"""Replies without SQL from a model: to small talk, and to questions about the data from schema, docs and catalogue.

Each reply names its sources and lists its items as rows. Limited queries, checked by the guard, read counts and ranges
with the caller's access.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.databases.database import Database
from agent.databases.knowledge.context import Context
from agent.understanding.clarification.inquiry import Inquiry, Place, date_places, find_place
from agent.understanding.clarification.lookups import Lookups
from agent.understanding.clarification.main_date import list_plausible
from agent.understanding.messages.kinds import AboutData, Talk, Topic
from agent.understanding.messages.overview import COUNTED_TABLES, with_rows
from agent.understanding.messages.sentences import Sentences, sentences_of, write_count
from agent.understanding.suggest import telling_tables
from executors.base import Frozen, JsonValue, Schema, Table
from rag.docs.documents import Document, Kind
from rag.docs.plain_text import drop_beginnings
from rag.linking.fusion import term_of

EXAMPLES = 4  # questions shown in a reply to small talk
LISTED = 30  # tables or columns named in a sentence; the rows contain all
_VALUES = 3
_MOST_COLUMNS = 6  # columns whose values are read
_MOST_RANGES = 12  # tables whose dates are read
_WITH_EXAMPLES = frozenset({Talk.GREETING, Talk.WELLBEING, Talk.HELP, Talk.WHO, Talk.CHATTER})


class Reply(Frozen):
    """A reply's text. rows: the listed items. sources: as the text names them. tables: those that it describes."""

    text: str
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, JsonValue], ...] = ()
    sources: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def talk_reply(talk: Talk, language: str, database: str, questions: Sequence[str]) -> Reply:
    """The reply to small talk, with questions that this database can answer if they help."""
    phrases = sentences_of(language)
    text = str(getattr(phrases, talk.value)).format(database=database)
    examples = tuple(dict.fromkeys(questions))[:EXAMPLES] if wants_examples(talk) else ()
    if not examples:
        return Reply(text=text)
    return Reply(text="\n".join([text, phrases.examples, *(f"- {it}" for it in examples)]), examples=examples)


def wants_examples(talk: Talk) -> bool:
    """Whether the reply to small talk shows example questions."""
    return talk in _WITH_EXAMPLES


class DataReplies:
    """Answers questions about the data of one database, as the caller sees it, in one language.

    `schema` includes the keys implied by names and values.
    """

    def __init__(
        self, database: Database, schema: Schema, documents: Sequence[Document], principal: str, language: str
    ) -> None:
        self._database, self._schema, self._documents = database, schema, documents
        self._phrases: Sentences = sentences_of(language)
        self._lookups = Lookups(database, schema, principal)
        self._sources: list[str] = []

    async def reply(self, about: AboutData) -> Reply:
        """The answer to a question about the data. Raises DatabaseUnavailable."""
        tables = [table for name in about.tables if (table := self._schema.table(name))]
        match about.topic:
            case Topic.TABLES | Topic.OVERVIEW:
                found = await self._overview()
            case Topic.SIZES:
                found = await self._sizes(tables)
            case Topic.COLUMNS:
                found = self._columns(tables or telling_tables(self._schema), described=False)
            case Topic.DESCRIBE:
                found = await self._describe(tables)
            case Topic.KEYS:
                found = await self._keys(tables)
            case Topic.FRESHNESS:
                found = await self._freshness(tables or telling_tables(self._schema))
            case Topic.WHERE:
                found = self._where(about)
            case Topic.VALUES:
                found = await self._values(about)
            case Topic.MEANING | Topic.DEFINED:
                found = self._meaning(about)
        sources = tuple(dict.fromkeys(self._sources))
        if not sources:
            return found
        text = f"{found.text}\n{self._phrases.source.format(sources='; '.join(sources))}"
        return found.model_copy(update={"text": text, "sources": sources})

    async def _overview(self) -> Reply:
        tables = await self._count_rows(telling_tables(self._schema))
        if not tables:
            return Reply(text=self._phrases.no_tables.format(database=self._schema.database))
        rows = [
            {"table": it.name, "rows": it.row_count, "columns": len(it.columns), "description": self._table_doc(it)}
            for it in tables
        ]
        text = write_count(
            self._phrases.tables,
            len(tables),
            database=self._schema.database,
            tables=self._write_list([self._write_size(it) for it in tables]),
        )
        return _listing(text, rows, tables)

    async def _sizes(self, tables: Sequence[Table]) -> Reply:
        if not tables:
            return await self._overview()
        found = await self._count_rows(tables)
        rows = [{"table": it.name, "rows": it.row_count, "columns": len(it.columns)} for it in found]
        return _listing("\n".join(f"{self._write_size(it)}." for it in found), rows, found)

    def _columns(self, tables: Sequence[Table], *, described: bool) -> Reply:
        self._from_schema()
        lines: list[str] = []
        rows: list[dict[str, JsonValue]] = []
        for table in tables:
            names = [f"{it.name} ({it.type})" if described else it.name for it in table.columns]
            lines.append(
                write_count(
                    self._phrases.columns, len(table.columns), table=table.name, columns=self._write_list(names)
                )
            )
            for column in table.columns:
                row: dict[str, JsonValue] = {"table": table.name} if len(tables) > 1 else {}
                refers = ", ".join(f"→ {key.table}" for key in table.foreign_keys if column.name in key.columns)
                key = "primary" if column.name in table.primary_key else refers
                meaning = " ".join(it.text for it in self._column_docs(table.name, column.name)) or column.comment
                rows.append(row | {"column": column.name, "type": column.type, "key": key, "meaning": meaning})
        return _listing("\n".join(lines), rows, tables)

    async def _describe(self, tables: Sequence[Table]) -> Reply:
        counted = await self._count_rows(tables)
        columns, keys = self._columns(counted, described=True), await self._keys(tables, quietly=True)
        docs = [text for it in counted if (text := self._table_doc(it))]
        lines = [*docs, *(f"{self._write_size(it)}." for it in counted), columns.text, keys.text]
        return columns.model_copy(update={"text": "\n".join(line for line in lines if line)})

    async def _keys(self, tables: Sequence[Table], *, quietly: bool = False) -> Reply:
        self._from_schema()
        declared = await self._database.schema()
        lines: list[str] = []
        rows: list[dict[str, JsonValue]] = []
        names = {it.name for it in tables}
        for table in tables or telling_tables(self._schema):
            if table.primary_key:
                columns = ", ".join(table.primary_key)
                lines.append(self._phrases.primary_key.format(table=table.name, columns=columns))
                row = {"table": table.name, "key": "primary", "columns": columns}
                rows.append({**row, "refers_to": "", "known": "declared"})
            elif tables and not quietly:
                lines.append(self._phrases.no_primary_key.format(table=table.name))
        found = 0
        for table in self._schema.tables:
            own = declared.table(table.name)
            for key in table.foreign_keys:
                # For one table, include the keys that refer to it. For several, include the keys that link them.
                if len(names) > 1 and not {table.name, key.table} <= names:
                    continue
                if len(names) == 1 and not {table.name, key.table} & names:
                    continue
                found += 1
                pairs = [
                    (f"{table.name}.{a}", f"{key.table}.{b}") for a, b in zip(key.columns, key.referenced, strict=False)
                ]
                source, target = ", ".join(a for a, _ in pairs), ", ".join(b for _, b in pairs)
                lines.append(self._phrases.refers.format(from_columns=source, to_columns=target))
                known = "declared" if own is not None and key in own.foreign_keys else "implied"
                row = {"table": table.name, "key": "foreign", "columns": source}
                rows.append({**row, "refers_to": target, "known": known})
        if not found and not quietly:
            lines.append(self._phrases.no_references)
        more = [write_count(self._phrases.more, len(lines) - LISTED)] if len(lines) > LISTED else []
        return _listing("\n".join([*lines[:LISTED], *more]), rows, tables)

    async def _freshness(self, tables: Sequence[Table]) -> Reply:
        lines: list[str] = []
        rows: list[dict[str, JsonValue]] = []
        inquiry = Inquiry("", Context(db_schema=self._schema, system=""))
        for table in tables:
            places: list[Place] = list_plausible(inquiry, table)[:1]
            known = await self._lookups.date_range(places[0]) if places else None
            if known is None:
                continue
            first, last = known.first.isoformat(), known.last.isoformat()
            lines.append(self._phrases.goes.format(column=places[0].name, first=first, last=last))
            rows.append({"column": places[0].name, "first": first, "last": last})
            if len(rows) == _MOST_RANGES:
                break
        self._sources.append(self._phrases.from_data.format(database=self._schema.database))
        return _listing("\n".join(lines) or self._phrases.no_dates, rows, tables if rows else ())

    def _where(self, about: AboutData) -> Reply:
        self._from_schema()
        columns = ", ".join(f"{table}.{column}" for table, column in about.columns)
        name = about.term or about.columns[0][1]
        rows: list[dict[str, JsonValue]] = [{"table": table, "column": column} for table, column in about.columns]
        tables = [table for name, _ in about.columns if (table := self._schema.table(name))]
        return _listing(self._phrases.where.format(name=name, columns=columns), rows, tables)

    async def _values(self, about: AboutData) -> Reply:
        """The meaning of columns, and their distinct texts up to the list limit, or their first and last date.

        Values of private columns are never shown.
        """
        lines: list[str] = []
        rows: list[dict[str, JsonValue]] = []
        for owner, name in about.columns[:_MOST_COLUMNS]:
            place = find_place(self._schema, owner, name)
            if place is None:
                continue
            lines += self._describe_column(place)
            dates = await self._lookups.date_range(place) if place in date_places(place.table) else None
            hidden = place.column.private or dates is not None
            values = [] if hidden else await self._lookups.distinct(place, LISTED + 1)
            if dates is not None:
                lines.append(self._phrases.goes.format(column=f"{owner}.{name}", first=dates.first, last=dates.last))
                rows += [{"column": f"{owner}.{name}", "value": it.isoformat()} for it in dates]
            if values:
                more = [self._phrases.and_more] if len(values) > LISTED else []
                shown = ", ".join([*map(repr, values[:LISTED]), *more])
                lines.append(self._phrases.values.format(values=shown))
            if values or dates is not None:
                self._sources.append(self._phrases.from_data.format(database=self._schema.database))
            rows += [{"column": f"{owner}.{name}", "value": value} for value in values[:LISTED]]
        return _listing("\n".join(lines), rows, [it for it in self._schema.tables if it.name in dict(about.columns)])

    def _meaning(self, about: AboutData) -> Reply:
        if about.unknown:
            return Reply(text=self._phrases.unknown.format(database=self._schema.database, name=about.unknown))
        lines: list[str] = []
        if about.term:
            lines += [self._quote(it) for it in self._documents if it.kind == "rule" and term_of(it.text) == about.term]
        else:
            for owner, column in about.columns:
                lines += self._column_lines(owner, column)
            if not about.columns:
                lines += [line for name in about.tables for line in self._table_lines(name)]
        named = (*about.tables, *(it for it, _ in about.columns))
        tables = [table for it in named if (table := self._schema.table(it))]
        return _listing("\n".join(lines), [], tables)

    def _column_lines(self, name: str, column_name: str) -> list[str]:
        place = find_place(self._schema, name, column_name)
        if place is None:
            return []
        lines, column = self._describe_column(place), place.column
        samples = [] if column.private else [it for it in column.samples if it][:_VALUES]
        return [*lines, *([self._phrases.values.format(values=", ".join(map(repr, samples)))] if samples else [])]

    def _describe_column(self, place: Place) -> list[str]:
        """The type and the docs of a column."""
        self._from_schema()
        docs = [self._quote(it) for it in self._column_docs(place.table.name, place.column.name)]
        return [
            self._phrases.is_a.format(column=place.name, type=place.column.type),
            *(docs or [self._phrases.undocumented.format(name=place.name)]),
        ]

    def _table_lines(self, name: str) -> list[str]:
        docs = [self._quote(it) for it in self._docs("table", name)]
        return docs or [self._phrases.undocumented.format(name=name)]

    def _column_docs(self, table: str, column: str) -> list[Document]:
        return self._docs("column", table, column)

    def _docs(self, kind: Kind, table: str, column: str = "") -> list[Document]:
        """The docs of a table or a column, without those that another one repeats and extends."""
        found = [it for it in self._documents if (it.kind, it.table, it.column) == (kind, table, column)]
        by_text = {it.text: it for it in reversed(found)}
        return [by_text[text] for text in drop_beginnings([*by_text])]

    def _table_doc(self, table: Table) -> str:
        docs = [self._quote(it) for it in self._docs("table", table.name)]
        return " ".join(docs) or table.comment

    def _quote(self, document: Document) -> str:
        """The text of a document. Its source is recorded."""
        comment = document.source == "comment"
        self._sources.append(self._phrases.from_comment if comment or not document.source else document.source)
        return document.display_text if document.kind == "column" else document.text

    async def _count_rows(self, tables: Sequence[Table]) -> tuple[Table, ...]:
        self._from_schema()
        if any(table.row_count is None for table in tables[:COUNTED_TABLES]):
            self._sources.append(self._phrases.from_data.format(database=self._schema.database))
        return await with_rows(tables, self._database)

    def _write_size(self, table: Table) -> str:
        rows = "" if table.row_count is None else f" ({write_count(self._phrases.rows, table.row_count)})"
        return f"{table.name}{rows}"

    def _write_list(self, names: Sequence[str]) -> str:
        more = len(names) - LISTED
        return ", ".join([*names[:LISTED], *([write_count(self._phrases.more, more)] if more > 0 else [])])

    def _from_schema(self) -> None:
        self._sources.append(self._phrases.from_schema.format(database=self._schema.database))


def _listing(text: str, rows: Sequence[dict[str, JsonValue]], tables: Sequence[Table]) -> Reply:
    columns = tuple(rows[0]) if rows else ()
    return Reply(text=text, columns=columns, rows=tuple(rows), tables=tuple(it.name for it in tables))
