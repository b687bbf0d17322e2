// An Azure SQL database with Entra authentication only. reader-sql.sql grants the service read access.
param name string
param location string
param tags object
param administratorId string
param administratorName string
param administratorType string
param isPrivate bool
param subnetId string
param networkId string

resource server 'Microsoft.Sql/servers@2023-08-01-preview' = {
  name: name
  location: location
  tags: tags
  properties: {
    administrators: {
      administratorType: 'ActiveDirectory'
      azureADOnlyAuthentication: true
      login: administratorName
      principalType: administratorType == 'ServicePrincipal' ? 'Application' : administratorType
      sid: administratorId
      tenantId: subscription().tenantId
    }
    minimalTlsVersion: '1.2'
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
  }
}

resource database 'Microsoft.Sql/servers/databases@2023-08-01-preview' = {
  parent: server
  name: 'plumbline'
  location: location
  tags: tags
  sku: {
    name: 'GP_S_Gen5'
    tier: 'GeneralPurpose'
    family: 'Gen5'
    capacity: 1
  }
  properties: {
    autoPauseDelay: 60
    minCapacity: json('0.5')
  }
}

resource fromAzure 'Microsoft.Sql/servers/firewallRules@2023-08-01-preview' = if (!isPrivate) {
  parent: server
  name: 'AllowAllWindowsAzureIps' // Azure's name for access from within Azure
  properties: {
    startIpAddress: '0.0.0.0'
    endIpAddress: '0.0.0.0'
  }
}

module private 'endpoint.bicep' = if (isPrivate) {
  name: 'sql-endpoint'
  params: {
    name: name
    location: location
    tags: tags
    resourceId: server.id
    part: 'sqlServer'
    zone: 'privatelink${environment().suffixes.sqlServerHostname}'
    subnetId: subnetId
    networkId: networkId
  }
}

output host string = server.properties.fullyQualifiedDomainName
output database string = database.name
