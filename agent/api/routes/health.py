"""`GET /api/health/*`: whether the process is alive, and whether each part of it responds."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from agent.api.http.context import ANONYMOUS
from agent.api.http.errors import RETRY_AFTER_S, http_problem
from agent.api.http.lazy_service import Lazy
from agent.api.http.streaming import while_listening
from agent.api.schemas.common import Health, Live
from agent.core.errors import ConfigurationInvalid, Starting
from agent.core.resilience.health import PartHealth, state_of
from executors.errors import RegistryInvalid

router = APIRouter(prefix="/api")


@router.get("/health/live", operation_id="health_live", summary="Check liveness", openapi_extra=ANONYMOUS)
async def health_live() -> Live:
    """Checks that the process responds. It uses no model and no database."""
    return Live()


@router.get(
    "/health/ready",
    operation_id="health_ready",
    summary="Check readiness",
    responses={503: {"model": Health, "description": "A part is not ready"}},
)
async def health_ready(lazy: Lazy, request: Request, response: Response) -> Health:
    """Returns the health of each part: whether it is ready, how to fix it, and how long its check took.

    If some databases cannot be read and others can, if the state store cannot be read, or if the registry was changed
    and is invalid, `state` is `degraded` and the status is 200, so that a load balancer keeps the instance. `state`
    covers all databases; `parts` lists those that the caller may ask.
    """
    hidden: set[str] = set()
    try:
        service, caller = await lazy.get_for(request)
        parts = await while_listening(request, service.health())
    except (RegistryInvalid, ConfigurationInvalid):
        parts = [PartHealth(name="configuration", ready=False, detail=http_problem(503).detail)]
    except Starting as error:
        parts = [PartHealth(name="service", ready=False, detail=str(error))]
    else:
        hidden = {f"database {name}" for name in service.databases.find_hidden_databases(caller)}
    state = state_of(parts)
    if state == "unavailable":
        response.status_code = 503
        response.headers["retry-after"] = str(RETRY_AFTER_S)
    return Health(ready=state != "unavailable", state=state, parts=[part for part in parts if part.name not in hidden])
