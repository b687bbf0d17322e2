"""What routes share: Azure's authorization levels and the request's trace id."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends

from agent.api.http.context import trace_id_of


def _auth(level: str) -> dict[str, Any]:
    """The level of authorization that an Azure function of this route asks for: `FUNCTION` or `ANONYMOUS`."""
    return {"x-auth-level": level}


FUNCTION, ANONYMOUS = _auth("FUNCTION"), _auth("ANONYMOUS")


TraceId = Annotated[str, Depends(trace_id_of)]
