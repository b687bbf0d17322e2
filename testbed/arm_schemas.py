"""The schemas of the Azure resources that `infra/` makes, as Bicep's own types have them, and what a resource lacks.

    npm install --prefix FOLDER @azure/mcp-linux-x64@2.0.5
    pip install azure-mgmt-postgresqlflexibleservers==3.0.0 azure-mgmt-privatedns==2.0.0
    python -m testbed.arm_schemas FOLDER

writes `testbed/arm_schemas.json`. Microsoft's MCP server carries Bicep's types and tells them offline; those that it
leaves out come from the models of Azure's Python SDK. Both know the latest API version of each resource alone, so the
version of the file is held to be no later than that, and its properties to be among those of the latest. No Bicep
compiler is in a package registry.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from testbed.arm_models import read_models

FILE = Path(__file__).with_suffix(".json")
INFRA = Path(__file__).parents[1] / "infra"
# Of Bicep and not of a resource's schema; `name` is told by the expression that makes it.
BICEPS_OWN = frozenset({"parent", "scope", "dependsOn", "name", "depends_on"})
NOT_CARRIED = re.compile(r"with apiVersion \S+ not supported")  # of a version whose types the package has not
EXPRESSIONS = frozenset({"function", "operator", "loop_type"})


class Resource(NamedTuple):
    """A resource of a file: where, its type and API version, and its body, as `pycep` reads it."""

    place: str
    type: str
    version: str
    body: Mapping[str, Any]


def resources() -> Iterator[Resource]:
    """Every resource that the files make."""
    from pycep import BicepParser

    for path in sorted(INFRA.rglob("*.bicep")):
        parsed: dict[str, Any] = dict(BicepParser().parse(text=path.read_text(encoding="utf-8")))
        for name, one in parsed.get("resources", {}).items():
            body = one["config"]
            while "condition" in body and "config" in body:
                body = body["config"]
            if not one["existing"]:
                yield Resource(f"{path.name}: {name}", one["type"], one["api_version"], body)


def fetch(server: Path, type_name: str) -> dict[str, Any] | None:
    """What `read` makes of the server's answer; None where it carries no schema of the type."""
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
    """What of a resource its schema does not know, or misses; one sentence each."""
    if resource.type not in schemas:
        return [f"{resource.place}: there is no schema of {resource.type}; run python -m testbed.arm_schemas"]
    known = schemas[resource.type]
    if resource.version.removesuffix("-preview") > known["version"]:
        return [f"{resource.place}: {resource.type} has no API version {resource.version}"]
    found = _of_object(resource.body, known["objects"][""], known["objects"], "", top=True)
    return [f"{resource.place}: {it}" for it in found]


def _of_object(
    value: Mapping[str, Any], schema: Mapping[str, Any], objects: Mapping[str, Any], path: str, *, top: bool = False
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
                yield from _of_value(below, kind, objects, place)
        elif "additionalPropertiesType" in schema:
            yield from _of_value(below, schema["additionalPropertiesType"], objects, place)
        else:
            yield f"there is no property {place}"
    own = BICEPS_OWN | {"apiVersion", "type", "id"} if top else frozenset[str]()
    for name, (_, flags) in properties.items():
        if "Required" in flags and name not in own and name not in {it.strip("'") for it in value}:
            yield f"{path or 'the resource'} needs {name}"


def _of_value(value: Any, kind: str, objects: Mapping[str, Any], path: str) -> Iterator[str]:
    """Of a value that is written out; an expression is known only where it is run."""
    if isinstance(value, list) and kind.endswith("[]"):
        for number, item in enumerate(value):
            yield from _of_value(item, kind[:-2], objects, f"{path}[{number}]")
    elif isinstance(value, Mapping) and not EXPRESSIONS & value.keys():
        if kind in objects:
            yield from _of_object(value, objects[kind], objects, path)
    elif isinstance(value, bool) and (kind in ("string", "int") or " | " in kind):
        yield f"{path} is {kind}, and no bool"
    elif isinstance(value, int) and not isinstance(value, bool) and (kind in ("string", "bool") or " | " in kind):
        yield f"{path} is {kind}, and no number"


def main() -> None:
    """Fetch the schemas of all resources."""
    if len(sys.argv) != 2:
        sys.exit((__doc__ or "").strip())
    server = Path(sys.argv[1]) / "node_modules" / "@azure" / "mcp-linux-x64" / "dist" / "azmcp"
    schemas = {name: fetch(server, name) or read_models(name) for name in sorted({one.type for one in resources()})}
    FILE.write_text(json.dumps(schemas, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(schemas)} types, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
