"""Hosted models, over real HTTP: a local server speaks OpenAI's protocol, well or badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from http_endpoint import send_json, served
from pydantic import SecretStr

from agent.core.errors import ContentFiltered, ModelBusy, ModelFailed, ModelUnavailable
from agent.core.usage import Usage
from agent.platform.config.settings import Settings
from agent.platform.llm.build import build_model
from agent.platform.llm.chat import Message, ReplySchema
from agent.platform.llm.openai.chat_request import REASONING_TOKENS
from agent.platform.llm.openai.model import AzureOpenAIModel, OpenAIModel

KEY = "sk-test-0123456789"
ASK = [Message(role="system", content="You write SQL."), Message(role="user", content="How many orders?")]
VERDICT = ReplySchema(
    name="verdict",
    schema_={
        "type": "object",
        "title": "Verdict",
        "properties": {"reason": {"type": "string", "default": ""}, "correct": {"type": "boolean"}},
        "required": ["correct"],
    },
)

Answer = tuple[int, dict[str, str], Any]
Behaviour = Callable[[dict[str, Any]], Answer]


def says(text: str | None, **choice: Any) -> Answer:
    """A chat completion."""
    message = {"role": "assistant", "content": text, "refusal": choice.pop("refusal", None)}
    return 200, {}, {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None} | choice],
        "usage": {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97,
                  "prompt_tokens_details": {"cached_tokens": 64}},
    }  # fmt: skip


def fails(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An error as OpenAI words it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, {"error": {"message": message, "type": "error", "param": None, "code": code}}


class Endpoint(ThreadingHTTPServer):
    """Gives its answers in order, or computes them, and records requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.behaviour: Behaviour | None = None
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self._answer(self.server.behaviour(body) if self.server.behaviour else self.server.answers.pop(0))

    def do_GET(self) -> None:
        self._answer(self.server.answers.pop(0))

    def _answer(self, answer: Answer) -> None:
        self.server.paths.append(self.path)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        status, headers, body = answer
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        send_json(self, status, headers, data)

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    with served(server):
        yield server


@pytest.fixture
def waits() -> list[float]:
    """The waits between tries, in seconds, without waiting."""
    return []


@pytest.fixture
def make(endpoint: Endpoint, waits: list[float]) -> Callable[..., OpenAIModel]:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def model(**changes: Any) -> OpenAIModel:
        arguments: dict[str, Any] = {
            "base_url": f"{endpoint.url}/v1",
            "api_key": SecretStr(KEY),
            "timeout_s": 5,
            "retries": 3,
        }
        return OpenAIModel("gpt-test", **({"sleep": sleep} | arguments | changes))

    return model


Make = Callable[..., OpenAIModel]


async def test_a_reply_comes_with_its_tokens(endpoint: Endpoint, make: Make) -> None:
    endpoint.answers = [says("SELECT 1")]
    model = make()
    reply = await model.complete(ASK, max_tokens=77, temperature=0)
    await model.close()
    assert reply.text == "SELECT 1"
    assert not reply.truncated
    assert reply.usage == Usage(model_calls=1, prompt_tokens=90, cached_tokens=64, completion_tokens=7)
    assert endpoint.paths == ["/v1/chat/completions"]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    asked = endpoint.asked[0]
    assert (asked["model"], asked["max_tokens"], asked["temperature"]) == ("gpt-test", 77, 0)
    assert asked["messages"] == [message.model_dump() for message in ASK]
    assert "response_format" not in asked


async def test_a_reply_that_ran_out_of_tokens_is_marked(endpoint: Endpoint, make: Make) -> None:
    endpoint.answers = [says("SELECT", finish_reason="length")]
    model = make()
    assert (await model.complete(ASK)).truncated
    await model.close()


async def test_a_reply_without_usage_counts_as_one_call(endpoint: Endpoint, make: Make) -> None:
    status, headers, body = says("SELECT 1")
    endpoint.answers = [(status, headers, body | {"usage": None})]
    model = make()
    assert (await model.complete(ASK)).usage == Usage(model_calls=1)
    await model.close()


async def test_cached_tokens_are_read_from_llama_cpps_timings(endpoint: Endpoint, make: Make) -> None:
    status, headers, body = says("SELECT 1")
    usage = {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97}
    endpoint.answers = [(status, headers, body | {"usage": usage, "timings": {"cache_n": 81, "prompt_n": 9}})]
    model = make()
    assert (await model.complete(ASK)).usage.cached_tokens == 81
    await model.close()


