"""What a question was given of the docs."""

from __future__ import annotations

from executors.base import Frozen
from rag.documents import Document

MAX_SOURCE = 200  # characters


class UsedDocument(Frozen):
    """A document that was found for a question: its id, its kind, and where it comes from."""

    id: str
    kind: str
    source: str = ""

    @classmethod
    def of(cls, document: Document) -> UsedDocument:
        """What is said of a document."""
        return cls(id=document.id, kind=document.kind, source=document.source[:MAX_SOURCE])
