"""Which reader reads which file; one unreadable file is a problem of its own and never of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from executors.base import Schema
from rag.collector import Collector
from rag.documents import ReadResult
from rag.readers_csv import read_csv
from rag.readers_markdown import read_markdown
from rag.readers_yaml import read_yaml

# A reader takes the file's text and its path (for messages), and fills the collector.
Reader = Callable[[str, Path, Collector], None]

READERS: dict[str, Reader] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".csv": read_csv,
}


def read_all(paths: Sequence[Path], schema: Schema | None) -> ReadResult:
    """As `documents.read_documents`."""
    collector = Collector(schema)
    for path in paths:
        for file in _files(path, collector):
            text = _text(file, collector)
            if text is not None:
                READERS[file.suffix.lower()](text, file, collector)
    return collector.result()


def _files(path: Path, collector: Collector) -> Iterator[Path]:
    """The readable files of a path; in a folder other files are passed over, named on their own they are a problem."""
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.suffix.lower() in READERS and file.is_file())
    elif not path.exists():
        collector.problem(path.name, "there is no such file")
    elif path.suffix.lower() not in READERS:
        collector.problem(path.name, f"docs are read from {', '.join(READERS)} files; this is none")
    else:
        yield path


def _text(file: Path, collector: Collector) -> str | None:
    """The file's text: UTF-8 with or without its mark, else the Windows code page that spreadsheets still write."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        collector.problem(file.name, f"it cannot be read ({error.strerror})")
        return None
    if b"\0" in raw:
        collector.problem(file.name, "it is not a text file; save it as UTF-8 text")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
