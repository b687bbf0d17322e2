"""Chooses the reader for each file. An unreadable file is a problem and does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from executors.base import Schema
from rag.docs.collector import DocsCollector
from rag.docs.documents import Document, ReadResult, make_document
from rag.docs.fields import read_csv
from rag.docs.markdown_reader import DOCS_BLOCK, read_markdown
from rag.docs.yaml_reader import read_yaml

# A reader takes a file's text and its path (for messages), and fills the collector.
Reader = Callable[[str, Path, DocsCollector], None]

READERS: dict[str, Reader] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".csv": read_csv,
    ".tsv": read_csv,
}
_MARKDOWN = (".md", ".markdown")
# Files next to dbt's docs that only configure it. One may contain passwords.
_NO_DOCS = ("dbt_project", "packages", "package-lock", "dependencies", "profiles", "selectors")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def add_reader(suffix: str, reader: Reader) -> None:
    """Register a reader for another kind of docs file, listed in `docs:` or inside a listed folder.

    The suffix includes its dot, in lower case. Raises ValueError if the suffix already has a reader.
    """
    if suffix in READERS:
        raise ValueError(f"{suffix}: such files are read already")
    READERS[suffix] = reader


def read_documents(paths: Sequence[Path], schema: Schema | None = None) -> ReadResult:
    """Read docs from Markdown, YAML and CSV files, and from folders of them, recursively, in the order of names.

    Without a schema, names are taken as written. With one, the result has a problem for each unknown name (with the
    nearest known one) and for each file that cannot be read. A problem never stops the other files.
    """
    collector = DocsCollector(schema)
    collector.blocks.update(_blocks(paths))
    for path in paths:
        for file in _files(path, collector):
            text = _text(file, collector)
            if text is not None:
                READERS[file.suffix.lower()](text, file, collector)
    return collector.result()


def resolve_documents(documents: Sequence[Document], schema: Schema) -> ReadResult:
    """Documents from any source with the real names of their tables and columns. The result has a problem, with the
    nearest name, for each unknown name."""
    collector = DocsCollector(schema)
    found: list[Document] = []
    for document in documents:
        table = collector.table(document.source, document.table) if document.table else ""
        column = collector.column(document.source, table, document.column) if table and document.column else ""
        if table is not None and column is not None:
            place = {"table": table, "column": column, "source": document.source, "sql": document.sql}
            found.append(make_document(document.kind, document.text, database=schema.database, **place))
    return ReadResult(documents=tuple(found), problems=collector.result().problems)


def _blocks(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The named blocks of all Markdown files. YAML files that are read earlier may refer to them."""
    unheard = DocsCollector(None)  # discarded: errors are reported when the file itself is read
    for path in paths:
        for file in _files(path, unheard):
            if file.suffix.lower() in _MARKDOWN:
                yield from ((name, block.strip()) for name, block in DOCS_BLOCK.findall(_text(file, unheard) or ""))


def _files(path: Path, collector: DocsCollector) -> Iterator[Path]:
    """The readable files of a path. Other files are skipped in a folder, but are a problem if listed themselves."""
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.is_file() and _is_doc(file.relative_to(path)))
    elif not path.exists():
        collector.problem(path.name, "there is no such file")
    elif path.suffix.lower() not in READERS:
        collector.problem(path.name, f"docs are read from {', '.join(READERS)} files; this is none")
    else:
        yield path


def _is_doc(file: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.parts)
    return file.suffix.lower() in READERS and file.stem.lower() not in _NO_DOCS and not hidden


def _text(file: Path, collector: DocsCollector) -> str | None:
    """The text of a file: UTF-8 with or without a byte order mark, else the code page of Windows spreadsheets."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        collector.problem(file.name, f"it cannot be read ({error.strerror})")
        return None
    if raw.startswith(_BYTE_ORDER_MARKS):  # "Unicode text" in spreadsheets
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw:
        collector.problem(file.name, "it is not a text file; save it as UTF-8 text")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
