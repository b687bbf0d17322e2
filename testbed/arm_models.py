"""Schemas of resources that Bicep's tool lacks, from the models of Azure's Python SDK.

Both are generated from the same specifications. A field that the service alone writes has the visibility `read`; one
that a request must have is annotated without `Optional`. The packages are no dependency: they are installed to run
`python -m testbed.arm_schemas`.
"""

from __future__ import annotations

import datetime
import enum
import importlib
import types
import typing
from typing import Any

POSTGRESQL = "azure.mgmt.postgresqlflexibleservers", "PostgreSQLManagementClient"
PRIVATE_DNS = "azure.mgmt.privatedns", "PrivateDnsManagementClient"
MODELS = {
    "Microsoft.DBforPostgreSQL/flexibleServers": (POSTGRESQL, "Server"),
    "Microsoft.DBforPostgreSQL/flexibleServers/administrators": (POSTGRESQL, "AdministratorMicrosoftEntraAdd"),
    "Microsoft.DBforPostgreSQL/flexibleServers/databases": (POSTGRESQL, "Database"),
    "Microsoft.DBforPostgreSQL/flexibleServers/firewallRules": (POSTGRESQL, "FirewallRule"),
    "Microsoft.Network/privateDnsZones": (PRIVATE_DNS, "PrivateZone"),
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": (PRIVATE_DNS, "VirtualNetworkLink"),
}
_PLAIN = {str: "string", int: "int", float: "int", bool: "bool", datetime.datetime: "string"}


def read_models(type_name: str) -> dict[str, Any]:
    """The SDK's API version of a resource type, and its objects, in the shape of `arm_schemas.read`.

    Raises:
        ModuleNotFoundError: its package of the SDK is not installed.
        KeyError: MODELS does not name the type.
    """
    (package, client), model = MODELS[type_name]
    configuration = getattr(importlib.import_module(f"{package}._configuration"), f"{client}Configuration")
    version = configuration(credential=object(), subscription_id="none", credential_scopes=["none"]).api_version
    models = importlib.import_module(f"{package}.models")
    objects: dict[str, Any] = {}
    objects[""] = _object(getattr(models, model), models, objects)
    return {"version": version, "objects": objects}


def _object(model: type, models: types.ModuleType, objects: dict[str, Any]) -> dict[str, Any]:
    """The fields by their names on the wire, each with its type and its flags."""
    hints = typing.get_type_hints(model, localns={"_models": models})
    fields: dict[str, Any] = {}
    for base in reversed(model.__mro__):
        fields |= {name: it for name, it in vars(base).items() if type(it).__name__ == "_RestField"}
    found = {}
    for name, field in fields.items():
        hint, flags = hints[name], "ReadOnly" if field._visibility == ["read"] else ""
        if typing.get_origin(hint) is typing.Union and type(None) in typing.get_args(hint):
            hint = typing.Union[tuple(it for it in typing.get_args(hint) if it is not type(None))]  # noqa: UP007
        elif not flags:
            flags = "Required"
        found[field._rest_name_input or name] = [_kind(hint, models, objects), flags]
    return {"properties": found}


def _kind(hint: Any, models: types.ModuleType, objects: dict[str, Any]) -> str:
    """A type's name, as Bicep's tool gives it; objects that it needs are added."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is list:
        return f"{_kind(arguments[0], models, objects)}[]"
    if origin is dict:
        of = _kind(arguments[1], models, objects)
        objects[f"{of} by name"] = {"properties": {}, "additionalPropertiesType": of}
        return f"{of} by name"
    if origin is typing.Union:
        named = [str(it.value) for one in arguments if isinstance(one, enum.EnumMeta) for it in list[enum.Enum](one)]
        return " | ".join([*named, "string"])
    name = str(getattr(hint, "__name__", ""))
    model: Any = vars(models).get(name)
    if model is None or model is not hint:
        return "any"
    if name not in objects:
        objects[name] = {}  # it may hold itself
        objects[name] = _object(model, models, objects)
    return name
