// An Azure Database for PostgreSQL with Entra authentication only. reader-postgresql.sql grants the service read access.
param name string
param location string
param tags object
param administratorId string
param administratorName string
param administratorType string
param isPrivate bool
param subnetId string
param networkId string

resource server 'Microsoft.DBforPostgreSQL/flexibleServers@2024-08-01' = {
  name: name
  location: location
  tags: tags
  sku: {
    name: 'Standard_B1ms'
    tier: 'Burstable'
  }
  properties: {
    version: '16'
    authConfig: {
      activeDirectoryAuth: 'Enabled'
      passwordAuth: 'Disabled'
      tenantId: subscription().tenantId
    }
    storage: { storageSizeGB: 32 }
    network: { publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled' }
  }
}

resource administrator 'Microsoft.DBforPostgreSQL/flexibleServers/administrators@2024-08-01' = {
  parent: server
  name: administratorId
  properties: {
    principalName: administratorName
    principalType: administratorType
    tenantId: subscription().tenantId
  }
}

resource database 'Microsoft.DBforPostgreSQL/flexibleServers/databases@2024-08-01' = {
  parent: server
  name: 'plumbline'
  dependsOn: [administrator] // a server takes one change at a time
}

resource fromAzure 'Microsoft.DBforPostgreSQL/flexibleServers/firewallRules@2024-08-01' = if (!isPrivate) {
  parent: server
  name: 'from-azure'
  properties: {
    startIpAddress: '0.0.0.0'
    endIpAddress: '0.0.0.0'
  }
  dependsOn: [database]
}

module private 'endpoint.bicep' = if (isPrivate) {
  name: 'postgresql-endpoint'
  params: {
    name: name
    location: location
    tags: tags
    resourceId: server.id
    part: 'postgresqlServer'
    zone: 'privatelink.postgres.database.azure.com'
    subnetId: subnetId
    networkId: networkId
  }
}

output host string = server.properties.fullyQualifiedDomainName
output database string = database.name
