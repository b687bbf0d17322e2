"""The settings as the table of docs/reference.md, which tests compare with the code."""

from __future__ import annotations

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from agent.platform.config.settings import PREFIX, Settings
from executors.base import Frozen


class Variable(Frozen):
    """A setting as an environment variable. field: in `Settings`; names: the preferred name, then its aliases."""

    field: str
    names: tuple[str, ...]
    default: str
    description: str


def variables() -> tuple[Variable, ...]:
    """Every setting, in the order of the class. A default of `""` means none, or the default in the description."""
    return tuple(_variable(name, field) for name, field in Settings.model_fields.items())


def _variable(name: str, field: FieldInfo) -> Variable:
    own = PREFIX + name.upper()
    alias = field.validation_alias
    others = tuple(str(one) for one in alias.choices if one != own) if isinstance(alias, AliasChoices) else ()
    default = "" if field.default is None else str(field.default)
    default = default.lower() if isinstance(field.default, bool) else default
    return Variable(field=name, names=(own, *others), default=default, description=field.description or "")


def markdown_table() -> str:
    """The table of settings of docs/reference.md."""
    rows = ["| Variable | Default | Meaning |", "|---|---|---|"]
    for variable in variables():
        names = ", ".join(f"`{name}`" for name in variable.names)
        default = f"`{variable.default}`" if variable.default else ""
        rows.append(f"| {names} | {default} | {variable.description} |")
    return "\n".join(rows)
