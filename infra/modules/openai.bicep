// Azure OpenAI with a chat deployment and an embedding deployment.
param name string
param location string
param endpointLocation string
param tags object
param principalId string
@description('Object id of the deploying principal. Empty: no role is assigned.')
param deployerId string
param deployerType string
param chatModel string
param chatModelVersion string
param chatDeployment string
param chatCapacity int
param embeddingModel string
param embeddingModelVersion string
param embeddingDeployment string
param embeddingCapacity int
param modelSku string
param isPrivate bool
param subnetId string
param networkId string

// Cognitive Services OpenAI User: calls deployments and cannot change them.
var openaiUser = '5e0bd9bd-7b93-4f28-af87-19fc36ad61bd'

resource account 'Microsoft.CognitiveServices/accounts@2024-10-01' = {
  name: name
  location: location
  tags: tags
  kind: 'OpenAI'
  sku: { name: 'S0' }
  properties: {
    customSubDomainName: name
    disableLocalAuth: true
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
  }
}

resource chat 'Microsoft.CognitiveServices/accounts/deployments@2024-10-01' = {
  parent: account
  name: chatDeployment
  sku: {
    name: modelSku
    capacity: chatCapacity
  }
  properties: {
    model: {
      format: 'OpenAI'
      name: chatModel
      version: chatModelVersion
    }
    versionUpgradeOption: 'NoAutoUpgrade'
  }
}

resource embedding 'Microsoft.CognitiveServices/accounts/deployments@2024-10-01' = {
  parent: account
  name: embeddingDeployment
  sku: {
    name: modelSku
    capacity: embeddingCapacity
  }
  properties: {
    model: {
      format: 'OpenAI'
      name: embeddingModel
      version: embeddingModelVersion
    }
    versionUpgradeOption: 'NoAutoUpgrade'
  }
  dependsOn: [chat] // an account takes one change at a time
}

resource calls 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, openaiUser)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', openaiUser)
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}

// The deploying principal can call the models from a laptop, with `az login` and no key.
resource deployerCalls 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerId)) {
  name: guid(account.id, deployerId, openaiUser)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', openaiUser)
    principalId: deployerId
    principalType: deployerType
  }
}

module private 'endpoint.bicep' = if (isPrivate) {
  name: 'openai-endpoint'
  params: {
    name: name
    location: endpointLocation
    tags: tags
    resourceId: account.id
    part: 'account'
    zone: 'privatelink.openai.azure.com'
    subnetId: subnetId
    networkId: networkId
  }
}

output endpoint string = account.properties.endpoint
output chatDeployment string = chat.name
output embeddingDeployment string = embedding.name
