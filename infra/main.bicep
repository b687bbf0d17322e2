// Plumbline on Azure Functions: one resource group, one managed identity, no keys.
targetScope = 'subscription'

@minLength(1)
@maxLength(40)
@description('Name of the azd environment. Resource names are derived from it.')
param environmentName string

@minLength(1)
@description('Region of all resources. It must offer Flex Consumption and the chat model.')
@allowed([
  'australiaeast'
  'centralus'
  'eastus'
  'eastus2'
  'francecentral'
  'germanywestcentral'
  'japaneast'
  'koreacentral'
  'northcentralus'
  'northeurope'
  'norwayeast'
  'southcentralus'
  'southeastasia'
  'southindia'
  'swedencentral'
  'switzerlandnorth'
  'uksouth'
  'westeurope'
  'westus'
  'westus3'
])
@metadata({ azd: { type: 'location' } })
param location string

@description('Object id of the deploying principal. It becomes administrator of the databases.')
param administratorId string = ''

@description('User principal name of the deploying principal. Required for databases.')
param administratorName string = ''

@allowed(['User', 'Group', 'ServicePrincipal'])
@description('Type of the deploying principal.')
param administratorType string = 'User'

@allowed(['functions', 'api_keys', 'entra'])
@description('Authentication of callers: PLUMBLINE_AUTH.')
param auth string = 'functions'

@description('Hashes of API keys, if auth is api_keys: PLUMBLINE_API_KEYS.')
param apiKeys string = ''

@description('Client id of the app registration that callers sign in to, if auth is entra.')
param entraClientId string = ''

@description('Rate limit of POST requests per principal: PLUMBLINE_RATE_LIMIT.')
param rateLimit string = '60/minute'

@description('Chat model, which writes SQL, judges and answers.')
param chatModel string = 'gpt-5-mini'

@description('Version of the chat model. Retirement dates: learn.microsoft.com/azure/ai-foundry/openai/concepts/model-retirements.')
param chatModelVersion string = '2025-08-07'

@minLength(1)
@description('Deployment name of the chat model. It stays the same when the model is replaced.')
param chatDeployment string = 'chat'

@minValue(1)
@description('Capacity of the chat model, in thousands of tokens a minute.')
param chatCapacity int = 50

@description('Embedding model for docs and questions.')
param embeddingModel string = 'text-embedding-3-small'

@description('Version of the embedding model.')
param embeddingModelVersion string = '1'

@minLength(1)
@description('Deployment name of the embedding model.')
param embeddingDeployment string = 'embedding'

@minValue(1)
@description('Capacity of the embedding model, in thousands of tokens a minute.')
param embeddingCapacity int = 50

@allowed(['GlobalStandard', 'DataZoneStandard', 'Standard'])
@description('Deployment type of both models: where they may run.')
param modelSku string = 'GlobalStandard'

@description('Region of Azure OpenAI. Default: the region of all resources.')
param openaiLocation string = ''

@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GRS'])
@description('Redundancy of the storage account. Every region has LRS; ZRS requires availability zones.')
param storageRedundancy string = 'Standard_LRS'

@description('Keep deleted vaults for 90 days. This cannot be shortened: `azd up` after `azd down` then cannot create a vault of the same name.')
param protectVault bool = false

@description('Address of a Chroma server that all instances share. Default: each instance has its own index.')
param chromaUrl string = ''

@secure()
@description('Token of the Chroma server, stored in a Key Vault. It is the only secret.')
param chromaToken string = ''

@description('Create an Azure SQL database that the identity of the service can read.')
param withSql bool = false

@description('Create an Azure Database for PostgreSQL that the identity of the service can read.')
param withPostgresql bool = false

@description('Put the service into a virtual network.')
param withNetwork bool = false

@description('Reach storage, Azure OpenAI, Key Vault and databases by private endpoints only. Requires the network.')
param withPrivateEndpoints bool = false

@minValue(1)
@maxValue(1000)
@description('Maximum number of instances.')
param maximumInstances int = 40

@minValue(0)
@description('Always-ready instances, which avoid a cold start.')
param alwaysReadyInstances int = 0

@allowed([2048, 4096])
@description('Memory of an instance. 512 MB, which the plan offers too, is too little: the service takes some 430.')
param instanceMemoryMB int = 2048

var token = toLower(uniqueString(subscription().id, environmentName, location))
var tags = { 'azd-env-name': environmentName }
var inNetwork = withNetwork || withPrivateEndpoints

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: {
    name: 'id-plumbline-${token}'
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    name: 'plumbline-${token}'
    location: location
    tags: tags
    principalId: identity.outputs.principalId
  }
}