# ------------------------------------------------------------------------------------------ structured replies


async def test_a_schema_is_asked_for_strictly(endpoint: Endpoint, make: Make) -> None:
    endpoint.answers = [says('{"reason": "", "correct": true}')]
    model = make()
    await model.complete(ASK, schema=VERDICT)
    await model.close()
    wanted = endpoint.asked[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"] == {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"reason": {"type": "string"}, "correct": {"type": "boolean"}},
            "required": ["reason", "correct"],
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize(
    "status, message",
    [
        (400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        (422, "response_format.type: Input should be 'text' or 'json_object'"),
        (404, "No endpoints found that support structured outputs"),
        (400, "This feature is not supported."),
    ],
)
async def test_an_endpoint_that_refuses_a_schema_gets_it_in_words_and_is_asked_once(
    endpoint: Endpoint, make: Make, status: int, message: str
) -> None:
    endpoint.answers = [fails(status, message), says("{}"), says("{}")]
    model = make()
    await model.complete(ASK, schema=VERDICT)
    await model.complete(ASK, schema=VERDICT)
    await model.close()
    formats = [asked["response_format"]["type"] for asked in endpoint.asked]
    assert formats == ["json_schema", "json_object", "json_object"]
    first, last = endpoint.asked[1]["messages"]
    assert first["content"] == "You write SQL.", "the cached beginning stays as it is"
    assert last["content"].startswith("How many orders?")
    assert '"correct"' in last["content"]
    assert "JSON" in last["content"]


async def test_an_endpoint_without_json_mode_is_asked_in_plain_text(endpoint: Endpoint, make: Make) -> None:
    def refuses_formats(asked: dict[str, Any]) -> Answer:
        return fails(400, "unknown field response_format") if "response_format" in asked else says("```json\n{}\n```")

    endpoint.behaviour = refuses_formats
    model = make()
    assert (await model.complete(ASK, schema=VERDICT)).text == "```json\n{}\n```"
    await model.complete(ASK, schema=VERDICT)
    await model.close()
    formats = [asked.get("response_format", {}).get("type", "text") for asked in endpoint.asked]
    assert formats == ["json_schema", "json_object", "text", "text"]


async def test_what_no_reply_format_repairs_is_not_remembered(endpoint: Endpoint, make: Make) -> None:
    endpoint.answers = [fails(400, "this deployment is not supported")] * 3 + [says("{}")]
    model = make()
    with pytest.raises(ModelFailed):
        await model.complete(ASK, schema=VERDICT)
    await model.complete(ASK, schema=VERDICT)
    await model.close()
    assert endpoint.asked[-1]["response_format"]["type"] == "json_schema"


async def test_a_reasoning_model_gets_its_own_field_for_tokens_and_no_temperature(
    endpoint: Endpoint, make: Make
) -> None:
    def reasons(asked: dict[str, Any]) -> Answer:
        if "max_tokens" in asked:
            return fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in asked:
            return fails(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        return says("SELECT 1")

    endpoint.behaviour = reasons
    model = make()
    await model.complete(ASK, max_tokens=50)
    await model.complete(ASK, max_tokens=50)
    await model.close()
    assert len(endpoint.asked) == 4, "three calls to learn, one that knows"
    assert endpoint.asked[-1]["max_completion_tokens"] == 50 + REASONING_TOKENS
    assert endpoint.asked[-1]["reasoning_effort"] == "minimal"


# ------------------------------------------------------------------------------------------------------ retries


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 408])
async def test_trouble_that_passes_is_waited_for_2_4_8_seconds(
    endpoint: Endpoint, make: Make, waits: list[float], status: int
) -> None:
    endpoint.answers = [fails(status)] * 3 + [says("SELECT 1")]
    model = make()
    assert (await model.complete(ASK)).text == "SELECT 1"
    await model.close()
    assert waits == [2, 4, 8]


@pytest.mark.parametrize(
    "headers, waited, why",
    [
        ({"retry_after": "7"}, 7, "seconds"),
        ({"retry_after": "0.5"}, 0.5, "a part of a second"),
        ({"retry_after": "0"}, 0, "at once"),
        ({"retry_after_ms": "1500"}, 1.5, "milliseconds"),
        ({"retry_after": "60"}, 60, "a minute at most"),
        ({"retry_after": "soon"}, 2, "no time at all"),
        ({"retry_after": "-3"}, 2, "not before now"),
        ({"retry_after": "nan"}, 2, "not a number"),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, "a date that has passed"),
    ],
)
async def test_retry_after_says_how_long_to_wait(
    endpoint: Endpoint, make: Make, waits: list[float], headers: dict[str, str], waited: float, why: str
) -> None:
    endpoint.answers = [fails(429, **headers), says("SELECT 1")]
    model = make()
    await model.complete(ASK)
    await model.close()
    assert waits == [waited], why


