"""An index that is damaged, gone or out of reach costs the docs, never the answer."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from index_fixtures import QUESTION, says_revenue, write_facts

from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from rag.index.revision import slug_of
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel


async def asked(service: Service, model: ScriptedModel) -> list[str]:
    """The warnings of an answer, which is right whatever they say; but not that no docs explain its words."""
    says_revenue(model)
    answer = await service.query(QUESTION, "shop")
    assert answer.results == [{"revenue": 460.5}]
    return [warning for warning in answer.warnings if not warning.startswith("No table or column looks like")]


@pytest.fixture
def local(
    settings: Settings, model: ScriptedModel, registry: Path, shop_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Service]:
    """Services whose embedder computes in this process."""
    registry.write_text(f"shop:\n  url: {shop_file.name}\n  docs: [shop.md]\n", encoding="utf-8")
    write_facts(registry.with_name("shop.md"), 3)
    monkeypatch.setattr("agent.databases.knowledge.build.build_embedder", lambda _: HashingEmbedder())

    def local(**changes: object) -> Service:
        return build_service(settings.model_copy(update={"reuse_verified": False, **changes}), model=model)

    return local


async def test_a_damaged_index_is_told_with_the_answer_and_made_anew(
    local: Callable[..., Service], model: ScriptedModel, tmp_path: Path
) -> None:
    first = local()
    assert await asked(first, model) == []
    await first.close()
    home = tmp_path / "state" / "index" / slug_of("shop")
    (revision,) = home.glob("r-*")
    (revision / "chroma.sqlite3").write_bytes(b"not a database" * 1000)

    second = local()
    (warning,) = await asked(second, model)
    assert "is damaged" in warning
    assert "corrupt-" in warning
    assert await asked(second, model) == [], "it is told once, and then it is whole"
    await second.close()
    (aside,) = home.glob("*.corrupt-*")
    assert (aside / "chroma.sqlite3").read_bytes().startswith(b"not a database")


async def test_an_index_that_somebody_deletes_is_made_again(
    local: Callable[..., Service], model: ScriptedModel, tmp_path: Path
) -> None:
    service = local()
    assert await asked(service, model) == []
    await service.knowledge.links.close()  # vectors are made behind the question's back: none while the folder goes
    shutil.rmtree(tmp_path / "state" / "index")
    assert await asked(service, model) == []
    assert service.knowledge.store.is_indexed("shop")
    await service.close()


@pytest.mark.parametrize("why", ["a file is where the folder should be", "the disk is full", "no permission"])
async def test_an_index_that_cannot_be_written_costs_the_docs_alone(
    local: Callable[..., Service], model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "a file is where the folder should be":
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "index").write_text("in the way")
    else:
        number, text = (28, "No space left on device") if why == "the disk is full" else (13, "Permission denied")

        def refuse(*_: object) -> None:
            raise OSError(number, text)

        monkeypatch.setattr("rag.index.chroma.write", refuse)
    service = local()
    (warning,) = await asked(service, model)
    assert "docs of this database" in warning
    assert "Check that the folder can be written" in warning
    assert str(tmp_path) not in warning
    await service.close()


async def test_a_chroma_server_that_is_down_costs_the_docs_alone(
    local: Callable[..., Service], model: ScriptedModel
) -> None:
    service = local(chroma_url="http://127.0.0.1:9")
    (warning,) = await asked(service, model)
    assert "Check that the Chroma server is running" in warning
    assert "127.0.0.1" not in warning
    await service.close()
