"""The configuration as a whole: the environment's variables and the registry, and all that is wrong with them at once.

Whoever starts a service looks here first, so that its operator mends a deployment once and not once for each mistake.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent.errors import AccessInvalid, ExtensionInvalid
from agent.settings import PREFIX, Settings, get_settings
from agent.settings_table import variables
from executors.errors import RegistryInvalid

_CLOSE = 60.0  # of 100, by letters: names that are less alike are not what somebody meant


class Configuration(NamedTuple):
    """What was found.

    settings: None where they cannot be used.
    problems: of the settings, one line each.
    registry_problems: of the registry, which may be mended while the service runs.
    warnings: one line each: what has no effect though somebody wrote it.
    """

    settings: Settings | None
    problems: tuple[str, ...]
    registry_problems: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def every_problem(self) -> tuple[str, ...]:
        """All of them."""
        return self.problems + self.registry_problems

    def report(self) -> str:
        """All problems as one text."""
        return "The configuration cannot be used:\n" + "\n".join(f"  {problem}" for problem in self.every_problem)


def examine(*, in_functions: bool | None = None, registry: bool = True) -> Configuration:
    """Read everything.

    Args:
        in_functions: whether the Azure Functions host stands in front; None: nobody is let in, so who may ask is not
            looked at.
        registry: whether there must be one. Where not, it is looked at only if the settings cannot be used, so that
            both are told at once.
    """
    problems: list[str] = []
    settings: Settings | None = None
    try:
        settings = get_settings()
    except ValidationError as error:
        problems += [_told(one, os.environ) for one in error.errors(include_input=False, include_url=False)]
    if settings is not None:
        problems += _of_parts(settings, in_functions)
    path = _registry_path(settings, os.environ)
    looked_at = registry or (bool(problems) and path.exists())
    wrong = _registry_problems(path) if looked_at else ()
    return Configuration(settings, tuple(problems), wrong, unknown_variables(os.environ))


def unknown_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each variable that looks like a setting and is none, and so changes nothing."""
    from rapidfuzz import fuzz, process

    known = [variable.names[0] for variable in variables()]
    ends = [name.removeprefix(PREFIX) for name in known]
    told: list[str] = []
    for name, value in environment.items():
        if not name.upper().startswith(PREFIX) or name.upper() in known or not value:
            continue
        end = name.upper().removeprefix(PREFIX)
        nearest = process.extractOne(end, ends, scorer=fuzz.ratio, score_cutoff=_CLOSE)
        meant = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else "; the README lists those there are."
        told.append(f"{name} is no setting and changes nothing{meant}")
    return tuple(sorted(told))


def _told(error: ErrorDetails, environment: Mapping[str, str]) -> str:
    """One problem of the settings, by the variable that somebody wrote. Its value is not repeated."""
    message = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return message
    first, *rest = map(str, error["loc"])
    given = {name.upper() for name in environment}
    own = {first, PREFIX + first.upper()}
    names = next((variable.names for variable in variables() if own & set(variable.names)), (first,))
    written = next((name for name in names if name in given), names[0])
    return f"{'.'.join((written, *rest))}: {message}"


def _of_parts(settings: Settings, in_functions: bool | None) -> list[str]:
    """What only shows when parts are made of the settings. Nothing heavy is loaded, and nobody is called."""
    from agent import extensions
    from agent.access.policy import build_access
    from agent.llm import provider_of

    problems: list[str] = []
    try:
        extensions.load(settings)
        provider_of(settings)
    except ExtensionInvalid as error:
        problems.append(str(error))
    if in_functions is not None:
        try:
            build_access(settings, in_functions=in_functions)
        except AccessInvalid as error:
            problems.append(str(error))
    return problems


def _registry_problems(path: Path) -> tuple[str, ...]:
    from executors.registry import load_registry

    try:
        load_registry(path)
    except RegistryInvalid as error:
        return tuple(f"{path.name}, {problem}" for problem in error.problems) or (str(error),)
    return ()


def _registry_path(settings: Settings | None, environment: Mapping[str, str]) -> Path:
    """Where the registry is, even where another setting cannot be used."""
    if settings is not None:
        return settings.registry_path
    named = environment.get(f"{PREFIX}REGISTRY")
    unset = Settings.model_construct(set())
    return Path(named).expanduser() if named else unset.registry_path
