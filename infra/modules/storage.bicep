// One account: the host's own blobs, the deployed package, and the table with the state of the service.
param name string
param location string
param tags object
param redundancy string
param principalId string
@description('Who deploys; empty: nobody gets a role.')
param deployerId string
param deployerType string
param isPrivate bool
param subnetId string
param networkId string

// Storage Blob Data Owner: what the Functions host wants of its own account (leases of timers), and reads the package by.
var blobOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
// Storage Table Data Contributor: sessions, reviews, jobs and the like, in a table that the service makes itself.
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

// Who deploys can see the package and the state, as the service does.
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
