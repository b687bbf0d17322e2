"""Each resource of `infra/` against the schema that Azure has of it, by the types that Bicep's own tools carry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testbed.arm_schemas import FILE, Resource, findings, resources

SCHEMAS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
MADE = list(resources())
STORAGE = next(one for one in MADE if one.place == "storage.bicep: account")
POSTGRESQL, ADMINISTRATOR, LINK = (
    next(one for one in MADE if one.type.endswith(end))
    for end in ("/flexibleServers", "flexibleServers/administrators", "/virtualNetworkLinks")
)


@pytest.mark.parametrize("resource", MADE, ids=[one.place for one in MADE])
def test_a_resource_fits_its_schema(resource: Resource) -> None:
    assert findings(resource, SCHEMAS) == []


def test_every_resource_has_a_schema() -> None:
    assert {one.type for one in MADE} == {name for name, known in SCHEMAS.items() if known}


def changed(resource: Resource = STORAGE, **properties: object) -> Resource:
    return resource._replace(body={**resource.body, "properties": {**resource.body["properties"], **properties}})


@pytest.mark.parametrize(
    "resource, said",
    [
        (changed(allowBlobPublicAcces=False), "there is no property properties.allowBlobPublicAcces"),
        (changed(networkAcls={"bypas": "None", "defaultAction": "Deny"}), "no property properties.networkAcls.bypas"),
        (changed(networkAcls={"bypass": "None"}), "properties.networkAcls needs defaultAction"),
        (changed(provisioningState="Succeeded"), "properties.provisioningState can only be read"),
        (changed(allowSharedKeyAccess=0), "properties.allowSharedKeyAccess is bool, and no number"),
        (changed(minimumTlsVersion=True), "minimumTlsVersion"),
        (changed(POSTGRESQL, storage={"storageSizeGb": 32}), "there is no property properties.storage.storageSizeGb"),
        (changed(POSTGRESQL, storage={"storageSizeGB": True}), "properties.storage.storageSizeGB"),
        (changed(POSTGRESQL, fullyQualifiedDomainName="x"), "properties.fullyQualifiedDomainName can only be read"),
        (changed(ADMINISTRATOR, principal="x"), "there is no property properties.principal"),
        (changed(LINK, registrationEnabled=1), "properties.registrationEnabled is bool, and no number"),
        (STORAGE._replace(body={k: v for k, v in STORAGE.body.items() if k != "sku"}), "the resource needs sku"),
        (STORAGE._replace(version="2099-01-01"), "Microsoft.Storage/storageAccounts has no API version 2099-01-01"),
        (STORAGE._replace(type="Microsoft.Storage/accounts"), "there is no schema of Microsoft.Storage/accounts"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_does_not_fit_is_found(resource: Resource, said: str) -> None:
    assert any(said in one for one in findings(resource, SCHEMAS)), findings(resource, SCHEMAS)
