"""The vectors of a schema: one passage per table and column, documented or not, and one per short value.

They are stored beside the docs and updated in the same way: a passage with unchanged text is not embedded again. A
search uses the store's graph of nearest neighbours, so it takes hardly longer for 100,000 columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from executors.base import Schema
from rag.docs.documents import Document, descriptions_of, make_document
from rag.embedding.embedder import Embedder
from rag.index.revision import Turn
from rag.index.store import Progress, Store, SyncReport
from rag.linking.linking import LEAST_MEANT, Near, NearColumn, NearValue
from rag.linking.values import StoredValues
from rag.words import phrases, split_name

_COLUMNS_NEAR, _VALUES_NEAR = 100, 20  # hits per search; further ones change no table's place
_PHRASES = 8  # phrases of a question that are searched; for a longer one, the whole question represents the rest
_FEW_VALUES, _VALUE_CHARS = 50, 40  # a column with so few and short values names kinds of things, not individual things
_MOST_VALUES = 3000  # embedded per database, which takes minutes on one core
_SAMPLES = 3


class _Passage(Document):
    """A document whose text is embedded unchanged."""

    @property
    def passage(self) -> str:
        return self.text


def schema_passages(schema: Schema, documents: Iterable[Document] = ()) -> tuple[Document, ...]:
    """One passage per table and column: its name in words, its description, and samples."""
    descriptions = descriptions_of(documents)
    passages: list[Document] = []
    for table in schema.tables:
        name, own = split_name(table.parts[-1]), table.name.lower()
        about = "; ".join(descriptions.get((own, "")) or filter(None, [table.comment]))
        columns = ", ".join(split_name(column.name) for column in table.columns)
        passages.append(
            _passage(schema, table.name, "", f"{name}: {about} {columns}" if about else f"{name}: {columns}")
        )
        for column in table.columns:
            about = "; ".join(descriptions.get((own, column.name.lower())) or filter(None, [column.comment]))
            samples = "" if column.private else ", ".join(column.samples[:_SAMPLES])
            text = f"{name} {split_name(column.name)}" + (f": {about}" if about else "")
            passages.append(_passage(schema, table.name, column.name, f"{text} ({samples})" if samples else text))
    return tuple(passages)


def value_passages(schema: Schema, stored: Iterable[StoredValues]) -> tuple[Document, ...]:
    """One passage per value of columns with few, short values. Columns with fewest values come first, up to a limit."""
    few = sorted((it for it in stored if len(it.values) <= _FEW_VALUES), key=lambda it: len(it.values))
    passages: list[Document] = []
    for column in few:
        short = [value for value in column.values if len(value) <= _VALUE_CHARS and any(map(str.isalpha, value))]
        # A document's white space is folded, so other values would be returned in a form that is not stored.
        short = [value for value in short if " ".join(value.split()) == value]
        passages += [_passage(schema, column.table, column.column, value) for value in short]
    return tuple(passages[:_MOST_VALUES])


class ColumnIndex:
    """Finds the parts of a schema that are near a question. Methods block, and are safe in threads. They raise
    StoreUnavailable and EmbedderUnavailable."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        # The subjects of documents, by index name and document id. Ids are hashes of the whole content, so entries are
        # never outdated. A search returns only ids, and looks up only unknown ones.
        self._about: dict[str, dict[str, _About]] = {}

    def sync(
        self,
        schema: Schema,
        documents: Iterable[Document] = (),
        progress: Progress | None = None,
        turn: Turn | None = None,
    ) -> SyncReport:
        """Make the index contain exactly this schema with these docs. See `Store.sync`."""
        return self._sync(columns_of(schema.database), schema_passages(schema, documents), progress, turn)

    def sync_values(
        self,
        schema: Schema,
        stored: Iterable[StoredValues],
        progress: Progress | None = None,
        turn: Turn | None = None,
    ) -> SyncReport:
        """Make the index contain exactly these values, if they are few and short. See `Store.sync`."""
        passages = value_passages(schema, stored)
        if not passages and not self._store.is_indexed(_values_of(schema.database)):
            return SyncReport()  # no model is loaded
        return self._sync(_values_of(schema.database), passages, progress, turn)

    def forget(self, database: str) -> None:
        """Remove a database from the index. Raises RetrievalError."""
        for name in filter(self._store.is_indexed, (columns_of(database), _values_of(database))):
            self._sync(name, (), None, None)

    def texts(self, question: str, database: str, may_mean: Callable[[str], bool] = lambda _: True) -> tuple[str, ...]:
        """The texts that `near` embeds for the same arguments. Empty if there is no index.

        Each text costs time. If only values are indexed, these are the phrases that may mean a value.
        """
        parts = _parts(question)
        if self._store.is_indexed(columns_of(database)):
            return (question, *parts)
        return tuple(filter(may_mean, parts)) if self._store.is_indexed(_values_of(database)) else ()

    def near(self, question: str, database: str, may_mean: Callable[[str], bool] = lambda _: True) -> Near:
        """Columns near the question and near its phrases, and values near the phrases that may mean one. Empty without
        an index."""
        texts = self.texts(question, database, may_mean)
        if not texts:
            return Near()  # no model is loaded
        vectors = dict(zip(texts, self._embedder.embed(texts), strict=True))
        columns = self._near(columns_of(database), list(vectors.values()), _COLUMNS_NEAR) if question in vectors else []
        telling = [part for part in _parts(question) if part in vectors and may_mean(part)]
        values = self._near(_values_of(database), [vectors[part] for part in telling], _VALUES_NEAR)
        return Near(
            question=_columns(columns[0]) if columns else (),
            phrases=tuple(map(_columns, columns[1:])),
            values=tuple(value for part, hits in zip(telling, values, strict=True) for value in _values(part, hits)),
        )

    def _sync(
        self, name: str, passages: Sequence[Document], progress: Progress | None, turn: Turn | None
    ) -> SyncReport:
        report = self._store.sync(name, passages, self._embedder, progress, turn)
        self._about[name] = {document.id: _about(name, document) for document in passages}
        return report

    def _near(self, name: str, vectors: Sequence[Sequence[float]], top_k: int) -> list[list[_Hit]]:
        """For each vector, the nearest items, best first. Items removed from the index meanwhile are omitted."""
        found = self._store.search_ids(name, vectors, top_k, model=self._embedder.name)
        about = self._about.setdefault(name, {})
        unknown = {key for hits in found for key, _ in hits if key not in about}
        if unknown:
            documents = self._store.documents_by_id(name, unknown)
            about |= {key: _about(name, document) for key, document in documents.items()}
        return [[(about[key], score) for key, score in hits if key in about] for hits in found]


