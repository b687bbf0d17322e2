"""Each resource of `infra/` against the schema that Azure has of it, by the types that Bicep's own tools carry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testbed.arm_schemas import FILE, Resource, findings, resources
from testbed.arm_versions import CLASSES, versions_of

SCHEMAS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
MADE = list(resources())
STORAGE = next(one for one in MADE if one.place == "storage.bicep: account")
LATER = "2026-04-01"  # there is this version, but the kept schema is of an earlier one
POSTGRESQL, ADMINISTRATOR, LINK = (
    next(one for one in MADE if one.type.endswith(end))
    for end in ("/flexibleServers", "flexibleServers/administrators", "/virtualNetworkLinks")
)


@pytest.mark.parametrize("resource", MADE, ids=[one.place for one in MADE])
def test_a_resource_fits_its_schema(resource: Resource) -> None:
    assert findings(resource, SCHEMAS) == []


def test_every_resource_has_a_schema() -> None:
    assert {one.type for one in MADE} == {name for name, known in SCHEMAS.items() if known}


def either(one: str, other: str) -> dict[str, object]:
    """What `pycep` makes of `condition ? one : other`."""
    return {
        "operator": {"type": "conditional", "operands": {"condition": "x", "true_value": one, "false_value": other}}
    }


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
        (STORAGE._replace(version="2023-05-02"), "Microsoft.Storage/storageAccounts has no API version 2023-05-02"),
        (STORAGE._replace(version="2023-05-01-preview"), "has no API version 2023-05-01-preview"),
        (POSTGRESQL._replace(version="2024-08-02"), "has no API version 2024-08-02"),
        (
            STORAGE._replace(version=LATER),
            f"the schema of Microsoft.Storage/storageAccounts is of 2025-01-01, before {LATER}",
        ),
        (changed(minimumTlsVersion="TLS1.2"), "properties.minimumTlsVersion is TLS1.2, and none of TLS1_0"),
        (changed(publicNetworkAccess=either("Disabled", "On")), "properties.publicNetworkAccess is On, and none of"),
        (STORAGE._replace(body={**STORAGE.body, "kind": "StorageV3"}), "kind is StorageV3, and none of Storage | "),
        (STORAGE._replace(values={**STORAGE.values, "redundancy": ("Standard_LSR",)}), "sku.name is Standard_LSR"),
        (changed(POSTGRESQL, authConfig={"activeDirectoryAuth": "Yes"}), "authConfig.activeDirectoryAuth is Yes"),
        (changed(ADMINISTRATOR, principalType="Robot"), "properties.principalType is Robot, and none of Unknown"),
        (STORAGE._replace(type="Microsoft.Storage/accounts"), "there is no schema of Microsoft.Storage/accounts"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_does_not_fit_is_found(resource: Resource, said: str) -> None:
    assert any(said in one for one in findings(resource, SCHEMAS)), findings(resource, SCHEMAS)


def test_the_values_of_a_parameter_are_those_that_the_main_file_allows() -> None:
    assert set(STORAGE.values["redundancy"]) == {"Standard_LRS", "Standard_ZRS", "Standard_GRS"}
    assert STORAGE.values["principalId"] == (), "only Azure knows it"


def test_every_version_of_a_file_is_one_that_was_published() -> None:
    for resource in MADE:
        assert resource.version in SCHEMAS[resource.type]["versions"], resource.place


def test_versions_are_read_from_the_names_of_a_class() -> None:
    names = '"azure-native:web/v20260301preview:WebApp", "azure-native:web/v20220901:WebApp", "azure-native:web:WebApp"'
    assert versions_of(names) == ["2022-09-01", "2026-03-01-preview"]
    assert set(CLASSES) == set(SCHEMAS)