module network 'modules/network.bicep' = if (inNetwork) {
  name: 'network'
  scope: group
  params: {
    name: 'vnet-plumbline-${token}'
    location: location
    tags: tags
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: 'stplumb${token}'
    location: location
    tags: tags
    redundancy: storageRedundancy
    principalId: identity.outputs.principalId
    deployerId: administratorId
    deployerType: administratorType
    isPrivate: withPrivateEndpoints
    subnetId: inNetwork ? network!.outputs.endpointsSubnetId : ''
    networkId: inNetwork ? network!.outputs.id : ''
  }
}

module openai 'modules/openai.bicep' = {
  name: 'openai'
  scope: group
  params: {
    name: 'oai-plumbline-${token}'
    location: empty(openaiLocation) ? location : openaiLocation
    endpointLocation: location
    tags: tags
    principalId: identity.outputs.principalId
    deployerId: administratorId
    deployerType: administratorType
    chatModel: chatModel
    chatModelVersion: chatModelVersion
    chatDeployment: chatDeployment
    chatCapacity: chatCapacity
    embeddingModel: embeddingModel
    embeddingModelVersion: embeddingModelVersion
    embeddingDeployment: embeddingDeployment
    embeddingCapacity: embeddingCapacity
    modelSku: modelSku
    isPrivate: withPrivateEndpoints
    subnetId: inNetwork ? network!.outputs.endpointsSubnetId : ''
    networkId: inNetwork ? network!.outputs.id : ''
  }
}

module vault 'modules/vault.bicep' = if (!empty(chromaToken)) {
  name: 'vault'
  scope: group
  params: {
    name: 'kv-${token}'
    location: location
    tags: tags
    principalId: identity.outputs.principalId
    chromaToken: chromaToken
    isProtected: protectVault
    isPrivate: withPrivateEndpoints
    subnetId: inNetwork ? network!.outputs.endpointsSubnetId : ''
    networkId: inNetwork ? network!.outputs.id : ''
  }
}

module sql 'modules/sql.bicep' = if (withSql) {
  name: 'sql'
  scope: group
  params: {
    name: 'sql-plumbline-${token}'
    location: location
    tags: tags
    administratorId: administratorId
    administratorName: administratorName
    administratorType: administratorType
    isPrivate: withPrivateEndpoints
    subnetId: inNetwork ? network!.outputs.endpointsSubnetId : ''
    networkId: inNetwork ? network!.outputs.id : ''
  }
}

module postgresql 'modules/postgresql.bicep' = if (withPostgresql) {
  name: 'postgresql'
  scope: group
  params: {
    name: 'psql-plumbline-${token}'
    location: location
    tags: tags
    administratorId: administratorId
    administratorName: administratorName
    administratorType: administratorType
    isPrivate: withPrivateEndpoints
    subnetId: inNetwork ? network!.outputs.endpointsSubnetId : ''
    networkId: inNetwork ? network!.outputs.id : ''
  }
}

module app 'modules/app.bicep' = {
  name: 'app'
  scope: group
  params: {
    name: 'func-plumbline-${token}'
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    storageName: storage.outputs.name
    packageContainerUrl: storage.outputs.packageContainerUrl
    tablesEndpoint: storage.outputs.tablesEndpoint
    applicationInsightsConnection: monitoring.outputs.connectionString
    openaiEndpoint: openai.outputs.endpoint
    chatDeployment: openai.outputs.chatDeployment
    profile: contains(chatModel, 'mini') || contains(chatModel, 'nano') ? 'small_hosted' : 'large_hosted'
    embeddingDeployment: openai.outputs.embeddingDeployment
    auth: auth
    apiKeys: apiKeys
    entraClientId: entraClientId
    rateLimit: rateLimit
    chromaUrl: chromaUrl
    chromaTokenUri: empty(chromaToken) ? '' : vault!.outputs.chromaTokenUri
    sqlUrl: withSql ? 'mssql://${sql!.outputs.host}/${sql!.outputs.database}?auth=entra' : ''
    postgresqlUrl: withPostgresql ? 'postgresql://${identity.outputs.name}@${postgresql!.outputs.host}/${postgresql!.outputs.database}?auth=entra&sslmode=require' : ''
    subnetId: inNetwork ? network!.outputs.appSubnetId : ''
    maximumInstances: maximumInstances
    alwaysReadyInstances: alwaysReadyInstances
    instanceMemoryMB: instanceMemoryMB
  }
}

output AZURE_LOCATION string = location
output PLUMBLINE_URL string = 'https://${app.outputs.host}/api'
output PLUMBLINE_IDENTITY string = identity.outputs.name