def _parts(question: str) -> list[str]:
    """The phrases that are searched individually."""
    return [phrase for phrase in phrases(question) if phrase != question][:_PHRASES]


class _About(NamedTuple):
    """The subject of a document. `value` is empty for a column or a table."""

    table: str
    column: str
    value: str


_Hit = tuple[_About, float]


def _about(name: str, document: Document) -> _About:
    return _About(document.table, document.column, document.text if name.endswith(_VALUES) else "")


def _columns(hits: Sequence[_Hit]) -> tuple[NearColumn, ...]:
    return tuple(NearColumn(about.table, about.column, score) for about, score in hits)


def _values(mention: str, hits: Sequence[_Hit]) -> list[NearValue]:
    return [
        NearValue(about.table, about.column, about.value, mention, score)
        for about, score in hits
        if score >= LEAST_MEANT
    ]


# Names in the registry contain no slash, so these names are unique.
_VALUES = "/values"


def columns_of(database: str) -> str:
    """The name of the index of a database's columns."""
    return f"{database}/columns"


def _values_of(database: str) -> str:
    return f"{database}{_VALUES}"


def _passage(schema: Schema, table: str, column: str, text: str) -> Document:
    document = make_document(
        "column" if column else "table", text, database=schema.database, table=table, column=column, source="schema"
    )
    return _Passage(**document.model_dump())
