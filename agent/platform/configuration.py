"""Examines the whole configuration: environment variables and the registry, with all their errors at once.

A service runs this check when it starts, so that its operator can correct all errors of a deployment at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from agent.core.errors import AccessInvalid, ExtensionInvalid
from agent.platform.config.settings import PREFIX, Settings, get_settings
from agent.platform.config.settings_table import Variable, variables
from agent.platform.llm.build import provider_of
from executors.errors import RegistryInvalid
from executors.registry.registry import Registry, read_registry

# Extensions add dialects, readers of docs or model providers without a change of this code.
#
# An extension is a module. Importing it calls `executors.extend.add_dialect`, `rag.docs.reading.add_reader` or
# `build.add_provider`. `PLUMBLINE_EXTENSIONS` names the modules. It is code that the operator chose and that runs
# with the service's rights; nothing in a request or a registry can name one. docs/extend.md shows one of each.


def load_extensions(settings: Settings) -> None:
    """Import the extensions that the settings name, once each. Raises ExtensionInvalid."""
    for name in filter(None, (part.strip() for part in settings.extensions.split(","))):
        try:
            import_module(name)
        except (ImportError, ValueError) as error:
            raise ExtensionInvalid(
                f"PLUMBLINE_EXTENSIONS: {name} cannot be added: {error}. Name modules that Python finds from the "
                "service's folder, separated by commas, and install what they need."
            ) from error


_CLOSE = 60.0  # least similarity, of 100, for a suggested name


class Configuration(NamedTuple):
    """The result of the check. settings: None if they are invalid; registry: its usable entries.

    provisional: the settings with defaults for invalid values, so that the rest can be checked.
    """

    settings: Settings | None
    provisional: Settings | None
    problems: tuple[str, ...]
    registry: Registry
    registry_problems: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def every_problem(self) -> tuple[str, ...]:
        """All problems, of settings and registry."""
        return self.problems + self.registry_problems

    def report(self) -> str:
        """All problems as one text."""
        return "The configuration cannot be used:\n" + "\n".join(f"  {problem}" for problem in self.every_problem)


def examine(*, in_functions: bool | None = None, registry: bool = True) -> Configuration:
    """Check the whole configuration. `in_functions` None: access settings are not checked.

    Without `registry`, the registry is checked only if the settings are invalid, so that both are reported at once.
    """
    problems: list[str] = []
    settings: Settings | None = None
    provisional: Settings | None = None
    try:
        settings = provisional = get_settings()
    except ValidationError as error:
        details = error.errors(include_input=False, include_url=False)
        problems += [_describe(one, os.environ) for one in details]
        provisional = _with_defaults(details)
    problems += explain_unresolved_references(os.environ)
    if provisional is not None:
        problems += _of_parts(provisional, in_functions if settings else None)
    path = provisional.registry_path if provisional else _registry_path(os.environ)
    found, wrong = Registry(), tuple[str, ...]()
    if registry or (problems and path.exists()):
        found, wrong = _registry(path)
    return Configuration(settings, provisional, tuple(problems), found, wrong, explain_unknown_variables(os.environ))


def explain_unknown_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each variable that looks like a setting but is none."""
    known = [variable.names[0] for variable in variables()]
    ends = [name.removeprefix(PREFIX) for name in known]
    hints: list[str] = []
    for name, value in environment.items():
        if not name.upper().startswith(PREFIX) or name.upper() in known or not value:
            continue
        end = name.upper().removeprefix(PREFIX)
        nearest = process.extractOne(end, ends, scorer=fuzz.ratio, score_cutoff=_CLOSE)
        meant = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else "; docs/reference.md lists all settings."
        hints.append(f"{name} is not a setting and has no effect{meant}")
    return tuple(sorted(hints))


def explain_unresolved_references(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each setting that App Service could not read from a Key Vault: its value is the reference."""
    return [
        f"{name}: the secret of this Key Vault reference could not be read. Give the app's identity the role Key Vault "
        "Secrets User, check the secret's address, and restart the app."
        for variable in variables()
        for name in variable.names
        if environment.get(name, "").startswith("@Microsoft.KeyVault(")
    ]


def _describe(error: ErrorDetails, environment: Mapping[str, str]) -> str:
    """A problem of the settings, with the variable that was set but without its value."""
    message = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return message
    first, *rest = map(str, error["loc"])
    if error["type"] == "string_pattern_mismatch":
        message = _describe_form(error["ctx"]["pattern"], Settings.model_fields[_variable(first).field].description)
    given = {name.upper() for name in environment}
    names = _variable(first).names
    written = next((name for name in names if name in given), names[0])
    return f"{'.'.join((written, *rest))}: {message}"


def _describe_form(pattern: str, description: str | None) -> str:
    """What a value should be that does not match a pattern: people read no patterns."""
    for start, address in (("^https?://", "http:// or https://"), ("^https://", "https://")):
        if pattern.startswith(start):
            return f"Write an address that begins with {address}, without a user and without parameters"
    return f"The value does not have the form that is needed. {description}"


def _of_parts(settings: Settings, in_functions: bool | None) -> list[str]:
    """Problems that appear only when parts are built from the settings. Loads nothing heavy and calls no service."""
    from agent.platform.access.policy import build_access

    problems: list[str] = []
    try:
        load_extensions(settings)
        provider_of(settings)
    except ExtensionInvalid as error:
        problems.append(str(error))
    if in_functions is not None:
        try:
            build_access(settings, in_functions=in_functions)
        except AccessInvalid as error:
            problems.append(str(error))
    return problems


def _with_defaults(details: Sequence[ErrorDetails]) -> Settings | None:
    """The settings with defaults for the invalid ones; None if they are still invalid."""
    wrong = {_variable(str(one["loc"][0])).field for one in details if one["loc"]}
    fields = Settings.model_fields
    try:
        return Settings(**{name: fields[name].get_default(call_default_factory=True) for name in wrong})
    except ValidationError:
        return None


def _variable(name: str) -> Variable:
    """The setting of a field name or variable in a pydantic error."""
    own = {name, PREFIX + name.upper()}
    return next(variable for variable in variables() if own & set(variable.names))


def _registry_path(environment: Mapping[str, str]) -> Path:
    """The registry's path if the settings are invalid."""
    named = environment.get(f"{PREFIX}REGISTRY")
    return Path(named).expanduser() if named else Settings.model_construct(set()).registry_path


def _registry(path: Path) -> tuple[Registry, tuple[str, ...]]:
    try:
        registry, problems = read_registry(path)
    except RegistryInvalid as error:
        registry, problems = Registry(), error.problems
        if not problems:
            return registry, (str(error),)
    return registry, tuple(f"{path.name}, {problem}" for problem in problems)
