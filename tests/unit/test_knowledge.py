"""The docs of a database: updated once, retried after a failure, and reported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from filelock import FileLock
from index_fixtures import RULE
from manual_clock import Clock

from agent.databases.database import Database
from agent.databases.knowledge.added_documents import AddedDocuments
from agent.databases.knowledge.build import build_embedder
from agent.databases.knowledge.knowledge import PROBLEMS_SHOWN, RETRY_AFTER_S, Knowledge
from agent.platform.config.settings import Settings
from agent.platform.llm.wrappers.protected import ProtectedEmbedder
from agent.platform.storage.sqlite import MemoryStore
from rag.docs.documents import make_document
from rag.embedding.embedder import LocalEmbedder
from rag.errors import EmbedderUnavailable, RetrievalError
from rag.index.revision import Turn, slug_of
from rag.index.store import Store
from testbed.embedder import HashingEmbedder

QUESTION = "What is the revenue of orders?"
OVERLOADED = "The embedding model answered with status 429."


class Embedder(HashingEmbedder):
    """Fails while `error` says so; `tries` counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.error = ""
        self.tries = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.tries += 1
        if self.error:
            raise EmbedderUnavailable(self.error)
        return super().embed(texts)


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def knowledge(tmp_path: Path, rule_docs: Path, embedder: Embedder, clock: Clock) -> Knowledge:
    return Knowledge(
        Store(tmp_path / "index"),
        embedder,
        names=lambda: ("shop",),
        docs_of=lambda _: (rule_docs,),
        clock=clock,
        added=AddedDocuments(MemoryStore()),
    )


async def test_the_first_question_indexes_the_docs(knowledge: Knowledge, database: Database) -> None:
    known = await knowledge.find(QUESTION, database, 5)

    assert [hit.document.text for hit in known.found.rules] == [RULE]
    assert known.warnings == ()
    assert known.closest is not None


async def test_a_failure_that_has_passed_is_forgotten(
    knowledge: Knowledge, database: Database, embedder: Embedder, clock: Clock
) -> None:
    embedder.error = OVERLOADED
    before = await knowledge.find(QUESTION, database, 5)
    embedder.error = ""
    clock.now += RETRY_AFTER_S
    after = await knowledge.find(QUESTION, database, 5)

    assert before.found.all == ()
    assert OVERLOADED in before.warnings[0]
    assert [hit.document.text for hit in after.found.rules] == [RULE]
    assert after.warnings == ()


async def test_after_a_failure_not_every_question_tries_again(
    knowledge: Knowledge, database: Database, embedder: Embedder, clock: Clock
) -> None:
    embedder.error = OVERLOADED
    await knowledge.find(QUESTION, database, 5)
    tries = embedder.tries
    clock.now += RETRY_AFTER_S - 1
    known = await knowledge.find(QUESTION, database, 5)
    assert embedder.tries == tries, "nothing is indexed, so that nothing needs a vector"
    assert OVERLOADED in known.warnings[0]

    clock.now += 1
    await knowledge.find(QUESTION, database, 5)
    assert embedder.tries > tries


async def test_what_succeeded_is_not_done_again(
    knowledge: Knowledge, database: Database, embedder: Embedder, clock: Clock
) -> None:
    await knowledge.find(QUESTION, database, 5)
    clock.now += 10 * RETRY_AFTER_S
    await knowledge.find(QUESTION, database, 5)

    assert embedder.embedded.count(RULE) == 1


async def test_one_cause_gives_one_warning(
    knowledge: Knowledge, database: Database, rule_docs: Path, embedder: Embedder, tmp_path: Path
) -> None:
    await knowledge.find(QUESTION, database, 5)  # the index is there, and the docs then change
    rule_docs.write_text(f"# Shop\n\n## Rules\n\n- {RULE}\n- Guests have no account.\n", encoding="utf-8")
    embedder.error = OVERLOADED
    restarted = Knowledge(
        Store(tmp_path / "index"),
        embedder,
        names=lambda: ("shop",),
        docs_of=lambda _: (rule_docs,),
        added=AddedDocuments(MemoryStore()),
    )

    known = await restarted.find(QUESTION, database, 5)

    assert known.warnings == (f"Answered without the docs of this database: {OVERLOADED}",)


