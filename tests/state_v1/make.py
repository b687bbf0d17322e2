"""Writes the state that Plumbline kept before its state had a version, as text: one dump for each SQLite file.

    python -m tests.state_v1.make FOLDER

It is run with the code of that time (commit 0bceb6c), which had four files; `test_state_versions.py` reads the dumps.
"""

# mypy: ignore-errors
from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path

from agent.core.models import Pending
from agent.databases.knowledge.added_documents import AddedDocuments
from agent.databases.knowledge.verified_queries import Key, VerifiedQueries, VerifiedQuery
from agent.people.feedback.records import AnswerRecord, Review
from agent.people.feedback.shelf import Shelf
from agent.people.sessions.sessions import SessionMessage, Sessions
from agent.pipeline.steps.write_plans import PlannedWrite, WritePlans
from agent.platform.storage.sqlite import SqliteStore
from rag.docs.documents import make_document

NOW = 4_000_000_000.0  # far enough that nothing of it has expired when it is read


def fill(folder: Path) -> None:
    """Something of every kind."""

    def clock() -> float:
        return NOW

    store = SqliteStore(folder / "state.sqlite", clock)
    sessions = Sessions(store, timeout_s=3600, clock=clock)
    session = sessions.start("shop", "ann@example.org")
    said = (
        SessionMessage(role="user", content="What is the total of all orders?"),
        SessionMessage(role="assistant", content="460.5", sql_query="SELECT SUM(amount) FROM orders", status="success"),
    )
    pending = Pending(question="Which orders?", clarification="Which dates do you mean?", choices=())
    sessions.append(session.id, "ann@example.org", said, pending)

    shelf = Shelf(store, review_days=90, feedback_days=30, clock=clock)
    answer = AnswerRecord(
        trace_id="0af7651916cd43dd8448eb211c80319c", principal="ann@example.org", database="shop",
        question="What is the total of all orders?", answer="460.5", sql="SELECT SUM(amount) FROM orders",
        status="success", verified=False, attempts=(),
    )  # fmt: skip
    shelf.note(answer)
    shelf.add(Review.of(answer, NOW))

    verified = VerifiedQueries(folder / "verified.sqlite", clock=clock)
    query = VerifiedQuery(sql="SELECT SUM(amount) FROM orders", tables=("orders",), fingerprint="f1")
    verified.keep(Key("shop", "", "what is the total of all orders"), query)
    verified.keep(Key("shop", "ann@example.org", "what is the total of all orders"), query)

    plans = WritePlans(folder / "writes.sqlite", lifetime_s=600, clock=clock)
    plan = PlannedWrite(database="shop", principal="ann@example.org", sql="DELETE FROM orders", rows=1, seen="d1")
    print(plans.keep(plan).token)

    documents = (
        make_document("rule", "Revenue leaves out cancelled orders.", database="shop", table="orders", source="api"),
        make_document("rule", "A guest is an order without a customer.", database="shop", source="api"),
    )
    AddedDocuments(folder / "documents.sqlite").add("shop", documents)


def dump(folder: Path, target: Path) -> None:
    """Each file as SQL, with its version, which SQLite's own dump leaves out."""
    for path in sorted(folder.glob("*.sqlite")):
        with sqlite3.connect(path) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            lines = [*connection.iterdump(), f"PRAGMA user_version = {version};"]
        (target / f"{path.stem}.sql").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        fill(Path(made))
        dump(Path(made), Path(sys.argv[1]))
