"""The measurement of a new process calls the app as a server would."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench.cold_start import TARGETS, call, report
from bench.targets import Figure, show


async def test_an_app_gets_the_request_and_its_answer_comes_back() -> None:
    async def echo(request: Request) -> JSONResponse:
        return JSONResponse({"path": request.url.path, "body": await request.json()}, status_code=201)

    app = Starlette(routes=[Route("/api/echo", echo, methods=["POST"])])
    status, body = await call(app, "POST", "/api/echo", {"a": 1})
    assert (status, body) == (201, b'{"path":"/api/echo","body":{"a":1}}')


def test_a_missed_target_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    good = dict.fromkeys(TARGETS, (0.5, 1.0))
    assert report([good, good])
    assert not report([good | {"first question": (9.0, 9.0)}] * 3)
    assert "MISSED: at most 2.5 s" in capsys.readouterr().out


def test_a_figure_without_a_target_is_never_missed(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("Some", [Figure("one", 3.14159, "ms"), Figure("two", 2.0, "ms", 2.0)])
    assert capsys.readouterr().out == "Some\n  one       3.14 ms\n  two       2.00 ms   met: at most 2 ms\n"
