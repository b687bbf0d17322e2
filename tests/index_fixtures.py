"""An index on disk with some documents of a shop, an embedder without a model, and a question about the shop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from agent.databases.database import Database
from agent.databases.knowledge import build
from executors.engines.sqlite.executor import SqliteExecutor
from rag.docs.documents import Document, make_document
from rag.errors import EmbedderUnavailable
from rag.index.revision import Turn, slug_of
from rag.index.store import Store
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

TOTAL = make_document("column", "amount without tax", table="orders", column="total", source="shop.md")
CITY = make_document("column", "where the customer lives", table="customers", column="city", source="shop.md")
GUEST = make_document("rule", "a guest is an order without customer", source="shop.md")
COUNT = make_document("query", "How many orders?", sql="SELECT count(*)\nFROM orders", source="shop.md")
ALL = (TOTAL, CITY, GUEST, COUNT)
NOW = Turn(wait_s=0)
RULE = "Cancelled orders do not count as revenue."
QUESTION = "What is the revenue of orders?"


class FailingEmbedder(HashingEmbedder):
    """Works for the first texts, then no more."""

    def __init__(self, works_for: int) -> None:
        super().__init__()
        self._left = works_for

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self._left -= len(texts)
        if self._left < 0:
            raise EmbedderUnavailable("no more")
        return super().embed(texts)


@pytest.fixture
async def database(shop_file: Path) -> AsyncIterator[Database]:
    """The shop, with sampled values."""
    executor = SqliteExecutor("shop", shop_file, sample_values=3)
    database = Database(executor, limit=2, timeout_s=30)
    yield database
    await database.close()
    executor.close()


@pytest.fixture
def rule_docs(tmp_path: Path) -> Path:
    """Docs of the shop with one rule."""
    path = tmp_path / "shop.md"
    path.write_text(f"# Shop\n\n## Rules\n\n- {RULE}\n", encoding="utf-8")
    return path


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def service_embedder(monkeypatch: pytest.MonkeyPatch, embedder: HashingEmbedder) -> None:
    """Every service of the test embeds with it, instead of a model."""
    monkeypatch.setattr(build, "build_embedder", lambda _: embedder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "index")
    yield store
    store.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of the index `shop`."""
    return tmp_path / "index" / slug_of("shop")


def numbered(count: int) -> list[Document]:
    return [make_document("rule", f"rule {number}") for number in range(count)]


def revision(home: Path) -> Path:
    (folder,) = [path for path in home.iterdir() if path.name.startswith("r-") and "corrupt" not in path.name]
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_facts(path: Path, count: int, *, word: str = "says nothing") -> None:
    """A file of docs with so many rules."""
    lines = "".join(f"- Fact {number} {word}\n" for number in range(count))
    path.write_text(f"# Shop\n\n## Rules\n\n{lines}", encoding="utf-8")


def says_revenue(model: ScriptedModel) -> None:
    """The replies to `QUESTION`."""
    model.replies(sql="SELECT SUM(amount) AS revenue FROM orders")
    model.replies(correct=True, reason="the sum of all orders")
    model.replies(text="The revenue is 460.5.")
