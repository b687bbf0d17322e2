// One account: the host's own blobs, the deployed package, and the table with the state of the service.
param name string
param location string
param tags object
param redundancy string
param principalId string
@description('Object id of the deploying principal. Empty: no role is assigned.')
param deployerId string
param deployerType string
param isPrivate bool
param subnetId string
param networkId string

// Storage Blob Data Owner: required by the Functions host for its own account (leases of timers) and for the package.
var blobOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
// Storage Table Data Contributor: sessions, reviews, jobs and the like, in a table that the service creates.
var tableContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
var roles = [blobOwner, tableContributor]
var parts = ['blob', 'table']

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: redundancy }
  properties: {
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    networkAcls: {
      defaultAction: isPrivate ? 'Deny' : 'Allow'
      bypass: 'None'
    }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: account
  name: 'default'
}

resource packages 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = {
  parent: blobs
  name: 'packages'
}

resource assigned 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for role in roles: {
  name: guid(account.id, principalId, role)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}]

// The deploying principal can read the package and the state, like the service.
resource deployer 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for role in empty(deployerId) ? [] : roles: {
  name: guid(account.id, deployerId, role)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    principalId: deployerId
    principalType: deployerType
  }
}]

module endpoints 'endpoint.bicep' = [for part in isPrivate ? parts : []: {
  name: 'storage-${part}'
  params: {
    name: name
    location: location
    tags: tags
    resourceId: account.id
    part: part
    zone: 'privatelink.${part}.${environment().suffixes.storage}'
    subnetId: subnetId
    networkId: networkId
  }
}]

output name string = account.name
output packageContainerUrl string = '${account.properties.primaryEndpoints.blob}${packages.name}'
output tablesEndpoint string = account.properties.primaryEndpoints.table
