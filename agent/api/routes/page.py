"""The web page: `GET /` and its files. The sources are in `web/`, the built files in `agent/api/page/`."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from agent.api.http.context import ANONYMOUS

FOLDER = Path(__file__).resolve().parents[1] / "page"
INDEX, ASSETS = "index.html", "/assets/"
CHAT = "plumbline-chat.js"  # loaded by other pages, so its name never changes
DOCS = "plumbline-docs.js"  # loaded by `GET /api/docs`

# No inline script or style, no other host, no frame: data from a database could do nothing even as markup.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FOR_EVER = "public, max-age=31536000, immutable"  # for files with their hash in the name
REVALIDATED = "no-cache"  # cached, but revalidated each time
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
COMPRESSED_ALREADY = (".woff2",)

router = APIRouter()


@dataclass(frozen=True, slots=True)
class PageFile:
    """One built file. `zipped`: compressed with gzip; None if that is not smaller."""

    body: bytes
    zipped: bytes | None
    media_type: str
    etag: str


def asset_paths() -> frozenset[str]:
    """The paths of all files that the page loads."""
    return frozenset(ASSETS + name for name in _assets())


@lru_cache
def _assets() -> dict[str, Path]:
    """The built files by name, so that a requested name never becomes a path."""
    folder = FOLDER / "assets"
    return {path.name: path for path in sorted(folder.iterdir())} if folder.is_dir() else {}


@lru_cache
def _read(path: Path) -> PageFile:
    body = path.read_bytes()
    zipped = None if path.suffix in COMPRESSED_ALREADY else gzip.compress(body, mtime=0)
    if zipped is not None and len(zipped) >= len(body):
        zipped = None
    return PageFile(body, zipped, MEDIA_TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


@router.get("/", operation_id="page", include_in_schema=False, openapi_extra=ANONYMOUS)
async def page(request: Request) -> Response:
    """The page itself."""
    file = await asyncio.to_thread(_read, FOLDER / INDEX)
    return _response(request, file, {"cache-control": REVALIDATED, "content-security-policy": CONTENT_SECURITY_POLICY})


@router.get("/assets/{name}", operation_id="page_asset", include_in_schema=False, openapi_extra=ANONYMOUS)
async def page_asset(name: Annotated[str, PathParameter()], request: Request) -> Response:
    """A script, a style sheet, a font or a picture of the page."""
    path = _assets().get(name)
    if path is None:
        raise HTTPException(404)
    caching = REVALIDATED if name in (CHAT, DOCS) else FOR_EVER
    return _response(request, await asyncio.to_thread(_read, path), {"cache-control": caching})


def _response(request: Request, file: PageFile, headers: dict[str, str]) -> Response:
    headers = {**headers, "etag": file.etag, "vary": "Accept-Encoding"}
    if file.etag in _split_header(request.headers, "if-none-match"):
        return Response(status_code=304, headers=headers)
    body = file.body
    if file.zipped is not None and "gzip" in _split_header(request.headers, "accept-encoding"):
        body, headers = file.zipped, {**headers, "content-encoding": "gzip"}
    return Response(body, headers=headers, media_type=file.media_type)


def _split_header(headers: Headers, name: str) -> set[str]:
    """The items of a list header, except those with a weight below 1, such as `gzip;q=0`."""
    items = (item.strip().removeprefix("W/") for item in ",".join(headers.getlist(name)).split(","))
    return {item.removesuffix(";q=1.0").removesuffix(";q=1") for item in items}
