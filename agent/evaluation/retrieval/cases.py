"""The cases for measuring retrieval: folders of questions, their databases, and the docs next to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from agent.databases.database import Database
from agent.databases.knowledge.values import all_stored, read_values
from agent.evaluation.gold import GoldNames, gold_names
from agent.evaluation.harness import EvaluationInvalid, GoldQuestion, load_questions
from agent.evaluation.retrieval.measure import RetrievalCase, StoredText
from agent.evaluation.retrieval.merged import MergedCatalogue
from executors.base import CheckedSql, Column, Executor, Schema, Table
from rag.docs.documents import comment_documents
from rag.docs.reading import read_documents

QUESTIONS = "questions.json"
_TIMEOUT_S = 60.0
_CONDITIONS = 50  # per query
_DATE = re.compile(r"date|time", re.IGNORECASE)
_NO_TEXT = re.compile(r"int|dec|num|real|doub|float|money|bool|bit|blob|binary|byte|serial", re.IGNORECASE)


class Folder(NamedTuple):
    """A folder with a file of questions. docs: the docs of each database, by its path."""

    name: str
    questions: list[GoldQuestion]
    docs: dict[Path, tuple[Path, ...]]

    @property
    def databases(self) -> list[Path]:
        """The databases of the questions, in their order."""
        return list(dict.fromkeys(question.path for question in self.questions))


def read_folders(paths: Sequence[Path], file: str = QUESTIONS) -> list[Folder]:
    """The folders that have a file of questions, or whose subfolders do. Raises EvaluationInvalid."""
    files: list[Path] = []
    for path in paths:
        found = [path / file] if (path / file).is_file() else sorted(path.glob(f"*/{file}"))
        if not found:
            raise EvaluationInvalid(f"There is no {file} in {path}, nor in a folder of it.")
        files += found
    folders: list[Folder] = []
    for one in files:
        questions = load_questions(one)
        databases = list(dict.fromkeys(question.path for question in questions))
        docs = docs_beside(one, databases)
        folders.append(Folder(one.parent.name, questions, {it: docs_for(it, databases, docs) for it in databases}))
    return folders


async def read_catalogue(executor: Executor, docs: Sequence[Path]) -> tuple[MergedCatalogue, tuple[str, ...]]:
    """Schema, docs and values of a database, and problems with the docs. Raises DatabaseUnavailable."""
    database = Database(executor, limit=1, timeout_s=_TIMEOUT_S)
    try:
        schema = await database.schema()
        read = read_documents(docs, schema)
        documents = (*read.documents, *comment_documents(schema))
        stored = all_stored(await read_values(database, schema))
    finally:
        await database.close()
    return MergedCatalogue(db_schema=schema, documents=documents, stored=stored), read.problems


def read_cases(
    folder: Folder, executors: dict[Path, Executor], limit: int | None = None, *, show_evidence: bool = False
) -> tuple[list[tuple[Path, RetrievalCase]], tuple[str, ...]]:
    """The folder's questions, each with its database; and the gold queries that cannot be read, with their questions.

    A question without any readable gold query is left out.
    """
    cases: list[tuple[Path, RetrievalCase]] = []
    left_out: list[str] = []
    for question in folder.questions[:limit]:
        executor = executors[question.path]
        golds: list[GoldNames] = []
        for sql in question.gold:
            try:
                golds.append(gold_names(sql, executor.schema()))
            except EvaluationInvalid as error:
                left_out.append(f"{question.question}: {error}")
        if golds:
            texts = find_stored_texts(executor, golds[0].literals)
            fields = {"folder": folder.name, "database": question.database, "question": question.question}
            fields["evidence"] = question.evidence if show_evidence else ""
            cases.append((question.path, RetrievalCase(**fields, golds=tuple(golds), texts=texts)))
    return cases, tuple(left_out)


def find_stored_texts(executor: Executor, texts: Sequence[str]) -> tuple[StoredText, ...]:
    """The texts that a column of texts or dates holds, ignoring case, each with its columns."""
    schema = executor.schema()
    columns = [
        (table, column) for table in schema.tables for column in table.columns if not _NO_TEXT.search(column.type)
    ]
    found: dict[str, list[tuple[Table, Column]]] = defaultdict(list)
    for text in texts:
        for start in range(0, len(columns), _CONDITIONS):
            part = columns[start : start + _CONDITIONS]
            sql = " UNION ALL ".join(_holds(schema, *it, text, at) for at, it in enumerate(part))
            query = CheckedSql(sql=sql, executable=sql, row_limit=_CONDITIONS, tables=())
            for (at,) in executor.run(query, timeout_s=_TIMEOUT_S).rows:
                found[text].append(part[int(at)])
    return tuple(
        StoredText(
            text=text,
            columns=tuple((table.name, column.name) for table, column in holders),
            # in SQLite a column of dates holds texts, but questions can match them only as dates
            is_date=all(_DATE.search(column.type) for _, column in holders),
        )
        for text, holders in found.items()
    )


def _holds(schema: Schema, table: Table, column: Column, text: str, number: int) -> str:
    """A query that returns `number` if the column holds the text."""
    literal = "'" + text.replace("'", "''") + "'"
    return (
        f"SELECT {number} WHERE EXISTS (SELECT 1 FROM {schema.quote_table(table)} "
        f"WHERE LOWER({schema.quote_name(column.name)}) = LOWER({literal}))"
    )


DOC_SUFFIXES = (".md", ".yaml", ".yml", ".csv")


def doc_files(paths: Iterable[Path]) -> list[Path]:
    """The doc files among these files and folders, at every depth; those of a folder in the order of their names."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [file for file in inside if file.suffix.lower() in DOC_SUFFIXES]
    return found


def docs_beside(questions: Path, databases: Sequence[Path]) -> list[Path]:
    """The docs of a file of questions: beside it or in a folder beside it, and named after one of its databases.

    `shop.glossary.md`, `shop_terms.csv` and `shop_description/orders.csv` are docs of `shop.sqlite`; a README is not.
    """
    folder = questions.parent
    near = sorted(chain(folder.glob("*"), folder.glob("*/*")))
    named = [file for file in near if any(_is_of(file, database.stem) for database in databases)]
    return [file for file in named if file.is_file() and file.suffix.lower() in DOC_SUFFIXES and file != questions]


def docs_for(database: Path, databases: Iterable[Path], files: Iterable[Path]) -> tuple[Path, ...]:
    """The docs of one database: all except those whose name (or folder's name) begins with that of another database."""
    others = {path.stem for path in databases} - {database.stem}
    return tuple(
        file for file in files if _is_of(file, database.stem) or not any(_is_of(file, other) for other in others)
    )


def _is_of(file: Path, stem: str) -> bool:
    names = (file.name, file.parent.name)
    return any(name == stem or name.startswith((f"{stem}.", f"{stem}_")) for name in names)
