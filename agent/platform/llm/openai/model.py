"""Chat models for OpenAI's protocol. Fields that an endpoint refuses (`chat_request`) are omitted from then on."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

from agent.core.errors import ModelFailed, ModelUnavailable
from agent.platform.llm.chat import Message, Reply, ReplyGrammar, ReplySchema, build_entra_tokens
from agent.platform.llm.openai.chat_request import Abilities, chat_fields, tokens_of
from agent.platform.llm.openai.completion import (
    USAGE,
    Endpoint,
    collect_stream,
    is_passing,
    read_total_tokens,
    reply_of,
    translate_error,
    wait_before_retry,
)
from agent.platform.llm.pace import CALL, Pace
from agent.platform.llm.replies import ON_TEXT, ends_its_query

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

MAX_REPLY_BYTES = 4_000_000  # of a raw response; a reply of a thousand tokens has about ten thousand

Sleep = Callable[[float], Awaitable[None]]
Ended = Callable[[str], bool] | None  # whether a streamed text is complete


class OpenAIModel:
    """A model behind OpenAI's protocol; a reply is streamed if `replies.ON_TEXT` is set.

    Args:
        base_url: the endpoint, `/v1` included; None for OpenAI itself. api_key: None for an endpoint without keys.
        timeout_s: seconds for one reply. retries: tries after the first, with `sleep` between.

    `pace` makes every try wait for its turn; None: rate limits are ignored.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None,
        api_key: SecretStr | None,
        timeout_s: float,
        retries: int,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.name = name
        self.pace: Pace | None = None
        self._base_url, self._api_key = base_url, api_key
        self._timeout_s, self._retries, self._sleep = timeout_s, retries, sleep
        self._abilities = Abilities()
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(
        self,
        messages: list[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
    ) -> Reply:
        """The model's next message; JSON of `schema` if given. Raises ModelUnavailable, ModelBusy, ModelFailed."""
        client = await self._get_client()
        import openai

        abilities = self._abilities
        while True:  # each refusal removes a field, so this ends
            request = chat_fields(messages, schema, max_tokens, temperature, abilities)
            if ON_TEXT.get() is not None and abilities.stream:
                request |= {"stream": True} | ({"stream_options": USAGE} if abilities.stream_usage else {})
            ended = ends_its_query if isinstance(schema, ReplyGrammar) else None
            try:
                completion = await self._send(client, {"model": self.name, **request}, ended)
            except (json.JSONDecodeError, TimeoutError) as error:
                raise translate_error(error, self._endpoint()) from error
            except openai.OpenAIError as error:
                less = abilities.without(str(error), request) if _is_refusal(error) else None
                if less is None:
                    raise translate_error(error, self._endpoint()) from error
                abilities = less
                continue
            self._abilities = abilities  # remember only abilities that led to an answer
            return reply_of(completion)

    async def ready(self) -> None:
        """Check that the endpoint responds and accepts the key. Raises ModelUnavailable."""
        client = await self._get_client()
        import openai

        try:
            await client.models.list()
        except (openai.AuthenticationError, openai.APIConnectionError, openai.InternalServerError) as error:
            raise translate_error(error, self._endpoint()) from error
        except openai.APIStatusError:
            return  # it responded: not every endpoint lists its models for every caller

    async def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _get_client(self) -> AsyncOpenAI:
        """The client of the running event loop: connections cannot move from one loop to another."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            await asyncio.to_thread(_import_client)
        if self._client is None or self._loop is not loop:  # no other task connected meanwhile
            self._client, self._loop = self._connect(), loop
        return self._client

    def _connect(self) -> AsyncOpenAI:
        import openai

        return openai.AsyncOpenAI(
            api_key=self._api_key.get_secret_value() if self._api_key else "none",
            base_url=self._base_url,
            **self._options(),
        )

    def _options(self) -> dict[str, Any]:
        """The options of every client."""
        import openai

        from rag.embedding.bounded import Bound, load_httpx

        load_httpx()
        hooks = {"response": [Bound(MAX_REPLY_BYTES, _too_much).async_hook, _tell_limits]}
        return {
            "timeout": openai.Timeout(self._timeout_s, connect=min(5.0, self._timeout_s)),
            "max_retries": 0,
            "http_client": openai.DefaultAsyncHttpxClient(event_hooks=hooks),
        }

    def _endpoint(self) -> Endpoint:
        address = self._base_url or "https://api.openai.com/v1"
        return Endpoint(self.name, address, "OPENAI_API_KEY", self._timeout_s, self._retries + 1)

    async def _send(self, client: AsyncOpenAI, request: dict[str, Any], ended: Ended = None) -> object:
        """Get one reply, with retries after temporary errors. The openai package's own waits are shorter and random."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._retries + 1),
            wait=wait_before_retry,
            retry=retry_if_exception(is_passing),
            sleep=self._sleep,
            reraise=True,
        )
        return await retrying(self._once, client, request, ended)

    async def _once(self, client: AsyncOpenAI, request: dict[str, Any], ended: Ended) -> object:
        """One try, after waiting for its turn if there is a `pace`. The wait does not count towards the timeout."""
        if self.pace is None:
            return await self._post(client, request, ended)
        async with self.pace.turn(tokens_of(request)) as call:
            completion = await self._post(client, request, ended)
            call.spent = read_total_tokens(completion)
            return completion

    async def _post(self, client: AsyncOpenAI, request: dict[str, Any], ended: Ended) -> object:
        async with asyncio.timeout(self._timeout_s):  # the client's own timeout restarts at each piece
            if request.get("stream"):
                return await collect_stream(client, request, ended)
            # Like `chat.completions.create`, which first scans the whole request for values to transform.
            return await client.post("/chat/completions", cast_to=object, body=request)


