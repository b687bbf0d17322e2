"""Schemas of the Azure resources in `infra/`, from Bicep's own types, and a check of resources against them.

    npm install --prefix FOLDER @azure/mcp-linux-x64@2.0.5
    pip install azure-mgmt-postgresqlflexibleservers==3.0.0 azure-mgmt-privatedns==2.0.0
    pip install --no-deps pulumi-azure-native==3.29.0
    python -m testbed.arm_schemas FOLDER

writes `testbed/arm_schemas.json`. Microsoft's MCP server contains Bicep's types; the missing ones come from the models
of Azure's Python SDK. Both know the latest API version of each resource alone, so the properties and values of a file
are held to be among those of the latest, and its version to be no later. Pulumi's provider lists the versions. No Bicep
compiler is in a package registry.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from testbed.arm_models import read_models
from testbed.arm_versions import read_versions

FILE = Path(__file__).with_suffix(".json")
INFRA = Path(__file__).parents[1] / "infra"
# Keywords of Bicep, not of a resource's schema; `name` comes from its expression.
BICEPS_OWN = frozenset({"parent", "scope", "dependsOn", "name", "depends_on"})
NOT_CARRIED = re.compile(r"with apiVersion \S+ not supported")  # of a version whose types the package has not
EXPRESSIONS = frozenset({"function", "operator", "loop_type"})
PLAIN = frozenset({"string", "int", "bool", "any"})


Values = Mapping[str, tuple[str, ...]]


class Resource(NamedTuple):
    """A resource of a file: where, its type and API version, and its body, as `pycep` reads it.

    `values`: possible texts of each declared name of its file; none if only Azure knows them.
    """

    place: str
    type: str
    version: str
    body: Mapping[str, Any]
    values: Values = {}


def resources() -> Iterator[Resource]:
    """Every resource that the files make."""
    main = _parsed(INFRA / "main.bicep")
    given = _declared(main)
    for path in sorted(INFRA.rglob("*.bicep")):
        parsed = _parsed(path)
        values = _declared(parsed)
        for module in main["modules"].values():
            if INFRA / module["detail"]["path"] == path:
                passed = _config(module)["params"]
                values |= {name: (*values[name], *_texts(it, given)) for name, it in passed.items()}
        for name, one in parsed.get("resources", {}).items():
            if not one["existing"]:
                yield Resource(f"{path.name}: {name}", one["type"], one["api_version"], _config(one), values)


def _parsed(path: Path) -> dict[str, Any]:
    from pycep import BicepParser

    return dict(BicepParser().parse(text=path.read_text(encoding="utf-8")))


def _config(one: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of a resource or module, without its condition."""
    body: dict[str, Any] = one["config"]
    while "condition" in body and "config" in body:
        body = body["config"]
    return body


