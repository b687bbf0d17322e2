// Plumbline on Azure Functions: one resource group, one managed identity, no key anywhere.
targetScope = 'subscription'

@minLength(1)
@maxLength(40)
@description('Name of the azd environment; every name of a resource is made from it.')
param environmentName string

@minLength(1)
@description('Where everything is made: a region with Flex Consumption and the chat model.')
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

@description('Object id of who deploys: made administrator of the databases, where there are some.')
param administratorId string = ''

@description('User principal name of the same; needed where there is a database.')
param administratorName string = ''

@allowed(['User', 'Group', 'ServicePrincipal'])
@description('What that administrator is.')
param administratorType string = 'User'

@allowed(['functions', 'api_keys', 'entra'])
@description('How callers are known: PLUMBLINE_AUTH.')
param auth string = 'functions'

@description('Hashes of the keys of callers, where auth is api_keys: PLUMBLINE_API_KEYS.')
param apiKeys string = ''

@description('Client id of the app registration that callers sign in to, where auth is entra.')
param entraClientId string = ''

@description('What each principal may POST: PLUMBLINE_RATE_LIMIT.')
param rateLimit string = '60/minute'

@description('Model that writes SQL, judges and answers.')
param chatModel string = 'gpt-5-mini'

@description('Its version. Models retire: learn.microsoft.com/azure/ai-foundry/openai/concepts/model-retirements says when.')
param chatModelVersion string = '2025-08-07'

@minLength(1)
@description('Name of its deployment, which stays when the model is replaced by a newer one.')
param chatDeployment string = 'chat'

@minValue(1)
@description('Its capacity, in thousands of tokens a minute.')
param chatCapacity int = 50

@description('Model that embeds docs and questions.')
param embeddingModel string = 'text-embedding-3-small'

@description('Its version.')
param embeddingModelVersion string = '1'

@minLength(1)
@description('Name of its deployment.')
param embeddingDeployment string = 'embedding'

@minValue(1)
@description('Its capacity, in thousands of tokens a minute.')
param embeddingCapacity int = 50

@allowed(['GlobalStandard', 'DataZoneStandard', 'Standard'])
@description('Where both models may be run.')
param modelSku string = 'GlobalStandard'

@description('Where Azure OpenAI is made, if not where everything is.')
param openaiLocation string = ''

@allowed(['Standard_LRS', 'Standard_ZRS', 'Standard_GRS'])
@description('Redundancy of the storage account. Every region has LRS; ZRS wants availability zones.')
param storageRedundancy string = 'Standard_LRS'

@description('Keep deleted vaults for 90 days, which nobody can shorten. Then `azd down` and `azd up` cannot make one of the same name.')
param protectVault bool = false

@description('Address of a Chroma server, which all instances share. Without one each instance has an index of its own.')
param chromaUrl string = ''

@secure()
@description('What that server wants as a token: the one secret that no identity can replace. It goes into a Key Vault.')
param chromaToken string = ''

@description('Make an Azure SQL database, read by the identity of the service.')
param withSql bool = false

@description('Make an Azure Database for PostgreSQL, read by the identity of the service.')
param withPostgresql bool = false

@description('Put the service into a virtual network.')
param withNetwork bool = false

@description('Reach storage, Azure OpenAI, Key Vault and databases by private endpoints alone; wants the network.')
param withPrivateEndpoints bool = false

@minValue(1)
@maxValue(1000)
@description('Instances at most.')
param maximumInstances int = 40

@minValue(0)
@description('Instances that run although nobody asks, so that the first question need not wait for one.')
param alwaysReadyInstances int = 0

@allowed([512, 2048, 4096])
@description('Memory of an instance.')
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
