"""Calls of the tools for other agents, as an agent makes them."""

from __future__ import annotations

from typing import Any

from agent.api.tools import TOOLS
from agent.pipeline.service import Service


async def call_tool(service: Service, name: str, arguments: dict[str, Any], principal: str) -> Any:
    """The result as JSON. Raises ValidationError of the arguments, and what the tool raises."""
    tool = next(it for it in TOOLS if it.name == name)
    result = await tool.run(service, tool.input.model_validate(arguments), principal)
    return result.model_dump(mode="json")
