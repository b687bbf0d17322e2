"""Many databases as one catalogue, to test whether the right tables are found among all the others."""

from __future__ import annotations

from collections.abc import Mapping

from executors.base import ForeignKey, Frozen, Schema, Table, make_unique
from rag.docs.documents import Document, make_document
from rag.linking.values import StoredValues


class MergedCatalogue(Frozen):
    """What retrieval may know of a database: its schema, its docs, and the values that its text columns hold."""

    db_schema: Schema
    documents: tuple[Document, ...] = ()
    stored: tuple[StoredValues, ...] = ()


class Merged(Frozen):
    """One catalogue out of many.

    tables: by the key that a catalogue was given under, the new name of each of its tables.
    """

    catalogue: MergedCatalogue
    tables: dict[str, dict[str, str]]


def merge(catalogues: Mapping[str, MergedCatalogue], name: str = "merged") -> Merged:
    """All tables side by side, each in a schema that goes by its database's name; a question does not say which.

    Foreign keys lead where they led, docs and values stay with their tables, and terms are everybody's. Past queries
    are left out: they name tables that go by another name now. Of two databases with one name, the second gets a
    number.
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
    """The table under its new name; a key to a table that is not in the schema leads nowhere and is left out."""
    keys: list[ForeignKey] = []
    for key in table.foreign_keys:
        other = schema.table(key.table)
        if other is not None:
            keys.append(key.model_copy(update={"table": names[other.name]}))
    return table.model_copy(update={"name": names[table.name], "namespace": namespace, "foreign_keys": tuple(keys)})
