"""One chat request and its reply, over an openai client's own connections.

The package's own `post` makes each request from nothing: it copies its options twice, parses the address three times,
merges its headers four times, and tells the endpoint about the machine. That is more work than the exchange itself, and
of all of it only the body is another one than the last time.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_ABOUT_US = "x-stainless-"  # headers about the client's machine, which no reply depends on


class Exchange:
    """Chat requests of one client.

    Args:
        client: whose address, key and headers they have, and whose errors they raise; one whose key stays the same.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        import httpx2

        self.client = client
        self._http: httpx2.AsyncClient = client._client  # it has no public name
        headers = httpx2.Headers(client.auth_headers)
        headers.update({name: value for name, value in client.default_headers.items() if isinstance(value, str)})
        for name in [name for name in headers if name.startswith(_ABOUT_US)]:
            del headers[name]
        base = client.base_url
        url = base.copy_with(raw_path=base.raw_path + b"chat/completions")
        first = self._http.build_request("POST", url, headers=headers, timeout=client.timeout)
        del first.headers["content-length"]  # of no body
        self._url, self._headers, self._extensions = first.url, first.headers, first.extensions

    async def post(self, body: Mapping[str, object]) -> object:
        """The body of the answer: from its JSON, or its text where it says that it is something else.

        Raises:
            openai.APIStatusError, openai.APITimeoutError, openai.APIConnectionError: as the client's own `post`.
            json.JSONDecodeError: it is no JSON.
        """
        import anyio
        import httpx2
        import openai

        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        request = httpx2.Request(
            "POST",
            self._url,
            headers=self._headers,
            cookies=self._http.cookies or None,
            content=content,
            extensions=self._extensions,
        )
        try:
            response = await self._http.send(request)
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=request) from error
        except (httpx2.RequestError, ssl.SSLError, anyio.EndOfStream) as error:
            raise openai.APIConnectionError(request=request) from error
        if not response.is_success:
            raise self.client._make_status_error_from_response(response)
        kind = response.headers.get("content-type", "*").partition(";")[0]
        return response.json() if kind.endswith("json") else response.text