class AzureOpenAIModel(OpenAIModel):
    """A deployment of Azure OpenAI, `name`, at a resource's `endpoint`; without a key, Entra ID is used."""

    def __init__(
        self,
        name: str,
        *,
        endpoint: str,
        api_version: str,
        api_key: SecretStr | None,
        timeout_s: float,
        retries: int,
    ) -> None:
        super().__init__(name, base_url=endpoint, api_key=api_key, timeout_s=timeout_s, retries=retries)
        self._azure_endpoint, self._api_version = endpoint, api_version

    def _connect(self) -> AsyncOpenAI:
        import openai

        key = self._api_key.get_secret_value() if self._api_key else None
        tokens = build_entra_tokens("Azure OpenAI", ModelUnavailable)
        return openai.AsyncAzureOpenAI(
            azure_endpoint=self._azure_endpoint,
            api_version=self._api_version,
            api_key=key,
            azure_ad_token_provider=None if key else partial(asyncio.to_thread, tokens),
            **self._options(),
        )

    def _endpoint(self) -> Endpoint:
        access = "AZURE_OPENAI_API_KEY" if self._api_key else "the role `Cognitive Services OpenAI User`"
        return Endpoint(self.name, self._azure_endpoint, access, self._timeout_s, self._retries + 1)


async def _tell_limits(response: httpx2.Response) -> None:
    """A response hook that records reported limits for the current call."""
    call = CALL.get()
    if call is not None:
        call.record(response.status_code, response.headers)


def _too_much(megabytes: int) -> ModelFailed:
    return ModelFailed(
        f"The model's endpoint sent more than {megabytes} MB for one reply, and was cut off; check that it keeps to "
        "`max_tokens`."
    )


def _import_client() -> None:
    """Import the modules for a connection. It takes most of a second."""
    for name in ("openai", "openai.types.chat", "httpcore2"):
        importlib.import_module(name)


def _is_refusal(error: Exception) -> bool:
    """Whether the endpoint accepted the caller but refused the request."""
    import openai

    if isinstance(error, openai.PermissionDeniedError):  # OpenAI refuses logprobs for some models this way
        return "logprobs" in str(error).lower()
    return isinstance(error, openai.BadRequestError | openai.NotFoundError | openai.UnprocessableEntityError)
