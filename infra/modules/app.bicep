// The function app on Flex Consumption: Python 3.12, one identity, no key in its settings.
param name string
param location string
param tags object
param identityId string
param identityClientId string
param storageName string
param packageContainerUrl string
param tablesEndpoint string
param applicationInsightsConnection string
param openaiEndpoint string
param chatDeployment string
param profile string
param embeddingDeployment string
param auth string
param apiKeys string
param entraClientId string
param rateLimit string
param chromaUrl string
param chromaTokenUri string
param sqlUrl string
param postgresqlUrl string
param subnetId string
param maximumInstances int
param alwaysReadyInstances int
param instanceMemoryMB int

// Settings of the platform: the host's storage and the identity for azure-identity.
var platform = {
  AzureWebJobsStorage__accountName: storageName
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: applicationInsightsConnection
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  AZURE_CLIENT_ID: identityClientId
  PYTHON_ENABLE_INIT_INDEXING: '1' // streams, on Python up to 3.12
  PYTHON_ISOLATE_WORKER_DEPENDENCIES: '1' // our grpcio and protobuf, not the older ones of the worker
}

var service = {
  AZURE_OPENAI_ENDPOINT: openaiEndpoint
  OPENAI_API_VERSION: '2024-12-01-preview' // reasoning models refuse earlier ones
  PLUMBLINE_CHAT_MODEL: chatDeployment
  PLUMBLINE_PROFILE: profile
  PLUMBLINE_EMBEDDING: 'openai'
  PLUMBLINE_EMBEDDING_MODEL: embeddingDeployment
  PLUMBLINE_STATE_STORE: 'azure_tables'
  PLUMBLINE_AZURE_TABLES_ENDPOINT: tablesEndpoint
  PLUMBLINE_STATE_DIR: '/tmp/plumbline' // local disk of the instance, for its index; the package is mounted read-only
  PLUMBLINE_CACHE_DIR: '/tmp/plumbline'
  // Half of the instance is for two workers with queries of local files; by default they may use 8 GB.
  PLUMBLINE_LOCAL_WORKERS: '2'
  PLUMBLINE_WORKER_MEMORY: '${instanceMemoryMB / 4}MB'
  PLUMBLINE_DUCKDB_MEMORY: '${instanceMemoryMB / 8}MB'
  PLUMBLINE_AUTH: auth
  PLUMBLINE_RATE_LIMIT: rateLimit
  PLUMBLINE_LOG_FORMAT: 'json'
  PLUMBLINE_LOG_LEVEL: 'INFO'
}

var keysOfCallers = empty(apiKeys) ? {} : { PLUMBLINE_API_KEYS: apiKeys }
var chroma = empty(chromaUrl) ? {} : { CHROMA_URL: chromaUrl }
var chromaSecret = empty(chromaTokenUri) ? {} : { CHROMA_TOKEN: '@Microsoft.KeyVault(SecretUri=${chromaTokenUri})' }
// databases.yaml refers to these as AZURE_SQL_URL and AZURE_POSTGRESQL_URL.
// Reading its schema every ten minutes would keep the serverless Azure SQL database from ever pausing.
var sqlDatabase = empty(sqlUrl) ? {} : { AZURE_SQL_URL: sqlUrl, PLUMBLINE_SCHEMA_TTL_S: '86400' }
var postgresqlDatabase = empty(postgresqlUrl) ? {} : { AZURE_POSTGRESQL_URL: postgresqlUrl }

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: 'plan-${name}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    name: 'FC1'
    tier: 'FlexConsumption'
  }
  properties: { reserved: true }
}

resource app 'Microsoft.Web/sites@2024-04-01' = {
  name: name
  location: location
  tags: union(tags, { 'azd-service-name': 'api' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainerUrl
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: {
        name: 'python'
        version: '3.12'
      }
      scaleAndConcurrency: {
        maximumInstanceCount: maximumInstances
        instanceMemoryMB: instanceMemoryMB
        alwaysReady: alwaysReadyInstances > 0 ? [
          {
            name: 'http'
            instanceCount: alwaysReadyInstances
          }
        ] : []
        triggers: { http: { perInstanceConcurrency: 16 } } // PLUMBLINE_MAX_CONCURRENT_QUESTIONS
      }
    }
    siteConfig: { minTlsVersion: '1.2' }
  }

  resource settings 'config' = {
    name: 'appsettings'
    properties: union(platform, service, keysOfCallers, chroma, chromaSecret, sqlDatabase, postgresqlDatabase)
  }

  resource ftp 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }

  resource scm 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }
}

// Signed-in callers are named to the service. The service refuses the others itself; health and contract stay open.
resource signIn 'Microsoft.Web/sites/config@2024-04-01' = if (auth == 'entra') {
  parent: app
  name: 'authsettingsV2'
  properties: {
    platform: { enabled: true }
    globalValidation: { unauthenticatedClientAction: 'AllowAnonymous' }
    identityProviders: {
      azureActiveDirectory: {
        enabled: true
        registration: {
          clientId: entraClientId
          openIdIssuer: '${environment().authentication.loginEndpoint}${subscription().tenantId}/v2.0'
        }
        validation: { allowedAudiences: [entraClientId, 'api://${entraClientId}'] }
      }
    }
  }
  dependsOn: [app::settings] // a change of either restarts the app
}

output host string = app.properties.defaultHostName
