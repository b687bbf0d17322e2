"""Merges many databases into one catalogue, to test whether the right tables are found among all others."""

from __future__ import annotations

from collections.abc import Mapping

from executors.base import ForeignKey, Frozen, Schema, Table, make_unique
from rag.docs.documents import Document, make_document
from rag.linking.values import StoredValues


class MergedCatalogue(Frozen):
    """What retrieval can know about a database: its schema, its docs, and the values in its text columns."""

    db_schema: Schema
    documents: tuple[Document, ...] = ()
    stored: tuple[StoredValues, ...] = ()


class Merged(Frozen):
    """One catalogue, merged from many.

    tables: for each original catalogue, by its key, the new names of its tables by their old names.
    """

    catalogue: MergedCatalogue
    tables: dict[str, dict[str, str]]


def merge(catalogues: Mapping[str, MergedCatalogue], name: str = "merged") -> Merged:
    """Merge all tables into one catalogue, each in a schema named after its database. Questions do not name it.

    Foreign keys keep their targets, docs and values stay with their tables, and terms apply to all. Past queries are
    left out, because they use the old names of tables. If two databases have the same name, the second gets a number.
    """
    tables: list[Table] = []
    documents: list[Document] = []
    stored: list[StoredValues] = []
    renamed: dict[str, dict[str, str]] = {}
    namespaces = make_unique([it.db_schema.database for it in catalogues.values()], same_case=False)
    for (key, catalogue), namespace in zip(catalogues.items(), namespaces, strict=True):
        schema = catalogue.db_schema
        names = renamed[key] = {table.name: f"{namespace}.{'_'.join(table.parts)}" for table in schema.tables}
        tables += [_rename_table(table, namespace, names, schema) for table in schema.tables]
        documents += [
            make_document(it.kind, it.text, database=name, table=names[it.table] if it.table else "",
                          column=it.column, source=it.source)
            for it in catalogue.documents
            if it.kind != "query" and (not it.table or it.table in names)
        ]  # fmt: skip
        stored += [it.model_copy(update={"table": names[it.table]}) for it in catalogue.stored]
    dialects = {catalogue.db_schema.dialect for catalogue in catalogues.values()}
    schema = Schema(database=name, dialect=min(dialects), tables=tuple(tables))
    unique = {document.id: document for document in documents}
    return Merged(
        catalogue=MergedCatalogue(db_schema=schema, documents=tuple(unique.values()), stored=tuple(stored)),
        tables=renamed,
    )


def _rename_table(table: Table, namespace: str, names: Mapping[str, str], schema: Schema) -> Table:
    """The table under its new name, without foreign keys to tables that are not in the schema."""
    keys: list[ForeignKey] = []
    for key in table.foreign_keys:
        other = schema.table(key.table)
        if other is not None:
            keys.append(key.model_copy(update={"table": names[other.name]}))
    return table.model_copy(update={"name": names[table.name], "namespace": namespace, "foreign_keys": tuple(keys)})
