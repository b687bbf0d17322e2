// A Key Vault for the token of a Chroma server, created only if there is one.
param name string
param location string
param tags object
param principalId string
@secure()
param chromaToken string
@description('Keep deleted vaults for 90 days. Null turns it off; Azure does not accept false.')
param isProtected bool
param isPrivate bool
param subnetId string
param networkId string

// Key Vault Secrets User: the app's setting refers to the secret and is filled in by the platform.
var secretsUser = '4633458b-17de-408a-b874-0445c86b69e6'

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    enablePurgeProtection: isProtected ? true : null
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
  }
}

resource secret 'Microsoft.KeyVault/vaults/secrets@2023-07-01' = {
  parent: vault
  name: 'chroma-token'
  properties: { value: chromaToken }
}

resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, principalId, secretsUser)
  scope: vault
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', secretsUser)
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}

module private 'endpoint.bicep' = if (isPrivate) {
  name: 'vault-endpoint'
  params: {
    name: name
    location: location
    tags: tags
    resourceId: vault.id
    part: 'vault'
    zone: 'privatelink.vaultcore.azure.net'
    subnetId: subnetId
    networkId: networkId
  }
}

output chromaTokenUri string = secret.properties.secretUri
