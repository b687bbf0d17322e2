"""The API versions that each resource type has, by Pulumi's provider for Azure.

Its classes are generated from the specifications of every version, and each carries the names that it had in all of
them: `azure-native:storage/v20230501:StorageAccount`. The package is no dependency: it is installed to run
`python -m testbed.arm_schemas`, and read as text.
"""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path

PACKAGE = "pulumi-azure-native"
CLASSES = {
    "Microsoft.Authorization/roleAssignments": "authorization/role_assignment",
    "Microsoft.CognitiveServices/accounts": "cognitiveservices/account",
    "Microsoft.CognitiveServices/accounts/deployments": "cognitiveservices/deployment",
    "Microsoft.DBforPostgreSQL/flexibleServers": "dbforpostgresql/server",
    "Microsoft.DBforPostgreSQL/flexibleServers/administrators": "dbforpostgresql/administrator",
    "Microsoft.DBforPostgreSQL/flexibleServers/databases": "dbforpostgresql/database",
    "Microsoft.DBforPostgreSQL/flexibleServers/firewallRules": "dbforpostgresql/firewall_rule",
    "Microsoft.Insights/components": "applicationinsights/component",
    "Microsoft.KeyVault/vaults": "keyvault/vault",
    "Microsoft.KeyVault/vaults/secrets": "keyvault/secret",
    "Microsoft.ManagedIdentity/userAssignedIdentities": "managedidentity/user_assigned_identity",
    "Microsoft.Network/privateDnsZones": "privatedns/private_zone",
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": "privatedns/virtual_network_link",
    "Microsoft.Network/privateEndpoints": "network/private_endpoint",
    "Microsoft.Network/privateEndpoints/privateDnsZoneGroups": "network/private_dns_zone_group",
    "Microsoft.Network/virtualNetworks": "network/virtual_network",
    "Microsoft.OperationalInsights/workspaces": "operationalinsights/workspace",
    "Microsoft.Resources/resourceGroups": "resources/resource_group",
    "Microsoft.Sql/servers": "sql/server",
    "Microsoft.Sql/servers/databases": "sql/database",
    "Microsoft.Sql/servers/firewallRules": "sql/firewall_rule",
    "Microsoft.Storage/storageAccounts": "storage/storage_account",
    "Microsoft.Storage/storageAccounts/blobServices": "storage/blob_service_properties",
    "Microsoft.Storage/storageAccounts/blobServices/containers": "storage/blob_container",
    "Microsoft.Web/serverfarms": "web/app_service_plan",
    "Microsoft.Web/sites": "web/web_app",
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies": "web/web_app_ftp_allowed",
    "Microsoft.Web/sites/config": "web/web_app_auth_settings_v2",
}
_NAMED = re.compile(r"azure-native:\w+/v(\d{4})(\d\d)(\d\d)(\w*):\w+")


def read_versions(type_name: str) -> list[str]:
    """The API versions of a resource type, such as `2023-05-01` and `2024-01-01-preview`, the earliest first.

    Raises:
        importlib.metadata.PackageNotFoundError: the package is not installed.
        KeyError: CLASSES does not name the type.
    """
    place = distribution(PACKAGE).locate_file(f"pulumi_azure_native/{CLASSES[type_name]}.py")
    return versions_of(Path(str(place)).read_text(encoding="utf-8"))


def versions_of(source: str) -> list[str]:
    """The versions in the text of a class.

    >>> versions_of('"azure-native:web/v20260301preview:WebApp", "azure-native:web/v20220901:WebApp"')
    ['2022-09-01', '2026-03-01-preview']
    """
    found = {(f"{year}-{month}-{day}", stage) for year, month, day, stage in _NAMED.findall(source)}
    return [f"{date}-{stage}" if stage else date for date, stage in sorted(found)]
