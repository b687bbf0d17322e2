"""Which docs belong to which database of a file of questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

DOC_SUFFIXES = (".md", ".yaml", ".yml", ".csv")


def doc_files(paths: Iterable[Path]) -> list[Path]:
    """The files of docs among these files and folders, at every depth, in the order of their names."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [file for file in inside if file.suffix.lower() in DOC_SUFFIXES]
    return found


def docs_beside(questions: Path, databases: Sequence[Path]) -> list[Path]:
    """The docs that lie with a file of questions: beside it or in a folder beside it, named after one of its databases.

    `shop.glossary.md`, `shop_terms.csv` and `shop_description/orders.csv` are docs of `shop.sqlite`; a README is not.
    """
    folder = questions.parent
    near = sorted(chain(folder.glob("*"), folder.glob("*/*")))
    named = [file for file in near if any(_is_of(file, database.stem) for database in databases)]
    return [file for file in named if file.is_file() and file.suffix.lower() in DOC_SUFFIXES and file != questions]


def docs_for(database: Path, databases: Iterable[Path], files: Iterable[Path]) -> tuple[Path, ...]:
    """The docs of one database: all, but for those whose name (or folder's name) begins with another one's."""
    others = {path.stem for path in databases} - {database.stem}
    return tuple(
        file for file in files if _is_of(file, database.stem) or not any(_is_of(file, other) for other in others)
    )


def _is_of(file: Path, stem: str) -> bool:
    names = (file.name, file.parent.name)
    return any(name == stem or name.startswith((f"{stem}.", f"{stem}_")) for name in names)