async def test_docs_that_could_not_be_used_are_told_with_every_answer(
    knowledge: Knowledge, database: Database, rule_docs: Path
) -> None:
    rule_docs.write_text("# Shop\n\n## orders\n\n- `amuont`: euros, without tax.\n", encoding="utf-8")

    first, second = [await knowledge.find(QUESTION, database, 5) for _ in range(2)]

    assert len(first.warnings) == 1
    assert "amuont" in first.warnings[0]
    assert "'amount'" in first.warnings[0]
    assert second.warnings == first.warnings


async def test_problems_are_told_after_indexing(knowledge: Knowledge, database: Database, rule_docs: Path) -> None:
    rule_docs.write_text("# Shop\n\n## orders\n\n- `amuont`: euros, without tax.\n", encoding="utf-8")

    indexed = await knowledge.index(database)
    known = await knowledge.find(QUESTION, database, 5)

    assert len(indexed.problems) == 1
    assert known.warnings == (f"Not used of the docs: {indexed.problems[0]}",)


async def test_many_problems_are_told_in_a_few_lines(knowledge: Knowledge, database: Database, rule_docs: Path) -> None:
    lines = "".join(f"- `missing_{number}`: of no use.\n" for number in range(9))
    rule_docs.write_text(f"# Shop\n\n## orders\n\n{lines}", encoding="utf-8")

    known = await knowledge.find(QUESTION, database, 5)

    assert len(known.warnings) == PROBLEMS_SHOWN + 1
    assert f"{9 - PROBLEMS_SHOWN} more" in known.warnings[-1]


async def test_indexing_by_hand_repairs_what_failed_before(
    knowledge: Knowledge, database: Database, embedder: Embedder
) -> None:
    embedder.error = OVERLOADED
    await knowledge.find(QUESTION, database, 5)
    embedder.error = ""

    assert (await knowledge.index(database)).report.added == 1
    known = await knowledge.find(QUESTION, database, 5)  # at once, whatever the clock says
    assert known.warnings == ()
    assert [hit.document.text for hit in known.found.rules] == [RULE]


async def test_indexing_by_hand_says_what_fails(knowledge: Knowledge, database: Database, embedder: Embedder) -> None:
    embedder.error = OVERLOADED

    with pytest.raises(RetrievalError, match="429"):
        await knowledge.index(database)


@pytest.mark.parametrize("has_docs", [True, False])
async def test_only_docs_warm_the_embedder_up(tmp_path: Path, rule_docs: Path, has_docs: bool) -> None:
    class Warm(LocalEmbedder):
        loaded = False

        def load(self) -> None:
            self.loaded = True

    embedder, listed = Warm(), {"bare": (), "shop": (rule_docs,) if has_docs else ()}
    await Knowledge(
        Store(tmp_path / "index"),
        embedder,
        names=lambda: tuple(listed),
        docs_of=lambda name: listed[name],
        added=AddedDocuments(MemoryStore()),
    ).warm_up()

    assert embedder.loaded is has_docs


def test_without_a_token_the_embedder_is_unavailable_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from azure.identity import CredentialUnavailableError

    class Credential:
        def get_token_info(self, *_: str, **__: object) -> object:
            raise CredentialUnavailableError(message="nobody is signed in")

    monkeypatch.setattr("azure.identity.DefaultAzureCredential", Credential)
    embedder = build_embedder(Settings(azure_openai_endpoint="https://x.example", embedding="openai"))

    assert isinstance(embedder, ProtectedEmbedder)
    with pytest.raises(EmbedderUnavailable, match="az login"):
        embedder.embed(["orders"])


async def test_what_is_added_while_indexing_waits_for_another_process_is_not_lost(
    tmp_path: Path, rule_docs: Path, embedder: Embedder, database: Database
) -> None:
    store, added = Store(tmp_path / "index"), AddedDocuments(MemoryStore())
    knowledge = Knowledge(store, embedder, names=lambda: ("shop",), docs_of=lambda _: (rule_docs,), added=added)
    guest = make_document("rule", "Guest: an order without a customer.", database="shop")
    lock = FileLock(tmp_path / "index" / slug_of("shop") / "index.lock", thread_local=False)
    lock.acquire()

    def taken_there() -> None:
        added.add("shop", [guest])
        lock.release()

    indexed = await knowledge.index(database, turn=Turn(waiting=taken_there))

    assert guest in store.documents("shop")
    assert (indexed.report.added, indexed.report.unchanged) == (2, 0)
    await knowledge.close()