def _declared(parsed: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The names of a file, each with the texts that it allows or has."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys((*parsed.get("resources", ()), *parsed.get("modules", ())), ())
    for name, one in parsed.get("parameters", {}).items():
        allowed = [it["argument"] for it in one["decorators"] if it["type"] == "allowed"]
        found[name] = tuple(it for it in [*(allowed or [[]])[0], one["default"]] if isinstance(it, str) and it)
    for name, one in parsed.get("variables", {}).items():
        found[name] = (one["value"],) if isinstance(one["value"], str) else ()
    return found


def _texts(value: Any, names: Values) -> Iterable[str]:
    """The texts that a value can be: its own, those of the name that it is, or those of a condition's branches.

    `pycep` gives a text without its quotes, so one that is spelled like a name of the file is taken for that.
    """
    if isinstance(value, str):
        return names.get(value, () if "${" in value else (value,))
    if isinstance(value, Mapping) and value.get("operator", {}).get("type") == "conditional":
        branches = value["operator"]["operands"]
        return (*_texts(branches["true_value"], names), *_texts(branches["false_value"], names))
    return ()


def fetch(server: Path, type_name: str) -> dict[str, Any] | None:
    """The server's answer as `read` parses it; None if it has no schema of the type."""
    environment = os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "AZURE_MCP_COLLECT_TELEMETRY": "false"}
    command = [str(server), "bicepschema", "get", "--resource-type", type_name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return None if NOT_CARRIED.search(done.stdout + done.stderr) else read(done.stdout, type_name)


def read(answer: str, type_name: str) -> dict[str, Any]:
    """The latest version of a resource type, its properties (`""`), and those of the objects in them, by name."""
    parts: list[dict[str, Any]] = json.loads(answer)["results"]["BicepSchemaResult"]
    objects: dict[str, Any] = {}
    version = ""
    for part in parts:
        if part["$type"] == "Resource" and part["name"].partition("@")[0].casefold() == type_name.casefold():
            version = part["name"].partition("@")[2]
            objects[""] = _object(part["bodyType"])
        elif "properties" in part or "elements" in part:
            objects[part["name"]] = _object(part)
    return {"version": version, "objects": objects}


def _object(part: Mapping[str, Any]) -> dict[str, Any]:
    """The properties by name, each with its type and its flags; of several kinds of object, those by their kind."""
    if part["$type"] == "DiscriminatedObject":
        by = part["discriminator"]
        kinds = [_object({**it, "properties": [*part["baseProperties"], *it["properties"]]}) for it in part["elements"]]
        return {"discriminator": by, "kinds": {it["properties"][by][0]: it for it in kinds}}
    found: dict[str, Any] = {
        "properties": {it["name"]: [it["type"], it.get("flags") or ""] for it in part["properties"]}
    }
    if part.get("additionalPropertiesType"):
        found["additionalPropertiesType"] = part["additionalPropertiesType"]
    return found


def findings(resource: Resource, schemas: Mapping[str, Any]) -> list[str]:
    """Unknown and missing properties of a resource, one sentence each."""
    if resource.type not in schemas:
        return [f"{resource.place}: there is no schema of {resource.type}; run python -m testbed.arm_schemas"]
    known = schemas[resource.type]
    if resource.version not in known["versions"]:
        return [f"{resource.place}: {resource.type} has no API version {resource.version}"]
    if resource.version.removesuffix("-preview") > known["version"]:
        return [f"{resource.place}: the schema of {resource.type} is of {known['version']}, before {resource.version}"]
    found = _of_object(resource.body, known["objects"][""], _Known(known["objects"], resource.values), "", top=True)
    return [f"{resource.place}: {it}" for it in found]


class _Known(NamedTuple):
    """The objects of a schema by name, and the values of a file's names."""

    objects: Mapping[str, Any]
    values: Values


def _of_object(
    value: Mapping[str, Any], schema: Mapping[str, Any], known: _Known, path: str, *, top: bool = False
) -> Iterator[str]:
    if "kinds" in schema:
        kind = value.get(schema["discriminator"])
        if kind not in schema["kinds"]:
            yield f"{path or 'the resource'} has no kind {kind}"
            return
        schema = schema["kinds"][kind]
    properties: Mapping[str, Any] = schema["properties"]
    for name, below in value.items():
        plain = name.strip("'")
        if top and plain in BICEPS_OWN:
            continue
        place = f"{path}.{plain}".lstrip(".")
        if plain in properties:
            kind, flags = properties[plain]
            if "ReadOnly" in flags:
                yield f"{place} can only be read"
            else:
                yield from _of_value(below, kind, known, place)
        elif "additionalPropertiesType" in schema:
            yield from _of_value(below, schema["additionalPropertiesType"], known, place)
        else:
            yield f"there is no property {place}"
    own = BICEPS_OWN | {"apiVersion", "type", "id"} if top else frozenset[str]()
    for name, (_, flags) in properties.items():
        if "Required" in flags and name not in own and name not in {it.strip("'") for it in value}:
            yield f"{path or 'the resource'} needs {name}"


def _of_value(value: Any, kind: str, known: _Known, path: str) -> Iterator[str]:
    """Of a value that is written out; another expression is known only where it is run."""
    choices = [] if kind.endswith("[]") else _choices(kind, known.objects)
    if isinstance(value, list) and kind.endswith("[]"):
        for number, item in enumerate(value):
            yield from _of_value(item, kind[:-2], known, f"{path}[{number}]")
    elif isinstance(value, Mapping) and not EXPRESSIONS & value.keys():
        if kind in known.objects:
            yield from _of_object(value, known.objects[kind], known, path)
    elif isinstance(value, bool):
        if choices or kind in ("string", "int"):
            yield f"{path} is {kind}, and no bool"
    elif isinstance(value, int):
        if choices or kind in ("string", "bool"):
            yield f"{path} is {kind}, and no number"
    elif choices:
        yield from (f"{path} is {it}, and none of {kind}" for it in _texts(value, known.values) if it not in choices)


def _choices(kind: str, objects: Mapping[str, Any]) -> list[str]:
    """The texts of an enumeration, also of one that may grow; none where the kind is another."""
    parts = kind.split(" | ")
    return [] if PLAIN & {kind} or objects.keys() & set(parts) else [it for it in parts if it != "string"]


def main() -> None:
    """Fetch the schemas of all resources."""
    if len(sys.argv) != 2:
        sys.exit((__doc__ or "").strip())
    server = Path(sys.argv[1]) / "node_modules" / "@azure" / "mcp-linux-x64" / "dist" / "azmcp"
    types = sorted({one.type for one in resources()})
    schemas = {it: {**(fetch(server, it) or read_models(it)), "versions": read_versions(it)} for it in types}
    FILE.write_text(json.dumps(schemas, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(schemas)} types, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
