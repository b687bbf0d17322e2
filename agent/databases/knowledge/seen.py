"""Which docs a principal may see who sees only some of a database's rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TypeVar

from executors.base import Schema
from rag.docs.documents import Document, Retrieved
from rag.retriever import Retrieval

Item = TypeVar("Item", Document, Retrieved)


class SeenDocuments:
    """Leaves out what names a table that is not seen, and past queries that people added.

    What the files of the docs say was written for all who may ask. A query that was added came out of somebody's work
    with the data, and its values may be those of rows that others do not see.

    Args:
        seen: the schema as the principal sees it.
        whole: the schema as it is.
        added: the documents that were added while the service ran.
    """

    def __init__(self, seen: Schema, whole: Schema, added: Iterable[Document]) -> None:
        self._seen = seen
        self._added = frozenset(document.id for document in added)
        hidden = {name for table in whole.tables if seen.table(table.name) is None for name in table.parts[-1:]}
        hidden -= {table.parts[-1] for table in seen.tables}
        self._hidden = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(hidden)))})(?!\w)", re.IGNORECASE)
        self._hides = bool(hidden)

    def of(self, items: Collection[Item]) -> tuple[Item, ...]:
        """The visible ones, in their order."""
        return tuple(item for item in items if self._tells(item))

    def retrieval(self, found: Retrieval) -> Retrieval:
        """What was found for a question, without hidden parts."""
        visible = {sort: self.of(getattr(found, sort)) for sort in ("rules", "columns", "queries")}
        return found.model_copy(update=visible)

    def _tells(self, item: Document | Retrieved) -> bool:
        document = item.document if isinstance(item, Retrieved) else item
        if document.table and self._seen.table(document.table) is None:
            return False
        if document.kind == "query" and document.id in self._added:
            return False
        return not (self._hides and self._hidden.search(f"{document.text}\n{document.sql}"))
