"""Every route of reviews, feedback and saved queries has an example in the contract that matches its schema."""

from __future__ import annotations

from typing import Any

import pytest
from api_client import api_client, app_without_docs
from pydantic import BaseModel
from shop_questions import Make

from agent.api.schemas.common import ExecuteResponse
from agent.api.schemas.reviews import (
    FeedbackRequest,
    FeedbackResponse,
    ReviewDetail,
    ReviewPage,
    SettleRequest,
    SettleResponse,
)
from agent.api.schemas.saved import ReplaceSavedRequest, RunSavedRequest, SavedList, SavedResponse, SaveRequest


@pytest.mark.parametrize(
    "method, path, status, model",
    [
        ("get", "/api/reviews", "200", ReviewPage),
        ("get", "/api/reviews/{id}", "200", ReviewDetail),
        ("post", "/api/reviews/{id}", "200", SettleResponse),
        ("post", "/api/feedback", "200", FeedbackResponse),
        ("post", "/api/saved", "201", SavedResponse),
        ("get", "/api/saved", "200", SavedList),
        ("get", "/api/saved/{id}", "200", SavedResponse),
        ("put", "/api/saved/{id}", "200", SavedResponse),
        ("post", "/api/saved/{id}/run", "200", ExecuteResponse),
    ],
)
async def test_each_route_shows_what_it_answers(
    make_service: Make, method: str, path: str, status: str, model: type[BaseModel]
) -> None:
    async with api_client(app_without_docs(make_service)) as client:
        operation = (await client.get("/openapi.json")).json()["paths"][path][method]
    assert model.model_validate(operation["responses"][status]["content"]["application/json"]["example"])
    assert operation["responses"]["422" if "{id}" in path or method == "post" else "500"]["description"]


@pytest.mark.parametrize("body", [SettleRequest, FeedbackRequest, SaveRequest, ReplaceSavedRequest, RunSavedRequest])
def test_each_request_has_an_example_that_it_takes(body: type[BaseModel]) -> None:
    examples: list[Any] = body.model_json_schema()["examples"]
    assert [body.model_validate(example) for example in examples]
