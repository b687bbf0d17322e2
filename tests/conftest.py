"""What most tests share: a tiny shop, a scripted model, and a way to ask."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from shop_questions import Ask

from agent.core.answers import Answer
from agent.core.events import Event
from agent.core.models import Options
from agent.pipeline.confidence.calibration import FOLDER
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from executors.workers import checking
from executors.workers.pool import WorkerPool, get_shared_pool
from testbed.scripted_model import ScriptedModel

# How long an example takes is no property of what is tested; a busy machine takes longer.
hypothesis.settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any_machine")

pytest_plugins = [
    "door",
    "engine_report",
    "hosted_fixtures",
    "index_fixtures",
    "model_file_fixtures",
    "page_fixtures",
    "state_fixtures",
]

SHOP = """
CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT
);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (customer_id),
    ordered_at TEXT,
    status TEXT,
    amount REAL
);
INSERT INTO customers VALUES (1, 'Ada', 'DE'), (2, 'Bo', 'FR'), (3, 'Cy', 'DE');
INSERT INTO orders VALUES
    (1, 1, '2024-01-05', 'C', 100.0),
    (2, 1, '2024-02-10', 'X', 40.0),
    (3, 2, '2024-03-15', 'C', 250.5),
    (4, NULL, '2024-03-20', 'S', 60.0),
    (5, 3, '2025-01-01', 'C', 10.0);
"""


@pytest.fixture(scope="session", autouse=True)
def workers() -> Iterator[WorkerPool]:
    """The processes of local databases, and the guard's: the same for all tests, for to start one takes a second."""
    pool, guards = get_shared_pool(Settings.model_fields["local_workers"].default, 2 * 10**9), checking.workers()
    for one in (pool, guards):
        one.hold()
    yield pool
    for one in (pool, guards):
        one.release()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question waits until values and vectors are there, and for what it looks up: a busy machine, on which a process
    for a query may have to begin, needs longer for them than users wait.
    """
    for name in (
        "agent.databases.key_names.QUERY_S",
        "agent.databases.knowledge.linking.PATIENCE_S",
        "agent.databases.knowledge.implied_keys.PATIENCE_S",
        "agent.databases.knowledge.implied_keys.QUERY_S",
        "agent.databases.knowledge.implied_keys.TOTAL_S",
        "agent.pipeline.rounds.refuted.LOOKUP_S",
        "agent.pipeline.rounds.unread.LOOKUP_S",
        "agent.understanding.clarification.lookups.TIMEOUT_S",
        "agent.understanding.clarification.nearness.PATIENCE_S",
        "agent.understanding.messages.by_meaning.PATIENCE_S",
        "agent.understanding.messages.overview.COUNT_S",
        "agent.understanding.first_look.look.PATIENCE_S",
        "agent.understanding.first_look.look.QUERY_S",
    ):
        monkeypatch.setattr(name, 60.0)


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    """Three customers, five orders; one cancelled, one of a guest."""
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SHOP)
    connection.close()
    return path


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    path = tmp_path / "databases.yaml"
    path.write_text(f"shop: {shop_file.name}\n", encoding="utf-8")
    return path


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """Strict both ways: a reply that was never asked for fails the test as well."""
    scripted = ScriptedModel()
    yield scripted
    scripted.assert_done()


@pytest.fixture
def settings(tmp_path: Path, registry: Path) -> Settings:
    return Settings(
        registry=registry,
        state_dir=tmp_path / "state",
        cache_dir=tmp_path / "cache",
        profile="embedded",
        calibration=FOLDER / "hosted.json",  # with a judge, which no fit of the embedded model has
        second_draft=False,
    )


@pytest.fixture
def make_service(settings: Settings, model: ScriptedModel) -> Callable[..., Service]:
    def make(**changes: object) -> Service:
        return build_service(settings.model_copy(update=changes), model=model)

    return make


@pytest.fixture
async def service(make_service: Callable[..., Service]) -> AsyncIterator[Service]:
    built = make_service()
    yield built
    await built.close()


@pytest.fixture
def ask(service: Service) -> Ask:
    async def ask(question: str, database: str = "shop", **options: object) -> Answer:
        return await service.query(question, database, options=Options.model_validate(options))

    return ask


@pytest.fixture
def events_of(service: Service) -> Callable[..., Awaitable[list[Event]]]:
    async def events_of(question: str, database: str = "shop", **options: object) -> list[Event]:
        found = service.events(question, database, options=Options.model_validate(options))
        return [event async for event in found]

    return events_of