async def test_a_rate_limit_beyond_a_minute_is_told_at_once(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.answers = [fails(429, retry_after="400")]
    model = make()
    with pytest.raises(ModelBusy, match="in 400 s") as raised:
        await model.complete(ASK)
    await model.close()
    assert raised.value.retry_after_s == 400
    assert waits == []


async def test_trouble_is_waited_for_a_minute_at_most(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.answers = [fails(503, retry_after="3600"), says("SELECT 1")]
    model = make()
    await model.complete(ASK)
    await model.close()
    assert waits == [60]


async def test_retry_after_may_be_a_date(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    endpoint.answers = [fails(503, retry_after=at), says("SELECT 1")]
    model = make()
    await model.complete(ASK)
    await model.close()
    assert 0 < waits[0] <= 30
    assert waits[0] not in {2, 4, 8}


async def test_no_retries_when_the_settings_say_so(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.answers = [fails(500)]
    model = make(retries=0)
    with pytest.raises(ModelUnavailable, match="500, 1 try"):
        await model.complete(ASK)
    await model.close()
    assert waits == []


# ------------------------------------------------------------------------------------------------------- errors

ONLY = "Model gpt-test is enabled only for"


@pytest.mark.parametrize(
    "answer, error, says_what, tries",
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), ModelUnavailable, "refuses the key.*OPENAI_API_KEY", 1),
        (fails(403), ModelUnavailable, "refuses access to the model 'gpt-test'", 1),
        (fails(404, "The model `gpt-test` does not exist"), ModelUnavailable, "no model or deployment 'gpt-test'", 1),
        (fails(429, "You exceeded your quota", "insufficient_quota"), ModelUnavailable, "quota.*used up", 1),
        (fails(429), ModelUnavailable, "overloaded", 4),
        (fails(500), ModelUnavailable, "failed", 4),
        (fails(400, "too long", "context_length_exceeded"), ModelFailed, "longer than the context", 1),
        (fails(400, "filtered", "content_filter"), ContentFiltered, "content filter refused the prompt", 1),
        (fails(400, f"{ONLY} api versions 2024-12-01-preview and later"), ModelUnavailable, "OPENAI_API_VERSION", 1),
        (fails(400, "odd", "odd_code"), ModelFailed, r"refused the request to 'gpt-test' \(400, odd_code\)", 1),
        (says(None, refusal="I can't help with that."), ModelFailed, "declined to answer: I can't", 1),
        (says(None, finish_reason="content_filter"), ContentFiltered, "content filter withheld", 1),
        ((200, {}, {"hello": "world"}), ModelFailed, "not answer with a chat completion", 1),
        ((200, {}, {"choices": []}), ModelFailed, "not answer with a chat completion", 1),
        ((200, {}, {"choices": [{"text": "SELECT 1"}]}), ModelFailed, "not answer with a chat completion", 1),
        ((200, {}, ["SELECT 1"]), ModelFailed, "not answer with a chat completion", 1),
        ((200, {"Content-Type": "text/html"}, b"<html>hello</html>"), ModelFailed, "not answer with a chat", 1),
        ((200, {}, b"{not json"), ModelFailed, "not answer", 1),
    ],
)
async def test_errors_say_what_to_do_and_never_the_key(
    endpoint: Endpoint, make: Make, answer: Answer, error: type[Exception], says_what: str, tries: int
) -> None:
    endpoint.answers = [answer] * tries
    model = make()
    with pytest.raises(error, match=says_what) as raised:
        await model.complete(ASK)
    await model.close()
    assert KEY not in str(raised.value)
    assert endpoint.answers == []


async def test_an_endpoint_that_is_not_there_is_named(waits: list[float], make: Make, endpoint: Endpoint) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as gone:
        port = gone.server_port
    model = make(base_url=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1 cannot be reached \(4 tries\)"):
        await model.complete(ASK)
    await model.close()
    assert waits == [2, 4, 8]


async def test_a_reply_that_does_not_come_in_time_is_given_up(endpoint: Endpoint, make: Make) -> None:
    released = threading.Event()

    def never(_: dict[str, Any]) -> Answer:
        released.wait(30)
        return says("late")

    endpoint.behaviour = never
    model = make(timeout_s=0.2, retries=0)
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 s"):
        await model.complete(ASK)
    released.set()
    await model.close()


@pytest.mark.parametrize("answer", [(200, {}, {"object": "list", "data": []}), fails(404), fails(403), fails(429)])
async def test_an_endpoint_that_answers_is_ready(endpoint: Endpoint, make: Make, answer: Answer) -> None:
    endpoint.answers = [answer]
    model = make()
    await model.ready()
    await model.close()
    assert endpoint.paths == ["/v1/models"]


@pytest.mark.parametrize("answer", [fails(401), fails(500)])
async def test_an_endpoint_that_refuses_the_key_is_not_ready(endpoint: Endpoint, make: Make, answer: Answer) -> None:
    endpoint.answers = [answer]
    model = make()
    with pytest.raises(ModelUnavailable):
        await model.ready()
    await model.close()


# -------------------------------------------------------------------------------------------------------- Azure


async def test_azure_is_asked_for_its_deployment_with_the_key(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.answers = [says("SELECT 1")]
    model = build_model(
        Settings(
            azure_openai_endpoint=endpoint.url,
            azure_openai_api_key=SecretStr(KEY),
            azure_openai_api_version="2024-10-21",
            chat_model="my-deployment",
        )
    )
    assert (await model.complete(ASK)).text == "SELECT 1"
    await model.close()
    assert endpoint.paths == ["/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"]
    assert endpoint.headers[0]["api-key"] == KEY


async def test_azure_without_a_key_asks_entra_id_for_a_token(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes: list[str] = []

    class Credential:
        def get_token_info(self, *wanted: str, **_: object) -> object:
            from azure.core.credentials import AccessTokenInfo

            scopes.extend(wanted)
            return AccessTokenInfo("entra-token", int(datetime.now(UTC).timestamp()) + 3600)

    monkeypatch.setattr("azure.identity.DefaultAzureCredential", Credential)
    endpoint.answers = [says("SELECT 1")]
    model = build_model(Settings(azure_openai_endpoint=endpoint.url, chat_model="d"))
    await model.complete(ASK)
    await model.close()
    assert scopes == ["https://cognitiveservices.azure.com/.default"]
    assert endpoint.headers[0]["authorization"] == "Bearer entra-token"


async def test_azure_without_anybody_signed_in_says_what_to_do(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    from azure.identity import CredentialUnavailableError

    class Credential:
        def get_token_info(self, *_: str, **__: object) -> object:
            raise CredentialUnavailableError(message="nobody is signed in")

    monkeypatch.setattr("azure.identity.DefaultAzureCredential", Credential)
    model = AzureOpenAIModel("d", endpoint=endpoint.url, api_version="2024-10-21", api_key=None, timeout_s=5, retries=3)
    with pytest.raises(ModelUnavailable, match="az login"):
        await model.complete(ASK)
    await model.close()
    assert endpoint.asked == []


async def test_azure_names_its_own_setting_when_the_key_is_refused(endpoint: Endpoint) -> None:
    endpoint.answers = [fails(401)]
    model = AzureOpenAIModel(
        "d", endpoint=endpoint.url, api_version="2024-10-21", api_key=SecretStr(KEY), timeout_s=5, retries=0
    )
    with pytest.raises(ModelUnavailable, match="AZURE_OPENAI_API_KEY"):
        await model.complete(ASK)
    await model.close()


async def test_an_endpoint_of_ones_own_needs_no_key(endpoint: Endpoint) -> None:
    endpoint.answers = [says("SELECT 1")]
    model = build_model(Settings(openai_base_url=f"{endpoint.url}/v1", chat_model="local"))
    assert (await model.complete(ASK)).text == "SELECT 1"
    await model.close()
    assert endpoint.asked[0]["model"] == "local"
